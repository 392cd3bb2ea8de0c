"""Outputs that are class probabilities: the check that they are, and the logits that stand for them."""

from __future__ import annotations

import numpy as np

#: Rows of probabilities add up to 1, up to this.
SUM_TOLERANCE = 0.01
#: A probability of 0 is taken for this: the logarithm of a rounded probability must be finite.
SMALLEST = 1e-12
#: Of one row, a message shows so many numbers.
MOST_SHOWN = 8


def wrong_row(rows: np.ndarray) -> int | None:
    """Return the first row, from 0, that is not probabilities which add up to 1; None where all are.

    Args:
        rows: shape (records, classes).
    """
    with np.errstate(over="ignore"):
        sums = rows.sum(axis=1)
    right = (rows >= 0).all(axis=1) & (np.abs(sums - 1) <= SUM_TOLERANCE)  # NaN is not right
    return None if right.all() else int(np.argmin(right))


def problem_of(row: np.ndarray) -> str:
    """Return what is wrong with a row that `wrong_row` found, for a message."""
    return f"{', '.join(f'{number:g}' for number in row[:MOST_SHOWN])} are not probabilities that add up to 1"


def remedy_of(row: np.ndarray, remedy: str) -> str:
    """Return what to do about such a row: another remedy where it may be probabilities that are rounded too much.

    Args:
        row: that `wrong_row` found.
        remedy: where it is no rounding.
    """
    rounded = ((row >= 0) & (row <= 1)).all() and abs(row.sum() - 1) < 0.5
    return "Give all classes, with more digits: so many rounded ones do not add up to 1" if rounded else remedy


def log_probabilities(rows: np.ndarray) -> np.ndarray:
    """Return the logarithms of probabilities: logits whose softmax they are; finite."""
    return np.log(np.maximum(rows, SMALLEST))
