"""A private training run on two records on which precision is not bounded, while accuracy hardly beats chance.

A logistic regression without bias, M(x) = w x, takes one full-batch step of DP-SGD from a weight at which it fits the
first record perfectly and the second one not at all. The second record is in the training set with probability 1/2;
the attack predicts that it was wherever the final weight is at most a threshold. All is exact: the final weight is
normal.

Thresholds are relative to the first weight, a million: as large as it is, nothing else depends on it.

Source: Thudi et al. 2024, appendix A.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit
from scipy.stats import norm

#: The weight that training starts from.
START = 1e6
#: (feature, class): always in the training set, and in it with probability 1/2.
FIXED_RECORD, DRAWN_RECORD = (1e6, 1), (1e6, 0)
CLIP_NORM = 1.0
LEARNING_RATE = 1.0
#: Standard deviation of the noise in the paper, there called that of (1, 1e-5). It is by the improved conversion from
#: Renyi differential privacy; the Gaussian mechanism itself has epsilon .916.
NOISE = 4.0412


def step(drawn: bool) -> float:
    """Return by how much the step moves the weight before noise, with or without the second record."""
    records = [FIXED_RECORD, DRAWN_RECORD] if drawn else [FIXED_RECORD]
    gradients = [feature * (expit(START * feature) - label) for feature, label in records]
    return -LEARNING_RATE * sum(gradient / max(1, abs(gradient) / CLIP_NORM) for gradient in gradients)


def precision(threshold: ArrayLike, noise: float = NOISE) -> np.ndarray:
    """Return P(second record in | final weight <= threshold); it tends to 1 as the threshold falls.

    Args:
        threshold: relative to the first weight.
        noise: standard deviation of the noise on the weight, > 0.
    """
    threshold = np.asarray(threshold, dtype=float)
    # Both probabilities vanish far to the left; their ratio does not.
    inside, outside = (norm.logcdf(threshold, step(drawn), noise) for drawn in (True, False))
    return np.exp(log_expit(inside - outside))


def acceptance(threshold: ArrayLike, noise: float = NOISE) -> np.ndarray:
    """Return P(final weight <= threshold | second record in): how rarely the attack predicts "member".

    Args: see `precision`.
    """
    return norm.cdf(np.asarray(threshold, dtype=float), step(True), noise)


def accuracy(threshold: ArrayLike, noise: float = NOISE) -> np.ndarray:
    """Return P(the attack is right), at most Phi(1 / (2 noise)), half-way between the two means.

    Args: see `precision`.
    """
    threshold = np.asarray(threshold, dtype=float)
    return (acceptance(threshold, noise) + norm.sf(threshold, step(False), noise)) / 2
