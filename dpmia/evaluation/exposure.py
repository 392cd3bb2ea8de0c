"""The records of an experiment that are most exposed: do lists of them agree, and is the rate kept for each record?

A list says something about records only if other seeds give the same one, and a false positive rate holds for each
record only if the record's own non-membership is rarely denied. Both are reported by arm and epsilon.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpmia.attacks.lira import OfflineLira
from dpmia.common.limits import LISTS_COMPARED
from dpmia.common.seeds import Meaning, derive_seed
from dpmia.evaluation.attacks import AttackersModels
from dpmia.formats.signals import MEMBER, NONMEMBER, Signal, load_all
from dpmia.formats.stages import EXPOSURE
from dpmia.metrics.exposure import LISTED, calibration, is_stable, p_values, stability

#: The false positive rate at which an attack claims to decide for each record.
NOMINAL = 0.1


@dataclass(frozen=True)
class _Scored:
    """One target model: query records, ascending, and their scores.

    Where reference models were trained as the target was, `conformal` holds each record's p-value, and how many
    reference models were trained without the record.
    """

    records: np.ndarray
    is_member: np.ndarray
    scores: np.ndarray
    kind: str
    conformal: tuple[np.ndarray, np.ndarray] | None = None


def exposure_rows(
    experiment: str, files: Iterable[Path | str], root_seed: int, references: Iterable[Path | str] = ()
) -> list[list[Any]]:
    """Return how stable lists of the most exposed records are, and whether each record's false positive rate is kept.

    Records are scored by offline LiRA where there are reference models of the target's arm or its IID arm, by their
    loss where there are none. Lists are made of the records that are members in all of `LISTS_COMPARED` replicates.

    A record's false positive rate is that of the rule "p-value at most `NOMINAL`" (`dpmia.metrics.exposure.p_values`)
    over the target models that were not trained on it; it is there where reference models were trained as the target
    was, for records whose p-values get as small as that. Training sets of targets and references are then draws of one
    arm, so the scores of models without a record are exchangeable. (In an IID arm made from samples of the groups, a
    target's sample holds the record, that of a reference model need not: there it is an approximation.)

    Args:
        experiment: name of the experiment.
        files: signal files of all target models.
        root_seed: the user's seed; equal scores are put in an order drawn with it.
        references: files of the losses of reference models.

    Returns:
        One row for each arm and epsilon, as `EXPOSURE` says; None where nothing is reported. `records` may be listed;
        `jaccard`, and what lists of random records reach `by_chance`; `verdict`, a sentence; `most_exposed`, rows of
        the data set that are on all lists, of stable lists only; `judged` records have a rate, whose mean is
        `fpr`; `smallest_p` is the smallest p-value that any of them can have with these numbers of models. For
        `testable` of them the numbers of models suffice for a test, and `exceeded` of these (None where none is
        testable) have more false positives than exchangeable target and reference models explain: where the models
        are exchangeable, any record of a row exceeds with a probability of 5 % at most
        (`dpmia.metrics.exposure.calibration`).
    """
    models = AttackersModels(references=references)
    by_model: defaultdict[tuple[str, str], dict[int, _Scored]] = defaultdict(dict)
    meaning: dict[tuple[str, str], Sequence[Meaning]] = {}
    for signal in load_all(files):
        key = signal.card.arm, signal.card.epsilon
        meaning.setdefault(key, signal.card.meaning)
        with models.named():
            by_model[key][signal.card.split[1]] = _scored(signal.of(MEMBER, NONMEMBER), models)
    rows = []
    for (arm, epsilon), scored in sorted(by_model.items(), key=lambda item: (item[0][0], float(item[0][1]))):
        ordered = [scored[replicate] for replicate in sorted(scored)]
        rng = np.random.default_rng(derive_seed(root_seed, "exposure", *meaning[arm, epsilon]))
        keys = {"experiment": experiment, "arm": arm, "epsilon": float(epsilon), "score": ordered[0].kind}
        rows.append(keys | _agreement(ordered[:LISTS_COMPARED], rng) | _rates(ordered))
    return [[row.get(column) for column in EXPOSURE] for row in rows]


def _scored(signal: Signal, models: AttackersModels) -> _Scored:
    order = np.argsort(signal.records)
    knowledge = models.knowledge_of(signal)
    records, is_member = signal.records[order], signal.is_member[order]
    if knowledge.references is None or (~knowledge.references.trained_on).sum(axis=0).max(initial=0) < 2:
        return _Scored(records, is_member, -signal.losses[order], "loss")
    # Which seed a draw would take makes no difference: LiRA draws nothing.
    scored = _Scored(
        records, is_member, OfflineLira().scores(signal, knowledge, np.random.default_rng(0))[order], "lira_offline"
    )
    if not models.alike(signal):
        return scored
    outside = ~knowledge.references.trained_on
    conformal = p_values(-signal.losses, -knowledge.references.losses, outside)
    return replace(scored, conformal=(conformal[order], outside.sum(axis=0)[order]))


def _agreement(scored: Sequence[_Scored], rng: np.random.Generator) -> dict[str, object]:
    """Return what is reported of the lists of the most exposed members."""
    common = scored[0].records[scored[0].is_member]
    for other in scored[1:]:
        common = np.intersect1d(common, other.records[other.is_member])
    row: dict[str, object] = {"seeds": len(scored), "records": len(common), "listed": LISTED}
    if len(scored) < LISTS_COMPARED or len(common) <= LISTED:
        return row | {"verdict": f"no list: {len(common)} records are members in all of {len(scored)} replicates"}
    scores = np.stack([model.scores[np.searchsorted(model.records, common)] for model in scored])
    agreement = stability(scores, rng)
    row |= {"jaccard": agreement.jaccard, "by_chance": agreement.by_chance}
    if not is_stable(agreement.jaccard, agreement.by_chance):
        return row | {"verdict": "not stable: another seed lists other records"}
    verdict = "stable" if scored[0].kind != "loss" else "stable, by the loss alone: easy records, exposed or not"
    return row | {"verdict": verdict, "most_exposed": " ".join(map(str, common[agreement.always]))}


def _rates(scored: Sequence[_Scored]) -> dict[str, object]:
    """Return what is reported of the false positive rates of single records; nothing where no p-value is known."""
    conformal = [model.conformal for model in scored if model.conformal is not None]
    if len(conformal) < len(scored):
        return {}
    records = np.unique(np.concatenate([model.records for model in scored]))
    decisions, outside = (np.zeros((len(scored), len(records)), dtype=bool) for _ in range(2))
    references = np.zeros(len(records), dtype=np.int64)
    for row, (model, (of_model, counts)) in enumerate(zip(scored, conformal, strict=True)):
        places = np.searchsorted(records, model.records)
        decisions[row, places] = of_model <= NOMINAL
        outside[row, places] = ~model.is_member
        references[places] = counts
    if not outside.any():
        return {"nominal_fpr": NOMINAL, "judged": 0}
    calibrated = calibration(decisions, outside, references, NOMINAL)
    judged, testable = ~np.isnan(calibrated.rates), int(calibrated.testable.sum())
    if not judged.any():
        return {"nominal_fpr": NOMINAL, "judged": 0}
    return {
        "nominal_fpr": NOMINAL,
        "judged": int(judged.sum()),
        "fpr": float(calibrated.rates[judged].mean()),
        "smallest_p": float(calibrated.smallest.min()),
        "testable": testable,
        "exceeded": int(calibrated.exceeded.sum()) if testable else None,
    }
