"""How all tables look in Markdown."""

from __future__ import annotations

import pandas as pd

from dpmia.common.formatting import markdown_table
from dpmia.papers.artifact import Facts


def markdown(table: pd.DataFrame, caption: str, facts: Facts) -> str:
    """Return `table` with its caption; the source of its data and the scale are named, empty cells are dashes.

    Columns without any value are left out: of an attack that did not run, for example.
    """
    source = f"**{facts.source}**: no number here says anything about real records" if facts.synthetic else facts.source
    shown = table.dropna(axis="columns", how="all") if len(table) else table
    shown = shown.astype(object).where(shown.notna(), "-")
    source = f"{source}. Scale {facts.scale}. {facts.skipped}".strip()
    return f"{caption}\n\n{source}\n\n{markdown_table(shown)}\n"
