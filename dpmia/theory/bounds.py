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


def advantage_bound(epsilon: ArrayLike, delta: float, relation: str, compares: str = "replace_one") -> np.ndarray:
    """Return the bound of Humphries et al. for a guarantee under either neighbouring relation, at most 1.

    Replacing a record is removing one and adding one: what holds (epsilon, delta) under `add_remove` holds
    (2 epsilon, (1 + e^epsilon) delta) under `replace_one` (group privacy).

    Args:
        epsilon: > 0.
        delta: of the guarantee.
        relation: `replace_one` or `add_remove`.
        compares: relation between the training sets with and without a record.

    Raises:
        ValueError: a guarantee under `replace_one` implies none under `add_remove`.
    """
    epsilon = np.asarray(epsilon, dtype=float)
    if relation == compares:
        return humphries_advantage(epsilon, delta)
    if compares == "add_remove":
        raise ValueError("a guarantee under replace_one implies none under add_remove")
    double = 2 * np.minimum(epsilon, 1e300)  # finite
    # (1 + e^epsilon) delta e^(-2 epsilon), in an order that stays finite.
    shrunk_delta = (np.exp(-double) + np.exp(-epsilon)) * delta
    shrunk = np.exp(-double)
    return np.minimum(1.0, (1 - shrunk + 2 * shrunk_delta) / (1 + shrunk))


def laplace_advantage(epsilon: ArrayLike) -> np.ndarray:
    """Return 1 - e^(-epsilon / 2), the exact ceiling of TPR - FPR for one number under Laplace noise.

    The noise has the scale sensitivity / epsilon; an attack separates two Laplace laws that far from each
    other, of which it is the total variation distance.

    Args:
        epsilon: >= 0, of pure differential privacy.
    """
    return -np.expm1(-np.asarray(epsilon, dtype=float) / 2)


def laplace_epsilon(advantage: ArrayLike) -> np.ndarray:
    """Return the epsilon at which `laplace_advantage` is `advantage`, in [0, 1)."""
    return -2 * np.log1p(-np.asarray(advantage, dtype=float))


def tpr_bound(fpr: ArrayLike, epsilon: float, delta: float = 0.0) -> np.ndarray:
    """Return the largest true positive rate that (epsilon, delta) allows at each false positive rate, at most 1.

    The guarantee holds between what the attack compares: the training set with the record and the one without it, or
    with another in its place.

    Args:
        fpr: in [0, 1].
        epsilon: >= 0.
        delta: of the guarantee.

    Source: Kairouz et al. 2015, theorem 2.1.
    """
    fpr = np.asarray(fpr, dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):
        steep = np.nan_to_num(np.exp(epsilon) * fpr, nan=0.0) + delta
        steep = np.where(np.isinf(epsilon), 1.0, steep)  # without privacy nothing is bounded
    return np.clip(np.minimum(steep, 1 - np.exp(-epsilon) * (1 - delta - fpr)), 0, 1)
