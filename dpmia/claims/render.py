"""Verdicts as people read them: Markdown, and one line of counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import pandas as pd

from dpmia.claims.judge import VERDICTS, JudgedRun, counts, decided
from dpmia.claims.limits import ERROR
from dpmia.claims.power import DOES_NOT_HOLD, DRAWS, ENOUGH, MORE_RECORDS
from dpmia.common.formatting import (
    MISSING,
    format_interval,
    format_number,
    format_percent,
    format_significant,
    markdown_table,
)
from dpmia.formats.looks import TIMES


def markdown(verdicts: pd.DataFrame, run: JudgedRun) -> str:
    """Return all verdicts as a page: counts by paper, then a table for each paper.

    Args:
        verdicts: what `dpmia.claims.judge.judge_all` returns.
        run: what they are about.
    """
    parts = [
        f"# Claims\n\n{run.source}",
        counts(verdicts).reset_index().to_markdown(index=False),
        *([f"Decided, of the claims that these data can decide: {there}."] if (there := decided(verdicts)) else []),
        "Measured: the number that the criterion is about, of several the one that decides, with its Student t limits, "
        'named beside it. A wrong "reproduced" and a wrong "not reproduced" each have a probability of at most 5 %, '
        "however many numbers a claim compares: where all must pass, each passes by its own limits "
        "(intersection-union test); limits that refute one of them hold together (Bonferroni). Exact: judged on the "
        "numbers as they are, without limits and without such an error. Undecided: the limits cover both; too few "
        "records: those of more replicates would hardly cover less. Power: how often the claim is reproduced in "
        "draws with the measured scatter if the effect is as measured, or as printed where the paper prints it; "
        "and from which margin on, the distance of the deciding mean from its threshold, with this scatter (minimal "
        "detectable effect). Printed: by the paper. Expected: computed by us from its formulas, or rerun on its data. "
        "Claims marked * are not in the paper.",
        *_looks(run),
    ]
    for paper, rows in verdicts.groupby("paper", sort=False):
        shown = pd.DataFrame(
            {
                "claim": [_id(row) for row in rows.itertuples()],
                "kind": rows["kind"],
                "verdict": rows["verdict"],
                "statement": rows["statement"],
                "criterion": rows["criterion"],
                "measured": [format_measured(row.measured, row.low, row.high) for row in rows.itertuples()],
                "limits": rows["interval"],
                "printed": rows["paper_value"],
                "expected": rows["expected"],
                "power": rows["power"],
                "note": rows["note"],
            }
        )
        parts.append(f"## {paper}\n\n{markdown_table(shown)}")
    return "\n\n".join(parts) + "\n"


def short_table(verdicts: pd.DataFrame) -> str:
    """Return verdicts with their criteria and what is measured, printed and expected as a table."""
    shown = pd.DataFrame(
        {
            "claim": [_id(row) for row in verdicts.itertuples()],
            "statement": verdicts["statement"],
            "criterion": verdicts["criterion"],
            "verdict": verdicts["verdict"],
            "measured": [format_measured(row.measured, row.low, row.high) for row in verdicts.itertuples()],
            "printed": verdicts["paper_value"],
            "expected": verdicts["expected"],
        }
    )
    return markdown_table(shown)


def worlds_markdown(
    shares: pd.DataFrame, power: pd.DataFrame, planned: Mapping[str, Mapping[str, int]], run: JudgedRun
) -> str:
    """Return how claims fare in worlds of known truth as a page: what is found, a table, and claims without placebo.

    Args:
        shares: what `dpmia.claims.power.verdict_shares` returns.
        power: what `dpmia.claims.power.power` makes of them.
        planned: claim -> scale -> its number of replicates.
        run: whose tables the worlds are made of.
    """
    shown_share = partial(format_number, digits=2)
    effect = shares.merge(power[["id", "world"]], on=["id", "world"]).set_index(["id", "replicates"])["reproduced"]

    def at(name: str, scale: str) -> str:
        return shown_share(effect.get((name, planned[name][scale]), float("nan")))

    scales = list(dict.fromkeys(scale for of_claim in planned.values() for scale in of_claim))
    judged = power[power["reason"] == ""]
    shown = pd.DataFrame(
        {
            "claim": judged["id"],
            "effect": judged["world"],
            **{f"power, {scale}": [at(name, scale) for name in judged["id"]] for scale in scales},
            f"power {ENOUGH:g} from": judged["needed"].astype(object).where(judged["needed"].notna(), judged["never"]),
            "placebo": judged["placebo"].map(shown_share) + judged["met_at_random"].map({True: " (!)", False: ""}),
            "opposite": judged["opposite"].map(shown_share),
            "decided": judged["decided"].map(shown_share),
        }
    )
    source = "synthetic" if run.synthetic else "real"
    never = judged.loc[judged["needed"].isna(), "id"]
    undecided = judged.loc[judged["decided"] < ENOUGH, "id"]
    lists = {
        'Reproduced by placebo more often than judgements may err: then "met by random scores"': judged.loc[
            judged["met_at_random"], "id"
        ],
        f"Power {ENOUGH:g} at no number of replicates tried, as the effect is in this run": never,
        "Of them, those that hold in this run but need more records": judged.loc[judged["never"] == MORE_RECORDS, "id"],
        "Undecided in every world with the most replicates: no effect in this run, or too strict a design": undecided,
    }
    without = power[power["reason"] != ""]
    reasons = [f"- {row.id}: {row.reason}" for row in without.itertuples()]
    parts = [
        f"# Claims in worlds of known truth\n\nMade of the {source} data of this run, scale {run.scale}, "
        f"{DRAWS} draws of each world.",
        "Shares of draws in which a claim is reproduced. Power: in the world of the effect, at the number of "
        "replicates of each scale, and the smallest number tried from which it is enough, or why there is none: more "
        f"than were tried; {MORE_RECORDS}, as those that replicates share leave too much to chance; {DOES_NOT_HOLD}, "
        "with the means of that world. Placebo and opposite: at the number of replicates of this run. Decided: the "
        "largest share of verdicts other than undecided in any world, with the most replicates. Replicates that "
        "share records have in each draw the same records drawn anew. All worlds and numbers: claim-worlds.csv.",
        markdown_table(shown),
        *(f"{title} ({len(names)}): {', '.join(names) or 'none'}." for title, names in lists.items()),
        f"Without placebo ({len(reasons)}):\n\n" + "\n".join(reasons or ["- none"]),
    ]
    return "\n\n".join(parts) + "\n"


def format_measured(measured: float, low: float, high: float) -> str:
    """Return a number with its interval; of an exact one the number alone, of none the sign for it."""
    if math.isnan(measured):
        return MISSING
    if low == high == measured:
        return format_significant(measured, 5)
    shown = format_interval(measured, low, high)
    return f"{shown}, no interval" if math.isnan(low) else shown


def summary(verdicts: pd.DataFrame) -> str:
    """Return how many claims of each kind have each verdict, those that none has left out."""
    table = counts(verdicts).xs("all", level="paper")
    return "; ".join(
        f"{kind}: " + ", ".join(f"{row[verdict]} {verdict}" for verdict in VERDICTS if row[verdict])
        for kind, row in table.iterrows()
    )


def _looks(run: JudgedRun) -> list[str]:
    """Return how verdicts keep their error where replicates were added after a look at them."""
    if run.times is None:
        return []
    whole, looks = format_percent(ERROR), len(TIMES)
    return [
        "Replicates were added where claims were undecided (`snakemake decide`). So each claim has at most "
        f"{looks} looks, and each look is wrong with at most {whole} / {looks} = {format_percent(run.error)}: all "
        f"together with {whole}, whenever replicates stop being added."
    ]


def _id(row: pd.Series) -> str:
    return f"{row.id}*" if row.ours else row.id
