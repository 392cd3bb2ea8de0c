"""Draws of categories and numbers from small tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

DISTRIBUTIONS = ("normal", "lognormal", "logistic", "student t", "poisson", "geometric", "gamma", "gamma-poisson")


def evenly(rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
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


def pick(
    rng: np.random.Generator, weights: Sequence | np.ndarray, rows: np.ndarray, independent: bool = False
) -> np.ndarray:
    """Draw one category per record.

    Args:
        rng: source of randomness.
        weights: shape (groups, categories), frequencies that need not add up to one.
        rows: int, shape (records,), each record's group.
        independent: whether each record is drawn on its own; otherwise see `evenly`.

    Returns:
        int, shape (records,), each record's category; its group gives no category of weight 0.
    """
    steps = np.cumsum(np.asarray(weights, dtype=np.float64), axis=1)
    drawn = (rng.random(len(rows)) if independent else evenly(rng, rows)) * steps[rows, -1]
    return (drawn[:, None] >= steps[rows]).sum(axis=1)


def pick_alike(rng: np.random.Generator, weights: Sequence | np.ndarray, records: int) -> np.ndarray:
    """Draw one category per record, all from the same frequencies (see `pick`)."""
    return pick(rng, [weights], np.zeros(records, dtype=np.int64))


def complete(rng: np.random.Generator, codes: np.ndarray, categories: int) -> np.ndarray:
    """Return the categories with each that never occurs given to one record, so that all occur."""
    codes = codes.copy()
    counts = np.bincount(codes, minlength=categories)
    for absent in np.flatnonzero(counts == 0):
        codes[rng.choice(np.flatnonzero(counts[codes] > 1))] = absent
        counts = np.bincount(codes, minlength=categories)
    return codes


def from_quantiles(
    levels: Sequence | np.ndarray, values: Sequence | np.ndarray, rows: np.ndarray, places: np.ndarray
) -> np.ndarray:
    """Return one number per record from piecewise uniform distributions.

    Args:
        levels: increasing, from 0 to 1.
        values: shape (groups, levels): each group's quantiles at these levels.
        rows: int, shape (records,), each record's group.
        places: in [0, 1], shape (records,): each record's place in the distribution of its group.

    Returns:
        float64, shape (records,).
    """
    return np.choose(rows, [np.interp(places, levels, group) for group in values])


def ranks(scores: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the place of each score among those of its group, in (0, 1)."""
    order = np.lexsort((scores, groups))
    sizes = np.bincount(groups)
    places = np.empty(len(scores))
    places[order] = np.arange(len(scores)) - (np.cumsum(sizes) - sizes)[groups[order]]
    return (places + 0.5) / sizes[groups]


def draw(
    rng: np.random.Generator, distribution: str, mean: np.ndarray, spread: np.ndarray | float, shape: float
) -> np.ndarray:
    """Draw one number per record.

    Args:
        rng: source of randomness.
        distribution: one of `DISTRIBUTIONS`.
        mean: float64, shape (records,); of the logarithm for "lognormal".
        spread: standard deviation of "normal" and "student t", and of the logarithm for "lognormal".
        shape: of the gamma distribution; degrees of freedom for "student t".

    Returns:
        Numbers, shape (records,).
    """
    match distribution:
        case "normal":
            return rng.normal(mean, spread)
        case "lognormal":
            return np.exp(rng.normal(mean, spread))
        case "logistic":
            return mean + rng.logistic(size=len(mean))
        case "student t":
            return mean + spread * rng.standard_t(shape, size=len(mean)) * np.sqrt((shape - 2) / shape)
        case "poisson":
            return rng.poisson(mean)
        case "geometric":
            return rng.geometric(1 / mean)
        case "gamma":
            return rng.gamma(shape, mean / shape)
        case _:  # "gamma-poisson"
            return rng.poisson(rng.gamma(shape, mean / shape))
