"""Precision of an attack, and what the same rules give to scores that know nothing."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpmia.metrics.ranking import roc, tpr_at

#: Parts of the ranking that are tried as "these are the members": the best 1/40, 2/40, ... of all scores.
QUANTILES = 40

#: Bounds on precision are reported for attacks that find at least this share of the members. With delta nothing
#: is guaranteed against attacks that hardly ever predict "member".
ACCEPTANCE = 0.01

#: False positive rates of a ROC, dense on a logarithmic axis and on a linear one; metric `tpr@<rate>`.
ROC_RATES = (
    *(0.001, 0.00125, 0.0016, 0.002, 0.0025, 0.003, 0.004, 0.005, 0.0063, 0.008),
    *(0.01, 0.0125, 0.016, 0.02, 0.025, 0.03, 0.04, 0.05, 0.063, 0.08, 0.1, 0.125, 0.16),
    *(twentieth / 20 for twentieth in range(4, 21)),
)
_ROC = [f"tpr@{rate:g}" for rate in ROC_RATES]

#: Random rankings of which the control is the mean; more would cost more than the attacks.
_RANKINGS = 5000


def precision_references(is_member: np.ndarray) -> dict[str, float]:
    """Return what rules that know nothing reach on the same numbers of members and non-members.

    Args:
        is_member: bool, shape (records,), the truth.

    Returns:
        `precision_baseline`: of predicting every record a member: the share of members; and
        `precision_control`: mean of `precision_best` over random rankings of the same records.
    """
    return {
        "precision_baseline": float(is_member.mean()),
        "precision_control": random_best_quantile(int(is_member.sum()), len(is_member)),
    }


def measured_precision(
    scores: np.ndarray, decisions: np.ndarray, is_member: np.ndarray, of: int | None = None
) -> dict[str, float]:
    """Return what is measured on the records.

    A score that is not a number is undefined: the record counts as a non-member, whatever its decision.

    Args:
        scores: float, shape (records,), higher = more likely a member.
        decisions: bool, shape (records,), True where the attack's own rule predicts "member".
        is_member: bool, shape (records,), the truth.
        of: see `dpmia.metrics.ranking.tpr_at`.

    Returns:
        `precision`: share of members among those predicted members (NaN if none is), and `accepted`, their share of
            all records.
        `precision_best` and `accepted_best`: of the best of forty quantiles, an oracle (see `best_quantile`).
        `nan_scores`: share of scores that are not numbers.
        `tpr@...`: true positive rate at each of `ROC_RATES`; NaN below the resolution 1 / non-members.

    Raises:
        ValueError: members or non-members are missing.
    """
    if is_member.all() or not is_member.any():
        raise ValueError("precision is measured on members and non-members; one of them is missing")
    is_number = ~np.isnan(scores)
    precision, accepted = _precision(decisions & is_number, is_member)
    best, accepted_best = best_quantile(scores, is_member)
    return {
        "precision": precision,
        "accepted": accepted,
        "precision_best": best,
        "accepted_best": accepted_best,
        "nan_scores": float((~is_number).mean()),
        **_roc(scores, is_member, of),
    }


def best_quantile(scores: np.ndarray, is_member: np.ndarray) -> tuple[float, float]:
    """Return the best precision over the forty quantiles of the scores, and the share of records accepted there.

    Quantile i accepts the i * 2.5 % highest scores, rounded up, and all that equal the lowest of them. Scores that
    are not numbers rank last and are never accepted. Of equally precise quantiles the largest share is reported.

    It uses the true membership: an oracle. The last quantile accepts everybody, so it never falls below the share of
    members, and random scores rise above that too: `random_best_quantile` says by how much.

    Args:
        scores: float, shape (records,), higher = more likely a member.
        is_member: bool, shape (records,), the truth.

    Returns:
        (NaN, 0) if no score is a number.

    Source: Thudi et al. 2024, section 4.2 and its footnote 4.
    """
    is_number = ~np.isnan(scores)
    numbers, order = scores[is_number], np.argsort(scores[is_number], kind="stable")
    if not len(numbers):
        return float("nan"), 0.0
    rising = numbers[order]
    members = np.cumsum(is_member[is_number][order[::-1]])
    thresholds = rising[-np.minimum(_sizes(len(scores)), len(numbers))]
    accepted = len(numbers) - np.searchsorted(rising, thresholds)
    precision = members[accepted - 1] / accepted
    best = np.lexsort((accepted, precision))[-1]
    return float(precision[best]), float(accepted[best] / len(scores))


@lru_cache(maxsize=1024)
def random_best_quantile(members: int, records: int) -> float:
    """Return the mean of `best_quantile` over random rankings of the records.

    Less the share of members, it is what the rule alone gains. A ranking matters only by how many members stand in
    each 2.5 % of it, so these numbers are drawn (multivariate hypergeometric). The generator is seeded from the
    arguments: the order and number of calls make no difference. The standard error is about 0.004 at most where there
    are 40 records or more, 0.0008 where there are 1000.

    Args:
        members: number of members, 1 to `records`.
        records: number of records ranked.
    """
    sizes = _sizes(records)
    rng = np.random.default_rng([members, records])
    drawn = rng.multivariate_hypergeometric(np.diff(sizes, prepend=0), members, size=_RANKINGS, method="marginals")
    return float((drawn.cumsum(axis=1) / sizes).max(axis=1).mean())


def _sizes(records: int) -> np.ndarray:
    """Return how many records each quantile accepts, each number once."""
    return np.unique(-(-np.arange(1, QUANTILES + 1) * records // QUANTILES))


def _precision(decisions: np.ndarray, is_member: np.ndarray) -> tuple[float, float]:
    accepted = float(decisions.mean())
    return (float(is_member[decisions].mean()) if decisions.any() else float("nan")), accepted


def _roc(scores: np.ndarray, is_member: np.ndarray, of: int | None) -> dict[str, float]:
    fpr, tpr, _ = roc(np.where(np.isnan(scores), -np.inf, scores), is_member)
    nonmembers = int((~is_member).sum())
    return dict(zip(_ROC, tpr_at(fpr, tpr, ROC_RATES, nonmembers, of).tolist(), strict=True))
