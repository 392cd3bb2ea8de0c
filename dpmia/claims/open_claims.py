"""Which claims are decided, and which of the others more replicates are likely to decide."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from dpmia.claims.claim import EXPERIMENT, Claim, Finding
from dpmia.claims.judge import NOT_RUN, SETTINGS_LOST, SYNTHETIC, UNDECIDED, Run, judge
from dpmia.claims.limits import LIKELY
from dpmia.claims.power import replicates_of, verdict_shares
from dpmia.claims.standing import Prospect, Standing
from dpmia.formats.looks import TIMES

#: Stages whose tables more replicates, or more splits, make longer.
_REPEATED = ("replicates", "studies")

_UNJUDGED = (NOT_RUN, SYNTHETIC, SETTINGS_LOST)


def stand_of_claims(
    claims: Iterable[Claim], run: Run, repeatable: Collection[str], times: Mapping[str, int] | None
) -> Standing:
    """Return where claims stand, judged at the share of the error that one look has.

    Args:
        claims: of all papers.
        run: what they are judged on.
        repeatable: experiments and studies of which there can be more replicates.
        times: experiment or study -> how many times its planned replicates it has; None where no look was taken.
    """
    claims = list(claims)
    run = replace(run, times=times or {})
    judged = {claim.id: judge(claim, run) for claim in claims}
    undecided = [claim for claim in claims if judged[claim.id][0] == UNDECIDED]
    unjudged = {
        claim.id: _why_unjudged(claim, run, *judged[claim.id]) for claim in claims if judged[claim.id][0] in _UNJUDGED
    }
    reopened = [claim.id for claim in undecided if judge(claim, replace(run, times=None))[0] != UNDECIDED]
    prospects, leaves = _prospects(undecided, run, together(claims, repeatable))
    decided = [name for name in judged if name not in unjudged and name not in {claim.id for claim in undecided}]
    return Standing(
        "claims",
        tuple(decided),
        tuple(reopened) if times is None else (),
        tuple(prospects),
        leaves,
        unjudged,
    )


def _why_unjudged(claim: Claim, run: Run, verdict: str, finding: Finding) -> str:
    """Return why a claim has no verdict: where no reason is known, only that it was not run."""
    known = any(_name(table) in run.not_run for table in claim.tables)
    return finding.note if verdict != NOT_RUN or known or run.scale == "smoke" else NOT_RUN


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
    if shares["decided_without_limit"].iloc[0] < LIKELY:
        return None, "it takes more records, not more replicates"
    most, share = list(likely.items())[-1]
    return None, f"too close to call: {most} times its planned replicates decide it in {100 * share:.0f} % of draws"
