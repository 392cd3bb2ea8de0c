"""The first screen of the report: does it reproduce, and what does it rest on?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dpmia.claims.claim import COUNT, EXPERIMENT, KINDS, SIMULATION, THEORY
from dpmia.claims.judge import JUDGED, NOT_RUN, REPRODUCED, SYNTHETIC
from dpmia.common.formatting import listed
from dpmia.report.cards import Shown, ShownClaim, ShownPaper, count_verdicts

#: What a claim rests on, in the plural. Theory and data are never added up.
KIND_TITLES = {
    THEORY: "theorems and formulas",
    SIMULATION: "simulations",
    COUNT: "numbers of records",
    EXPERIMENT: "experiments on data",
}

ABOUT_THEORY, ABOUT_DATA = (THEORY, SIMULATION), (COUNT, EXPERIMENT)


@dataclass(frozen=True)
class Finding:
    """What one figure or table shows: its first claim of the paper, and how many more there are."""

    shown: Shown
    claim: ShownClaim
    more: int


def tiles(verdicts: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return a tile for each kind of claim that there is: how many of the judged ones are reproduced."""
    found = []
    for kind in KINDS:
        of_kind = list(verdicts.loc[verdicts["kind"] == kind, "verdict"])
        if not of_kind:
            continue
        judged, held = _judged(of_kind), of_kind.count(REPRODUCED)
        others = count_verdicts([verdict for verdict in of_kind if verdict != REPRODUCED])
        what = f"claims on {KIND_TITLES[kind]} {'reproduced' if judged else 'judged'}"
        found.append((f"{held} of {len(of_kind)}", what, others))
    return found


def sentences(verdicts: pd.DataFrame, recorded: pd.DataFrame | None = None, source: str = "") -> list[str]:
    """Return the answer: theory, data, and where the data are synthetic what is recorded on real data.

    Args:
        verdicts: of a run.
        recorded: verdicts on real data, by the id of the claim.
        source: where these come from, for readers.
    """
    answers = []
    for kinds, what in ((ABOUT_THEORY, "theory"), (ABOUT_DATA, "data")):
        of_kinds = list(verdicts.loc[verdicts["kind"].isin(kinds), "verdict"])
        if of_kinds:
            answers.append(_sentence(of_kinds, what))
    about_data = verdicts.loc[verdicts["kind"].isin(ABOUT_DATA), "id"]
    if recorded is not None and len(about_data):
        known = list(recorded["verdict"].reindex(about_data).dropna())
        newer = len(about_data) - len(known)
        answers.append(
            f"On real data ({source}): {_reproduced(known, 'data')}"
            f"{f'; {newer} claims are newer' if newer else ''}. These recorded verdicts, by the rules of their commit, "
            "stand beside each claim."
        )
    return answers


def _sentence(verdicts: list[str], what: str) -> str:
    """Return how many claims about something are reproduced, or why none was judged."""
    if _judged(verdicts):
        return f"{_reproduced(verdicts, what)}."
    reasons = {SYNTHETIC: "synthetic data", NOT_RUN: "not run"}
    found = [words for verdict, words in reasons.items() if verdict in verdicts]
    why = listed(found) if found else count_verdicts(verdicts)
    return f"0 of {len(verdicts)} claims about {what} judged: {why}."


def _reproduced(verdicts: list[str], what: str) -> str:
    rest = count_verdicts([verdict for verdict in verdicts if verdict != REPRODUCED])
    held = f"{verdicts.count(REPRODUCED)} of {len(verdicts)} claims about {what} reproduced"
    return f"{held} ({rest})" if rest else held


def _judged(verdicts: Sequence[str]) -> int:
    return sum(verdict in JUDGED for verdict in verdicts)


def findings(paper: ShownPaper) -> list[Finding]:
    """Return one finding for each figure and table that claims are about."""
    return [
        Finding(
            shown, next((claim for claim in shown.claims if not claim.ours), shown.claims[0]), len(shown.claims) - 1
        )
        for shown in paper.shown
        if shown.claims
    ]
