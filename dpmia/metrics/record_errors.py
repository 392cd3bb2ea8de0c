"""How uncertain advantage and AUC of one model are, as they are measured on a sample of records.

Sources: Agresti and Caffo 2000 (difference of two shares), Welch 1947 (its degrees of freedom); Hanley and
Hajian-Tilaki 1997 and DeLong et al. 1988 (variance of an AUC and of the difference of two).
"""

from __future__ import annotations

import numpy as np

from dpmia.metrics.intervals import CHOSEN, EQUAL, RECORDS, SINGLE, Estimate, equal_records
from dpmia.metrics.ranking import advantage, ranking

#: 95 % quantile of the standard normal distribution: that of the narrowest limits that are taken of an advantage.
NARROWEST = 1.644854


def record_estimates(
    scores: np.ndarray, decisions: np.ndarray, is_member: np.ndarray, oracle: bool = False
) -> dict[str, Estimate]:
    """Return `advantage` and `auc` of one model with their standard errors over records.

    Args:
        scores: float, shape (records,), higher = more likely a member.
        decisions: bool, shape (records,), True where the attack predicts "member".
        is_member: bool, shape (records,), the truth.
        oracle: whether the decisions were chosen by the truth: their advantage then has no interval, as one
            by these records would be too high (of random scores, a fifth of the 95 % limits were above 0).

    Returns:
        With a single member or non-member there is no interval. An AUC of 0 or 1 has Clopper-Pearson limits by the
        smaller number of members and non-members; that of scores which are all the same has none.
    """
    means = {**advantage(decisions, is_member), **ranking(scores, is_member)}
    members, nonmembers = int(is_member.sum()), int((~is_member).sum())
    if min(members, nonmembers) == 1:
        return {name: Estimate(means[name], np.nan, np.nan, 1, SINGLE) for name in ("advantage", "auc")}
    won = contributions(scores, decisions, is_member)["auc"]
    if standard_error(won, is_member):
        auc = _auc(means["auc"], won[is_member], won[~is_member])
    elif means["auc"] in (0.0, 1.0):
        auc = equal_records(means["auc"], min(members, nonmembers))
    else:
        auc = Estimate(means["auc"], np.nan, np.nan, 1, EQUAL)
    chosen = Estimate(means["advantage"], np.nan, np.nan, 1, CHOSEN)
    return {"advantage": chosen if oracle else _advantage(decisions[is_member], decisions[~is_member]), "auc": auc}


def _auc(mean: float, of_members: np.ndarray, of_others: np.ndarray) -> Estimate:
    """Return an AUC with the error of DeLong et al., as if each side had one more record that wins half of its pairs.

    Without these, limits fail where few records are on one side and nearly all of them win: with 20 members, 200
    non-members and an AUC of .98, a lower limit that should be too high in 2.5 % of draws was so in 9 %.

    Args:
        mean: the AUC.
        of_members: share of the non-members that each member ranks above.
        of_others: share of the members that rank above each non-member.
    """
    variances = np.array([np.append(won, 0.5).var(ddof=1) / (len(won) + 1) for won in (of_members, of_others)])
    error = float(np.sqrt(variances.sum()))
    degrees = float(variances.sum() ** 2 / (variances**2 / [len(of_members), len(of_others)]).sum())
    return Estimate(mean, error, degrees, 1, RECORDS, error)


def _advantage(of_members: np.ndarray, of_others: np.ndarray) -> Estimate:
    """Return the difference of two shares, and an error with which limits around it cover those of Agresti and Caffo.

    Those have one success and one failure more in each group, and lie around the difference of these shares. Limits
    by the plain variance fail where a group is small or its share near 0 or 1: with 20 members of whom 95 % are
    found, a third of them lie above the true advantage instead of a twentieth.
    """
    trials = np.array([len(of_members), len(of_others)])
    successes = np.array([of_members.sum(), of_others.sum()])
    shares = (successes + 1) / (trials + 2)
    variances = shares * (1 - shares) / (trials + 2)
    mean = float(of_members.mean() - of_others.mean())
    error = float(np.sqrt(variances.sum()) + abs(shares[0] - shares[1] - mean) / NARROWEST)
    degrees = float(variances.sum() ** 2 / (variances**2 / (trials + 1)).sum())
    return Estimate(mean, error, degrees, 1, RECORDS, error)


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
