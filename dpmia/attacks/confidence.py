"""The scale on which losses of one record under many models look Gaussian.

Source: Carlini et al. 2022, algorithm 1; Ye et al. 2022 (the "logit rescale" of their tool).
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit

#: A smaller loss counts as this one: where losses are float32, as in files of earlier versions, it loses its bits
#: below, so that equal outputs would have unequal confidences.
SMALLEST_LOSS = float(np.finfo(np.float32).smallest_normal)
#: An infinite loss counts as this one.
LARGEST_LOSS = -np.log(np.nextafter(0.0, 1.0))

#: Standard deviations below this are rounding: logits are float32.
SMALLEST_SPREAD = 1e-6


def confidence(losses: np.ndarray) -> np.ndarray:
    """Return phi = log(p / (1 - p)) of the probability p = e^-loss, of the true class.

    Computed from the loss, not from p: p rounds to 1 long before the loss rounds to 0.

    Args:
        losses: cross-entropy of the true class in nats, >= 0; 0 and infinity give the ends of the scale.

    Returns:
        Numbers from -745 to 88, of the shape of `losses`; NaN stays NaN.
    """
    losses = np.clip(losses, SMALLEST_LOSS, LARGEST_LOSS)
    return -losses - np.log(-np.expm1(-losses))


def loss_of(phi: np.ndarray) -> np.ndarray:
    """Return the loss whose confidence is `phi`: the inverse of `confidence`."""
    return -log_expit(phi)


HIGHEST, LOWEST = float(confidence(np.array(0.0))), float(confidence(np.array(np.inf)))
