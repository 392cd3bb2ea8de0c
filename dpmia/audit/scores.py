"""What an audit measures anew from scores of single records: ROC curves, most exposed records, majority classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dpmia.attacks.base import Attack
from dpmia.common.plain import PlainData
from dpmia.evaluation.attacks import scored
from dpmia.formats.signals import Signal
from dpmia.jobs.attacking import AuditedAttack
from dpmia.metrics.exposure import Exposure
from dpmia.metrics.intervals import estimate
from dpmia.metrics.low_rates import tpr_limits
from dpmia.metrics.ranking import roc
from dpmia.privacy.record import GuaranteeRow

#: Length of the list of the most exposed records.
LISTED = 10

#: False positive rates of a ROC curve, evenly spread on a logarithmic axis.
ROC_POINTS = 60

Model = tuple[str, str]
"""Arm and epsilon (text) of the replicates of a model."""


class Sizes(NamedTuple):
    """Members and non-members of the smallest models, and non-members of the largest."""

    members: int
    nonmembers: int
    most_nonmembers: int


@dataclass
class Scores:
    """Results of the audited attacks on the models of one experiment.

    Attributes:
        roc: (arm, epsilon, attack) -> points of the ROC curve of each model: false and true positive rates.
        members: (arm, epsilon) -> members of each model.
        nonmembers: (arm, epsilon) -> non-members of each model.
        majority: (arm, epsilon) -> accuracy on the non-members of always predicting the members' largest class.
        guarantees: (arm, epsilon) -> privacy guarantee of each model; None without privacy.
        exposure: (arm, epsilon, attack) -> ranks of members among non-members.
    """

    roc: dict[tuple[str, str, str], list[tuple[np.ndarray, np.ndarray]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    members: dict[Model, list[int]] = field(default_factory=lambda: defaultdict(list))
    nonmembers: dict[Model, list[int]] = field(default_factory=lambda: defaultdict(list))
    majority: dict[Model, list[float]] = field(default_factory=lambda: defaultdict(list))
    guarantees: dict[Model, list[GuaranteeRow | None]] = field(default_factory=lambda: defaultdict(list))
    exposure: dict[tuple[str, str, str], Exposure] = field(
        default_factory=lambda: defaultdict(lambda: Exposure(LISTED))
    )

    @property
    def sizes(self) -> dict[Model, Sizes]:
        """Arm and epsilon -> the sizes of its models."""
        return {
            model: Sizes(min(members), min(self.nonmembers[model]), max(self.nonmembers[model]))
            for model, members in self.members.items()
        }


def collect_scores(attacks: Mapping[str, AuditedAttack], signals: Iterable[Path | str], seed: int) -> Scores:
    """Run the attacks on all target models.

    Args:
        attacks: by name.
        signals: files of the target models.
        seed: the root seed.
    """
    made: dict[str, tuple[Attack, Sequence[Path | str]]] = {
        name: (attack.make(), attack.files) for name, attack in attacks.items()
    }
    collected = Scores()
    first = next(iter(made), None)
    for attack, signal, scores in scored(made, signals, seed):
        model = signal.card.arm, signal.card.epsilon
        false, true, _ = roc(scores, signal.is_member)
        collected.roc[*model, attack].append((false, true))
        collected.exposure[*model, attack].add(signal, scores)
        if attack == first:
            collected.members[model].append(int(signal.is_member.sum()))
            collected.nonmembers[model].append(int(signal.is_nonmember.sum()))
            collected.majority[model].append(majority_accuracy(signal))
            collected.guarantees[model].append(signal.card.guarantee)
    return collected


def majority_accuracy(signal: Signal) -> float:
    """Return the accuracy on the non-members of always predicting the class that most members have."""
    largest = np.bincount(signal.labels[signal.is_member]).argmax()
    return float((signal.labels[signal.is_nonmember] == largest).mean())


@dataclass(frozen=True)
class RocCurve(PlainData):
    """A mean ROC curve with its band.

    Attributes:
        fpr: false positive rates, from 1 / n to 1, where n is the smallest number of non-members.
        tpr: the mean over models of the largest true positive rate at a false positive rate of at most `fpr`.
        low: 95 % limits over models; of one model over its records; None where there are none.
        high: as `low`.
    """

    fpr: list[float]
    tpr: list[float]
    low: list[float | None]
    high: list[float | None]


def roc_curve(
    models: Sequence[tuple[np.ndarray, np.ndarray]], members: Sequence[int], nonmembers: Sequence[int]
) -> RocCurve:
    """Return the mean ROC curve of some models, down to the smallest false positive rate that all of them can show.

    Args:
        models: false and true positive rates of each model, as `dpmia.metrics.ranking.roc` returns them.
        members: of each model.
        nonmembers: of each model.

    Returns:
        The curve. Limits over models are missing with two models or where all are equal; those of one model are those
        of `tpr_limits`; where all are 0 or 1, limits are Clopper-Pearson's over the members of one.
    """
    rates = np.geomspace(1 / min(nonmembers), 1, ROC_POINTS)
    # A rate of exactly 1 / n must not fall short of it by rounding.
    curves = np.array([true[np.searchsorted(false, rates * (1 + 1e-9), side="right") - 1] for false, true in models])
    if len(models) == 1:
        (false, true), records = models[0], (members[0], nonmembers[0])
        low, high = np.array([tpr_limits(false, true, min(rate * (1 + 1e-9), 1.0), *records) for rate in rates]).T
    else:
        low, high = np.array([estimate(at_rate, trials=min(members)).limits((0.0, 1.0)) for at_rate in curves.T]).T
    fpr, tpr = ([round(float(rate), 6) for rate in axis] for axis in (rates, curves.mean(axis=0)))
    band = ([None if np.isnan(limit) else round(float(limit), 6) for limit in limits] for limits in (low, high))
    return RocCurve(fpr, tpr, *band)
