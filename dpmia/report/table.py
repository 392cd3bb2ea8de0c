"""A CSV file as a table of a page: narrow enough that its point is seen without scrolling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from dpmia.common.formatting import MISSING, format_significant, short_exponent
from dpmia.common.reading.rows import made_frame

#: Tables of more columns show those with one value only in a line above.
WIDE = 6

#: Significant digits of numbers; the file has them all.
DIGITS = 4

#: Before a column: what the paper has in its place.
PAPER = "paper_"

_INTERVAL = re.compile(r"(.*\S) (\[[^\[\]]*\])$")


@dataclass(frozen=True)
class Table:
    """A table of a page.

    Attributes:
        columns: titles; of columns of numbers pairs of the title and `number`.
        rows: cells, as many in each row.
        constant: columns that are left out since all rows have the same value, with that value.
    """

    columns: list[str | tuple[str, str]]
    rows: list[list[str | Markup]]
    constant: list[tuple[str, str]]


def read(path: Path | str, first: Sequence[str] = ()) -> Table:
    """Return the table in a CSV file.

    Args:
        path: of the file.
        first: columns that are shown before all others; the first column of the page stays when the rest scrolls.
    """
    table = made_frame(path, dtype=str, keep_default_na=False)
    numeric = {column for column in table if _is_numeric(table[column])}
    table = table.apply(lambda column: column.map(_rounded) if column.name in numeric else column)
    table = _with_arm(_beside_paper(table))
    constant = _constant(table, keep={*table.columns[:1], *first}) if len(table.columns) > WIDE else []
    left_out = {name for name, _ in constant}
    order = dict.fromkeys([*(name for name in first if name in table), *table.columns])
    shown = [column for column in order if column not in left_out]
    return Table(
        columns=[(_title(name), "number") if name in numeric else _title(name) for name in shown],
        rows=[list(map(_cell, row)) for row in table[shown].to_numpy().tolist()],
        constant=[(_title(name), value) for name, value in constant],
    )


def _is_numeric(column: pd.Series) -> bool:
    given = column[column != ""]
    return len(given) > 0 and bool(pd.to_numeric(given, errors="coerce").notna().all())


def _rounded(text: str) -> str:
    """Return a number with few digits; one that is short stays as it is, zeros at its end included."""
    digits = text.partition("e")[0].lstrip("-0.").replace(".", "")
    if len(digits) <= DIGITS or "." not in text:
        return short_exponent(text)
    return format_significant(float(text), DIGITS)


def _beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with each value and the paper's in one cell, where it has both."""
    pairs = {column: PAPER + column for column in table if PAPER + column in table}
    joined = {
        column: [
            f"{ours or MISSING} / {paper or MISSING}"
            for ours, paper in zip(table[column], table[of_paper], strict=True)
        ]
        for column, of_paper in pairs.items()
    }
    renamed = {column: f"{column} (ours / paper)" for column in pairs}
    return table.assign(**joined).drop(columns=list(pairs.values())).rename(columns=renamed)


def _with_arm(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with experiment and arm in one column, where it has both."""
    if not {"experiment", "arm"} <= set(table.columns):
        return table
    return table.assign(experiment=table["experiment"] + ", " + table["arm"]).drop(columns="arm")


def _constant(table: pd.DataFrame, keep: set[str]) -> list[tuple[str, str]]:
    if len(table) < 3:
        return []
    return [(name, table[name].iloc[0] or MISSING) for name in table if name not in keep and table[name].nunique() == 1]


def _title(column: str) -> str:
    return column.replace("_", " ")


def _cell(text: str) -> str | Markup:
    """Return a text that may break before an interval and behind underscores; a dash where there is none."""
    if interval := _INTERVAL.match(text):
        return Markup('{} <span class="limits">{}</span>').format(*interval.groups())
    return Markup("_<wbr>").join(text.split("_")) if "_" in text else text or MISSING
