"""Outputs that are class probabilities: the check that they are, and the logits that stand for them."""

from __future__ import annotations

import numpy as np

#: Rows of probabilities add up to 1, up to this.
SUM_TOLERANCE = 0.01
#: A probability of 0 is taken for this: the logarithm of a rounded probability must be finite.
SMALLEST = 1e-12
#: Of one row, a message shows so many numbers.
MOST_SHOWN = 8


class WrongOutputsError(ValueError):
    """Outputs that are not of the scale that was stated.

    Attributes:
        row: the first wrong one, from 0; None where all of them are.
    """

    def __init__(self, problem: str, row: int | None, remedy: str = "") -> None:
        """Say what is wrong, and what to do about it where the numbers show it."""
        super().__init__(problem)
        self.row, self._remedy = row, remedy

    def remedy(self, otherwise: str) -> str:
        """Return what to do about it; what the caller knows where the numbers do not show it."""
        return self._remedy or otherwise


def logits_of(rows: np.ndarray, scale: str) -> np.ndarray:
    """Return outputs as logits: of probabilities their logarithms.

    Args:
        rows: float64 (records, classes).
        scale: `logits` or `probabilities`.

    Raises:
        WrongOutputsError: they are of another scale: a row is no probabilities, or all rows of logits are, or all rows
            are percentages.
    """
    wrong = wrong_row(rows)
    if wrong is not None and wrong_row(rows / 100) is None:
        raise WrongOutputsError("all rows are percentages, from 0 to 100 with the sum 100", None, "Divide all by 100")
    if scale == "probabilities":
        if wrong is not None:
            remedy = "Give all classes, with more digits: rounded, they do not add up to 1"
            raise WrongOutputsError(problem_of(rows[wrong]), wrong, remedy * _may_be_rounded(rows[wrong]))
        return log_probabilities(rows)
    if len(rows) and wrong is None:
        raise WrongOutputsError("all rows are probabilities, from 0 to 1 with the sum 1, and scale is logits", None)
    return rows


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


def _may_be_rounded(row: np.ndarray) -> bool:
    """Return whether a row that `wrong_row` found may be probabilities that are rounded too much."""
    return bool(((row >= 0) & (row <= 1)).all() and abs(row.sum() - 1) < 0.5)


def log_probabilities(rows: np.ndarray) -> np.ndarray:
    """Return the logarithms of probabilities: logits whose softmax they are; finite."""
    return np.log(np.maximum(rows, SMALLEST))
