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

    It compares a data set that holds the record with one that holds another in its place: replace-one.

    The paper's formula; the published plotting code puts delta at another place. 1 at epsilon = infinity.

    Source: Humphries et al. 2023, theorems III.1 and III.4.
    """
    # tanh(epsilon / 2) and e^-epsilon stay finite where e^epsilon does not.
    shrunk = np.exp(-np.asarray(epsilon, dtype=float))
    return (1 - shrunk + 2 * delta * shrunk) / (1 + shrunk)


def auc_bound(epsilon: ArrayLike, delta: float = 0.0) -> np.ndarray:
    """Return 1 - (1 - delta)^2 / (1 + e^epsilon), the largest area under the ROC curve that privacy allows.

    It is the area of the region of error rates that (epsilon, delta) leaves to any test; without delta it equals the
    bound on accuracy at prior 1/2.

    Source: the region of Kairouz et al. 2015, integrated.
    """
    shrunk = np.exp(-np.asarray(epsilon, dtype=float))
    return 1 - (1 - delta) ** 2 * shrunk / (1 + shrunk)


def advantage_bound(epsilon: ArrayLike, delta: float, relation: str) -> np.ndarray:
    """Return the bound of Humphries et al. for a promise under either neighbouring relation, at most 1.

    Replacing a record is removing one and adding one: what holds (epsilon, delta) under `add_remove` holds
    (2 epsilon, (1 + e^epsilon) delta) under `replace_one` (group privacy).

    Args:
        epsilon: > 0.
        delta: of the promise.
        relation: `replace_one` or `add_remove`.
    """
    epsilon = np.asarray(epsilon, dtype=float)
    if relation == "replace_one":
        return humphries_advantage(epsilon, delta)
    # (1 + e^epsilon) delta e^(-2 epsilon), in an order that stays finite.
    shrunk_delta = (np.exp(-2 * epsilon) + np.exp(-epsilon)) * delta
    shrunk = np.exp(-2 * epsilon)
    return np.minimum(1.0, (1 - shrunk + 2 * shrunk_delta) / (1 + shrunk))
