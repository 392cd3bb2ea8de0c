"""Draws from small tables, and the writing of made-up files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dpmia.datasets.parsing import STAND_IN_MARK
from dpmia.files import whole_file


def even(rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
    """Return one number in [0, 1) per record, spread evenly over each group: one in each of as many equal steps.

    What is drawn by such numbers keeps to its table as closely as whole records can, whatever the
    seed, so that a small hospital does not turn into another one.
    """
    records = len(rows)
    sizes = np.bincount(rows)
    order = np.lexsort((rng.random(records), rows))
    step = np.empty(records)
    step[order] = np.arange(records) - (np.cumsum(sizes) - sizes)[rows[order]]
    return (step + rng.random(records)) / sizes[rows]


def pick(rng: np.random.Generator, weights: Sequence, rows: np.ndarray) -> np.ndarray:
    """Draw one category per record.

    Args:
        rng: source of randomness.
        weights: shape (groups, categories), frequencies that need not add up to one.
        rows: int, shape (records,), each record's group.

    Returns:
        int, shape (records,), each record's category; its group gives no category of weight 0.
    """
    steps = np.cumsum(np.asarray(weights, dtype=np.float64), axis=1)
    drawn = even(rng, rows) * steps[rows, -1]
    return (drawn[:, None] >= steps[rows]).sum(axis=1)


def pick_alike(rng: np.random.Generator, weights: Sequence, records: int) -> np.ndarray:
    """Draw one category per record, all from the same frequencies (see `pick`)."""
    return pick(rng, [weights], np.zeros(records, dtype=np.int64))


def from_quantiles(rng: np.random.Generator, levels: Sequence, values: Sequence, rows: np.ndarray) -> np.ndarray:
    """Draw one number per record from piecewise uniform distributions.

    Args:
        rng: source of randomness.
        levels: increasing, from 0 to 1.
        values: shape (groups, levels): each group's quantiles at these levels.
        rows: int, shape (records,), each record's group.

    Returns:
        float64, shape (records,).
    """
    drawn = even(rng, rows)
    return np.choose(rows, [np.interp(drawn, levels, group) for group in values])


def highest(rng: np.random.Generator, scores: np.ndarray, count: int) -> np.ndarray:
    """Mark `count` records, those with high scores more likely: a logistic model with an exact number of ones."""
    marked = np.zeros(len(scores), dtype=bool)
    marked[np.argsort(-(scores + rng.logistic(size=len(scores))), kind="stable")[:count]] = True
    return marked


def complete(rng: np.random.Generator, codes: np.ndarray, categories: int) -> np.ndarray:
    """Return the categories with each that never occurs given to one record, so that all occur."""
    codes = codes.copy()
    counts = np.bincount(codes, minlength=categories)
    for absent in np.flatnonzero(counts == 0):
        codes[rng.choice(np.flatnonzero(counts[codes] > 1))] = absent
        counts = np.bincount(codes, minlength=categories)
    return codes


def words(values: Sequence[str], codes: np.ndarray) -> list[str]:
    """Return the values that the codes number."""
    return np.array(values, dtype=object)[codes].tolist()


def integers(values: np.ndarray) -> list[str]:
    """Return numbers as texts, rounded to whole ones."""
    return [str(value) for value in np.rint(values).astype(np.int64).tolist()]


def write(path: Path, content: str) -> None:
    """Write one made-up file, whole or not at all, with line ends as they are given."""
    with whole_file(path) as part:
        part.write_text(content, encoding="utf-8", newline="")


def mark(folder: Path, seed: int) -> None:
    """Say in the folder, to people and to `parsing.read_table`, that its records are made up."""
    text = (
        "The files in this folder are stand-ins. They have the names and the format of published data,\n"
        f"but every record in them is made up by a random generator (seed {seed}).\n"
        "Nothing in them tells about a real person. Do not draw conclusions about the world from them.\n"
    )
    write(folder / STAND_IN_MARK, text)
