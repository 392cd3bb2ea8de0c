"""From replicates to findings: is a mean above, below or near a number, and how sure is that.

Means have Student t intervals over replicates. Where a claim speaks of several means (panels, epsilons, attacks),
all of their intervals hold together with 95 %: each is taken at the level 1 - 0.05 / number of means (Bonferroni). An
interval that covers both sides of the threshold decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpmia.claims.claim import Finding, MissingRowsError
from dpmia.intervals import Interval, mean_interval

#: Probability that any of the intervals of one claim misses its mean.
FAMILY_ERROR = 0.05

#: Two advantages, accuracies or precisions this far apart at most are a tie.
TIE = 0.05

#: Takes an interval; returns whether the threshold is met (None: cannot tell) and by how much the mean meets it.
Comparison = Callable[[Interval], tuple[bool | None, float]]


def at_least(threshold: float) -> Comparison:
    """Return the comparison "not below `threshold`"."""

    def compare(found: Interval) -> tuple[bool | None, float]:
        return _decided(found.low >= threshold, found.high < threshold), found.mean - threshold

    return compare


def at_most(threshold: float) -> Comparison:
    """Return the comparison "not above `threshold`"."""

    def compare(found: Interval) -> tuple[bool | None, float]:
        return _decided(found.high <= threshold, found.low > threshold), threshold - found.mean

    return compare


def above(threshold: float) -> Comparison:
    """Return the comparison "more than `threshold`"."""

    def compare(found: Interval) -> tuple[bool | None, float]:
        return _decided(found.low > threshold, found.high <= threshold), found.mean - threshold

    return compare


def below(threshold: float) -> Comparison:
    """Return the comparison "less than `threshold`"."""

    def compare(found: Interval) -> tuple[bool | None, float]:
        return _decided(found.high < threshold, found.low >= threshold), threshold - found.mean

    return compare


def near(value: float, tolerance: float) -> Comparison:
    """Return the comparison "within `tolerance` of `value`"."""

    def compare(found: Interval) -> tuple[bool | None, float]:
        inside = found.low >= value - tolerance and found.high <= value + tolerance
        outside = found.low > value + tolerance or found.high < value - tolerance
        return _decided(inside, outside), tolerance - abs(found.mean - value)

    return compare


def not_below(value: float) -> Comparison:
    """Return the comparison "not below `value`, ties allowed".

    It holds where the mean is at least `value - TIE`, and does not where it is below `value`. Between, and so where the
    interval is wide, it is undecided: what was hardly measured shows no tie.
    """

    def compare(found: Interval) -> tuple[bool | None, float]:
        fails = found.high < value
        return _decided(not fails and found.low >= value - TIE, fails), found.mean - value

    return compare


def not_above(value: float) -> Comparison:
    """Return the comparison "not above `value`, ties allowed": `not_below` the other way round."""

    def compare(found: Interval) -> tuple[bool | None, float]:
        fails = found.low > value
        return _decided(not fails and found.high <= value + TIE, fails), value - found.mean

    return compare


def consistent_with(value: float) -> Comparison:
    """Return the comparison "neither below nor above `value`, ties allowed", for claims that name no tolerance."""
    sides = not_below(value), not_above(value)

    def compare(found: Interval) -> tuple[bool | None, float]:
        holds = [side(found)[0] for side in sides]
        return _decided(all(holds), False in holds), -abs(found.mean - value)

    return compare


def _decided(holds: bool, fails: bool) -> bool | None:
    """Return None where neither is so, as for limits that are NaN."""
    return True if holds else False if fails else None


@dataclass(frozen=True)
class Cell:
    """One of the means that a claim speaks of.

    Attributes:
        name: where it stands: an epsilon, an arm, an attack.
        values: of each replicate.
        comparison: what the mean must be.
    """

    name: str
    values: ArrayLike
    comparison: Comparison


def every(cells: Iterable[Cell]) -> Finding:
    """Return whether all of the means are as they must be; the number told is that of the worst.

    Source of the level: Bonferroni (see the module).

    Raises:
        MissingRowsError: there are no cells.
    """
    found = _findings(cells)
    worst = min(found, key=lambda finding: (_RANK[finding.holds], finding.margin))
    return _of_many(worst, found, "worst")


def some(cells: Iterable[Cell]) -> Finding:
    """Return whether one of the means at least is as it must be; the number told is that of the best.

    Source of the level: Bonferroni (see the module).

    Raises:
        MissingRowsError: there are no cells.
    """
    found = _findings(cells)
    best = max(found, key=lambda finding: (_RANK[finding.holds], finding.margin))
    return _of_many(best, found, "best")


def leader(curves: Iterable[tuple[Mapping[float, ArrayLike], Iterable[float]]]) -> Finding:
    """Return whether each curve is highest at one of the places that are allowed for it.

    So it is where one of these is shown to lie above each of the other places; it is not where one of the others is
    shown to lie above all of these. The number told is the difference between the best of either kind, at the curve
    where that is smallest. Bonferroni over all pairs of places.

    Args:
        curves: each a mapping from a place to the values of each replicate there, and the places that are allowed.

    Raises:
        MissingRowsError: a curve has no allowed place, or no other, or there are no curves.
    """
    split = []
    for curve, places in curves:
        allowed = set(places)
        ours = {place: np.asarray(values, dtype=float) for place, values in curve.items() if place in allowed}
        others = {place: np.asarray(values, dtype=float) for place, values in curve.items() if place not in allowed}
        split.append((ours, others))
    if not split or not all(ours and others for ours, others in split):
        raise MissingRowsError("places to compare were not run")
    level = 1 - FAMILY_ERROR / sum(len(ours) * len(others) for ours, others in split)
    found = []
    for ours, others in split:
        pairs = {
            (place, rival): mean_interval(ours[place] - others[rival], level) for place in ours for rival in others
        }
        led = any(all(pairs[place, rival].low > 0 for rival in others) for place in ours)
        lost = any(all(pairs[place, rival].high < 0 for place in ours) for rival in others)
        place, rival = (max(side, key=lambda name: side[name].mean()) for side in (ours, others))
        best = pairs[place, rival]
        told = f"{place:g} against {rival:g}"
        found.append(Finding(best.mean, best.low, best.high, _decided(led, lost), told, best.mean))
    worst = min(found, key=lambda finding: (_RANK[finding.holds], finding.margin))
    return _of_many(worst, found, "worst")


def no_later(curves: Mapping[str, tuple[Mapping[float, ArrayLike], Mapping[float, ArrayLike]]]) -> Finding:
    """Return whether each first curve is highest at no higher place than the second.

    The number told is the place of the first less that of the second; its limits come from all places at which either
    may be highest: those that are not shown to lie below another one. Bonferroni over all pairs of places.

    Args:
        curves: name -> two mappings from a place to the values of each replicate there.

    Raises:
        MissingRowsError: there are no curves.
    """
    if not curves:
        raise MissingRowsError("curves to compare were not run")
    pairs = sum(math.comb(len(curve), 2) for both in curves.values() for curve in both)
    found = []
    for name, both in curves.items():
        (first, *firsts), (second, *seconds) = (_tops(curve, 1 - FAMILY_ERROR / pairs) for curve in both)
        apart = Interval(first - second, min(firsts) - max(seconds), max(firsts) - min(seconds), 2)
        holds, margin = at_most(0)(apart)
        told = f"{name}{first:g} against {second:g}"
        found.append(Finding(apart.mean, apart.low, apart.high, holds, told, margin))
    worst = min(found, key=lambda finding: (_RANK[finding.holds], finding.margin))
    return _of_many(worst, found, "worst")


def _tops(curve: Mapping[float, ArrayLike], level: float) -> list[float]:
    """Return the place where the mean is highest, then all places that are not shown to lie below another."""
    values = {place: np.asarray(found, dtype=float) for place, found in curve.items()}
    beaten = {
        place
        for place in values
        for rival in values
        if rival != place and mean_interval(values[rival] - values[place], level).low > 0
    }
    return [max(values, key=lambda place: values[place].mean()), *(place for place in values if place not in beaten)]


def mean(values: ArrayLike, comparison: Comparison, note: str = "") -> Finding:
    """Return whether one mean is as it must be."""
    return replace(every([Cell("", values, comparison)]), note=note)


def exact(measured: float, holds: bool, note: str = "") -> Finding:
    """Return a finding without chance: a formula, a count."""
    measured = float(measured)
    return Finding(measured, measured, measured, bool(holds), note or "exact")


def together(*findings: Finding) -> Finding:
    """Return the worst of exact findings, all of which must hold."""
    return min(findings, key=lambda finding: _RANK[finding.holds])


_RANK = {False: 0, None: 1, True: 2}


def _findings(cells: Iterable[Cell]) -> list[Finding]:
    cells = list(cells)
    if not cells:
        raise MissingRowsError("nothing that the claim speaks of was run")
    level = 1 - FAMILY_ERROR / len(cells)
    found = []
    for cell in cells:
        values = np.asarray(cell.values, dtype=float)
        interval = mean_interval(values, level)
        if not interval.count:
            raise MissingRowsError(f"no number was measured for {cell.name or 'the claim'}")
        holds, margin = cell.comparison(interval)
        missing = (
            f"; {interval.count} of {len(values)} replicates have a number" if interval.count < len(values) else ""
        )
        note = cell.name + ("; one replicate has no interval" if interval.count == 1 else "") + missing
        found.append(Finding(interval.mean, interval.low, interval.high, holds, note, margin))
    return found


def _of_many(chosen: Finding, found: list[Finding], which: str) -> Finding:
    if len(found) == 1:
        return chosen
    return replace(chosen, note=f"{which} of {len(found)}: {chosen.note}")
