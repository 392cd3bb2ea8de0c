"""What overfitting and influence give to attackers: membership and attribute advantage in closed form.

All from Yeom et al. 2018. Advantage is TPR - FPR. Their theorem 1, the bound from differential privacy, stands in
`dpmia.theory.bounds`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erf

#: Largest advantage of the threshold attack that does not know the error on new records.
UNKNOWN_SIGMA_LIMIT = math.erf(math.sqrt(0.5))


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


def _boundary_of_ratio(ratio: np.ndarray) -> np.ndarray:
    """Return r sqrt(ln r / (r^2 - 1)), the boundary in units of sqrt(2) sigma_S, with its limit sqrt(1/2) at 1."""
    shrunk = 1 / ratio
    apart = (1 - shrunk) * (1 + shrunk)  # 1 - r^-2, without the loss of digits near 1
    with np.errstate(invalid="ignore", divide="ignore"):
        squared = np.where(np.abs(apart) < 0.5, -np.log1p(-apart) / 2, np.log(ratio)) / apart
    return np.sqrt(np.where(apart == 0, 0.5, squared))
