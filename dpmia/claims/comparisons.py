"""Comparisons of a mean with a number, by its limits. Each describes itself: criteria are made of them.

Limits on both sides of the threshold decide nothing. An exact number has limits of no width. Rules set how often limits
may be wrong (`dpmia.claims.limits`). With one-sided 95 % limits "at least" is a one-sided test at 5 %, and "within" two
one-sided tests (TOST, Schuirmann 1987): the 90 % interval lies within.

A tolerance is the largest difference that counts as none. It belongs to the claim, which states where it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dpmia.common import formatting
from dpmia.metrics.intervals import Interval

#: Tolerance of claims whose source prints no number of the effect: advantages, accuracies or precisions.
UNPRINTED = 0.05


@dataclass(frozen=True)
class Comparison:
    """What a mean must be.

    Attributes:
        description: names every number of `numbers`.
        numbers: thresholds, values and tolerances that it compares with.
        compare: takes an interval; returns whether it is as it must be (None: undecided), and how far its mean lies
            on the right side of the threshold.
        sides: on how many sides a mean may lie wrong.
    """

    description: str
    numbers: tuple[float, ...]
    compare: Callable[[Interval], tuple[bool | None, float]]
    sides: int = 1

    def __call__(self, interval: Interval) -> tuple[bool | None, float]:
        """Return whether the interval is as it must be, and the margin of its mean."""
        return self.compare(interval)

    def __str__(self) -> str:
        return self.description

    def of(self, cell: str) -> Comparison:
        """Return what the mean of a cell is compared with: the same for every cell."""
        return self


@dataclass(frozen=True)
class CellComparison:
    """What means must be where each cell has a value of its own.

    Attributes:
        description: for people.
        comparisons: cell -> its comparison.
        numbers: those that the description names.
    """

    description: str
    comparisons: Mapping[str, Comparison]
    numbers: tuple[float, ...]

    def __str__(self) -> str:
        return self.description

    def of(self, cell: str) -> Comparison:
        """Return what the mean of a cell is compared with."""
        return self.comparisons[cell]


@dataclass(frozen=True)
class HighestAt:
    """Where a curve must be highest: at one of these places."""

    places: tuple[float, ...]

    def __str__(self) -> str:
        return f"highest at {listed_numbers(self.places, 'or')}"

    @property
    def numbers(self) -> tuple[float, ...]:
        """The places."""
        return self.places


def at_least(threshold: float, rounding: float = 0.0) -> Comparison:
    """Return the comparison "not below `threshold`"; `rounding` is how far below an exact number may come out."""
    least = threshold - rounding

    def compare(interval: Interval) -> tuple[bool | None, float]:
        return _decided(interval.low >= least, interval.high < least), interval.mean - least

    return Comparison(f"at least {spelled(threshold)}{_up_to(rounding)}", _numbers(threshold, rounding), compare)


def at_most(threshold: float, rounding: float = 0.0) -> Comparison:
    """Return the comparison "not above `threshold`"; `rounding` is how far above an exact number may come out."""
    most = threshold + rounding

    def compare(interval: Interval) -> tuple[bool | None, float]:
        return _decided(interval.high <= most, interval.low > most), most - interval.mean

    return Comparison(f"at most {spelled(threshold)}{_up_to(rounding)}", _numbers(threshold, rounding), compare)


def above(threshold: float) -> Comparison:
    """Return the comparison "more than `threshold`"."""

    def compare(interval: Interval) -> tuple[bool | None, float]:
        return _decided(interval.low > threshold, interval.high <= threshold), interval.mean - threshold

    return Comparison(f"above {spelled(threshold)}", (threshold,), compare)


def below(threshold: float) -> Comparison:
    """Return the comparison "less than `threshold`"."""

    def compare(interval: Interval) -> tuple[bool | None, float]:
        return _decided(interval.high < threshold, interval.low >= threshold), threshold - interval.mean

    return Comparison(f"below {spelled(threshold)}", (threshold,), compare)


def near(value: float, tolerance: float) -> Comparison:
    """Return the comparison "within `tolerance` of `value`"."""
    description = f"within {spelled(tolerance)} of {spelled(value)}"
    return Comparison(description, (value, tolerance), _within(value, tolerance), sides=2)


def near_percent(value: float, percent: float) -> Comparison:
    """Return the comparison "within `percent` % of `value`"."""
    description = f"within {spelled(percent)} % of {spelled(value)}"
    return Comparison(description, (value, percent), _within(value, abs(value) * percent / 100), sides=2)


def exactly(value: float) -> Comparison:
    """Return the comparison "`value` itself", for counts and for what is exact."""
    return Comparison(f"exactly {spelled(value)}", (value,), _within(value, 0.0), sides=2)


def near_each(values: Mapping[str, float], tolerance: float, source: str = "") -> CellComparison:
    """Return the comparison "within `tolerance` of the cell's own value".

    Args:
        values: cell -> its value.
        tolerance: the same for all.
        source: what all the values are, as `the value in table 1`; without it the description lists them.
    """
    comparisons = {cell: near(value, tolerance) for cell, value in values.items()}
    if source:
        return CellComparison(f"within {spelled(tolerance)} of {source}", comparisons, (tolerance,))
    listing = ", ".join(f"{spelled(value)} ({cell})" for cell, value in values.items())
    return CellComparison(f"within {spelled(tolerance)} of {listing}", comparisons, (*values.values(), tolerance))


def not_below(value: float, tolerance: float) -> Comparison:
    """Return the comparison "not below `value`", where less than `tolerance` below is a tie."""
    description = f"not below {spelled(value)} by more than {spelled(tolerance)}"
    return Comparison(description, (value, tolerance), at_least(value - tolerance).compare)


def highest_at(*places: float) -> HighestAt:
    """Return the comparison "highest at one of `places`", of a curve."""
    return HighestAt(places)


def spelled(number: float) -> str:
    """Return a number as criteria show it: `0.05`, `1e-6`."""
    return formatting.format_significant(number, 12)


def listed_numbers(numbers: tuple[float, ...], word: str = "and") -> str:
    """Return numbers as a list in a sentence: `1, 2 and 3`."""
    return formatting.listed(map(spelled, numbers), word)


def _within(value: float, tolerance: float) -> Callable[[Interval], tuple[bool | None, float]]:
    def compare(interval: Interval) -> tuple[bool | None, float]:
        inside = interval.low >= value - tolerance and interval.high <= value + tolerance
        outside = interval.low > value + tolerance or interval.high < value - tolerance
        return _decided(inside, outside), tolerance - abs(interval.mean - value)

    return compare


def _up_to(rounding: float) -> str:
    return f" (rounding errors up to {spelled(rounding)} aside)" if rounding else ""


def _numbers(threshold: float, rounding: float) -> tuple[float, ...]:
    return (threshold, rounding) if rounding else (threshold,)


def _decided(holds: bool, fails: bool) -> bool | None:
    """Return None where neither is so, as for limits that are NaN."""
    return True if holds else False if fails else None
