"""Verdicts as people read them: Markdown, and one line of counts."""

from __future__ import annotations

import math

import pandas as pd

from dpmia.claims.judge import VERDICTS, Run, counts
from dpmia.common.formatting import format_interval


def markdown(verdicts: pd.DataFrame, run: Run) -> str:
    """Return all verdicts as a page: counts by paper, then a table for each paper.

    Args:
        verdicts: what `dpmia.claims.judge.judge_all` returns.
        run: what they are about.
    """
    source = "synthetic data: claims about data are not judged" if run.synthetic else "real data"
    table = counts(verdicts)
    table.loc["all"] = table.sum()
    parts = [
        f"# Claims\n\n{source[0].upper()}{source[1:]}. Scale {run.scale}.",
        table.to_markdown(),
        "Measured: the number that the criterion is about, of several the one that decides, with its 95 % t interval "
        "over replicates; where a claim compares several numbers, all intervals hold together (Bonferroni). "
        "Undecided: the interval covers both. Claims marked * are not in the paper.",
    ]
    for paper, rows in verdicts.groupby("paper", sort=False):
        shown = pd.DataFrame(
            {
                "claim": [_id(row) for row in rows.itertuples()],
                "verdict": rows["verdict"],
                "statement": rows["statement"],
                "criterion": rows["criterion"],
                "measured": [number(row.measured, row.low, row.high) for row in rows.itertuples()],
                "paper": rows["paper_value"],
                "note": rows["note"],
            }
        )
        shown = shown.map(lambda text: text.replace("|", r"\|"))
        parts.append(f"## {paper}\n\n{shown.to_markdown(index=False, disable_numparse=True)}")
    return "\n\n".join(parts) + "\n"


def number(measured: float, low: float, high: float) -> str:
    """Return a number with its interval; of an exact one the number alone, of none a dash."""
    if math.isnan(measured):
        return "-"
    if low == high == measured:
        return f"{measured:.5g}"
    shown = format_interval(measured, low, high)
    return f"{shown}, no interval" if math.isnan(low) else shown


def summary(verdicts: pd.DataFrame) -> str:
    """Return how many claims have each verdict, those that none has left out."""
    found = verdicts["verdict"].value_counts()
    return ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS if verdict in found)


def _id(row: pd.Series) -> str:
    return f"{row.id}*" if row.ours else row.id
