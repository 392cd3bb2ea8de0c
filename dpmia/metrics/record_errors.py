"""How uncertain advantage and AUC of one model are, as they are measured on a sample of records.

Sources: Hanley and Hajian-Tilaki 1997 and DeLong et al. 1988 (variance of an AUC and of the difference of two).
"""

from __future__ import annotations

import numpy as np

from dpmia.metrics.intervals import EQUAL, RECORDS, SINGLE, Estimate, equal_records
from dpmia.metrics.ranking import advantage, ranking


def record_estimates(scores: np.ndarray, decisions: np.ndarray, is_member: np.ndarray) -> dict[str, Estimate]:
    """Return `advantage` and `auc` of one model with their standard errors over records.

    Args:
        scores: float, shape (records,), higher = more likely a member.
        decisions: bool, shape (records,), True where the attack predicts "member".
        is_member: bool, shape (records,), the truth.

    Returns:
        Where nothing varies, an AUC of 0 or 1 has Clopper-Pearson limits by the smaller number of members and
        non-members; that of scores which are all the same, and an advantage, have none. With a single member or
        non-member there is no interval.
    """
    values = {**advantage(decisions, is_member), **ranking(scores, is_member)}
    found = {}
    for name, error in standard_errors(scores, decisions, is_member).items():
        if np.isnan(error):
            found[name] = Estimate(values[name], np.nan, np.nan, 1, SINGLE)
        elif error:
            found[name] = Estimate(values[name], error, len(scores) - 2, 1, RECORDS, error)
        elif name == "auc" and values[name] in (0.0, 1.0):
            found[name] = equal_records(values[name], int(min(is_member.sum(), (~is_member).sum())))
        else:
            found[name] = Estimate(values[name], np.nan, np.nan, 1, EQUAL)
    return found


def standard_errors(scores: np.ndarray, decisions: np.ndarray, is_member: np.ndarray) -> dict[str, float]:
    """Return the standard errors over records of `advantage` and `auc`, for any scores and decisions."""
    parts = contributions(scores, decisions, is_member)
    return {name: standard_error(each, is_member) for name, each in parts.items()}


def contributions(scores: np.ndarray, decisions: np.ndarray, is_member: np.ndarray) -> dict[str, np.ndarray]:
    """Return each record's contribution to advantage and AUC, up to sign and shift: variances add up to the whole's."""
    won = np.empty(len(scores))  # the share of records of the other kind that rank below, of equal ones a half
    for kind in (is_member, ~is_member):
        others = np.sort(scores[~kind])
        places = (np.searchsorted(others, scores[kind], side) for side in ("left", "right"))
        won[kind] = sum(places) / 2 / len(others)
    return {"advantage": decisions.astype(float), "auc": won}


def standard_error(parts: np.ndarray, is_member: np.ndarray) -> float:
    """Return the standard error of a metric from each record's contribution to it; NaN with a single record."""
    variance = sum(_variance(parts[kind]) / kind.sum() for kind in (is_member, ~is_member))
    return float(np.sqrt(variance))


def _variance(values: np.ndarray) -> float:
    return float(values.var(ddof=1)) if len(values) > 1 else float("nan")
