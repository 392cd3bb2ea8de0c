"""How uncertain a true positive rate is that one model's records show at a false positive rate.

The threshold comes from the non-members: its false positive rate on new ones is uncertain, and so is the true positive
rate. Limits that take the threshold as given leave this out, and miss the truth in up to half of all samples.
"""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr, gammaln

from dpmia.metrics.intervals import clopper_pearson
from dpmia.metrics.ranking import passing_at


def tpr_limits(
    fpr: np.ndarray, tpr: np.ndarray, rate: float, members: int, nonmembers: int, error: float = 0.05
) -> tuple[float, float]:
    """Return confidence limits of the true positive rate at a false positive rate, without assumptions on the scores.

    A binomial number of the non-members lies above the threshold that has this rate on all records, so two of them
    enclose it (David and Nagaraja 2003, section 7.1). At each of the two, members give a Clopper-Pearson limit. Each of
    these four is wrong with a quarter of `error` at most.

    Args:
        fpr: of a ROC, as `dpmia.metrics.ranking.roc` returns it.
        tpr: of the same.
        rate: in (0, 1).
        members: number of members that it was measured on.
        nonmembers: number of non-members.
        error: probability that the limits miss the rate.
    """
    quarter = error / 4
    hits, passing = np.rint(tpr * members).astype(int), np.rint(fpr * nonmembers).astype(int)
    fewest, most = _binomial_range(nonmembers, rate, quarter)
    # No looser than the threshold that is used: where scores are equal, many non-members pass at once.
    used = np.searchsorted(fpr, rate, side="right") - 1
    strict = min(int(np.searchsorted(passing, fewest)), int(used))
    loose = int(np.searchsorted(passing, most, side="right")) - 1
    at_least = hits[strict] if fewest else 0
    return (
        float(clopper_pearson(at_least, members, 2 * quarter)[0]),
        float(clopper_pearson(hits[loose], members, 2 * quarter)[1]),
    )


def guessing_tail(hits: int, members: int, nonmembers: int, rate: float) -> float:
    """Return the probability that random scores find at least so many members at a false positive rate.

    Random scores rank members and non-members in any order alike. The threshold lets k = floor(rate n) of n non-members
    pass. At least s of m members pass, too, where at most k of the first s + k in the order are non-members.

    Args:
        hits: members that were found, s.
        members: m.
        nonmembers: n.
        rate: that the non-members can show, at least 1 / n.
    """
    passing = int(passing_at(rate, nonmembers))
    others = np.arange(min(passing, nonmembers) + 1)
    drawn = hits + passing
    logarithms = (
        log_comb(nonmembers, others) + log_comb(members, drawn - others) - log_comb(members + nonmembers, drawn)
    )
    possible = (drawn - others <= members) & (drawn - others >= 0)
    return float(min(np.exp(logarithms[possible]).sum(), 1.0))


def _binomial_range(trials: int, rate: float, error: float) -> tuple[int, int]:
    """Return the numbers below and above which a binomial one lies with a probability of `error` at most, each."""
    numbers = np.arange(trials + 1)
    at_most = bdtr(numbers, trials, rate)
    fewest = int(np.searchsorted(at_most, error, side="right"))
    most = int(np.searchsorted(at_most, 1 - error, side="left"))
    return fewest, min(most, trials)


def log_comb(of: np.ndarray | int, chosen: np.ndarray | int) -> np.ndarray:
    """Return the logarithm of the number of ways to choose so many of some."""
    return gammaln(np.add(of, 1)) - gammaln(np.add(chosen, 1)) - gammaln(np.subtract(of, chosen) + 1)
