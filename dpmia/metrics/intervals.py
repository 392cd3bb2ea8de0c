"""Means, their standard errors and 95 % intervals, each with the name of what it is over.

| name | the mean is over, and would differ for |
| --- | --- |
| `REPLICATES` | independent replicates: Student t |
| `BOTH` | replicates that share records: other replicates and other records (`dpmia.metrics.shared_records`) |
| `RECORDS` | the records of one model |
| `SPLITS` | overlapping random splits of one data set: corrected resampled t (Nadeau and Bengio 2003) |
| `EXACT` | nothing: a computed number, the same in all replicates |

Limits of a share are Wilson's with the effective number of trials, p (1 - p) / error^2, and the t quantile: they stay
in [0, 1] where few replicates or few positive predictions make the t interval leave it. A share that is 0 or 1 in all
replicates has Clopper-Pearson limits over the records of one. Limits of other metrics are Student t, cut to the
possible range.

Sources: Satterthwaite 1946 (degrees of freedom of a sum of variances); Nadeau and Bengio 2003; Franco, Little, Louis
and Slud 2019 (Wilson limits by effective sample size); Clopper and Pearson 1934.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import betaincinv, stdtrit

from dpmia.common.plain import PlainData
from dpmia.formats.rows import GROUPS

#: Fewest values that have a t interval: at two the quantile is 12.7, and limits leave the range of most metrics.
FEWEST = 3

#: 97.5 % quantile of the standard normal distribution.
NORMAL = 1.959964

REPLICATES, BOTH, RECORDS = "replicates", "replicates and records", "records"
SPLITS, EXACT = "overlapping splits", "exact"

#: Why there is no interval.
TOO_FEW, EQUAL = f"none: fewer than {FEWEST} replicates", "none: all values equal"
SINGLE = "none: a single member or non-member"
INFINITE = "none: infinite values"
CHOSEN = "none: threshold chosen on these records"


@dataclass(frozen=True)
class Interval:
    """A mean over replicates and its limits, which are NaN where there are none."""

    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Estimate(PlainData):
    """A mean and how uncertain it is.

    Attributes:
        mean: NaN without values.
        error: standard error; NaN where it is not known.
        degrees: of freedom of the error's t distribution.
        count: number of values.
        kind: what the interval is over, or why there is none.
        records_error: the part of `error` that records shared by all replicates cause; more replicates leave it.
    """

    mean: float
    error: float
    degrees: float
    count: int
    kind: str
    records_error: float = 0.0

    @classmethod
    def of_row(cls, row: Any) -> Estimate:
        """Return the mean in a row of a summary (a named tuple, see `dpmia.evaluation.summary`)."""
        numbers = float(row.mean), float(row.error), float(row.degrees), int(row.replicates)
        return cls(*numbers, str(row.interval), float(row.records_error))

    def with_replicates(self, times: float) -> Estimate:
        """Return what it would be with so many times its replicates, of the same mean and scatter."""
        if self.kind not in (REPLICATES, BOTH):
            return self
        records, count = self.records_error**2, round(self.count * times)
        return _sum(self.mean, (self.error**2 - records) / times, records, count, self.kind)

    def with_records(self, variance: float) -> Estimate:
        """Return what it would be if records that its replicates share added so much to the variance of the mean.

        Args:
            variance: below 0 it adds nothing; NaN where replicates share no records.
        """
        if self.kind not in (REPLICATES, EQUAL) or np.isnan(variance) or (self.kind == EQUAL and not variance > 0):
            return self
        replicates = 0.0 if self.kind == EQUAL else self.error**2
        return _sum(self.mean, replicates, max(variance, 0.0), self.count, BOTH)

    def one_sided(self, error: float) -> Interval:
        """Return the mean with limits of which each is wrong with probability `error`; NaN where there are none.

        A computed number has none either, nor has a share by its records alone.
        """
        half = self._half_width(1 - error) if self.error else np.nan
        return Interval(self.mean, self.mean - half, self.mean + half, self.count)

    def half_width(self, level: float = 0.95) -> float:
        """Return half the width of the t interval; zero without scatter, whatever the degrees of freedom.

        It is never less than that over replicates alone: with few replicates the more degrees of freedom of both can
        outweigh the larger error.
        """
        return self._half_width((1 + level) / 2) if self.error else 0.0

    def limits(self, possible: tuple[float, float] = (-np.inf, np.inf), level: float = 0.95) -> tuple[float, float]:
        """Return the limits of the interval, within the possible range; NaN where there is none."""
        if possible == (0.0, 1.0) and self.error > 0 and 0 < self.mean < 1:
            return _wilson(self.mean, self.half_width(level))
        if self.kind == RECORDS and not self.error:
            records = round(self.degrees) + 1
            low, high = clopper_pearson(round(self.mean) * records, records, 1 - level)
            return float(low), float(high)
        half = self.half_width(level)
        low, high = np.clip([self.mean - half, self.mean + half], *possible)
        return float(low), float(high)

    def _half_width(self, probability: float) -> float:
        half = _quantile(self.degrees, probability) * self.error
        if self.kind != BOTH:
            return half
        alone = sqrt(max(self.error**2 - self.records_error**2, 0.0))
        return max(half, _quantile(self.count - 1, probability) * alone)


def estimate(
    values: np.ndarray,
    shared: np.ndarray | None = None,
    overlap: float | None = None,
    exact: bool = False,
    trials: int | None = None,
) -> Estimate:
    """Return the mean of the values of replicates and its standard error.

    Values that are NaN are left out; infinite ones leave no interval. Values that are all equal have no interval over
    replicates: discrete metrics are often equal, and a point would claim certainty.

    Args:
        values: one for each replicate.
        shared: `dpmia.metrics.shared_records.shared_variances` of the replicates; NaN where they share none.
        overlap: non-members (test records) for each member (training record), where replicates are random splits of
            one data set.
        exact: whether the values are computed and not measured on records, so that equal ones are certain.
        trials: of a share, the records that one value is measured on, for shares that are 0 or 1 in all replicates.
    """
    values = np.asarray(values, dtype=float)
    measured = ~np.isnan(values)
    values, count = values[measured], int(measured.sum())
    mean = float(values.mean()) if count else np.nan
    if count < FEWEST:
        return Estimate(mean, np.nan, np.nan, count, TOO_FEW)
    if np.isinf(values).any():
        return Estimate(mean, np.nan, np.nan, count, INFINITE)
    kind, records = (REPLICATES, 0.0) if overlap is None else (SPLITS, 0.0)
    common = np.full(count, np.nan) if shared is None else np.asarray(shared, dtype=float)[measured]
    if not exact and not np.isnan(common).all():
        kind, records = BOTH, max(float(np.nanmean(common)), 0.0)
    if all_equal(values) and not records:
        if exact:
            return Estimate(mean, 0.0, count - 1, count, EXACT)
        if trials and mean in (0, 1):
            return equal_records(mean, trials, count)
        return Estimate(mean, np.nan, np.nan, count, EQUAL)
    replicates = float(values.var(ddof=1)) * (1 / count + (overlap or 0.0))
    return _sum(mean, replicates, records, count, kind)


def estimate_rows(values: np.ndarray) -> list[Estimate]:
    """Return the mean of each row of values of replicates that share no records; none may be NaN or infinite.

    Args:
        values: shape (rows, replicates).
    """
    count = values.shape[1]
    means = values.mean(axis=1).tolist()
    if count < FEWEST:
        return [Estimate(mean, np.nan, np.nan, count, TOO_FEW) for mean in means]
    errors = np.where(all_equal(values), np.nan, values.std(axis=1, ddof=1) / np.sqrt(count)).tolist()
    return [
        Estimate(mean, np.nan, np.nan, count, EQUAL)
        if np.isnan(error)
        else Estimate(mean, error, count - 1, count, REPLICATES)
        for mean, error in zip(means, errors, strict=True)
    ]


def _sum(mean: float, replicates: float, records: float, count: int, kind: str) -> Estimate:
    """Return a mean with the two parts of its variance."""
    degrees = degrees_of_sum(replicates, count - 1, records)
    return Estimate(mean, sqrt(replicates + records), degrees, count, kind, sqrt(records))


def all_equal(values: np.ndarray) -> np.ndarray:
    """Return whether the values of each row, along the last axis, are equal but for rounding."""
    return np.asarray(np.ptp(values, axis=-1) <= 1e-12 * np.maximum(1.0, np.abs(values.mean(axis=-1))))


def degrees_of_sum(replicates: Any, degrees: Any, records: float) -> Any:
    """Return the degrees of freedom of a variance over replicates, which has `degrees`, and one over groups of records.

    Takes numbers, or arrays of them.

    Source: Satterthwaite 1946.
    """
    return (replicates + records) ** 2 / (replicates**2 / degrees + records**2 / (GROUPS - 1))


def equal_records(share: float, records: int, count: int = 1) -> Estimate:
    """Return a share that is 0 or 1: no variance to estimate an error from, but a number of records."""
    return Estimate(share, 0.0, records - 1, count, RECORDS)


def mean_interval(values: np.ndarray, level: float = 0.95) -> Interval:
    """Return the mean of independent values and its Student t interval; no limits with fewer than `FEWEST` values.

    Values that are NaN are left out; a mean over none is NaN.
    """
    estimated = estimate(values, exact=True)
    return Interval(estimated.mean, *estimated.limits(level=level), estimated.count)


def replicates_needed(estimated: Estimate, wanted: float, level: float = 0.95) -> int | None:
    """Return how many replicates give an interval of half the width `wanted`, if their spread stays the same.

    Args:
        estimated: over at least `FEWEST` replicates. What shared records add to its error stays.
        wanted: half the width to reach.
        level: of the interval.

    Returns:
        At least the replicates so far; None where a thousand are too few.
    """
    records = estimated.records_error**2
    spread = (estimated.error**2 - records) * estimated.count
    counts = np.arange(estimated.count, max(estimated.count, 1000) + 1)
    replicates = spread / counts
    variance = replicates + records
    degrees = degrees_of_sum(replicates, counts - 1, records)
    alone = stdtrit(counts - 1, (1 + level) / 2) * np.sqrt(replicates)
    enough = np.maximum(stdtrit(degrees, (1 + level) / 2) * np.sqrt(variance), alone) <= wanted
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


@lru_cache(4096)
def _quantile(degrees: float, probability: float) -> float:
    return float(stdtrit(degrees, probability))


def _wilson(share: float, half_width: float) -> tuple[float, float]:
    """Return the limits p at which the share lies as many standard errors from p as half the t interval has.

    The variance at p is p (1 - p) over the effective trials.
    """
    squared = half_width**2 / (share * (1 - share))  # the quantile's square over the effective trials
    center = (share + squared / 2) / (1 + squared)
    half = np.sqrt(squared * share * (1 - share) + squared**2 / 4) / (1 + squared)
    return float(max(center - half, 0.0)), float(min(center + half, 1.0))
