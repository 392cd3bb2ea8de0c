"""Bounds on membership advantage that differential privacy gives for independent records."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def yeom_advantage(epsilon: ArrayLike, delta: float = 0.0) -> np.ndarray:
    """Return e^epsilon - 1, a bound on TPR - FPR under pure differential privacy.

    Args:
        epsilon: > 0.
        delta: must be 0: the bound is not proved for more.

    Source: Yeom et al. 2018, theorem 1; Humphries et al. 2023, theorem III.2. Says nothing above ln 2.

    Raises:
        ValueError: delta is not 0.
    """
    if delta:
        raise ValueError("this bound holds for delta = 0 only")
    return np.expm1(np.asarray(epsilon, dtype=float))


def erlingsson_advantage(epsilon: ArrayLike, delta: float = 0.0) -> np.ndarray:
    """Return 1 - e^-epsilon (1 - delta), a bound on TPR - FPR.

    Source: Erlingsson et al. 2019; Humphries et al. 2023, theorem III.3.
    """
    return 1 - np.exp(-np.asarray(epsilon, dtype=float)) * (1 - delta)


def humphries_advantage(epsilon: ArrayLike, delta: float = 0.0) -> np.ndarray:
    """Return (e^epsilon - 1 + 2 delta) / (e^epsilon + 1), the tight bound on TPR - FPR of (epsilon, delta).

    The paper's formula; the published plotting code puts delta at another place. 1 at epsilon = infinity.

    Source: Humphries et al. 2023, theorems III.1 and III.4.
    """
    # tanh(epsilon / 2) and e^-epsilon stay finite where e^epsilon does not.
    shrunk = np.exp(-np.asarray(epsilon, dtype=float))
    return (1 - shrunk + 2 * delta * shrunk) / (1 + shrunk)
