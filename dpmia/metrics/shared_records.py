"""How much replicates vary together because they are evaluated on the same records.

Where replicates share records, their spread shows what other seeds would change, not what other records would. So the
variance of their mean is clustered two ways, by replicate and by record: the variance over replicates, and the
covariance of replicates by the records they share. The covariance is estimated by a delete-a-group jackknife: records
are divided into `GROUPS` groups at random, the same for all replicates, and each metric is measured again without each
group. It holds all that is special about single records, also what the reference models that all replicates share make
of them; what reference models change in all records alike is not in it.

Sources: Cameron, Gelbach and Miller 2011 (two-way clustering); Kott 2001 (delete-a-group jackknife); Steele, Lea and
Flood 2014 (the generator whose step divides the records).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from dpmia.formats.rows import GROUPS


def group_effects(measure: Callable[[np.ndarray], Mapping[str, float]], records: np.ndarray) -> dict[str, list[float]]:
    """Return by how much each group of records raises each metric.

    Args:
        measure: takes which records to use, bool (records,); returns metrics by name. Raises `ValueError` where they
            are too few.
        records: row numbers of the records.

    Returns:
        By metric, for each group the metric less the metric without the group; NaN where the latter is undefined.
    """
    groups = groups_of(records)
    whole = measure(np.ones(len(groups), dtype=bool))
    without = [_measured(measure, groups != group) for group in range(GROUPS)]
    return {metric: [value - part.get(metric, np.nan) for part in without] for metric, value in whole.items()}


def groups_of(records: np.ndarray) -> np.ndarray:
    """Return the group of each record, from 0 to `GROUPS` - 1, by its row number alone.

    As if drawn at random: files are sorted by class or source, or alternate between two, and groups that follow the
    order of the rows would be more alike than chance makes them, or less.
    """
    mixed = np.asarray(records).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))) % np.uint64(GROUPS)


def shared_variances(effects: np.ndarray) -> np.ndarray:
    """Return for each replicate its mean covariance with the others, by the records they share.

    Its mean over replicates is what shared records add to the variance of their mean.

    Args:
        effects: of `group_effects`, shape (replicates, `GROUPS`). A group without which a metric is undefined counts as
            one without effect, as in verdicts.

    Returns:
        float (replicates,); NaN where a replicate has no effect that is a number, or is the only one.
    """
    centered = _centered(effects)
    covariances = (GROUPS - 1) / GROUPS * centered @ centered.T
    np.fill_diagonal(covariances, np.nan)
    others = ~np.isnan(covariances)
    return np.divide(
        np.where(others, covariances, 0).sum(axis=1),
        others.sum(axis=1),
        out=np.full(len(effects), np.nan),
        where=others.any(axis=1),
    )


def common_effects(effects: np.ndarray) -> np.ndarray:
    """Return what groups of records do to all replicates alike: its variance is the mean covariance of replicates.

    The mean effect over replicates also has a part of what is special about each, so it is made as small as the
    covariance says. It is 0 where the covariance is not positive.

    Args:
        effects: of `group_effects`, shape (metrics, replicates, `GROUPS`); NaN in replicates without the metric.

    Returns:
        Shape (metrics, `GROUPS`); each row has a mean of 0.
    """
    centered = _centered(effects)
    count = (~np.isnan(centered[:, :, 0])).sum(axis=1)
    centered = np.nan_to_num(centered)
    total = centered.sum(axis=1)
    squares = (total**2).sum(axis=1)
    pairs = np.maximum(squares - (centered**2).sum(axis=(1, 2)), 0)
    share = np.divide(pairs, squares * (1 - 1 / np.maximum(count, 2)), out=np.zeros(len(total)), where=squares > 0)
    return total / np.maximum(count, 1)[:, None] * np.sqrt(share)[:, None]


def variance_of(effects: np.ndarray) -> float:
    """Return the variance by records of a number with these effects of groups, shape (`GROUPS`,): the jackknife's."""
    return float((GROUPS - 1) / GROUPS * ((effects - effects.mean()) ** 2).sum())


def _centered(effects: np.ndarray) -> np.ndarray:
    """Return the effects of the groups of each replicate, along the last axis, less their mean; NaN where all are."""
    measured = ~np.isnan(effects)
    filled = np.where(measured | ~measured.any(axis=-1, keepdims=True), effects, 0.0)
    return filled - filled.mean(axis=-1, keepdims=True)


def _measured(measure: Callable[[np.ndarray], Mapping[str, float]], kept: np.ndarray) -> Mapping[str, float]:
    try:
        return measure(kept) if kept.any() else {}
    except ValueError:  # members or non-members are missing
        return {}
