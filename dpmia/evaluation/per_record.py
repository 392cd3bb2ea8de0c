"""Attacks seen record by record: loss, threshold and verdict, and the losses that a threshold comes from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpmia.attacks.base import Knowledge
from dpmia.attacks.hypothesis import HypothesisTest
from dpmia.common.seeds import derive_seed
from dpmia.evaluation.attacks import AttackersModels, named
from dpmia.formats.losses import Losses
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, QUERY_ARRAYS, Signal, load_all
from dpmia.formats.stages import NULLS, PER_RECORD
from dpmia.splits.sampled_records import draw_records

#: Of more null losses than this a random choice of as many is kept.
MOST_LOSSES = 2000

#: Where the two records of `nulls_table` stand among those of their class, by their loss.
PLACES = (0.25, 0.75)


def per_record_table(
    experiment: str,
    attacks: Mapping[str, HypothesisTest],
    files: Iterable[Path | str],
    root_seed: int,
    models: AttackersModels,
    *,
    arms: Collection[str],
    alphas: Sequence[float],
    count: int,
) -> pd.DataFrame:
    """Judge some members and some non-members of every target model by every attack.

    Args:
        experiment: name of the experiment.
        attacks: by name.
        files: signal files of the target models.
        root_seed: the user's seed; records are drawn with it.
        models: of the attacker.
        arms: whose target models are attacked.
        alphas: false positive rates at which thresholds are set.
        count: members, and non-members, all where there are fewer.

    Returns:
        Columns `PER_RECORD`: `target` is the replicate, `loss` the target model's, `decision` the attack's, true for
        "member". An attack with models that leave one record out scores the records that there are such models for.
    """
    tables: list[pd.DataFrame] = []
    for signal in _signals(files, arms):
        queries = _cut(signal, np.concatenate(draw_records(signal, count, root_seed)))
        with models.named():
            knowledge = models.knowledge_of(queries)
        for name, attack in attacks.items():
            if "leave_one_out" not in attack.uses:
                with models.named():
                    tables += _judged(experiment, name, attack, queries, knowledge, alphas)
                continue
            for path, part in models.without_one_record(signal):
                of_part = _cut(queries, part.records).of(MEMBER, NONMEMBER)
                with named([path]):
                    tables += _judged(experiment, name, attack, of_part, _leave_one_out(part, of_part), alphas)
    return pd.concat(tables, ignore_index=True)[PER_RECORD]


def _judged(
    experiment: str,
    name: str,
    attack: HypothesisTest,
    signal: Signal,
    knowledge: Knowledge,
    alphas: Sequence[float],
) -> Iterator[pd.DataFrame]:
    wanted = signal.is_member | signal.is_nonmember
    base = {
        "experiment": experiment,
        "arm": signal.card.arm,
        "target": signal.card.replicate,
        "record": signal.records[wanted],
        "label": signal.labels[wanted],
        "membership": np.where(signal.is_member[wanted], "member", "nonmember"),
        "loss": signal.losses[wanted],
    }
    null = attack.null(signal, knowledge)
    for alpha in alphas:
        threshold = attack.estimator.threshold(null, alpha)[wanted]
        decisions = base["loss"] <= threshold
        yield pd.DataFrame({**base, "attack": name, "alpha": alpha, "threshold": threshold, "decision": decisions})


def nulls_table(
    experiment: str,
    attacks: Mapping[str, HypothesisTest],
    files: Iterable[Path | str],
    root_seed: int,
    models: AttackersModels,
    *,
    arms: Collection[str],
    alpha: float,
) -> pd.DataFrame:
    """Return the losses that stand for those of a non-member, for two members of one class.

    In each arm, once for two members of the first target model, and once for two that are members of two target
    models. The class is the one with the most such members; of the pairs of target models, the first in which it has
    the most. The two records are those whose losses stand at `PLACES` of their class.

    Args:
        experiment: see `per_record_table`.
        attacks: see `per_record_table`; those with models that leave one record out are passed over.
        files: see `per_record_table`.
        root_seed: see `per_record_table`; of many null losses some are drawn with it.
        models: see `per_record_table`.
        arms: see `per_record_table`.
        alpha: false positive rate at which thresholds are set.

    Returns:
        Columns `NULLS`, one row for each null loss: `targets` is the number of target models that the records are
        members of, `null_losses` how many there are, at most `MOST_LOSSES` of which are kept. No rows for two target
        models that share fewer than two members of every class.
    """
    attacks = {name: attack for name, attack in attacks.items() if "leave_one_out" not in attack.uses}
    signals = list(_signals(files, arms))
    of_arms = [[signal for signal in signals if signal.card.arm == arm] for arm in arms]
    tables = [pd.DataFrame(columns=NULLS)]
    for together in (some for of_one in of_arms for some in (of_one[:1], _pair(of_one))):
        records = _two_members(together)
        for signal in together if len(records) else ():
            queries = _cut(signal, records)
            with models.named():
                knowledge = models.knowledge_of(queries)
                for name, attack in attacks.items():
                    rng = np.random.default_rng(derive_seed(root_seed, "nulls", *signal.card.meaning))
                    keys = {"experiment": experiment, "targets": len(together), "attack": name, "alpha": alpha}
                    tables += _nulls(attack, queries, knowledge, rng, keys)
    return pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)[NULLS]


def _nulls(
    attack: HypothesisTest, signal: Signal, knowledge: Knowledge, rng: np.random.Generator, keys: dict[str, Any]
) -> Iterator[pd.DataFrame]:
    null = attack.null(signal, knowledge)
    threshold = attack.estimator.threshold(null, keys["alpha"])
    for query in np.flatnonzero(signal.is_member).tolist():
        losses = null.of(query)
        kept = rng.choice(losses, MOST_LOSSES, replace=False) if len(losses) > MOST_LOSSES else losses
        yield pd.DataFrame(
            {
                **keys,
                "arm": signal.card.arm,
                "target": signal.card.replicate,
                "record": signal.records[query],
                "label": signal.labels[query],
                "loss": signal.losses[query],
                "threshold": threshold[query],
                "null_losses": len(losses),
                "null_loss": np.sort(kept),
            }
        )


def _pair(signals: Sequence[Signal]) -> Sequence[Signal]:
    """Return the two target models that share the most members of one class, nothing where there are not two."""
    pairs = list(combinations(signals, 2))
    return max(pairs, key=lambda pair: len(_class_mates(pair)), default=())


def _two_members(signals: Sequence[Signal]) -> np.ndarray:
    """Return the two records to look at, members of all of `signals`; none where no class has two."""
    mates = _class_mates(signals) if signals else np.array([], dtype=np.int64)
    if len(mates) < 2:
        return mates[:0]
    first = signals[0]
    rows = np.flatnonzero(first.is_member & np.isin(first.records, mates))
    rows = rows[np.argsort(first.losses[rows], kind="stable")]
    return first.records[rows[[round(place * (len(rows) - 1)) for place in PLACES]]]


def _class_mates(signals: Sequence[Signal]) -> np.ndarray:
    """Return the common members of the class that has the most, the smaller class number where two have."""
    first = signals[0]
    shared = first.is_member.copy()
    for other in signals[1:]:
        shared &= np.isin(first.records, other.records[other.is_member])
    if not shared.any():
        return np.array([], dtype=np.int64)
    most = np.bincount(first.labels[shared]).argmax()
    return first.records[shared & (first.labels == most)]


def _cut(signal: Signal, records: np.ndarray) -> Signal:
    """Return the outputs on some records and on the whole population, which attacks use."""
    keep = np.isin(signal.records, records) | (signal.membership == POPULATION)
    return replace(signal, **{name: getattr(signal, name)[keep] for name in QUERY_ARRAYS})


def _leave_one_out(part: Losses, signal: Signal) -> Knowledge:
    return Knowledge(leave_one_out=part.on(signal.records, np.ones(len(part.cards), dtype=bool)))


def _signals(files: Iterable[Path | str], arms: Collection[str]) -> Iterator[Signal]:
    for signal in load_all(files):
        if signal.card.arm in arms:
            yield signal.of(MEMBER, NONMEMBER, POPULATION)
