"""Lower confidence bounds on epsilon from guesses who was trained on.

Each of some records was trained on or not by the toss of a fair coin, independently of the others. An attacker who sees
the outcome guesses the coins of some of them. If the training has (epsilon, 0), the number of right guesses is no
larger, in distribution, than that of independent guesses that are right with probability e^epsilon / (1 + e^epsilon).
So one model with many records, or several models, bound epsilon, though the guesses depend on each other. From models
trained with and without one record, `dpmia.validation.epsilon_bound` bounds it.

Source: Steinke, Nasr and Jagielski 2023, "Privacy Auditing with One (1) Training Run", theorem 5.2 and appendix D.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, expit

#: No guarantee is worth the name from here on, and no number of guesses refutes so much.
LARGEST = 50.0


def epsilon_from_guesses(right: int, guesses: int, records: int, delta: float, confidence: float = 0.95) -> float:
    """Return the largest epsilon that so many right guesses refute at delta, 0 if they refute none.

    Args:
        right: number of right guesses.
        guesses: number of guesses, at least 1. They follow from what the attacker saw, never from the coins.
        records: number of coins, over all models; those without a guess count, too.
        delta: of (epsilon, delta), in [0, 1).
        confidence: that epsilon is at least the bound, in (0, 1).

    Raises:
        ValueError: a number is out of its range.
    """
    if not (0 <= right <= guesses <= records and guesses > 0):
        raise ValueError(f"{right} right of {guesses} guesses on {records} records")
    if not (0 <= delta < 1 and 0 < confidence < 1):
        raise ValueError(f"delta {delta} and confidence {confidence}, expected numbers from 0 and below 1")
    low, high = 0.0, LARGEST
    if probability(right, guesses, records, low, delta) > 1 - confidence:
        return 0.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        refuted = probability(right, guesses, records, middle, delta) <= 1 - confidence
        low, high = (middle, high) if refuted else (low, middle)
    return low


def probability(right: int, guesses: int, records: int, epsilon: float, delta: float) -> float:
    """Return an upper bound on the probability of at least so many right guesses under (epsilon, delta).

    Args:
        right: see `epsilon_from_guesses`.
        guesses: see `epsilon_from_guesses`.
        records: see `epsilon_from_guesses`.
        epsilon: at least 0.
        delta: see `epsilon_from_guesses`.
    """
    if right == 0:
        return 1.0
    # Probability of at least j right guesses, from j = right down to 0.
    least = np.arange(right, 0, -1)
    tails = np.append(betainc(least, guesses - least + 1, expit(epsilon)), 1.0)
    growth = (tails[1:] - tails[0]) / np.arange(1, right + 1)
    return min(1.0, float(tails[0] + 2 * records * delta * growth.max()))
