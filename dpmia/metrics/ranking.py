"""How well an attack separates members from non-members."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def tpr_name(rate: float) -> str:
    """Return the name of the true positive rate at a false positive rate: `tpr_at_1pct_fpr` at 0.01."""
    return f"tpr_at_{100 * rate:g}pct_fpr"


#: The true positive rates that are reported, by name, and their false positive rates.
LOW_RATES = {tpr_name(rate): rate for rate in (0.01, 0.001)}

#: Shares of the records that are guessed; the others have scores in between.
GUESSED = (0.1, 0.2, 0.5, 1.0)


def advantage(decisions: np.ndarray, is_member: np.ndarray) -> dict[str, float]:
    """Return `tpr`, `fpr` and `advantage` = TPR - FPR of decisions (Yeom et al. 2018, definition 4).

    Args:
        decisions: bool, True where the attack predicts "member".
        is_member: bool, the truth.

    Returns:
        Besides, under the names of information retrieval, `recall`, which is the TPR, and `precision`: the share of
        members among those predicted members, NaN where none is.

    Raises:
        ValueError: members or non-members are missing.
    """
    _both(is_member)
    tpr, fpr = float(decisions[is_member].mean()), float(decisions[~is_member].mean())
    precision = float(is_member[decisions].mean()) if decisions.any() else float("nan")
    return {"advantage": tpr - fpr, "tpr": tpr, "fpr": fpr, "precision": precision, "recall": tpr}


def best_threshold(scores: np.ndarray, is_member: np.ndarray) -> float:
    """Return the threshold t for which "score >= t" has the largest TPR - FPR on these very records: an oracle.

    Of equally good thresholds it takes the highest. `inf` (nobody is a member) is always among them, so the oracle's
    advantage on scores below infinity is never negative, and on a small set even random scores reach more than zero.
    """
    fpr, tpr, thresholds = roc(scores, is_member)
    return float(thresholds[np.argmax(tpr - fpr)])


def ranking(scores: np.ndarray, is_member: np.ndarray, of: int | None = None) -> dict[str, float]:
    """Return the metrics of the scores alone: `auc`, TPR at low false positive rates, and the `resolution`.

    With m non-members the smallest false positive rate above zero is 1/m. A TPR at a rate below that resolution
    is NaN: the data cannot show it.

    Args:
        scores: float, shape (records,), higher = more likely a member.
        is_member: bool, shape (records,), the truth.
        of: see `tpr_at`.
    """
    false, true, _ = _passing(scores, is_member)
    members, nonmembers = int(true[-1]), int(false[-1])
    low = tpr_at(false / nonmembers, true / members, list(LOW_RATES.values()), nonmembers, of).tolist()
    # Of whole numbers, so that the AUC of a perfect separation is 1 and no less.
    auc = int((np.diff(false) * (true[1:] + true[:-1])).sum()) / (2 * members * nonmembers)
    return {"auc": auc, **dict(zip(LOW_RATES, low, strict=True)), "resolution": 1 / nonmembers}


def tpr_at(fpr: np.ndarray, tpr: np.ndarray, rates: ArrayLike, nonmembers: int, of: int | None = None) -> np.ndarray:
    """Return the largest TPR of a ROC at false positive rates of at most `rates`; NaN below the resolution.

    Both rates rise along a ROC.

    Args:
        fpr: of a ROC.
        tpr: of the same.
        rates: in (0, 1].
        nonmembers: number of non-members.
        of: where they are a part of so many: as many may pass as this part has of those that pass of all, interpolated
            between whole numbers. So the metric of a part differs by its records alone, and is there whenever that of
            all is.

    Returns:
        In the shape of `rates`.
    """
    passing = passing_at(rates, of or nonmembers)
    if of is None or of == nonmembers:
        tprs = tpr[np.searchsorted(fpr, rates, side="right") - 1]
    else:
        allowed = passing * nonmembers / of
        fewer = allowed.astype(np.int64)
        passed = np.rint(fpr * nonmembers)
        low, high = (tpr[np.searchsorted(passed, count, side="right") - 1] for count in (fewer, fewer + 1))
        tprs = low + (allowed - fewer) * (high - low)
    return np.where(passing > 0, tprs, np.nan)


def passing_at(rate: ArrayLike, of: ArrayLike) -> np.ndarray:
    """Return how many may pass at a rate: the largest k for which k / of, as floats divide, is at most the rate.

    Args:
        rate: in [0, 1].
        of: numbers of non-members, or of ranks; as many as there are rates, or one of the two.
    """
    rate, of = np.asarray(rate), np.asarray(of)
    passing = np.floor(rate * of).astype(np.int64)
    passing += (passing + 1) / of <= rate  # the product may be rounded down, or up
    passing -= passing / of > rate
    return passing


def held_rate(rate: float, nonmembers: int) -> float:
    """Return the false positive rate to be expected, on new records, of a threshold that a ROC allows at `rate`.

    With n non-members it lets the k = floor(rate * n) highest of them pass, and lies at the next. As the rank of one
    more non-member is uniform, it passes with probability (k + 1) / (n + 1): more than `rate` where n is small. NaN
    below the resolution 1 / n, where `ranking` returns no TPR.
    """
    passing = int(passing_at(rate, nonmembers))
    return (passing + 1) / (nonmembers + 1) if passing else float("nan")


def largest_held_rate(rate: float, fewest: int, most: int) -> float:
    """Return the largest `held_rate` for any number of non-members from `fewest` to `most`; fewer than 1 / rate do not
    count.
    """
    # It falls as non-members are added, until one more may pass: each of these peaks is lower than the one before.
    first = max(fewest, math.ceil(1 / rate))
    numbers = np.arange(first, min(most, first + math.ceil(1 / rate)) + 1)
    return max((held_rate(rate, number) for number in numbers.tolist()), default=held_rate(rate, first))


def guesses(records: int, share: float) -> int:
    """Return how many guesses `guessed_right` makes on so many records: an even number, 2 at least."""
    return 2 * max(1, int(share * records / 2))


def guessed_right(scores: np.ndarray, is_member: np.ndarray, shares: Sequence[float] = GUESSED) -> dict[str, float]:
    """Return the share of right guesses, where the highest scores are guessed members and as many lowest are not.

    Guesses follow from the scores alone: of equal scores the later record counts as the higher, so that records must
    come in an order that does not depend on their membership.

    Args:
        scores: float, shape (records,), higher = more likely a member.
        is_member: bool, shape (records,), the truth.
        shares: of the records that are guessed.

    Returns:
        `guessed_right@<share>` for each share.
    """
    ranked = is_member[np.argsort(scores, kind="stable")]
    metrics = {}
    for share in shares:
        half = guesses(len(ranked), share) // 2
        metrics[f"guessed_right@{share:g}"] = float(np.append(~ranked[:half], ranked[-half:]).mean())
    return metrics


def roc(scores: np.ndarray, is_member: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return false and true positive rates of "score >= t" at every threshold t that makes a difference.

    Written here because its usual home takes longer to import than an attack takes to run.

    Args:
        scores: float, shape (records,), higher = more likely a member; may be infinite.
        is_member: bool, shape (records,), the truth.

    Returns:
        FPR, TPR and thresholds, from `inf` (nothing is predicted a member) down to the lowest score (all are).

    Raises:
        ValueError: a score is not a number, or members or non-members are missing.
    """
    false, true, thresholds = _passing(scores, is_member)
    return false / false[-1], true / true[-1], thresholds


def _passing(scores: np.ndarray, is_member: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many non-members and members pass each threshold, int64, and the thresholds; see `roc`."""
    _both(is_member)
    if np.isnan(scores).any():
        raise ValueError(f"{np.isnan(scores).sum()} scores are not numbers")
    order = np.argsort(scores, kind="stable")[::-1]
    ranked = scores[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    true = np.concatenate([[0], np.cumsum(is_member[order])[last]])
    false = np.concatenate([[0], last + 1]) - true
    return false, true, np.concatenate([[np.inf], ranked[last]])


def _both(is_member: np.ndarray) -> None:
    if is_member.all() or not is_member.any():
        raise ValueError("an attack is measured on members and non-members; one of them is missing")
