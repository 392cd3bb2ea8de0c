"""The threshold attack on the errors of a regression model, with the standard deviations that are published with it."""

from __future__ import annotations

import numpy as np

from dpmia.theory.overfitting import gaussian_boundary


def decisions(errors: np.ndarray, sigma_s: float, sigma_d: float | None = None) -> np.ndarray:
    """Predict "member" where members' errors, as a normal distribution, have a higher density than new records'.

    Args:
        errors: response minus prediction, any shape.
        sigma_s: standard deviation of the errors of members, > 0.
        sigma_d: of new records, > 0. Where left out, the attacker takes it to be hardly larger than `sigma_s`:
            the boundary is then `sigma_s`.

    Returns:
        bool, True where the attack predicts "member". Nobody is a member if both are the same number: no error is then
        more likely for a member.

    Raises:
        ValueError: a standard deviation is not positive.

    Source: Yeom et al. 2018, adversary 2 and section III-C.
    """
    for sigma in (sigma_s, sigma_d):
        if sigma is not None and not sigma > 0:
            raise ValueError(f"expected a standard deviation greater than 0, got {sigma}")
    sizes = np.abs(errors)
    if sigma_d is None:
        return sizes < sigma_s
    boundary = gaussian_boundary(sigma_s, sigma_d)
    if sigma_d > sigma_s:
        return sizes < boundary
    return (sizes > boundary) if sigma_d < sigma_s else np.zeros(sizes.shape, dtype=bool)
