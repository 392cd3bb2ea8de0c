"""Membership inference privacy (MIP): its definition, how it follows from differential privacy, what noise gives it.

Setting of Izzo et al. 2024: of n private records a uniformly random subset of k trains, k = n/2 unless stated
otherwise; the attacker sees the output and guesses of one record whether it was among the k. An algorithm is eta-MIP
(definition 1) if nobody is right with probability above max(k/n, 1 - k/n) + eta, whichever of the n records is guessed
for. What exceeds max(k/n, 1 - k/n) is called **gain** here. The probability is over the subset and the algorithm; that
a record is one of the n is no secret.

The text used here lacks the formulas. Certain are the definition, proposition 2, theorem 4 and proposition 6. The
exponent 1 + 2/M of theorem 7 and corollary 8, the range M >= 2 of the latter and the function of proposition 9 are
reconstructed from the outlines of the proofs; the constants 7.5 and 6.16 are printed. That the scales are valid does
not hang on the reconstruction: see `total_variation_scale`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

# Definition 1 and proposition 2: the optimal adversary


def all_subsets(records: int, size: int | None = None) -> np.ndarray:
    """Return every training set that can be drawn, to enumerate them: bool (subsets, records).

    Args:
        records: n; the number of subsets grows like 2^n.
        size: k; half of the records if left out.
    """
    size = records // 2 if size is None else size
    chosen = np.array(list(combinations(range(records), size)))
    members = np.zeros((len(chosen), records), dtype=bool)
    np.put_along_axis(members, chosen, True, axis=1)
    return members


def membership_posterior(members: np.ndarray, likelihoods: np.ndarray) -> np.ndarray:
    """Return P(record in training set | output), on which the optimal adversary decides: "member" where above 1/2.

    Args:
        members: bool (subsets, records), all training sets, equally likely.
        likelihoods: (subsets, outputs), probability or density of each output given each training set; every output
            needs one above 0.

    Returns:
        (records, outputs), in [0, 1].

    Source: Izzo et al. 2024, proposition 2.
    """
    return (members.T @ likelihoods) / likelihoods.sum(axis=0)


def optimal_gain(members: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return the gain of the optimal adversary on each record, exactly, where outputs are finitely many.

    With k = n/2 it is half the total variation distance between the outputs with and without the record.

    Args:
        members: bool (subsets, records), all training sets, equally likely.
        probabilities: (subsets, outputs), the law of the output given each training set; rows sum to 1.

    Returns:
        (records,), in [0, 1/2]; eta-MIP holds if the largest is at most eta.

    Source: Izzo et al. 2024, proposition 2.
    """
    inside, outside = members.T @ probabilities, ~members.T @ probabilities
    return np.maximum(inside, outside).sum(axis=1) / len(members) - _prior_guess(members)


def laplace_gain(members: np.ndarray, outputs: np.ndarray, scale: float) -> np.ndarray:
    """Return the gain of the optimal adversary on each record, exactly, where Laplace noise hides a number.

    The weighted densities with and without the record differ by one exponential up and one down between two
    neighbouring outputs, so their difference changes its sign there at most once, at a known place.

    Args:
        members: bool (subsets, records), all training sets, equally likely.
        outputs: (subsets,), what the algorithm returns on each before noise.
        scale: of the Laplace noise, > 0; density exp(-|x| / scale) / (2 scale).

    Returns:
        (records,), in [0, 1/2].

    Source: Izzo et al. 2024, proposition 2.
    """
    order = np.argsort(outputs)
    centres = np.asarray(outputs, dtype=float)[order] / scale
    weights = np.where(members[order].T, 1.0, -1.0) / len(members)
    decay = np.exp(-np.abs(centres[:, None] - centres))
    falling = weights @ np.triu(decay)  # at each centre, of the densities centred there or to the left
    rising = weights @ np.tril(decay)  # ... there or to the right
    start, end, width = falling[:, :-1], rising[:, 1:], np.diff(centres)

    def signed_mass(upto: np.ndarray) -> np.ndarray:
        return (-start * np.expm1(-upto) + end * (np.exp(upto - width) - np.exp(-width))) / 2

    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = (width + np.log(-start / end)) / 2
    crossing = np.clip(np.where(np.isfinite(crossing), crossing, 0.0), 0.0, width)
    before, all_of_it = signed_mass(crossing), signed_mass(np.broadcast_to(width, crossing.shape))
    inner = np.abs(before) + np.abs(all_of_it - before)
    tails = (np.abs(rising[:, 0]) + np.abs(falling[:, -1])) / 2
    return (1 + inner.sum(axis=1) + tails) / 2 - _prior_guess(members)


def _prior_guess(members: np.ndarray) -> np.ndarray:
    """Return how often one is right about each record without seeing any output."""
    share = members.mean(axis=0)
    return np.maximum(share, 1 - share)


# Theorem 4: from differential privacy and back


def eta_from_epsilon(epsilon: ArrayLike) -> np.ndarray:
    """Return 1 / (1 + e^-epsilon) - 1/2, the eta that epsilon-DP gives; some algorithm reaches it.

    Args:
        epsilon: >= 0, of pure differential privacy between data sets that differ in one replaced record.

    Source: Izzo et al. 2024, theorem 4.
    """
    return np.tanh(np.asarray(epsilon, dtype=float) / 2) / 2


def epsilon_from_eta(eta: ArrayLike) -> np.ndarray:
    """Return ln((1 + 2 eta) / (1 - 2 eta)), the epsilon of pure differential privacy that gives eta-MIP.

    Args:
        eta: in (0, 1/2).

    Source: Izzo et al. 2024, theorem 4 solved for epsilon.
    """
    return 2 * np.arctanh(2 * _checked_eta(eta))


# Theorem 7 and corollary 8: noise

#: Printed in theorem 7, and in corollary 8 and 11.
THEOREM_7_CONSTANT = 7.5
COROLLARY_8_CONSTANT = 6.16


def theorem_7_scale(eta: ArrayLike, moment: float = 1) -> np.ndarray:
    """Return (7.5 / eta)^(1 + 2/M), the scale of noise that gives eta-MIP, in units of sigma.

    Args:
        eta: in (0, 1/2).
        moment: M >= 1; sigma^M bounds the mean of ||A - E A||^M over training sets, for some norm. The noise has
            density proportional to exp(-||x|| / (scale sigma)) for the same norm.

    Source: Izzo et al. 2024, theorem 7; the exponent is reconstructed.
    """
    _check_moment(moment, least=1)
    return (THEOREM_7_CONSTANT / _checked_eta(eta)) ** (1 + 2 / moment)


def corollary_8_scale(eta: ArrayLike, moment: float = 2) -> np.ndarray:
    """Return (6.16 / eta)^(1 + 2/M), the smaller scale for M >= 2.

    Args: see `theorem_7_scale`; moment: M >= 2.

    Source: Izzo et al. 2024, corollaries 8 and 11; the exponent and the range of M are reconstructed.
    """
    _check_moment(moment, least=2)
    return (COROLLARY_8_CONSTANT / _checked_eta(eta)) ** (1 + 2 / moment)


def total_variation_scale(eta: ArrayLike, moment: float = 1) -> np.ndarray:
    """Return 1 / (2 eta), a far smaller scale that suffices as well, for every M >= 1 and every k.

    Not in the paper. Noise of this density at A and at E A has likelihood ratios within exp(||A - E A|| / scale), so
    total variation at most tanh(||A - E A|| / (2 scale)) <= ||A - E A|| / (2 scale). By the triangle inequality
    through E A the gain is at most the mean of that over training sets, sigma / (2 scale). Both scales of the paper
    are larger than this one, so this proves them, too.

    Args: see `theorem_7_scale`; the moment changes nothing, since a mean is at most the M-th root of the M-th moment.
    """
    _check_moment(moment, least=1)
    return 1 / (2 * _checked_eta(eta))


#: How large the noise must be, by name: (eta, moment) -> scale in units of sigma.
CALIBRATIONS: dict[str, Callable[[ArrayLike, float], np.ndarray]] = {
    "theorem_7": theorem_7_scale,
    "corollary_8": corollary_8_scale,
    "total_variation": total_variation_scale,
}


def _checked_eta(eta: ArrayLike) -> np.ndarray:
    try:
        eta = np.asarray(eta, dtype=float)
    except OverflowError:
        raise ValueError("expected eta in (0, 1/2), got an integer beyond the range of floats") from None
    if not ((eta > 0) & (eta < 0.5)).all():
        raise ValueError(f"expected eta in (0, 1/2), got {eta}: 0 needs infinite noise, 1/2 none")
    return eta


def _check_moment(moment: float, least: float) -> None:
    if not moment >= least:
        raise ValueError(f"expected a moment M of at least {least}, got {moment}")
