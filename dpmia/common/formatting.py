"""How pages, tables and messages show numbers, intervals, bounds, shares, times and sizes: one way for each.

CSV files are not for people: they hold numbers as they are. What trains models, attacks them or prepares their data
imports nothing from here: else a number shown in another way would count as a change of the code that made them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

#: Stands where there is no value; every terminal can print it.
MISSING = "-"

#: Numbers from here on are shown with an exponent rather than with all their digits.
LARGE = 1e6


def format_number(value: float | None, digits: int = 3) -> str:
    """Return a number with a fixed number of decimals, never `-0.000`, as numbers stand below each other."""
    if value is None or math.isnan(value):
        return MISSING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def format_significant(value: float | None, digits: int = 4) -> str:
    """Return a number of any size with so many significant digits: `0.05`, `1e-5`, `12346`, `2.5e+7`."""
    if value is None or math.isnan(value):
        return MISSING
    whole = 10 ** (digits - 1) <= abs(value) < LARGE
    return f"{value:.0f}" if whole else short_exponent(f"{value:.{digits}g}")


def format_count(value: float | None) -> str:
    """Return a whole number with commas between thousands: `1,234`."""
    return MISSING if value is None or math.isnan(value) else f"{round(value):,}"


def format_setting(value: object) -> str:
    """Return the value of a setting: a number with commas between thousands, as `10,000` or `0.01`; a text as it is."""
    return f"{value:,g}" if isinstance(value, int | float) else str(value)


def format_percent(share: float | None, digits: int = 3) -> str:
    """Return a share of 1 in percent, with so many significant digits: `12.5 %`."""
    return MISSING if share is None or math.isnan(share) else f"{format_significant(100 * share, digits)} %"


def format_duration(seconds: float | None) -> str:
    """Return a time with about two digits: `42 s`, `3.3 min`, `75 min`, `2.4 h`."""
    if seconds is None or math.isnan(seconds):
        return MISSING
    if round(seconds) < 60:
        return f"{seconds:.0f} s"
    return f"{_two_digits(seconds / 60)} min" if seconds < 90 * 60 else f"{_two_digits(seconds / 3600)} h"


def format_core_hours(hours: float) -> str:
    """Return the time that cores are busy: `0.12 core-hours`, `35 core-hours`."""
    return f"{format_significant(hours, 2)} core-hours"


def format_size(count: float | None) -> str:
    """Return a number of bytes, of a file or of memory, with about two digits: `812 bytes`, `41 kB`, `3.2 GB`."""
    if count is None or math.isnan(count):
        return MISSING
    if round(count) < 1000:
        return f"{count:.0f} bytes"
    power = next((power for power in (1, 2) if count < 999.5 * 1000**power), 3)
    return f"{_two_digits(count / 1000**power)} {('kB', 'MB', 'GB')[power - 1]}"


def format_interval(mean: float | None, low: float | None, high: float | None, digits: int = 3) -> str:
    """Return a mean with its interval: `0.530 [0.500, 0.560]`; the mean alone where it has none."""
    center = format_number(mean, digits)
    if low is None or math.isnan(low):
        return center
    return f"{center} [{format_number(low, digits)}, {format_number(high, digits)}]"


def format_bound(value: float, digits: int = 3) -> str:
    """Return an upper bound with a fixed number of decimals, rounded up: what is shown is a bound, too."""
    return f"{_rounded(value, digits, ROUND_CEILING):.{digits}f}"


def format_lower_bound(value: float, digits: int = 3) -> str:
    """Return a lower bound with a fixed number of decimals, rounded down: what is shown is a bound, too."""
    return f"{_rounded(value, digits, ROUND_FLOOR):.{digits}f}"


def rounded_up(value: float, digits: int = 3) -> str:
    """Return a bound, an epsilon or its noise with so many significant digits, rounded up: it is kept, too."""
    decimals = digits - 1 - math.floor(math.log10(value)) if value > 0 and math.isfinite(value) else 0
    text = short_exponent(f"{_rounded(value, decimals, ROUND_CEILING):.{digits}g}")
    return f"{float(text):.0f}" if "e+" in text else text


def short_exponent(text: str) -> str:
    """Return a number without the zero before an exponent of one digit: `1e-5` of `1e-05`."""
    return text.replace("e-0", "e-").replace("e+0", "e+")


def markdown_table(table: pd.DataFrame) -> str:
    """Return a table in Markdown, texts as they are; `|` within them is escaped."""
    escaped = table.map(lambda cell: cell.replace("|", r"\|") if isinstance(cell, str) else cell)
    return str(escaped.to_markdown(index=False, disable_numparse=True))


def text_table(
    rows: Iterable[Sequence[object]], headings: Sequence[str] = (), align: Literal["left", "right"] = "right"
) -> str:
    """Return a table for a terminal: texts as they are, the first column to the left.

    Args:
        rows: the cells of each, of equal number.
        headings: of the columns; none for a table without a line of them.
        align: where the other columns stand.
    """
    from tabulate import tabulate  # here: who only calls the Python interface need not have it

    rows = [*rows]
    columns = max(map(len, [headings, *rows]))
    form = "simple" if headings else "plain"
    aligned = ("left", *[align] * (columns - 1))
    return str(tabulate(rows, headers=headings, tablefmt=form, disable_numparse=True, colalign=aligned))


def listed(parts: Iterable[str], word: str = "and") -> str:
    """Return texts as a list in a sentence: `a, b and c`."""
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last


def _two_digits(value: float) -> str:
    return f"{value:.{1 if value < 9.95 else 0}f}"


def _rounded(value: float, decimals: int, direction: str) -> float:
    """Return the next decimal number in a direction, computed on the shortest decimals of the float."""
    if not math.isfinite(value):
        return value
    return float(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), rounding=direction))
