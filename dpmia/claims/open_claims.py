"""Which claims are decided, and which of the others more replicates are likely to decide."""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace

from dpmia.claims.claim import Claim, Finding
from dpmia.claims.judge import (
    NOT_RUN,
    OTHER_NETWORK,
    SETTINGS_LOST,
    SYNTHETIC,
    UNDECIDED,
    JudgedRun,
    judge,
    lacks_cases,
    tables_of_its_networks,
)
from dpmia.claims.limits import LIKELY, WITHOUT_LIMIT
from dpmia.claims.more_replicates import decided_shares, rests_on_replicates
from dpmia.claims.standing import Prospect, Standing
from dpmia.claims.worlds import BY_REPLICATE
from dpmia.common.formatting import format_percent
from dpmia.formats.looks import TIMES
from dpmia.formats.table_names import experiment_of, stage_of

_UNJUDGED = (NOT_RUN, SYNTHETIC, SETTINGS_LOST)
_UNDECIDED = (UNDECIDED, OTHER_NETWORK)


def stand_of_claims(
    claims: Iterable[Claim], run: JudgedRun, repeatable: Collection[str], times: Mapping[str, int] | None
) -> Standing:
    """Return where claims stand, judged at the share of the error that one look has.

    Args:
        claims: of all papers.
        run: what they are judged on.
        repeatable: experiments and studies of which there can be more replicates.
        times: experiment or study -> how many times its planned replicates it has; None where no look was taken.
    """
    claims = list(claims)
    run = replace(run, times=dict(times or {}))
    judged = {claim.id: judge(claim, run) for claim in claims}
    undecided = [claim for claim in claims if judged[claim.id][0] in _UNDECIDED]
    unjudged = {
        claim.id: _why_unjudged(claim, run, *judged[claim.id]) for claim in claims if judged[claim.id][0] in _UNJUDGED
    }
    first = undecided if times is None else []  # a claim that is decided at the whole error was so before any look
    reopened = [claim.id for claim in first if judge(claim, replace(run, times=None))[0] not in _UNDECIDED]
    others = [claim.id for claim in undecided if judged[claim.id][0] == OTHER_NETWORK]
    prospects, leaves = _prospects(undecided, others, run, together(claims, repeatable))
    decided = [name for name in judged if name not in unjudged and name not in {claim.id for claim in undecided}]
    return Standing(
        "claims",
        tuple(decided),
        tuple(reopened),
        tuple(prospects),
        leaves,
        unjudged,
    )


def _why_unjudged(claim: Claim, run: JudgedRun, verdict: str, finding: Finding) -> str:
    """Return why a claim has no verdict: where no reason is known, only that it was not run."""
    has_reason = any(experiment_of(table) in run.not_run for table in claim.tables)
    return finding.note if verdict != NOT_RUN or has_reason or run.scale == "smoke" else NOT_RUN


def together(claims: Iterable[Claim], names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return for each of some experiments and studies those that get more replicates with it, itself among them."""
    group_of = {name: {name} for name in names}
    for claim in claims:
        compared = [experiment_of(table) for table in claim.tables if _repeatable(table, group_of)]
        joined = set().union(*(group_of[name] for name in compared))
        group_of |= dict.fromkeys(joined, joined)
    return {name: tuple(sorted(group)) for name, group in group_of.items()}


def _prospects(
    undecided: Sequence[Claim], others: Container[str], run: JudgedRun, groups: Mapping[str, tuple[str, ...]]
) -> tuple[list[Prospect], dict[str, str]]:
    """Return the claims that more replicates are likely to decide, and why they are not likely to decide the others."""
    prospects, leaves = [], dict[str, str]()
    for claim in undecided:
        prospect = _prospect(claim, claim.id in others, run, groups)
        if isinstance(prospect, Prospect):
            prospects.append(prospect)
        else:
            leaves[claim.id] = prospect
    return prospects, leaves


def _prospect(claim: Claim, other: bool, run: JudgedRun, groups: Mapping[str, tuple[str, ...]]) -> Prospect | str:
    """Return how many replicates are likely to decide a claim, or why none are.

    Args:
        claim: that is undecided.
        other: whether it is refuted, but by other networks than the paper's: then only these can decide it.
        run: see `stand_of_claims`.
        groups: see `together`.
    """
    tables, lacking = run.tables(claim.tables), lacks_cases(claim, run)
    if other and not (tables := tables_of_its_networks(claim, tables, run)):
        return "not reproduced by other networks than the paper's, of which more replicates decide nothing"
    if not rests_on_replicates(claim, tables):
        return "it rests on single records, sizes or simulated runs, not on replicates"
    if lost := [experiment_of(table) for table in tables if not _repeatable(table, groups)]:
        return f"{', '.join(lost)} cannot have more replicates: not in the settings, or unavailable data"
    names = tuple(sorted({name for table in tables for name in groups[experiment_of(table)]}))
    now, of_group = run.times_of(map(experiment_of, tables)), run.times_of(names)
    later = [times for times in TIMES if times > of_group]
    if not later:
        return f"all {len(TIMES)} looks are taken"
    multiples = [*(times / now for times in later), WITHOUT_LIMIT]
    # Refuted by other networks, it can only be refuted again; where cases are lacking, it can only be shown.
    outcomes = (False,) if other else (True,) if lacking else (True, False)
    shares = decided_shares(claim, tables, multiples, run.error, outcomes=outcomes)
    if math.isnan(shares[WITHOUT_LIMIT]):
        return "what more replicates would show cannot be estimated from so few"
    likely = [times for times in later if shares[times / now] >= LIKELY]
    if likely:
        return Prospect(claim.id, names, likely[0])
    if other and shares[WITHOUT_LIMIT] < LIKELY:
        return "not reproduced by other networks than the paper's; those of the paper are not likely to refute it"
    if lacking and shares[WITHOUT_LIMIT] < LIKELY:
        return "what was run is not likely to show it, and only what was not run can refute it"
    if shares[WITHOUT_LIMIT] < LIKELY:
        return f"it takes more records, not more replicates (judged at {format_percent(run.error)})"
    share = format_percent(shares[later[-1] / now], 2)
    return f"too close to call: {later[-1]} times its planned replicates decide it in {share} of draws"


def _repeatable(table: str, groups: Container[str]) -> bool:
    """Return whether more replicates of an experiment make a table longer, and there can be more."""
    return stage_of(table) in BY_REPLICATE and experiment_of(table) in groups
