"""What overfitting and influence give to attackers: membership and attribute advantage in closed form.

All from Yeom et al. 2018. Advantage is TPR - FPR. Their theorem 1, the bound from differential privacy, stands in
`dpmia.theory.bounds`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erf, ndtr

#: Largest advantage of the threshold attack that does not know the error on new records.
UNKNOWN_SIGMA_LIMIT = math.erf(math.sqrt(0.5))


def bounded_loss_advantage(generalisation_error: ArrayLike, largest_loss: float) -> np.ndarray:
    """Return the advantage of guessing "not a member" with a probability in proportion to the loss.

    Args:
        generalisation_error: mean loss of new records minus mean loss of members.
        largest_loss: no loss is larger; 1 for the 0-1 loss.

    Source: theorem 2.
    """
    return np.asarray(generalisation_error, dtype=float) / largest_loss


def gaussian_boundary(sigma_s: ArrayLike, sigma_d: ArrayLike) -> np.ndarray:
    """Return the size of the error at which members and new records are equally likely.

    Args:
        sigma_s: standard deviation of the errors of members, > 0.
        sigma_d: of new records, > 0.

    Returns:
        The boundary in the errors' unit; where both are equal its limit, `sigma_s`.

    Source: equation 4.
    """
    sigma_s, sigma_d = np.asarray(sigma_s, dtype=float), np.asarray(sigma_d, dtype=float)
    return sigma_s * math.sqrt(2) * _boundary_of_ratio(sigma_d / sigma_s)


def gaussian_advantage(ratio: ArrayLike) -> np.ndarray:
    """Return the advantage of the best threshold on normal errors whose standard deviations are both known.

    It is the total variation distance of the two normal distributions: 0 at ratio 1, towards 1 as the ratio grows,
    and the same at 1 / ratio, where members have the larger errors.

    Args:
        ratio: sigma_D / sigma_S, > 0; may be infinite.

    Source: theorem 3.
    """
    ratio = np.asarray(ratio, dtype=float)
    larger = np.maximum(ratio, 1 / ratio)
    boundary = _boundary_of_ratio(larger)
    with np.errstate(invalid="ignore"):  # an infinite boundary on an infinite scale
        caught = np.where(np.isinf(larger), 0.0, erf(boundary / larger))
    return erf(boundary) - caught


def unknown_sigma_advantage(ratio: ArrayLike) -> np.ndarray:
    """Return the advantage on normal errors of an attacker who takes sigma_S as the boundary.

    That is the limit of the boundary for models that hardly overfit. The advantage rises with the ratio to
    `UNKNOWN_SIGMA_LIMIT`, and is negative below ratio 1.

    Args:
        ratio: sigma_D / sigma_S, > 0; may be infinite.

    Source: section III-C.
    """
    return UNKNOWN_SIGMA_LIMIT - erf(math.sqrt(0.5) / np.asarray(ratio, dtype=float))


def collusion_advantage(resampled: float, label_bits: float, keys: int) -> float:
    """Return the advantage against a trainer that marks its members for the attacker.

    Args:
        resampled: probability that a new record is a member by chance.
        label_bits: logarithm to base 2 of the number of labels.
        keys: number of marks of each member.

    Source: theorem 4.
    """
    return 1 - resampled - 2.0 ** (-label_bits * keys)


def collusion_stability(
    stability: float, members: int, keys: int, largest_loss: float, input_bits: float, resampled: float
) -> float:
    """Return a bound on the stability rate, and so on the generalisation error, of the trainer that marks its members.

    Args:
        stability: rate of the trainer that is subverted: the mean change of a record's loss when it is replaced.
        members: size of the training set.
        keys: number of marks of each member.
        largest_loss: no loss is larger.
        input_bits: logarithm to base 2 of the number of inputs.
        resampled: probability that a new record is a member by chance.

    Source: theorem 4.
    """
    return stability + keys * members * largest_loss * 2.0**-input_bits + resampled


def binary_attribute_advantage(influence: ArrayLike, sigma_s: ArrayLike, sigma_d: ArrayLike) -> np.ndarray:
    """Return the attribute advantage for a target of two equally frequent values and normal errors.

    0 without influence and with overwhelming influence, below 1/2 in between; see `most_telling_influence`.

    Args:
        influence: by how much the target moves the prediction (tau), >= 0.
        sigma_s: standard deviation of the errors of members, > 0.
        sigma_d: of new records, > 0.

    Source: theorem 5.
    """
    half = np.asarray(influence, dtype=float) / (2 * math.sqrt(2))
    return (erf(half / np.asarray(sigma_s, dtype=float)) - erf(half / np.asarray(sigma_d, dtype=float))) / 2


def most_telling_influence(ratio: ArrayLike) -> np.ndarray:
    """Return the influence, in units of sigma_S, at which `binary_attribute_advantage` is largest.

    Twice the boundary between members and new records. Its limit at ratio 1, where the advantage is 0, is 2.

    Args:
        ratio: sigma_D / sigma_S, > 0.

    Source: derivative of theorem 5.
    """
    return 2 * gaussian_boundary(1.0, ratio)


def largest_attribute_advantage(values: int) -> float:
    """Return what the attribute advantage tends to when members have no error and new records only error: 1 - 1/m.

    Args:
        values: number m of equally frequent values of the target.

    Source: section IV-A.
    """
    return 1 - 1 / values


def attribute_advantage(predictions: ArrayLike, prior: ArrayLike, sigma_s: float, sigma_d: float) -> float:
    """Return the attribute advantage for a target of any number of values with any frequencies, and normal errors.

    The attacker picks the value that is most likely if the errors are those of members (adversary 4); so each value
    is picked on one interval of responses, and the interval's probabilities are those of normal distributions.

    Args:
        predictions: shape (values,): what the model predicts for each value, all else being equal.
        prior: shape (values,): frequencies, > 0, with sum 1.
        sigma_s: standard deviation of the errors of members, > 0.
        sigma_d: of new records, > 0.

    Source: equation 5 and the general case of section IV-A.
    """
    centres, weights = np.asarray(predictions, dtype=float), np.asarray(prior, dtype=float)
    advantage = 0.0
    for value, centre in enumerate(centres):
        low, high = -np.inf, np.inf
        for other in range(len(centres)):
            gap = centre - centres[other]
            if gap == 0:
                if (weights[other], value) > (weights[value], other):  # of equal values the first is picked
                    low = np.inf
                continue
            meeting = (centre + centres[other]) / 2 + sigma_s**2 / gap * np.log(weights[other] / weights[value])
            low, high = (max(low, meeting), high) if gap > 0 else (low, min(high, meeting))
        if low < high:
            hits = [ndtr((high - centre) / sigma) - ndtr((low - centre) / sigma) for sigma in (sigma_s, sigma_d)]
            advantage += weights[value] * (hits[0] - hits[1])
    return float(advantage)


def advantage_by_attribute_oracle(attribute: ArrayLike) -> np.ndarray:
    """Return the membership advantage of saying "member" where an attribute attacker guesses right: the same number.

    Source: theorem 6. So attribute inference is at least as hard as membership inference.
    """
    return np.asarray(attribute, dtype=float)


def uniform_reduction_advantage(membership: ArrayLike, values: int) -> np.ndarray:
    """Return the attribute advantage of asking a membership attacker about one value, chosen evenly: its m-th part.

    Args:
        membership: advantage of the membership attacker on records with the right value.
        values: number m of values of the target.

    Source: theorem 7.
    """
    return np.asarray(membership, dtype=float) / values


def _boundary_of_ratio(ratio: np.ndarray) -> np.ndarray:
    """Return r sqrt(ln r / (r^2 - 1)), the boundary in units of sqrt(2) sigma_S, with its limit sqrt(1/2) at 1."""
    shrunk = 1 / ratio
    apart = (1 - shrunk) * (1 + shrunk)  # 1 - r^-2, without the loss of digits near 1
    with np.errstate(invalid="ignore", divide="ignore"):
        squared = np.where(np.abs(apart) < 0.5, -np.log1p(-apart) / 2, np.log(ratio)) / apart
    return np.sqrt(np.where(apart == 0, 0.5, squared))
