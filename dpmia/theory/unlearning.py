"""What a bound on precision implies beyond attacks: deletion requests, reconstructions, generalisation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpmia.theory.precision_bounds import checked


def deletion_capacity(
    bound: ArrayLike, epsilon: ArrayLike, prior: ArrayLike, delta: float = 0.0, acceptance: ArrayLike = 1.0
) -> np.ndarray:
    """Return how many records may request deletion before the model is no longer B-MI unlearnt for all together.

    Without delta, ln B / ln L, where L = (1 + e^epsilon P(1)/P(0))^-1 is one minus the bound on precision: the
    least P(record was out | S) of one record (definition 5.1). With delta it is (ln B + ln(1 + k)) / ln L,
    k = delta / (a (e^epsilon - 1)): by group privacy, P(S | j of the m records in) is at most
    e^(j epsilon) P(S | none) + delta (e^(j epsilon) - 1) / (e^epsilon - 1), and summing over j gives
    P(none in | S) >= L^m / (1 + k).

    Args:
        bound: B, the least P(none of the records was in | S), in (0, 1).
        epsilon: > 0, finite.
        prior: P(1), probability that a record is drawn into the training set, the same for all; in (0, 1).
        delta: in [0, 1).
        acceptance: a, least P(S | none of the records was in); matters only with delta.

    Returns:
        A real number, at least 0; the whole part of it can be used.

    Raises:
        ValueError: an argument is out of its range.

    Source: Thudi et al. 2024, corollary 5.2 with the sign of epsilon put right; delta is our addition.
    """
    bound, epsilon = np.asarray(bound, dtype=float), np.asarray(epsilon, dtype=float)
    _check(bound, epsilon)
    _, _, missed = checked(epsilon, prior, delta, acceptance)
    slack = np.log1p(missed / np.expm1(epsilon))
    # The logarithm of L itself would be rounded to 0 at small priors.
    prior = np.asarray(prior, dtype=float)
    loss = np.log1p(np.exp(epsilon) * prior / (1 - prior))
    return np.maximum((-np.log(bound) - slack) / loss, 0)


def deletion_capacity_as_printed(bound: ArrayLike, epsilon: ArrayLike, prior: ArrayLike) -> np.ndarray:
    """Return the capacity as its paper prints it, to redraw its figure 7: too large by up to e^(2 epsilon).

    ln B / ln L with e^-epsilon where one minus the bound on precision has e^epsilon.

    Args and returns: see `deletion_capacity`. Source: Thudi et al. 2024, corollary 5.2.
    """
    bound, epsilon, prior = (np.asarray(value, dtype=float) for value in (bound, epsilon, prior))
    _check(bound, epsilon)
    checked(epsilon, prior, 0.0, 1.0)
    return -np.log(bound) / np.log1p(np.exp(-epsilon) * prior / (1 - prior))


def generalisation_bound(epsilon: ArrayLike) -> np.ndarray:
    """Return tanh(epsilon / 2), the largest |generalisation gap| / (largest loss) under pure differential privacy.

    The gap is the mean loss on the other records minus that on the training set, each record drawn with probability
    1/2: then (gap / B + 1) / 2 is the accuracy of an attack. The corollary takes the mean loss on all records instead
    of the others, which makes its gap half as large; so the bound holds for that as well.

    Source: Thudi et al. 2024, corollary 5.4: (1 + e^epsilon)^-1 <= (gap / B + 1) / 2 <= (1 + e^-epsilon)^-1.
    """
    return np.tanh(np.asarray(epsilon, dtype=float) / 2)


def _check(bound: np.ndarray, epsilon: np.ndarray) -> None:
    if not ((bound > 0) & (bound < 1)).all():
        raise ValueError(f"expected a bound in (0, 1), got {bound}")
    if not ((epsilon > 0) & np.isfinite(epsilon)).all():
        raise ValueError(f"expected a finite epsilon greater than 0, got {epsilon}")
