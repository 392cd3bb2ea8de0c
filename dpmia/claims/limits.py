"""Confidence limits of means over replicates, and how often a verdict may be wrong.

A verdict has two errors: "reproduced" although the claim does not hold, and "not reproduced" although it does. The
probability of either is at most `ERROR`. Where all of several tests must pass, each is taken at the full error
(intersection-union test, Berger 1982); where any of them suffices, each has its share of it (Bonferroni). Each rule
says which of the two it needs (`dpmia.claims.decisions`). Where replicates are added after a look, each look has
its share of the error, too (`dpmia.formats.looks`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from dpmia.claims.comparisons import Comparison
from dpmia.formats.looks import TIMES
from dpmia.metrics.intervals import FEWEST, Interval, all_equal, degrees_of_sum
from dpmia.metrics.shared_records import shared_variances

#: Largest probability of a wrong "reproduced", and of a wrong "not reproduced".
ERROR = 0.05

#: Its share for one look: all looks that there may be have it together (Bonferroni).
ERROR_OF_LOOK = ERROR / len(TIMES)

#: With this many times the replicates, only the part of the error from shared records is left.
WITHOUT_LIMIT = 1e6

#: The share of draws with the right verdict that is enough power.
ENOUGH = 0.8

#: The share of draws with the measured means and scatter in which a claim must be decided to be worth its replicates.
LIKELY = 0.5


@dataclass(frozen=True)
class Errors:
    """How often the limits behind a verdict may each miss the mean.

    Attributes:
        accept: of each limit that shows that a comparison holds.
        refute: of each limit that shows that it does not.
        together: how often either verdict may be wrong.
    """

    accept: float
    refute: float
    together: float = ERROR


@dataclass(frozen=True)
class Decision:
    """What limits show about one comparison.

    Attributes:
        holds: None where neither is shown.
        interval: the limits that decided; where none did, the wider ones, which cover both outcomes.
        name: what these limits are; empty without limits.
        margin: how far the mean lies on the right side of the threshold.
    """

    holds: bool | None
    interval: Interval
    name: str
    margin: float


@dataclass(frozen=True)
class Limits:
    """The mean over replicates, whose one-sided Student t limits it returns.

    Attributes:
        mean: NaN without a number.
        error: standard error of the mean; NaN with fewer than `FEWEST` numbers. Where it is 0, as all values are equal,
            there are no limits: discrete metrics are often equal, and limits at the mean would claim certainty.
        count: number of replicates with a number.
        replicates: number of all replicates.
        degrees: of freedom of the error.
        alone: the same without what records that replicates share add to `error`; None where they share none.
    """

    mean: float
    error: float
    count: int
    replicates: int
    degrees: float
    alone: Limits | None = None

    @property
    def shared(self) -> bool:
        """Whether the limits are over replicates and records."""
        return self.alone is not None

    @classmethod
    def of(cls, values: ArrayLike | Extended) -> Limits:
        """Return the mean of the values of replicates; those that are NaN are left out.

        Args:
            values: of replicates, shape (replicates,); or (1 + `GROUPS`, replicates) where they share records: the
                values, and those without each group of records (`dpmia.claims.shared_records`).
        """
        if isinstance(values, Extended):
            return cls.of(values.values).with_replicates(values.times, values.shift)
        values = np.asarray(values, dtype=float)
        whole = values if values.ndim == 1 else values[0]
        there = ~np.isnan(whole)
        if not there.any():
            return cls(float("nan"), float("nan"), 0, len(whole), float("nan"))
        (limits,) = cls.of_rows(whole[None, there])
        limits = replace(limits, replicates=len(whole))
        if values.ndim == 1:
            return limits
        common = shared_variances((whole - values[1:])[:, there].T)
        return limits if np.isnan(common).all() else limits.with_records(float(np.nanmean(common)))

    def with_records(self, variance: float) -> Limits:
        """Return the limits with what shared records add to the variance of the mean; below 0 it is nothing."""
        if not variance > 0 or np.isnan(self.error):
            return self
        degrees = degrees_of_sum(self.error**2, self.count - 1, variance)
        return replace(self, error=float(np.sqrt(self.error**2 + variance)), degrees=degrees, alone=self)

    def with_replicates(self, times: float, shift: float) -> Limits:
        """Return the limits with several times the replicates, whose mean is another; what records add stays."""
        base = self.alone or self
        variance = self.error**2 - base.error**2
        count = base.count * times
        more = Limits(base.mean + shift, base.error / times**0.5, round(count), round(count), count - 1)
        return more.with_records(variance)

    @classmethod
    def of_rows(cls, values: np.ndarray) -> list[Limits]:
        """Return the mean of each row of values, of which none is NaN."""
        count = values.shape[1]
        means = values.mean(axis=1)
        if count < FEWEST:
            errors = np.full(len(values), np.nan)
        else:
            errors = np.where(all_equal(values), 0.0, values.std(axis=1, ddof=1) / np.sqrt(count))
        return [cls(*pair, count, count, count - 1) for pair in zip(means.tolist(), errors.tolist(), strict=True)]

    def __call__(self, error: float) -> Interval:
        """Return the mean and its limits, each wrong with probability `error`.

        Where records are shared, limits are never within those over replicates alone: with few replicates more degrees
        of freedom can outweigh a larger error.
        """
        half = self._half_width(error)
        if self.alone is not None:
            half = float(np.fmax(half, self.alone._half_width(error)))
        return Interval(self.mean, self.mean - half, self.mean + half, self.count)

    def detectable(self, error: float) -> float:
        """Return the minimal detectable effect: the distance of the true mean from a threshold from which on its limit,
        wrong with probability `error`, lies beyond the threshold with probability `ENOUGH`, at this standard error.
        """
        interval = self(error)
        return interval.high - interval.mean + self._half_width(1 - ENOUGH)

    def _half_width(self, error: float) -> float:
        estimable = self.count >= FEWEST and self.error > 0
        return _quantile(self.degrees, error) * self.error if estimable else float("nan")


@dataclass(frozen=True)
class Extended:
    """Values of replicates, with others of the same spread that are still to come (`dpmia.claims.more_replicates`).

    Attributes:
        values: those that were measured, as `Limits.of` takes them.
        times: how many times as many there are with those to come.
        shift: the mean of all of them, less that of the measured ones.
    """

    values: ArrayLike
    times: float
    shift: float

    def __sub__(self, other: Extended) -> Extended:
        """Return the differences replicate by replicate."""
        between: Any = np.subtract(self.values, other.values)
        return Extended(between, self.times, self.shift - other.shift)


@lru_cache(4096)
def _quantile(degrees: float, error: float) -> float:
    return float(stdtrit(degrees, 1 - error))


def name_limits(interval: Interval, error: float, together: float = ERROR) -> str:
    """Return what limits are called: `one-sided 99 % limits, 95 % over 5 tests`."""
    if np.isnan(interval.low):
        return ""
    tests = round(together / error)
    over = f", {100 * (1 - together):.4g} % over {tests} tests" if tests > 1 else ""
    return f"one-sided {100 * (1 - error):.4g} % limits{over}"


def over_records(decision: Decision, shared: bool) -> Decision:
    """Return a decision whose limits say that they are over replicates and records, if they are."""
    if not (shared and decision.name):
        return decision
    return replace(decision, name=f"{decision.name}, over replicates and records")


def decide(comparison: Comparison, interval: Callable[[float], Interval], errors: Errors) -> Decision:
    """Return what limits show about a comparison.

    Args:
        comparison: what the mean must be.
        interval: takes the error of each limit; returns the mean with its limits.
        errors: of the limits that accept and of those that refute.
    """
    for holds, error in ((True, errors.accept), (False, errors.refute)):
        limits = interval(error)
        decided, margin = comparison(limits)
        if decided is holds:
            return Decision(holds, limits, name_limits(limits, error, errors.together), margin)
    widest = min(errors.accept, errors.refute)
    limits = interval(widest)
    return Decision(None, limits, name_limits(limits, widest, errors.together), comparison(limits)[1])
