"""Which values a metric can have, so that no interval leaves them, and which metrics are no measurements."""

from __future__ import annotations

import math

#: Metrics that are no shares.
_RANGES = {
    "accuracy_cost": (-1.0, 1.0),
    "advantage": (-1.0, 1.0),
    "advantage_excess": (-2.0, 2.0),
    "auc_excess": (-1.0, 1.0),
    "generalisation_error": (-1.0, 1.0),
}

#: Beginnings of the names of metrics that are shares.
_SHARES = (
    "accepted",
    "accuracy_",
    "advantage_ceiling",
    "auc",
    "fpr",
    "guessed_right",
    "nan_scores",
    "precision",
    "recall",
    "resolution",
    "tpr",
)

#: Beginnings of the names of metrics that follow from the mechanism, or from the numbers of members and non-members.
_EXACT = (
    "advantage_ceiling",
    "precision_baseline",
    "precision_ceiling",
    "precision_control",
    "resolution",
    "tpr_ceiling",
)


def is_exact(metric: str) -> bool:
    """Return whether a metric is computed for a split and a mechanism, not measured on records."""
    return metric.startswith(_EXACT)


def possible_range(metric: str) -> tuple[float, float]:
    """Return the smallest and the largest possible value of a metric; infinite where none is known."""
    if metric in _RANGES:
        return _RANGES[metric]
    if metric.startswith(_SHARES):
        return 0.0, 1.0
    return (0.0 if metric.startswith("loss_") else -math.inf), math.inf
