"""Rules that decide claims: conditions on measured quantities, and how their intervals make one finding.

Means have Student t intervals over replicates. Where a claim compares several means (panels, epsilons, attacks),
all of their intervals hold together with 95 %: each is taken at the level 1 - 0.05 / number of means (Bonferroni).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpmia.claims.claim import Finding, MissingRowsError, Tables
from dpmia.claims.comparisons import CellComparison, Comparison, HighestAt
from dpmia.metrics.intervals import Interval, mean_interval

#: Probability that any of the intervals of one claim misses its mean.
FAMILY_ERROR = 0.05

#: A curve by place, as a sampling rate: the values of each replicate there.
Curve = Mapping[float, ArrayLike]

#: What a condition on means measures: name of each mean -> values of each replicate.
Cells = dict[str, ArrayLike]

#: Takes the tables and the finding; returns the finding's note.
Note = Callable[[Tables, Finding], str]

_RANK = {False: 0, None: 1, True: 2}


@dataclass(frozen=True)
class Condition:
    """One quantity and what it must be.

    Attributes:
        quantity: its short name, with the places where it is taken: "advantage at every epsilon from 1 up".
        comparison: what it must be.
        measure: takes the tables; returns the cells of the quantity, name -> what the rule compares (values of each
            replicate; an exact number; a curve), or the only cell itself.
    """

    quantity: str
    comparison: Comparison | CellComparison | HighestAt
    measure: Callable[[Tables], Any]

    def __str__(self) -> str:
        return f"{self.quantity}: {self.comparison}"

    def of(self, cell: str) -> Comparison:
        """Return what the mean of a cell is compared with."""
        if isinstance(self.comparison, HighestAt):
            raise TypeError(f"{self}: the rule compares means; a curve is compared by Highest.")
        return self.comparison.of(cell)

    @property
    def places(self) -> tuple[float, ...]:
        """Where a curve must be highest."""
        if not isinstance(self.comparison, HighestAt):
            raise TypeError(f"{self}: the rule compares curves by highest_at.")
        return self.comparison.places

    def cells(self, tables: Tables) -> dict[str, Any]:
        """Return the measured cells by name; the only one has none."""
        found = self.measure(tables)
        return dict(found) if isinstance(found, Mapping) else {"": found}


class DecisionRule(ABC):
    """How a claim is decided: by conditions, each with its comparison."""

    def __init__(self, *conditions: Condition, note: Note | None = None) -> None:
        """Take the conditions, and what makes another note than the rule's own."""
        self.conditions, self._note = conditions, note

    @property
    def criterion(self) -> str:
        """What must hold, generated from the comparisons that `judge` performs."""
        return "; ".join(map(str, self.conditions))

    def judge(self, tables: Tables) -> Finding:
        """Return what was measured, and whether it is as it must be.

        Raises:
            MissingRowsError: rows that a condition needs are missing.
        """
        finding = self._judge(tables)
        return replace(finding, note=self._note(tables, finding)) if self._note else finding

    @abstractmethod
    def _judge(self, tables: Tables) -> Finding: ...


class Every(DecisionRule):
    """Every mean must meet its condition; the worst one is reported."""

    def _judge(self, tables: Tables) -> Finding:
        return _worst(_of_means(self.conditions, tables))


class Some(DecisionRule):
    """At least one mean must meet its condition; the best one is reported."""

    @property
    def criterion(self) -> str:
        """What must hold."""
        return f"{super().criterion}, in one case at least"

    def _judge(self, tables: Tables) -> Finding:
        found = _of_means(self.conditions, tables)
        best = max(found, key=lambda finding: (_RANK[finding.holds], finding.margin))
        return _of_many(best, found, "best")


class Exact(DecisionRule):
    """Every number must meet its condition, without chance: formulas, counts. The first one is reported."""

    def __init__(self, *conditions: Condition, note: str | Note = "exact") -> None:
        """Take the conditions and a note: a template that is filled with the numbers in their order, or a function."""
        super().__init__(*conditions, note=None if isinstance(note, str) else note)
        self._template = note if isinstance(note, str) else ""

    def _judge(self, tables: Tables) -> Finding:
        cells = [(each.of(name), float(x)) for each in self.conditions for name, x in each.cells(tables).items()]
        numbers = [number for _, number in cells]
        holds = all(comparison(Interval(number, number, number, 0))[0] for comparison, number in cells)
        return Finding(numbers[0], numbers[0], numbers[0], holds, self._template.format(*numbers))


class Highest(DecisionRule):
    """Each curve must be highest at one of the places of its comparison.

    So it is where one of these is shown to lie above each of the other places; it is not where one of the others is
    shown to lie above all of these. The number reported is the difference between the best of either kind, at the
    curve where that is smallest. Bonferroni over all pairs of places. Cells are curves.
    """

    def _judge(self, tables: Tables) -> Finding:
        split = []
        for condition in self.conditions:
            allowed = set(condition.places)
            for curve in condition.cells(tables).values():
                values = {place: np.asarray(found, dtype=float) for place, found in curve.items()}
                ours = {place: found for place, found in values.items() if place in allowed}
                split.append((ours, {place: found for place, found in values.items() if place not in allowed}))
        if not split or not all(ours and others for ours, others in split):
            raise MissingRowsError("places to compare were not run")
        level = 1 - FAMILY_ERROR / sum(len(ours) * len(others) for ours, others in split)
        return _worst([_lead(ours, others, level) for ours, others in split])


class NoLater(DecisionRule):
    """The place where each first curve is highest less that of its second must meet the condition.

    The limits of the difference come from all places at which either curve may be highest: those that are not shown
    to lie below another one. Bonferroni over all pairs of places. Cells are pairs of curves.
    """

    def _judge(self, tables: Tables) -> Finding:
        cells = [(each.of(name), name, both) for each in self.conditions for name, both in each.cells(tables).items()]
        if not cells:
            raise MissingRowsError("curves to compare were not run")
        pairs = sum(math.comb(len(curve), 2) for _, _, both in cells for curve in both)
        found = []
        for comparison, name, both in cells:
            (first, *firsts), (second, *seconds) = (_tops(curve, 1 - FAMILY_ERROR / pairs) for curve in both)
            apart = Interval(first - second, min(firsts) - max(seconds), max(firsts) - min(seconds), 2)
            holds, margin = comparison(apart)
            note = ", ".join(filter(None, (name, f"{first:g} against {second:g}")))
            found.append(Finding(apart.mean, apart.low, apart.high, holds, note, margin))
        return _worst(found)


class Together(DecisionRule):
    """All of several rules must hold; the first of the worst is reported."""

    def __init__(self, *rules: DecisionRule) -> None:
        """Take the rules."""
        super().__init__(*(condition for rule in rules for condition in rule.conditions))
        self._rules = rules

    @property
    def criterion(self) -> str:
        """What must hold."""
        return "; ".join(rule.criterion for rule in self._rules)

    def _judge(self, tables: Tables) -> Finding:
        return min((rule.judge(tables) for rule in self._rules), key=lambda finding: _RANK[finding.holds])


class Undecidable(DecisionRule):
    """No outcome would decide: means are measured and compared, and the worst of the first condition is reported.

    Its interval is that of one mean.
    """

    def __init__(self, reason: str, *conditions: Condition, note: Note) -> None:
        """Take why nothing is decided, the conditions, and what else the note reports."""
        super().__init__(*conditions, note=note)
        self._reason = reason

    @property
    def criterion(self) -> str:
        """What would have to be so, and why it decides nothing."""
        return f"{super().criterion} (not judged: {self._reason})"

    def _judge(self, tables: Tables) -> Finding:
        first = self.conditions[0]
        found = [_of_mean(first.of(name), name, values, 0.95) for name, values in first.cells(tables).items()]
        if not found:
            raise MissingRowsError("nothing that the claim compares was run")
        return replace(min(found, key=lambda finding: finding.margin), holds=None)

    def judge(self, tables: Tables) -> Finding:
        """Return what was measured, undecided."""
        finding = super().judge(tables)
        return replace(finding, note=f"{self._reason}; {finding.note}")


def _of_means(conditions: tuple[Condition, ...], tables: Tables) -> list[Finding]:
    """Return a finding for each cell of all conditions."""
    cells = [(each.of(name), name, values) for each in conditions for name, values in each.cells(tables).items()]
    if not cells:
        raise MissingRowsError("nothing that the claim compares was run")
    return [_of_mean(*cell, 1 - FAMILY_ERROR / len(cells)) for cell in cells]


def _of_mean(comparison: Comparison, name: str, values: ArrayLike, level: float) -> Finding:
    values = np.asarray(values, dtype=float)
    interval = mean_interval(values, level)
    if not interval.count:
        raise MissingRowsError(f"no number was measured for {name or 'the claim'}")
    holds, margin = comparison(interval)
    few = "one replicate has no interval" if interval.count == 1 else ""
    missing = f"{interval.count} of {len(values)} replicates have a number" if interval.count < len(values) else ""
    note = "; ".join(filter(None, (name, few, missing)))
    return Finding(interval.mean, interval.low, interval.high, holds, note, margin)


def _lead(ours: Mapping[float, np.ndarray], others: Mapping[float, np.ndarray], level: float) -> Finding:
    """Return by how much the best of some places of a curve exceeds the best of the others."""
    pairs = {(place, rival): mean_interval(ours[place] - others[rival], level) for place in ours for rival in others}
    led = any(all(pairs[place, rival].low > 0 for rival in others) for place in ours)
    lost = any(all(pairs[place, rival].high < 0 for place in ours) for rival in others)
    place, rival = (max(side, key=lambda name: side[name].mean()) for side in (ours, others))
    best = pairs[place, rival]
    holds = True if led else False if lost else None
    return Finding(best.mean, best.low, best.high, holds, f"{place:g} against {rival:g}", best.mean)


def _tops(curve: Curve, level: float) -> list[float]:
    """Return the place where the mean is highest, then all places that are not shown to lie below another."""
    values = {place: np.asarray(found, dtype=float) for place, found in curve.items()}
    beaten = {
        place
        for place in values
        for rival in values
        if rival != place and mean_interval(values[rival] - values[place], level).low > 0
    }
    return [max(values, key=lambda place: values[place].mean()), *(place for place in values if place not in beaten)]


def _worst(found: list[Finding]) -> Finding:
    worst = min(found, key=lambda finding: (_RANK[finding.holds], finding.margin))
    return _of_many(worst, found, "worst")


def _of_many(chosen: Finding, found: list[Finding], which: str) -> Finding:
    if len(found) == 1:
        return chosen
    return replace(chosen, note=f"{which} of {len(found)}: {chosen.note}")
