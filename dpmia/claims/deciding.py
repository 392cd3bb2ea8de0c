"""Which undecided questions get more replicates, claims of papers and limits of audits, within a budget.

Adding replicates until one is decided would make verdicts wrong more often than `ERROR`. So each is judged at
most `len(TIMES)` times, at numbers of replicates that are known beforehand, each time at `ERROR / len(TIMES)`. So a
verdict is wrong at any of these looks with `ERROR` at most (Bonferroni): whichever look is the last, for whatever
reason, and whatever looks were passed over. What is estimated here says where to spend the budget; no error depends
on it.

An ordinary run to which nothing is added is judged at `ERROR` as a whole. Who takes that verdict if there is one, and
adds replicates only if there is none, has up to `ERROR * (1 + (len(TIMES) - 1) / len(TIMES))` in all, unless the looks
were planned before the run (`looks.json`).

Experiments that one question is about get more replicates together, so that it has one number of looks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dpmia.claims.limits import ERROR
from dpmia.claims.standing import Prospect, Standing
from dpmia.common.formatting import format_core_hours, format_percent, format_significant
from dpmia.common.plain import PlainData
from dpmia.formats.looks import TIMES, Look, Looks

#: Questions that are listed by name if one reason holds for all of them.
MOST_NAMED = 12


@dataclass(frozen=True)
class Effort(PlainData):
    """What more replicates of an experiment, or more splits of a study, take.

    Attributes:
        replicates: their planned number.
        core_hours: of training as many again.
        again: of what is made again whenever there are more, as reference models: they are evaluated on the records of
            all target models.
        audited: whether it is of a file of audits: claims are about another experiment of this name, if there is one.
    """

    replicates: int
    core_hours: float
    again: float = 0.0
    audited: bool = False

    def between(self, now: int, then: int) -> float:
        """Return the core-hours from one multiple of the planned number to a higher one, by doubling."""
        return self.core_hours * (then - now) + self.again * math.log2(then / now) if then > now else 0.0


@dataclass(frozen=True)
class Proposal:
    """What to do next about undecided questions.

    Attributes:
        look: replicates to add before the next look; None where none are worth it.
        works_on: the questions that they are for.
        leaves: other undecided question -> why.
        standings: of each kind of questions, as they are judged from now on.
        spent: core-hours of former looks.
        times: experiment or study -> how many times its planned replicates it has.
    """

    look: Look | None
    works_on: tuple[Prospect, ...]
    leaves: Mapping[str, str]
    standings: tuple[Standing, ...]
    spent: float = 0.0
    times: Mapping[str, int] = field(default_factory=dict)

    @property
    def reopened(self) -> list[str]:
        """Questions that are decided at `ERROR`, and are not at its share for one look."""
        return [name for standing in self.standings for name in standing.reopened]


def propose(
    standings: Sequence[Standing], efforts: Mapping[str, Effort], budget: float, looks: Looks | None
) -> Proposal:
    """Return what to do next.

    Args:
        standings: of each kind of questions, judged at the share of `ERROR` that one look has.
        efforts: experiment or study of which there can be more replicates -> what they take.
        budget: core-hours of all looks together.
        looks: those before; None where there was only the ordinary run.
    """
    times, spent = (looks.times, looks.spent) if looks else ({}, 0.0)
    prospects = [prospect for standing in standings for prospect in standing.prospects]
    works_on, dear = _afford(prospects, efforts, times, budget - spent)
    leaves = {name: reason for standing in standings for name, reason in standing.leaves.items()} | dear
    if not looks:
        reopened = {name for standing in standings for name in standing.reopened}
        if all(prospect.id in reopened for prospect in works_on):
            # Nothing is gained by judging all at a smaller error.
            beside = " beside what a first look would reopen" if works_on else ""
            works_on, standings = (), [standing.at_whole_error() for standing in standings]
            leaves = {
                name: reason + (beside if name in dear else "")
                for name, reason in leaves.items()
                if name not in reopened
            }
    return Proposal(_look(works_on, efforts, times), works_on, leaves, tuple(standings), spent, times)


def _afford(
    prospects: Sequence[Prospect], efforts: Mapping[str, Effort], times: Mapping[str, int], budget: float
) -> tuple[tuple[Prospect, ...], dict[str, str]]:
    """Return the claims that a budget pays for, the cheapest first, and why it does not for the others."""
    goal = {name: times.get(name, 1) for name in efforts}

    def core_hours(prospect: Prospect) -> float:
        return sum(efforts[name].between(goal[name], prospect.times) for name in prospect.names)

    left, works_on = list(prospects), []
    while left:
        cheapest = min(left, key=core_hours)
        if (cost := core_hours(cheapest)) > budget:
            break
        budget -= cost
        goal |= {name: max(goal[name], cheapest.times) for name in cheapest.names}
        works_on.append(replace(cheapest, core_hours=cost))
        left.remove(cheapest)
    dear = {
        prospect.id: f"{prospect.times} times its planned replicates take {format_core_hours(core_hours(prospect))}, "
        f"more than the {format_significant(max(budget, 0.0), 2)} left"
        for prospect in left
    }
    return tuple(works_on), dear


def _look(works_on: Sequence[Prospect], efforts: Mapping[str, Effort], times: Mapping[str, int]) -> Look | None:
    """Return twice as many replicates of all experiments that some claims take; None of none."""
    goals: dict[str, int] = {}
    for prospect in works_on:
        then = 2 * max(times.get(name, 1) for name in prospect.names)
        goals |= {name: max(goals.get(name, 1), then) for name in prospect.names}
    if not goals:
        return None
    cost = sum(efforts[name].between(times.get(name, 1), then) for name, then in goals.items())
    return Look(core_hours=cost, times=dict(sorted(goals.items())))


def describe(proposal: Proposal, efforts: Mapping[str, Effort], budget: float) -> str:
    """Return what is proposed, for which claims, at what cost, and which claims are left for which reason, as text."""
    lines = [
        f"{standing.kind.capitalize()}: {len(standing.decided)} decided, {len(standing.undecided)} undecided, "
        f"{len(standing.unjudged)} cannot be judged."
        for standing in proposal.standings
        if standing.decided or standing.undecided or standing.unjudged
    ]
    if proposal.reopened:
        whole, looks = format_percent(ERROR), len(TIMES)
        lines.append(
            f"Of the undecided ones, {len(proposal.reopened)} are decided at {whole}, but not at {whole} / {looks}: "
            f"so each of {looks} looks is judged once replicates are added."
        )
    spent = format_core_hours(proposal.spent)
    lines.append(f"Budget: {format_core_hours(budget)}, of which {spent} were given to earlier looks.")
    if proposal.look:
        lines.append(f"\nNext look, after {format_core_hours(proposal.look.core_hours)}:")
        for name, then in proposal.look.times.items():
            now, planned = proposal.times.get(name, 1), efforts[name].replicates
            number = TIMES.index(then) + 1
            lines.append(f"  {name}: {planned * then} replicates, {planned * now} now (look {number} of {len(TIMES)})")
        lines.append("For these, each with what it adds to the cost until it is likely decided:")
        lines += [
            f"  {prospect.id}: {prospect.times} times the planned replicates, {format_core_hours(prospect.core_hours)}"
            for prospect in proposal.works_on
        ]
    else:
        lines.append("\nNo replicates are worth adding." if proposal.leaves else "\nNothing is left to decide.")
    if proposal.leaves:
        lines.append("Left undecided:")
        lines += [f"  {', '.join(names)}: {reason}" for reason, names in _by_reason(proposal.leaves).items()]
    if unjudged := {name: reason for standing in proposal.standings for name, reason in standing.unjudged.items()}:
        lines.append("Cannot be judged:")
        lines += [f"  {_listed(names)}: {reason}" for reason, names in _by_reason(unjudged).items()]
    return "\n".join(lines)


def _listed(names: list[str]) -> str:
    """Return names, of many only their number."""
    return ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} of them"


def _by_reason(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    names_by_reason: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        names_by_reason.setdefault(reason, []).append(name)
    return names_by_reason
