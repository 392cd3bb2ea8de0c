"""Numbers and intervals as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable


def format_number(value: float | None, digits: int = 3) -> str:
    """Return a number with a fixed number of decimals, never `-0.000`; a dash for none."""
    if value is None or math.isnan(value):
        return "-"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


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
