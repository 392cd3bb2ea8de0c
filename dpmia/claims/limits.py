"""Confidence limits of means over replicates, and how often a verdict may be wrong.

A verdict has two errors: "reproduced" although the claim does not hold, and "not reproduced" although it does. The
probability of either is at most `ERROR`. Where all of several tests must pass, each is taken at the full error
(intersection-union test, Berger 1982); where any of them suffices, each has its share of it (Bonferroni). Each rule
says which of the two it needs (`dpmia.claims.decisions`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from dpmia.claims.comparisons import Comparison
from dpmia.metrics.intervals import FEWEST, Interval

#: Largest probability of a wrong "reproduced", and of a wrong "not reproduced".
ERROR = 0.05


@dataclass(frozen=True)
class Errors:
    """How often the limits behind a verdict may each miss the mean.

    Attributes:
        accept: of each limit that shows that a comparison holds.
        refute: of each limit that shows that it does not.
    """

    accept: float
    refute: float


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
        error: standard error of the mean; NaN with fewer than `FEWEST` numbers.
        count: number of replicates with a number.
        replicates: number of all replicates.
    """

    mean: float
    error: float
    count: int
    replicates: int

    @classmethod
    def of(cls, values: ArrayLike) -> Limits:
        """Return the mean of the values of replicates; those that are NaN are left out."""
        values = np.asarray(values, dtype=float)
        found = values[~np.isnan(values)]
        if not len(found):
            return cls(float("nan"), float("nan"), 0, len(values))
        (limits,) = cls.of_rows(found[None])
        return replace(limits, replicates=len(values))

    @classmethod
    def of_rows(cls, values: np.ndarray) -> list[Limits]:
        """Return the mean of each row of values, of which none is NaN."""
        count = values.shape[1]
        means = values.mean(axis=1)
        errors = values.std(axis=1, ddof=1) / np.sqrt(count) if count >= FEWEST else np.full(len(values), np.nan)
        return [cls(*each, count, count) for each in zip(means.tolist(), errors.tolist(), strict=True)]

    def __call__(self, error: float) -> Interval:
        """Return the mean and its limits, each wrong with probability `error`."""
        half = _quantile(self.count, error) * self.error
        return Interval(self.mean, self.mean - half, self.mean + half, self.count)


@cache
def _quantile(count: int, error: float) -> float:
    return float(stdtrit(count - 1, 1 - error)) if count >= FEWEST else float("nan")


def name_limits(interval: Interval, error: float) -> str:
    """Return what limits are called: `one-sided 99 % limits, 95 % over 5 tests`."""
    if np.isnan(interval.low):
        return ""
    tests = round(ERROR / error)
    together = f", {100 * (1 - ERROR):g} % over {tests} tests" if tests > 1 else ""
    return f"one-sided {100 * (1 - error):.4g} % limits{together}"


def decide(comparison: Comparison, interval: Callable[[float], Interval], errors: Errors) -> Decision:
    """Return what limits show about a comparison.

    Args:
        comparison: what the mean must be.
        interval: takes the error of each limit; returns the mean with its limits.
        errors: of the limits that accept and of those that refute.
    """
    for holds, error in ((True, errors.accept), (False, errors.refute)):
        found = interval(error)
        decided, margin = comparison(found)
        if decided is holds:
            return Decision(holds, found, name_limits(found, error), margin)
    widest = min(errors.accept, errors.refute)
    found = interval(widest)
    return Decision(None, found, name_limits(found, widest), comparison(found)[1])
