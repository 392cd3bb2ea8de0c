"""The first screen of the report: does it reproduce, and what does it rest on?"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dpmia.claims.claim import COUNT, EXPERIMENT, KINDS, SIMULATION, THEORY
from dpmia.claims.judge import JUDGED, NOT_RUN, SYNTHETIC
from dpmia.common.formatting import listed
from dpmia.report import tally
from dpmia.report.cards import Shown, ShownClaim, ShownPaper

#: What a claim rests on, in the plural. Theory and data are never added up.
KIND_TITLES = {
    THEORY: "theorems and formulas",
    SIMULATION: "simulations",
    COUNT: "numbers of records",
    EXPERIMENT: "experiments on data",
}

ABOUT_THEORY, ABOUT_DATA = (THEORY, SIMULATION), (COUNT, EXPERIMENT)


@dataclass(frozen=True)
class ShownFinding:
    """What one figure or table shows: its first claim of the paper, and how many more there are."""

    shown: Shown
    claim: ShownClaim
    more: int


def tiles(verdicts: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return a tile for each kind of claim that there is, of the papers and of ours: how many are reproduced."""
    shown = []
    for kind in KINDS:
        of_kind = verdicts[verdicts["kind"] == kind]
        what = f"claims on {KIND_TITLES[kind]} {'reproduced' if _judged(of_kind) else 'judged'}"
        for rows, whose in ((tally.of_papers(of_kind), ""), (tally.of_ours(of_kind), ", ours")):
            if len(rows):
                shown.append((tally.held(rows), f"{what}{whose}", tally.others(rows)))
    return shown


def sentences(verdicts: pd.DataFrame, recorded: pd.DataFrame | None = None, source: str = "") -> list[str]:
    """Return how many claims of the papers are reproduced: on theory, on data, and as recorded on real data.

    Claims that we added are left out; `tiles` counts them.

    Args:
        verdicts: of a run.
        recorded: verdicts on real data, by the id of the claim, if the data are synthetic.
        source: where these come from, for readers.
    """
    texts, verdicts = [], tally.of_papers(verdicts)
    for kinds, what in ((ABOUT_THEORY, "theory"), (ABOUT_DATA, "data")):
        of_kinds = verdicts[verdicts["kind"].isin(kinds)]
        if len(of_kinds):
            texts.append(_sentence(of_kinds, what))
    about_data = verdicts.loc[verdicts["kind"].isin(ABOUT_DATA), "id"]
    if recorded is not None and len(about_data):
        matching = recorded[recorded.index.isin(about_data)]
        newer = len(about_data) - len(matching)
        texts.append(
            f"On real data ({source}): {tally.summary(matching, _claims('data'))}"
            f"{f'; {newer} newer' if newer else ''}. These recorded verdicts, by the rules of their commit, "
            "stand beside each claim."
        )
    return texts


def _sentence(verdicts: pd.DataFrame, what: str) -> str:
    """Return how many claims about something are reproduced, or why none was judged."""
    if _judged(verdicts):
        return f"{tally.summary(verdicts, _claims(what))}."
    reasons = {SYNTHETIC: "synthetic data", NOT_RUN: "not run"}
    causes = [reason for verdict, reason in reasons.items() if verdict in set(verdicts["verdict"])]
    why = listed(causes) if causes else tally.count_verdicts(verdicts["verdict"])
    return f"0 of {len(verdicts)} {_claims(what)} judged: {why}."


def _claims(what: str) -> str:
    return f"claims of the papers about {what}"


def _judged(verdicts: pd.DataFrame) -> bool:
    return bool(verdicts["verdict"].isin(JUDGED).any())


def findings(paper: ShownPaper) -> list[ShownFinding]:
    """Return one finding for each figure and table that claims are about."""
    return [
        ShownFinding(
            shown, next((claim for claim in shown.claims if not claim.ours), shown.claims[0]), len(shown.claims) - 1
        )
        for shown in paper.shown
        if shown.claims
    ]
