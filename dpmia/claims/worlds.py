"""Worlds whose truth is known, made of measured tables: claims are judged in them (`dpmia.claims.power`).

A world has a part of the measured effect (`PARTS`). The placebo has none:

- `replicates/`: every attack has random scores; models are equally accurate on members and others, in every arm at
  every epsilon. All metrics keep their covariance over replicates, so that differences within one scatter as measured.
  Replicates that share records have in common what these make of each metric: it is drawn once for all of a draw.
- `studies/`: every attack has random scores; the errors of the models stay as measured. Covariance as above.
- `per_record/`: whether a record is a member is drawn at random. Records are drawn with replacement.
- `nulls/`: models learn nothing of a record, so that all attacks take their null losses from the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from dpmia.claims.record_worlds import NullWorld, RecordWorld
from dpmia.claims.rows import MetricKey, Replicates, Splits, StudyKey
from dpmia.claims.scatter import Scatter, means_and_deviations, scattered
from dpmia.claims.world import Chance, World
from dpmia.common.arms import IID_SUFFIX
from dpmia.formats.rows import EFFECTS, GROUPS, KEYS, NO_ATTACK
from dpmia.metrics.ranking import LOW_RATES, held_rate
from dpmia.metrics.shared_records import common_effects

#: The attack whose scores are random. It follows the rule of oracles, so theirs is its advantage.
RANDOM = "random"

#: Metric of an attack -> its mean for random scores.
_CHANCE = {"advantage": 0.0, "auc": 0.5}

#: Precision of the best of several shares of a ranking, of an attack's and of a random one: for random scores alike.
_RANKED = ("precision_best", "precision_control")

#: Rates of positive predictions: for random scores all are equal.
_RATES = ("recall", "tpr", "fpr")


@dataclass(frozen=True)
class MetricWorld(World):
    """The metrics of one experiment.

    Attributes:
        keys: one row for each metric, columns `KEYS`.
        means: true mean of each metric.
        deviations: see `Scatter`.
        effects: see `Scatter`.
    """

    keys: pd.DataFrame
    means: np.ndarray
    deviations: np.ndarray
    effects: np.ndarray

    @classmethod
    def of(cls, table: pd.DataFrame) -> MetricWorld:
        """Return the world as measured; metrics with fewer than two values are left out."""
        values = scattered(table.pivot(index=KEYS, columns="replicate", values="value"))
        effects = _shared_effects(table, values) if EFFECTS[0] in table else np.empty((len(values), 0))
        return cls(values.index.to_frame(index=False), *means_and_deviations(values), effects)

    @cached_property
    def places(self) -> dict[MetricKey, int]:
        """Key of each metric -> its row."""
        columns = (self.keys[name].tolist() for name in ("arm", "epsilon", "attack", "metric"))
        return {key: place for place, key in enumerate(zip(*columns, strict=True))}

    def with_effect(self, effect: float) -> MetricWorld:
        """Return the world with a part of the measured effect; metrics without a known null value are left out."""
        if effect == 1:
            return self
        means = self._null_means + effect * (self.means - self._null_means)
        has_mean = ~np.isnan(means)
        keys = self.keys[has_mean].reset_index(drop=True)
        return MetricWorld(keys, means[has_mean], self.deviations[has_mean], self.effects[has_mean])

    def with_means(self, means: Mapping[MetricKey, float]) -> MetricWorld:
        """Return the world with other means of some metrics; those that were not measured are passed over."""
        changed = self.means.copy()
        for key, mean in means.items():
            if key in self.places:
                changed[self.places[key]] = mean
        return replace(self, means=changed)

    def draw(self, chance: Chance) -> DrawnMetrics:
        """Return the replicates of each draw."""
        drawn = Scatter.drawn(self.places, self.means, self.deviations, self.effects, chance)
        return DrawnMetrics(str(self.keys["experiment"].iloc[0]), drawn)

    @cached_property
    def _null_means(self) -> np.ndarray:
        """Return the mean of each metric without an effect; NaN where it is not known."""
        oracles = self.keys["oracle"].tolist()
        means = dict(zip(self.places, self.means.tolist(), strict=True))
        models = self.keys["attack"] == NO_ATTACK
        over_all = {
            name: float(self.means[rows].mean())
            for name, rows in self.keys[models].groupby("metric").indices.items()
            for rows in [np.flatnonzero(models)[rows]]
        }
        arms = self.keys["arm"].str.removesuffix(IID_SUFFIX)
        over = pd.Series(self.means).groupby([arms, self.keys["attack"], self.keys["metric"]]).mean().to_dict()
        members = pd.Series([_share_of_members(means, key) for key in self.places]).groupby(arms).mean()
        over |= {(arm, "", "members"): share for arm, share in members.items()}
        return np.array([
            _null_of_model(means, over_all, key) if key[2] == NO_ATTACK else _null_of_attack(means, over, key, oracle)
            for key, oracle in zip(self.places, oracles, strict=True)
        ])  # fmt: skip


@dataclass(frozen=True)
class DrawnMetrics:
    """Drawn replicates of one experiment."""

    experiment: str
    values: Scatter[MetricKey]

    @property
    def shared(self) -> bool:
        """Whether replicates of one draw share records."""
        return bool(self.values.effects.any())

    def part(self, replicates: slice, without: int | None = None) -> Replicates:
        """Return some of the replicates, with all or without a group of records."""
        return Replicates(self.experiment, self.values.part(replicates, without))


def _shared_effects(table: pd.DataFrame, values: pd.DataFrame) -> np.ndarray:
    """Return what the groups of records do to all replicates of a metric alike: a row for each row of values."""
    of_all = np.full((*values.shape, GROUPS), np.nan)
    rows = values.index.get_indexer(pd.MultiIndex.from_frame(table[KEYS]))
    columns = values.columns.get_indexer(pd.Index(table["replicate"]))
    there = (rows >= 0) & table["value"].notna().to_numpy()
    of_all[rows[there], columns[there]] = table.loc[there, EFFECTS].fillna(0).to_numpy(dtype=float)
    return common_effects(of_all)


def _null_of_model(means: Mapping[MetricKey, float], over_all: Mapping[str, float], key: MetricKey) -> float:
    """Return the mean of a metric of models where members, arms and epsilons make no difference.

    Bounds stay as measured: they follow from the settings.
    """
    kind, _, part = key[3].partition("_")
    if kind not in ("accuracy", "loss") or not part:
        return means[key]
    if part in ("members", "validation"):
        part = "nonmembers"
    return over_all.get(f"{kind}_{part}", over_all[key[3]])


def _null_of_attack(means: Mapping[MetricKey, float], over: Mapping, key: MetricKey, oracle: bool) -> float:
    """Return the mean of a metric of an attack with random scores; NaN where it is not known.

    It predicts as many records members as the measured attack: then precision is the share of members, and the rates of
    true and of false positives are that of positive predictions. A TPR at a false positive rate is that of few
    non-members, where their number is known.

    Args:
        means: of all metrics.
        over: the same, mean over epsilons, and over an arm and its IID arm: (arm, attack, metric) -> mean; of no attack
            `members`, the share of members.
        key: of the metric.
        oracle: whether the attack is one.
    """
    arm, epsilon, attack, metric = key
    arm = arm.removesuffix(IID_SUFFIX)

    def measured(name: str) -> float:
        return means.get((key[0], epsilon, attack, name), float("nan"))

    if metric == "advantage" and oracle:
        return over.get((arm, RANDOM, metric), float("nan"))
    if metric in _CHANCE:
        return _CHANCE[metric]
    rate = float(metric.removeprefix("tpr@")) if metric.startswith("tpr@") else LOW_RATES.get(metric)
    if rate is not None:
        resolution = measured("resolution")
        # Where few replicates have enough non-members, the mean may be too few.
        few = max(1 / resolution, 1 / rate)
        return rate if np.isnan(resolution) else held_rate(rate, math.ceil(few - 1e-9))
    if metric in _RANKED:
        return over.get((arm, attack, "precision_control"), float("nan"))
    if metric == "precision_baseline":
        return means[key]
    if metric not in ("precision", *_RATES):
        return float("nan")
    members = over.get((arm, "", "members"), float("nan"))
    recall = measured("recall")
    return members if metric == "precision" else recall - (1 - members) * measured("advantage")


def _share_of_members(means: Mapping[MetricKey, float], key: MetricKey) -> float:
    """Return the share of members among the records that an attack decides on, which is the precision of "all members".

    Where that was not measured it follows from precision and rates; NaN where precision is 0 or 1.
    """
    if (baseline := (*key[:3], "precision_baseline")) in means:
        return means[baseline]
    recall, precision, advantage = (
        means.get((*key[:3], name), np.nan) for name in ("recall", "precision", "advantage")
    )
    if not (0 < precision < 1 and recall > 0):
        return float("nan")
    odds = precision * (recall - advantage) / ((1 - precision) * recall)
    return odds / (1 + odds)


@dataclass(frozen=True)
class StudyWorld(World):
    """The advantages of a study on regression.

    Attributes:
        ratio: ratio of errors by depth or penalty.
        places: key of each advantage -> its row.
        means: true mean of each.
        deviations: see `Scatter`.
    """

    ratio: pd.Series
    places: dict[StudyKey, int]
    means: np.ndarray
    deviations: np.ndarray

    @classmethod
    def of(cls, table: pd.DataFrame) -> StudyWorld:
        """Return the world as measured."""
        index = ["parameter", "adversary", "target"]
        values = scattered(table.pivot(index=index, columns="replicate", values="advantage"))
        places = {key: place for place, key in enumerate(values.index)}
        return cls(table.groupby("parameter")["ratio"].first(), places, *means_and_deviations(values))

    def with_effect(self, effect: float) -> StudyWorld:
        """Return the world with a part of the measured advantages."""
        return replace(self, means=effect * self.means)

    def draw(self, chance: Chance) -> DrawnAdvantages:
        """Return the splits of each draw."""
        none = np.empty((len(self.means), 0))
        drawn = Scatter.drawn(self.places, self.means, self.deviations, none, chance)
        return DrawnAdvantages(self.ratio, drawn)


@dataclass(frozen=True)
class DrawnAdvantages:
    """Drawn splits of one study."""

    ratio: pd.Series
    values: Scatter[StudyKey]
    shared: bool = False

    def part(self, replicates: slice, without: int | None = None) -> Splits:
        """Return some of the splits."""
        return Splits(self.ratio, self.values.part(replicates))


#: Stage of a table -> what makes its world.
WORLD_OF_STAGE: dict[str, Callable[[pd.DataFrame], World]] = {
    "replicates": MetricWorld.of,
    "studies": StudyWorld.of,
    "per_record": RecordWorld.of,
    "nulls": NullWorld.of,
}

#: Stages whose numbers each rest on one replicate.
BY_REPLICATE = ("replicates", "studies")
