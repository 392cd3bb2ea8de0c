"""Rules that decide claims: conditions on measured quantities, and how their limits make one finding.

Means have Student t limits over replicates, and over records where replicates share them. Each rule says how often
either verdict may be wrong, and why no more often than `dpmia.claims.limits.ERROR`, however many means (panels,
epsilons, attacks) the claim compares. Percentages in docstrings are those of `ERROR`; of a smaller error they are
smaller alike.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpmia.claims.claim import EXACT, Finding, Tables
from dpmia.claims.comparisons import CellComparison, Comparison, HighestAt
from dpmia.claims.limits import (
    ERROR,
    Decision,
    Errors,
    Extended,
    decide,
    detectable,
    mean_of,
    name_limits,
    over_records,
)
from dpmia.claims.rows import ALL, Epsilons
from dpmia.claims.shared_records import measure
from dpmia.formats.rows import MissingRowsError
from dpmia.metrics.intervals import FEWEST, Estimate, Interval

#: A curve by place, as a sampling rate: the values of each replicate there.
Curve = Mapping[float, ArrayLike]

#: What a condition on means measures: name of each mean -> values of each replicate, or their mean.
Cells = dict[str, ArrayLike]

#: What a rule measures: the cells of each of its conditions.
Measured = Sequence[Mapping[str, Any]]

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
        by_replicate: whether each value rests on the metrics of its replicate alone; else all replicates together
            choose what is compared, as the size with the largest mean.
        epsilons: where the quantity is taken, so that verdicts say which of those that were planned were not run.
        mean_over_epsilons: whether it is a mean over them; else each is a case of its own.
    """

    quantity: str
    comparison: Comparison | CellComparison | HighestAt
    measure: Callable[[Tables], Any]
    by_replicate: bool = True
    epsilons: Epsilons = ALL
    mean_over_epsilons: bool = False

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
        measured = self.measure(tables)
        return dict(measured) if isinstance(measured, Mapping) else {"": measured}


class DecisionRule(ABC):
    """How a claim is decided: by conditions, each with its comparison."""

    #: Whether the claim fails only if each case does: then a case that was not run leaves it open.
    fails_in_all_cases = False

    def __init__(self, *conditions: Condition, note: Note | None = None) -> None:
        """Take the conditions, and what makes another note than the rule's own."""
        self.conditions, self._note = conditions, note

    @property
    def criterion(self) -> str:
        """What must hold, generated from the comparisons that `judge` performs."""
        return "; ".join(map(str, self.conditions))

    def judge(self, tables: Tables, error: float = ERROR) -> Finding:
        """Return what was measured, and whether it is as it must be; either verdict is wrong with `error` at most.

        Raises:
            MissingRowsError: rows that a condition needs are missing.
        """
        finding = self.decide(measure(self.measure, tables), error)
        return replace(finding, note=self._note(tables, finding)) if self._note else finding

    def measure(self, tables: Tables) -> Measured:
        """Return the cells of each condition, in their order.

        Raises:
            MissingRowsError: rows that a condition needs are missing.
        """
        return [condition.cells(tables) for condition in self.conditions]

    @abstractmethod
    def decide(self, measured: Measured, error: float = ERROR) -> Finding:
        """Return the finding on the cells that were measured, without a note that needs the tables.

        Args:
            measured: the cells of each condition.
            error: how often either verdict may be wrong.
        """

    def _compared(self, measured: Measured) -> list[tuple[Condition, str, Any]]:
        """Return each cell with its condition and name; there must be one."""
        cells = [
            (condition, name, values)
            for condition, of_one in zip(self.conditions, measured, strict=True)
            for name, values in of_one.items()
        ]
        if not cells:
            raise MissingRowsError("nothing that the claim compares was run")
        return cells

    def _means(self, measured: Measured) -> tuple[list[tuple[Comparison, str, Estimate, int]], str]:
        """Return each mean that has a number, after comparison and name, before the number of all its replicates.

        A note counts those without a number.

        Raises:
            MissingRowsError: there is none; or none of a condition, where each must hold.
        """
        cells = [(condition, name, *_read(cell)) for condition, name, cell in self._compared(measured)]
        there = [(one.of(name), name, mean, count) for one, name, mean, count in cells if mean.count]
        lacking = {cell[0].quantity for cell in cells} - {cell[0].quantity for cell in cells if cell[2].count}
        if not there or (lacking and not self.fails_in_all_cases):
            raise MissingRowsError(f"no number was measured for {min(lacking)}")
        return there, f"; {len(cells) - len(there)} more have no number" if len(there) < len(cells) else ""


class Every(DecisionRule):
    """Every mean must meet its condition; the worst one is reported.

    If some mean does not meet its condition, a wrong "reproduced" needs a wrong limit of that mean. So each mean passes
    by its own one-sided 95 % limits, however many there are (intersection-union test). If all meet theirs, a wrong "not
    reproduced" needs a wrong limit of any of them. So limits that refute hold together with 95 % (Bonferroni; Holm's
    method refutes the same claims, as its first step is Bonferroni's).
    """

    def decide(self, measured: Measured, error: float = ERROR) -> Finding:
        """Return the worst mean, decided."""
        cells, without = self._means(measured)
        sides = sum(comparison.sides for comparison, *_ in cells)
        worst = _worst([_of_mean(*cell, Errors(error, error / sides, error)) for cell in cells])
        return replace(worst, note=worst.note + without)


class Some(DecisionRule):
    """At least one mean must meet its condition; the best one is reported.

    `Every` the other way round: any wrong limit may make a wrong "reproduced", so limits that accept hold together with
    95 %; "not reproduced" takes that every mean fails, each by its own one-sided 95 % limits. A mean without number may
    meet its condition, so with such a claim is not refuted.
    """

    fails_in_all_cases = True

    @property
    def criterion(self) -> str:
        """What must hold."""
        return f"{super().criterion}, in one case at least"

    def decide(self, measured: Measured, error: float = ERROR) -> Finding:
        """Return the best mean, decided."""
        cells, without = self._means(measured)
        findings = [_of_mean(*cell, Errors(error / len(cells), error / cell[0].sides, error)) for cell in cells]
        best = _of_many(max(findings, key=lambda finding: (_RANK[finding.holds], finding.margin)), findings, "best")
        holds = None if without and not best.holds else best.holds
        return replace(best, holds=holds, note=best.note + without)


class Exact(DecisionRule):
    """Every number must meet its condition, without chance: formulas, counts.

    The first number that does not is reported, and the first of all where there is none.
    """

    def __init__(self, *conditions: Condition, note: str | Note = EXACT) -> None:
        """Take the conditions and a note: a template that is filled with the numbers in their order, or a function."""
        super().__init__(*conditions, note=None if isinstance(note, str) else note)
        self._template = note if isinstance(note, str) else ""

    def decide(self, measured: Measured, error: float = ERROR) -> Finding:
        """Return the first number that fails, or the first of all, decided."""
        cells = [(condition.of(name), float(number)) for condition, name, number in self._compared(measured)]
        numbers = [number for _, number in cells]
        if any(map(math.isnan, numbers)):
            raise MissingRowsError("a number that the claim compares was not measured")
        wrong = [number for comparison, number in cells if not comparison(Interval(number, number, number, 0))[0]]
        shown, *_ = [*wrong, *numbers]
        return Finding(shown, shown, shown, not wrong, self._template.format(*numbers), interval=EXACT)


class Highest(DecisionRule):
    """Each curve must be highest at one of the places of its comparison.

    So it is where one of these is shown to lie above each of the other places; it is not where one of the others is
    shown to lie above all of these. The number reported is the difference between the best of either kind, at the
    curve where that is smallest. Cells are curves.

    If another place is highest, a wrong "reproduced" needs a wrong difference between it and any of the k allowed
    places: 5 % / k for each limit, on every curve. If an allowed place is highest, a wrong "not reproduced" needs a
    wrong difference between it and any of the other places, on any curve: 5 % / number of these places on all curves.
    """

    def decide(self, measured: Measured, error: float = ERROR) -> Finding:
        """Return the lead of the allowed places where it is smallest, decided."""
        split = []
        for condition, _, curve in self._compared(measured):
            allowed = set(condition.places)
            ours = {place: value for place, value in curve.items() if place in allowed}
            split.append((ours, {place: value for place, value in curve.items() if place not in allowed}))
        if not all(ours and others for ours, others in split):
            raise MissingRowsError("places to compare were not run")
        refute = error / sum(len(others) for _, others in split)
        return _worst([_lead(ours, others, Errors(error / len(ours), refute, error)) for ours, others in split])


class NoLater(DecisionRule):
    """The place where each first curve is highest less that of its second must meet the condition.

    The limits of the difference come from all places at which either curve may be highest: those that are not shown
    to lie below another one. Cells are pairs of curves.

    These places leave out the highest one if any of its differences to the others is wrong. A wrong "reproduced" needs
    that of one pair of curves: each difference is wrong with 5 % / number of other places on both curves. A wrong "not
    reproduced" needs it of any pair: 5 % / number of other places on all curves.
    """

    def decide(self, measured: Measured, error: float = ERROR) -> Finding:
        """Return the difference of the highest places where it is worst, decided."""
        cells = [(condition.of(name), name, both) for condition, name, both in self._compared(measured)]
        rivals = [max(sum(len(curve) - 1 for curve in both), 1) for _, _, both in cells]
        findings = []
        for (comparison, name, both), own in zip(cells, rivals, strict=True):
            errors = Errors(error / own, error / sum(rivals), error)
            first, second = map(_Tops, both)
            decision = decide(comparison, partial(_apart, first, second), errors)
            decision = over_records(decision, first.shared or second.shared)
            note = ", ".join(filter(None, (name, f"{first.highest:g} against {second.highest:g}")))
            findings.append(_finding(decision, note))
        return _worst(findings)


class Together(DecisionRule):
    """All of several rules must hold; the first of the worst is reported.

    Only one of them may depend on chance: "not reproduced" would otherwise be wrong as often as any of them is.
    """

    def __init__(self, *rules: DecisionRule) -> None:
        """Take the rules."""
        if sum(not isinstance(rule, Exact) for rule in rules) > 1:
            raise ValueError("Together: more than one rule depends on chance. Put their conditions into one rule.")
        super().__init__(*(condition for rule in rules for condition in rule.conditions))
        self._rules = rules
        self.fails_in_all_cases = any(rule.fails_in_all_cases for rule in rules)

    @property
    def criterion(self) -> str:
        """What must hold."""
        return "; ".join(rule.criterion for rule in self._rules)

    def decide(self, measured: Measured, error: float = ERROR) -> Finding:
        """Return the first of the worst findings."""
        left = iter(measured)
        findings = [rule.decide([next(left) for _ in rule.conditions], error) for rule in self._rules]
        return min(findings, key=lambda finding: _RANK[finding.holds])


class Undecidable(DecisionRule):
    """No outcome would decide: means are measured and compared, and the worst of the first condition is reported.

    Its limits are those of one mean.
    """

    def __init__(self, reason: str, *conditions: Condition, note: Note) -> None:
        """Take why nothing is decided, the conditions, and what else the note reports."""
        super().__init__(*conditions, note=note)
        self._reason = reason

    @property
    def criterion(self) -> str:
        """What would have to be so, and why it decides nothing."""
        return f"{super().criterion} (not judged: {self._reason})"

    def decide(self, measured: Measured, error: float = ERROR) -> Finding:
        """Return the worst mean of the first condition, undecided."""
        first, one = self.conditions[0], Errors(error, error, error)
        findings = [_of_mean(first.of(name), name, *_read(cell), one) for name, cell in measured[0].items()]
        if not findings:
            raise MissingRowsError("nothing that the claim compares was run")
        return replace(min(findings, key=lambda finding: finding.margin), holds=None)

    def judge(self, tables: Tables, error: float = ERROR) -> Finding:
        """Return what was measured, undecided."""
        finding = super().judge(tables, error)
        return replace(finding, note=f"{self._reason}; {finding.note}")


def _read(cell: ArrayLike | Extended | Estimate) -> tuple[Estimate, int]:
    """Return the mean of a cell, and the number of its replicates with those that have no number."""
    mean = cell if isinstance(cell, Estimate) else mean_of(cell)
    return mean, mean.count if isinstance(cell, Extended | Estimate) else np.shape(cell)[-1]


def _of_mean(comparison: Comparison, name: str, mean: Estimate, replicates: int, errors: Errors) -> Finding:
    decision = over_records(decide(comparison, mean.one_sided, errors), mean.records_error > 0)
    count = mean.count
    if not count:
        raise MissingRowsError(f"no number was measured for {name or 'the claim'}")
    few = f"{count} of at least {FEWEST} replicates, no interval" if count < FEWEST else ""
    missing = f"{count} of {replicates} replicates have a number" if count < replicates else ""
    finding = _finding(decision, "; ".join(filter(None, (name, few, missing))))
    return replace(finding, detectable=detectable(mean, errors.accept))


def _lead(ours: Mapping[float, Any], others: Mapping[float, Any], errors: Errors) -> Finding:
    """Return by how much the best of some places of a curve exceeds the best of the others."""
    leads = {(one, other): mean_of(ours[one] - others[other]) for one in ours for other in others}

    def lead(place: float, rival: float, error: float) -> Interval:
        return leads[place, rival].one_sided(error)

    place, rival = (max(side, key=lambda name: _mean(side[name])) for side in (ours, others))
    if any(all(lead(one, other, errors.accept).low > 0 for other in others) for one in ours):
        holds, error = True, errors.accept
    elif any(all(lead(one, other, errors.refute).high < 0 for one in ours) for other in others):
        holds, error = False, errors.refute
    else:
        holds, error = None, min(errors.accept, errors.refute)
    best = lead(place, rival, error)
    decision = Decision(holds, best, name_limits(best, error, errors.together), best.mean)
    shared = any(lead.records_error > 0 for lead in leads.values())
    finding = _finding(over_records(decision, shared), f"{place:g} against {rival:g}")
    return replace(finding, detectable=detectable(leads[place, rival], errors.accept))


class _Tops:
    """The places where a curve may be highest."""

    def __init__(self, curve: Curve) -> None:
        values: Mapping[float, Any] = curve
        self.highest = max(values, key=lambda place: _mean(values[place]))
        self._places = list(values)
        self._leads = {(one, other): mean_of(values[one] - values[other]) for one, other in combinations(values, 2)}
        self.shared = any(lead.records_error > 0 for lead in self._leads.values())

    def __call__(self, error: float) -> list[float]:
        """Return all places that are not shown to lie below another."""
        beaten = set()
        for (one, other), lead in self._leads.items():
            interval = lead.one_sided(error)
            beaten |= {other} if interval.low > 0 else {one} if interval.high < 0 else set()
        return [place for place in self._places if place not in beaten]


def _mean(values: ArrayLike | Extended) -> float:
    """Return the mean over replicates with a number; without any it is lower than all others."""
    mean = mean_of(values).mean
    return -math.inf if math.isnan(mean) else mean


def _apart(first: _Tops, second: _Tops, error: float) -> Interval:
    """Return the place where the first curve is highest less that of the second, with its limits."""
    firsts, seconds = first(error), second(error)
    low, high = min(firsts) - max(seconds), max(firsts) - min(seconds)
    return Interval(first.highest - second.highest, low, high, 2)


def _finding(decision: Decision, note: str) -> Finding:
    interval = decision.interval
    return Finding(interval.mean, interval.low, interval.high, decision.holds, note, decision.margin, decision.name)


def _worst(findings: list[Finding]) -> Finding:
    worst = min(findings, key=lambda finding: (_RANK[finding.holds], finding.margin))
    return _of_many(worst, findings, "worst")


def _of_many(chosen: Finding, findings: list[Finding], which: str) -> Finding:
    if len(findings) == 1:
        return chosen
    return replace(chosen, note=f"{which} of {len(findings)}: {chosen.note}")
