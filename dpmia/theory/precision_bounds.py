"""Bounds on precision: how sure "this record was a member" can be, by privacy and sampling rate.

Setting of all of them: each record joins the training set with its own probability, the `prior`, and independently
of the others; (epsilon, delta) holds between data sets with and without the record (add/remove). They hold as well
for training sets of fixed size drawn uniformly, with prior = members / records, if (epsilon, delta) holds between
data sets that differ in one replaced record: a set with the record becomes a uniform one without it by putting a
uniformly drawn outsider in its place, which is all that the proof uses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpmia.common.arguments import require
from dpmia.theory.bounds import erlingsson_advantage


def precision_bound(
    epsilon: ArrayLike, prior: ArrayLike, delta: float = 0.0, acceptance: ArrayLike = 1.0
) -> np.ndarray:
    """Return the largest probability that a record which an attack predicts a member was one.

    (1 + e^-epsilon P(0)/P(1) (1 - delta/a))^-1, at most 1. Some mechanism and attack reach it wherever a is at most
    (1 + delta e^-epsilon) / (1 + e^-epsilon).

    Args:
        epsilon: >= 0; infinity gives 1.
        prior: P(1), probability that the record is drawn into the training set, in (0, 1).
        delta: in [0, 1).
        acceptance: a, least probability that the attack predicts "member" when the record was one, in (0, 1]. Without
            delta it does not matter. With delta nothing is guaranteed against attacks that hardly ever predict
            "member", and the default covers only attacks that always do.

    Returns:
        One bound for each element of the arguments, broadcast.

    Raises:
        ValueError: an argument is out of its range.

    Source: Thudi et al. 2024, theorem 3.3, with the division by P(S, x*) = P(S | x*) P(1) of its proof put right;
        `precision_bound_as_printed` is the other one.
    """
    epsilon, odds, missed = checked(epsilon, prior, delta, acceptance)
    return _from_odds(epsilon, odds * (1 - missed))


def precision_bound_as_printed(
    epsilon: ArrayLike, prior: ArrayLike, delta: float = 0.0, acceptance: ArrayLike = 1.0
) -> np.ndarray:
    """Return theorem 3.3 as its paper prints it, to redraw the paper's figures: no bound where delta > 0.

    (1 + e^-epsilon (P(0)/P(1) - delta P(0)/a))^-1, at most 1, the same without delta. With it there are mechanisms
    and attacks that pass it.

    Args and raises: see `precision_bound`. Source: Thudi et al. 2024, theorem 3.3.
    """
    epsilon, odds, missed = checked(epsilon, prior, delta, acceptance)
    return _from_odds(epsilon, odds - missed * (1 - np.asarray(prior, dtype=float)))


def epsilon_for_bound(
    bound: ArrayLike, prior: ArrayLike, delta: float = 0.0, acceptance: ArrayLike = 1.0
) -> np.ndarray:
    """Return the epsilon at which `precision_bound` is `bound`: the budget that a sampling rate leaves.

    Args:
        bound: on precision, in (0, 1).
        prior: see `precision_bound`.
        delta: see `precision_bound`.
        acceptance: see `precision_bound`.

    Returns:
        NaN where no epsilon > 0 keeps the bound: always predicting "member" is right with probability `prior`, so
        no bound at or below it can be kept, nor any if delta is at least `acceptance`.

    Raises:
        ValueError: an argument is out of its range.

    Source: Thudi et al. 2024, theorem 3.3 (corrected) solved for epsilon; section 4.3.
    """
    bound = np.asarray(bound, dtype=float)
    require(((bound > 0) & (bound < 1)).all(), "a bound in (0, 1)", bound)
    _, odds, missed = checked(0.0, prior, delta, acceptance)
    allowed = odds * np.maximum(1 - missed, 0) * bound / (1 - bound)
    return np.log(np.where(allowed > 1, allowed, np.nan))[()]


def sablayrolles_precision(epsilon: ArrayLike, prior: ArrayLike) -> np.ndarray:
    """Return prior + epsilon / 4, an older bound on precision under pure differential privacy.

    It says nothing where it is above 1. Source: Sablayrolles et al. 2019, in Thudi et al. 2024, section 2.3.
    """
    return np.asarray(prior, dtype=float) + np.asarray(epsilon, dtype=float) / 4


def erlingsson_accuracy(epsilon: ArrayLike, delta: float = 0.0) -> np.ndarray:
    """Return the bound of Erlingsson et al. 2019 as accuracy at prior 1/2: (1 + advantage) / 2."""
    return (1 + erlingsson_advantage(epsilon, delta)) / 2


def checked(
    epsilon: ArrayLike, prior: ArrayLike, delta: float, acceptance: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return epsilon, the odds P(0)/P(1) and delta / acceptance, checked."""
    epsilon, prior, acceptance = (np.asarray(value, dtype=float) for value in (epsilon, prior, acceptance))
    require((epsilon >= 0).all(), "epsilon of at least 0", epsilon)
    require(((prior > 0) & (prior < 1)).all(), "a prior in (0, 1)", prior)
    require(0 <= delta < 1, "delta in [0, 1)", delta)
    require(((acceptance > 0) & (acceptance <= 1)).all(), "an acceptance in (0, 1]", acceptance)
    return epsilon, (1 - prior) / prior, delta / acceptance


def _from_odds(epsilon: np.ndarray, odds: np.ndarray) -> np.ndarray:
    """Return the accuracy whose odds against are `odds` shrunk by epsilon; odds below 0 bound nothing: 1."""
    return 1 / (1 + np.exp(-epsilon) * np.maximum(odds, 0))
