"""Comparisons of a mean with a number, by its interval. Each describes itself: criteria are made of them.

An interval that covers both sides of the threshold decides nothing. An exact number is an interval of no width.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dpmia.metrics.intervals import Interval

#: Two advantages, accuracies or precisions this far apart at most are a tie.
TIE = 0.05


@dataclass(frozen=True)
class Comparison:
    """What a mean must be.

    Attributes:
        description: names every number of `numbers`.
        numbers: thresholds, values and tolerances that it compares with.
        compare: takes an interval; returns whether it is as it must be (None: undecided), and how far its mean lies
            on the right side of the threshold.
    """

    description: str
    numbers: tuple[float, ...]
    compare: Callable[[Interval], tuple[bool | None, float]]

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
        return f"highest at {listed(self.places, 'or')}"

    @property
    def numbers(self) -> tuple[float, ...]:
        """The places."""
        return self.places


def at_least(threshold: float, rounding: float = 0.0) -> Comparison:
    """Return the comparison "not below `threshold`"; `rounding` is how far below an exact number may come out."""
    least = threshold - rounding

    def compare(found: Interval) -> tuple[bool | None, float]:
        return _decided(found.low >= least, found.high < least), found.mean - least

    return Comparison(f"at least {spelled(threshold)}{_up_to(rounding)}", _numbers(threshold, rounding), compare)


def at_most(threshold: float, rounding: float = 0.0) -> Comparison:
    """Return the comparison "not above `threshold`"; `rounding` is how far above an exact number may come out."""
    most = threshold + rounding

    def compare(found: Interval) -> tuple[bool | None, float]:
        return _decided(found.high <= most, found.low > most), most - found.mean

    return Comparison(f"at most {spelled(threshold)}{_up_to(rounding)}", _numbers(threshold, rounding), compare)


def above(threshold: float) -> Comparison:
    """Return the comparison "more than `threshold`"."""

    def compare(found: Interval) -> tuple[bool | None, float]:
        return _decided(found.low > threshold, found.high <= threshold), found.mean - threshold

    return Comparison(f"above {spelled(threshold)}", (threshold,), compare)


def below(threshold: float) -> Comparison:
    """Return the comparison "less than `threshold`"."""

    def compare(found: Interval) -> tuple[bool | None, float]:
        return _decided(found.high < threshold, found.low >= threshold), threshold - found.mean

    return Comparison(f"below {spelled(threshold)}", (threshold,), compare)


def near(value: float, tolerance: float) -> Comparison:
    """Return the comparison "within `tolerance` of `value`"."""
    description = f"within {spelled(tolerance)} of {spelled(value)}"
    return Comparison(description, (value, tolerance), _within(value, tolerance))


def near_percent(value: float, percent: float) -> Comparison:
    """Return the comparison "within `percent` % of `value`"."""
    description = f"within {spelled(percent)} % of {spelled(value)}"
    return Comparison(description, (value, percent), _within(value, abs(value) * percent / 100))


def exactly(value: float) -> Comparison:
    """Return the comparison "`value` itself", for counts and for what is exact."""
    return Comparison(f"exactly {spelled(value)}", (value,), _within(value, 0.0))


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
    each = ", ".join(f"{spelled(value)} ({cell})" for cell, value in values.items())
    return CellComparison(f"within {spelled(tolerance)} of {each}", comparisons, (*values.values(), tolerance))


def not_below(value: float) -> Comparison:
    """Return the comparison "not below `value`, ties allowed".

    It holds where the mean is at least `value - TIE`, and does not where it is below `value`. Between, and so where the
    interval is wide, it is undecided: what was hardly measured shows no tie.
    """

    def compare(found: Interval) -> tuple[bool | None, float]:
        fails = found.high < value
        return _decided(not fails and found.low >= value - TIE, fails), found.mean - value

    description = f"not significantly below {spelled(value)}, and at least {spelled(value - TIE)}"
    return Comparison(description, (value, value - TIE), compare)


def not_above(value: float) -> Comparison:
    """Return the comparison "not above `value`, ties allowed": `not_below` the other way round."""

    def compare(found: Interval) -> tuple[bool | None, float]:
        fails = found.low > value
        return _decided(not fails and found.high <= value + TIE, fails), value - found.mean

    description = f"not significantly above {spelled(value)}, and at most {spelled(value + TIE)}"
    return Comparison(description, (value, value + TIE), compare)


def consistent_with(value: float) -> Comparison:
    """Return the comparison "neither below nor above `value`, ties allowed", for claims that name no tolerance."""
    sides = not_below(value), not_above(value)

    def compare(found: Interval) -> tuple[bool | None, float]:
        holds = [side(found)[0] for side in sides]
        return _decided(all(holds), False in holds), -abs(found.mean - value)

    description = f"not significantly different from {spelled(value)}, and within {spelled(TIE)} of it"
    return Comparison(description, (value, TIE), compare)


def highest_at(*places: float) -> HighestAt:
    """Return the comparison "highest at one of `places`", of a curve."""
    return HighestAt(places)


def spelled(number: float) -> str:
    """Return a number as criteria show it: `0.05`, `1e-6`."""
    return f"{number:.12g}".replace("e-0", "e-")


def listed(numbers: tuple[float, ...], word: str = "and") -> str:
    """Return numbers as a list in a sentence: `1, 2 and 3`."""
    *first, last = map(spelled, numbers)
    return f"{', '.join(first)} {word} {last}" if first else last


def _within(value: float, tolerance: float) -> Callable[[Interval], tuple[bool | None, float]]:
    def compare(found: Interval) -> tuple[bool | None, float]:
        inside = found.low >= value - tolerance and found.high <= value + tolerance
        outside = found.low > value + tolerance or found.high < value - tolerance
        return _decided(inside, outside), tolerance - abs(found.mean - value)

    return compare


def _up_to(rounding: float) -> str:
    return f" (rounding errors up to {spelled(rounding)} aside)" if rounding else ""


def _numbers(threshold: float, rounding: float) -> tuple[float, ...]:
    return (threshold, rounding) if rounding else (threshold,)


def _decided(holds: bool, fails: bool) -> bool | None:
    """Return None where neither is so, as for limits that are NaN."""
    return True if holds else False if fails else None
