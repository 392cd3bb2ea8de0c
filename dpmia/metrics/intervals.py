"""Confidence intervals: of a mean over replicates, and of a share of independent records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, stdtrit


@dataclass(frozen=True)
class Interval:
    """A mean over replicates and its 95 % interval (NaN with one replicate)."""

    mean: float
    low: float
    high: float
    count: int


def mean_interval(values: np.ndarray, level: float = 0.95) -> Interval:
    """Return the mean of independent values and its Student t interval.

    Values that are NaN are left out; a mean over none is NaN.
    """
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    count = len(values)
    if count == 0:
        return Interval(np.nan, np.nan, np.nan, 0)
    mean = float(values.mean())
    if count == 1:
        return Interval(mean, np.nan, np.nan, 1)
    half = float(stdtrit(count - 1, (1 + level) / 2) * values.std(ddof=1) / np.sqrt(count))
    return Interval(mean, mean - half, mean + half, count)


def replicates_needed(half_width: float, replicates: int, wanted: float, level: float = 0.95) -> int | None:
    """Return how many replicates give a t interval of half the width `wanted`, if their spread stays the same.

    Args:
        half_width: of the interval from `replicates` values, at least 2.
        replicates: number of values so far.
        wanted: half the width to reach.
        level: of both intervals.

    Returns:
        At least `replicates`; None where a thousand are too few.
    """
    spread = half_width * np.sqrt(replicates) / stdtrit(replicates - 1, (1 + level) / 2)
    counts = np.arange(replicates, max(replicates, 1000) + 1)
    enough = stdtrit(counts - 1, (1 + level) / 2) * spread / np.sqrt(counts) <= wanted
    return int(counts[enough][0]) if enough.any() else None


def clopper_pearson(
    successes: np.ndarray | int, trials: np.ndarray | int, error: np.ndarray | float = 0.05
) -> tuple[np.ndarray, np.ndarray]:
    """Return exact confidence limits of a probability: each is wrong with probability `error` / 2 at most.

    Args:
        successes: how many of the independent trials succeeded.
        trials: number of trials, at least 1.
        error: probability that the interval misses the true value.

    Returns:
        Lower and upper limits, in [0, 1].

    Source: Clopper and Pearson 1934.
    """
    successes, trials = np.broadcast_arrays(np.asarray(successes), np.asarray(trials))
    with np.errstate(invalid="ignore"):
        low = np.where(successes > 0, betaincinv(successes, trials - successes + 1, error / 2), 0.0)
        high = np.where(successes < trials, betaincinv(successes + 1, trials - successes, 1 - error / 2), 1.0)
    return low, high
