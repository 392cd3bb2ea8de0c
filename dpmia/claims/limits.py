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
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpmia.claims.comparisons import Comparison
from dpmia.common.formatting import format_percent
from dpmia.formats.looks import TIMES
from dpmia.metrics.intervals import Estimate, Interval, estimate
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
class Extended:
    """Values of replicates, with others of the same spread that are still to come (`dpmia.claims.more_replicates`).

    Attributes:
        values: those that were measured, as `mean_of` takes them.
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


def mean_of(values: ArrayLike | Extended) -> Estimate:
    """Return the mean of the values of replicates; those that are NaN are left out.

    Args:
        values: of replicates, shape (replicates,); or (1 + `GROUPS`, replicates) where they share records: the values,
            and those without each group of records (`dpmia.claims.shared_records`).
    """
    if isinstance(values, Extended):
        extended = mean_of(values.values).with_replicates(values.times)
        return replace(extended, mean=extended.mean + values.shift)
    array = np.asarray(values, dtype=float)
    if array.ndim == 1:
        return estimate(array)
    return estimate(array[0], shared_variances((array[0] - array[1:]).T))


def detectable(mean: Estimate, error: float) -> float:
    """Return the minimal detectable effect: the distance of the true mean from a threshold from which on its limit,
    wrong with probability `error`, lies beyond the threshold with probability `ENOUGH`, at this standard error.
    """
    return sum(mean.one_sided(wrong).high - mean.mean for wrong in (error, 1 - ENOUGH))


def name_limits(interval: Interval, error: float, together: float = ERROR) -> str:
    """Return what limits are called: `one-sided 99 % limits, 95 % over 5 tests`."""
    if np.isnan(interval.low):
        return ""
    tests = round(together / error)
    over = f", {format_percent(1 - together, 4)} over {tests} tests" if tests > 1 else ""
    return f"one-sided {format_percent(1 - error, 4)} limits{over}"


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
