"""Numbers and intervals as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def format_number(value: float | None, digits: int = 3) -> str:
    """Return a number with a fixed number of decimals, never `-0.000`; a dash for none."""
    if value is None or math.isnan(value):
        return "-"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def format_bound(value: float, digits: int = 3) -> str:
    """Return an upper bound with a fixed number of decimals, rounded up: what is shown is a bound, too."""
    return f"{_up(value, digits):.{digits}f}"


def rounded_up(value: float, digits: int = 3) -> str:
    """Return a bound, an epsilon or its noise with so many significant digits, rounded up: it is kept, too."""
    decimals = digits - 1 - math.floor(math.log10(value)) if value > 0 and math.isfinite(value) else 0
    text = f"{_up(value, decimals):.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text else text


def _up(value: float, decimals: int) -> float:
    """Return the next decimal number that is no smaller, computed on the shortest decimals of the float."""
    if not math.isfinite(value):
        return value
    return float(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_CEILING))


def markdown_table(table: pd.DataFrame) -> str:
    """Return a table in Markdown, texts as they are; `|` within them is escaped."""
    escaped = table.map(lambda cell: cell.replace("|", r"\|") if isinstance(cell, str) else cell)
    return str(escaped.to_markdown(index=False, disable_numparse=True))


def listed(parts: Iterable[str], word: str = "and") -> str:
    """Return texts as a list in a sentence: `a, b and c`."""
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last


def format_interval(mean: float | None, low: float | None, high: float | None, digits: int = 3) -> str:
    """Return a mean with its interval: `0.530 [0.500, 0.560]`; the mean alone where it has none."""
    center = format_number(mean, digits)
    if low is None or math.isnan(low):
        return center
    return f"{center} [{format_number(low, digits)}, {format_number(high, digits)}]"
