"""Which undecided claims more replicates would decide, and which of them a budget pays for.

Adding replicates until a claim is decided would make verdicts wrong more often than `ERROR`. So a claim is judged at
most `len(TIMES)` times, at numbers of replicates that are known beforehand, each time at `ERROR / len(TIMES)`. So a
verdict is wrong at any of these looks with `ERROR` at most (Bonferroni): whichever look is the last, for whatever
reason, and whatever looks were passed over. What is estimated here says where to spend the budget; no error depends
on it.

Experiments that one claim compares get more replicates together, so that every claim has one number of looks.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from dpmia.claims.claim import EXPERIMENT, Claim, Finding
from dpmia.claims.judge import NOT_RUN, SETTINGS_LOST, SYNTHETIC, UNDECIDED, Run, judge
from dpmia.claims.power import MORE_RECORDS, replicates_of, verdict_shares
from dpmia.common.plain import PlainData
from dpmia.formats.looks import TIMES, Look, Looks

#: The share of draws with the measured means and scatter in which a claim must be decided to be worth its replicates.
LIKELY = 0.5

#: Claims that are listed by name if one reason holds for all of them.
MOST_NAMED = 12

#: Stages whose tables more replicates, or more splits, make longer.
_REPEATED = ("replicates", "studies")

_UNJUDGED = (NOT_RUN, SYNTHETIC, SETTINGS_LOST)


@dataclass(frozen=True)
class Effort(PlainData):
    """What more replicates of an experiment, or more splits of a study, take.

    Attributes:
        replicates: their planned number.
        core_hours: of training as many again.
        again: of what is made again whenever there are more, as reference models: they are evaluated on the records of
            all target models.
    """

    replicates: int
    core_hours: float
    again: float = 0.0

    def between(self, now: int, then: int) -> float:
        """Return the core-hours from one multiple of the planned number to a higher one, by doubling."""
        return self.core_hours * (then - now) + self.again * math.log2(then / now) if then > now else 0.0


@dataclass(frozen=True)
class Prospect:
    """An undecided claim that more replicates are likely to decide.

    Attributes:
        id: of the claim.
        names: experiments and studies that get them.
        times: how many times their planned number it takes.
        core_hours: of what it takes; less where another claim takes it, too.
    """

    id: str
    names: tuple[str, ...]
    times: int
    core_hours: float = 0.0


@dataclass(frozen=True)
class Proposal:
    """What to do next about undecided claims.

    Attributes:
        look: replicates to add before the next look; None where none are worth it.
        works_on: the claims that they are for.
        leaves: other undecided claim -> why.
        unjudged: claim without a verdict -> why.
        decided: number of decided claims.
        reopened: claims that were decided at `ERROR`, and are not at its share for one look.
        spent: core-hours of former looks.
    """

    look: Look | None
    works_on: tuple[Prospect, ...]
    leaves: Mapping[str, str]
    unjudged: Mapping[str, str]
    decided: int
    reopened: tuple[str, ...] = ()
    spent: float = 0.0
    times: Mapping[str, int] = field(default_factory=dict)


def propose(
    claims: Iterable[Claim], run: Run, efforts: Mapping[str, Effort], budget: float, looks: Looks | None
) -> Proposal:
    """Return what to do next.

    Args:
        claims: of all papers.
        run: what they are judged on; its `times` follow from `looks`.
        efforts: experiment or study of which there can be more replicates -> what they take.
        budget: core-hours of all looks together.
        looks: those before; None where there was only the ordinary run.
    """
    claims = list(claims)
    run = replace(run, times=looks.times if looks else {})
    judged = {claim.id: judge(claim, run) for claim in claims}
    undecided = [claim for claim in claims if judged[claim.id][0] == UNDECIDED]
    unjudged = {
        claim.id: _why_unjudged(claim, run, *judged[claim.id]) for claim in claims if judged[claim.id][0] in _UNJUDGED
    }
    ordinary = {claim.id for claim in undecided if judge(claim, replace(run, times=None))[0] == UNDECIDED}
    reopened = () if looks else tuple(claim.id for claim in undecided if claim.id not in ordinary)

    groups = together(claims, efforts)
    prospects, leaves = _prospects(undecided, run, groups)
    spent = looks.spent if looks else 0.0
    works_on, dear = _afford(prospects, efforts, run.times or {}, budget - spent)
    leaves |= dear
    if not looks and not any(prospect.id in ordinary for prospect in works_on):
        # Nothing is gained by judging all claims at a smaller error.
        works_on = ()
    if not looks and not works_on:
        leaves = {name: reason for name, reason in leaves.items() if name in ordinary}
        reopened, undecided = (), [claim for claim in undecided if claim.id in ordinary]
    decided = len(claims) - len(unjudged) - len(undecided)
    look = _look(works_on, efforts, run.times or {})
    return Proposal(look, works_on, leaves, unjudged, decided, reopened, spent, run.times or {})


def _why_unjudged(claim: Claim, run: Run, verdict: str, finding: Finding) -> str:
    """Return why a claim has no verdict: where its data could be had, only that it was not run."""
    unavailable = any(_name(table) in run.not_run for table in claim.tables)
    return finding.note if verdict != NOT_RUN or unavailable or run.scale == "smoke" else NOT_RUN


def together(claims: Iterable[Claim], names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return for each of some experiments and studies those that get more replicates with it, itself among them."""
    group_of = {name: {name} for name in names}
    for claim in claims:
        compared = [_name(table) for table in claim.tables if _repeatable(table, group_of)]
        joined = set().union(*(group_of[name] for name in compared))
        group_of |= dict.fromkeys(joined, joined)
    return {name: tuple(sorted(group)) for name, group in group_of.items()}


def _name(table: str) -> str:
    return table.partition("/")[2]


def _prospects(
    undecided: Sequence[Claim], run: Run, groups: Mapping[str, tuple[str, ...]]
) -> tuple[list[Prospect], dict[str, str]]:
    """Return the claims that more replicates are likely to decide, and why they are not likely to decide the others."""
    leaves: dict[str, str] = {}
    alike: dict[tuple[tuple[int, int], ...], list[Claim]] = {}
    for claim in undecided:
        tables = run.tables(claim.tables)
        now = run.times_of(claim.tables)
        if claim.kind != EXPERIMENT or any(table.partition("/")[0] not in _REPEATED for table in tables):
            leaves[claim.id] = "it rests on single records or sizes, not on replicates"
        elif lost := [_name(table) for table in tables if not _repeatable(table, groups)]:
            leaves[claim.id] = (
                f"{', '.join(lost)} cannot have more replicates: not in the settings, or unavailable data"
            )
        elif now == TIMES[-1]:
            leaves[claim.id] = f"all {len(TIMES)} looks are taken"
        else:
            count = replicates_of(claim, tables)
            later = tuple((times, count * times // now) for times in TIMES if times > now)
            alike.setdefault(later, []).append(claim)
    prospects = []
    for later, of_one in alike.items():
        tables = run.tables({table for claim in of_one for table in claim.tables})
        counts = [count for _, count in later]
        shares = verdict_shares(of_one, tables, counts, worlds=("as measured",), error=run.error)
        for claim in of_one:
            own = shares[shares["id"] == claim.id].set_index("replicates")
            times, reason = _needed(own, later)
            if times is None:
                leaves[claim.id] = reason
            else:
                names = {each for table in run.tables(claim.tables) for each in groups[_name(table)]}
                prospects.append(Prospect(claim.id, tuple(sorted(names)), times))
    return prospects, leaves


def _repeatable(table: str, groups: Container[str]) -> bool:
    """Return whether more replicates of an experiment make a table longer, and there can be more."""
    return table.partition("/")[0] in _REPEATED and _name(table) in groups


def _needed(shares: pd.DataFrame, later: Sequence[tuple[int, int]]) -> tuple[int | None, str]:
    """Return the smallest multiple of the planned replicates that is likely to decide, or why there is none."""
    if reason := next(filter(None, shares["reason"]), ""):
        return None, f"what more replicates would show cannot be estimated: {reason}"
    likely = {times: 1 - float(shares.loc[count, "undecided"]) for times, count in later}
    found = [times for times, share in likely.items() if share >= LIKELY]
    if found:
        return found[0], ""
    if shares["unlimited"].iloc[0] == MORE_RECORDS:
        return None, "it takes more records, not more replicates"
    most, share = list(likely.items())[-1]
    return None, f"too close to call: {most} times its planned replicates decide it in {100 * share:.0f} % of draws"


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
        each.id: f"{each.times} times its planned replicates take {hours(core_hours(each))}, "
        f"more than the {max(budget, 0.0):.2g} left"
        for each in left
    }
    return tuple(works_on), dear


def _look(works_on: Sequence[Prospect], efforts: Mapping[str, Effort], times: Mapping[str, int]) -> Look | None:
    """Return twice as many replicates of all experiments that some claims take; None of none."""
    steps: dict[str, tuple[int, int]] = {}
    for prospect in works_on:
        now = max(times.get(name, 1) for name in prospect.names)
        steps |= {name: (times.get(name, 1), 2 * now) for name in prospect.names}
    if not steps:
        return None
    cost = sum(efforts[name].between(*step) for name, step in steps.items())
    return Look(core_hours=cost, times={name: then for name, (_, then) in sorted(steps.items())})


def hours(number: float) -> str:
    """Return core-hours as text."""
    return f"{number:.2g} core-hours" if number < 10 else f"{number:.0f} core-hours"


def describe(proposal: Proposal, efforts: Mapping[str, Effort], budget: float) -> str:
    """Return what is proposed, for which claims, at what cost, and which claims are left for which reason, as text."""
    undecided = len(proposal.works_on) + len(proposal.leaves)
    lines = [
        f"{proposal.decided} claims are decided, {undecided} undecided, {len(proposal.unjudged)} cannot be judged."
    ]
    if proposal.reopened:
        lines.append(
            f"Of the undecided ones, {len(proposal.reopened)} are decided at 5 %, but not at "
            f"5 % / {len(TIMES)}: so each of {len(TIMES)} looks is judged once replicates are added."
        )
    lines.append(f"Budget: {hours(budget)}, of which {hours(proposal.spent)} were given to earlier looks.")
    if proposal.look:
        lines.append(f"\nNext look, after {hours(proposal.look.core_hours)}:")
        for name, then in proposal.look.times.items():
            now, planned = proposal.times.get(name, 1), efforts[name].replicates
            number = TIMES.index(then) + 1
            lines.append(f"  {name}: {planned * then} replicates, {planned * now} now (look {number} of {len(TIMES)})")
        lines.append("For these claims, each with what it adds to the cost until it is likely decided:")
        lines += [
            f"  {each.id}: {each.times} times the planned replicates, {hours(each.core_hours)}"
            for each in proposal.works_on
        ]
    else:
        lines.append("\nNo replicates are worth adding." if undecided else "\nNothing is left to decide.")
    if proposal.leaves:
        lines.append("Left undecided:")
        lines += [f"  {', '.join(names)}: {reason}" for reason, names in _by_reason(proposal.leaves).items()]
    if proposal.unjudged:
        lines.append("Cannot be judged:")
        lines += [f"  {_listed(names)}: {reason}" for reason, names in _by_reason(proposal.unjudged).items()]
    return "\n".join(lines)


def _listed(names: list[str]) -> str:
    """Return names, of many only their number."""
    return ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} claims"


def _by_reason(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        found.setdefault(reason, []).append(name)
    return found
