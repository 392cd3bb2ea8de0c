"""The blind baseline of target models: from records and signals to rows of a tidy table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpmia.common.errors import DataError
from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.evaluation.blind_classifier import THRESHOLD, blind_scores, scores_with_signal
from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS, rows_of, tidy
from dpmia.formats.signals import MEMBER, NONMEMBER, load_all
from dpmia.jobs.attacking import BlindJob
from dpmia.metrics.ranking import advantage, ranking
from dpmia.metrics.shared_records import group_effects


def blind_rows(
    experiment: str,
    dataset: Dataset,
    files: Iterable[Path | str],
    job: BlindJob,
    root_seed: int,
) -> list[list[Any]]:
    """Measure how well members are separated from non-members without the model, and with its losses added.

    Args:
        experiment: name of the experiment.
        dataset: prepared data.
        files: signal files of the target models.
        job: see `BlindJob`.
        root_seed: the user's seed.

    Returns:
        Rows as `dpmia.formats.rows.MEASURED` says, with the attacks `BLIND`, the same at every epsilon, and
        `BLIND_WITH_LOSS`, which also has the metrics `advantage_excess` and `auc_excess` over the former.

    Raises:
        DataError: a target model has too few members or non-members.
    """
    scores: dict[tuple[str, int], np.ndarray] = {}
    measured: dict[tuple[str, int], tuple[dict[str, float], dict[str, list[float]]]] = {}
    rows = []
    for signal in load_all(files, len(dataset)):
        split = signal.card.split
        if split[1] not in job.replicates:
            continue
        queries = signal.of(MEMBER, NONMEMBER)
        truth = queries.is_member
        given = dataset.inputs(queries.records), dataset.y[queries.records]
        seed = derive_seed(root_seed, BLIND, *signal.card.split_meaning)
        fewest = int(min(truth.sum(), (~truth).sum()))
        if split not in scores:
            try:
                scores[split] = blind_scores(*given, truth, seed)
            except ValueError as error:
                where = f"blind baseline of experiment {experiment}, arm {split[0]}, replicate {split[1]}"
                remedy = "Take more records, or leave out its key `blind`"
                raise DataError(where, str(error), remedy) from error
            blind = partial(_metrics, scores[split], truth)
            measured[split] = blind(), group_effects(blind, queries.records)
        rows += rows_of(experiment, signal, BLIND, False, *measured[split], fewest)
        if signal.card.epsilon in job.with_loss:
            more = scores_with_signal(*given, queries.losses, truth, seed)
            seeing = partial(_with_excess, more, scores[split], truth)
            effects = group_effects(seeing, queries.records)
            rows += rows_of(experiment, signal, BLIND_WITH_LOSS, False, seeing(), effects, fewest)
    return tidy(rows)


def _metrics(scores: np.ndarray, truth: np.ndarray, kept: np.ndarray | slice = slice(None)) -> dict[str, float]:
    ranked = ranking(scores[kept], truth[kept], int((~truth).sum()))
    return {**advantage(scores[kept] >= THRESHOLD, truth[kept]), **ranked}


def _with_excess(
    more: np.ndarray, blind: np.ndarray, truth: np.ndarray, kept: np.ndarray | slice = slice(None)
) -> dict[str, float]:
    """Return the metrics of one score, and what its advantage and AUC exceed those of the blind baseline by."""
    metrics, without = _metrics(more, truth, kept), _metrics(blind, truth, kept)
    return metrics | {f"{name}_excess": metrics[name] - without[name] for name in ("advantage", "auc")}
