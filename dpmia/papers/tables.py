"""How all tables look in Markdown."""

from __future__ import annotations

import pandas as pd

from dpmia.common.formatting import MISSING, markdown_table
from dpmia.papers.artifact import RunSummary


def markdown(table: pd.DataFrame, caption: str, run_summary: RunSummary) -> str:
    """Return `table` with its caption; the source of its data and the scale are named, and empty cells are marked.

    Columns without any value are left out: of an attack that did not run, for example.
    """
    source = (
        f"**{run_summary.source}**: no number here says anything about real records"
        if run_summary.synthetic
        else run_summary.source
    )
    shown = table.dropna(axis="columns", how="all") if len(table) else table
    shown = shown.astype(object).where(shown.notna(), MISSING)
    source = f"{source}. Scale {run_summary.scale}. {run_summary.skipped}".strip()
    return f"{caption}\n\n{source}\n\n{markdown_table(shown)}\n"
