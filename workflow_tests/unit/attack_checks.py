"""What tests of attacks share: how far a measured AUC or rate may lie from the law it was drawn from."""

import numpy as np
from scipy import stats

from dpmia.attacks.base import outcome

#: Standard errors that a right answer may be off by: one test in 16 000 fails by chance.
ERRORS = 4


def measure(attack, signal, knowledge, rng, details=False):
    """Return every metric of an attack on one model."""
    return outcome(attack, signal, knowledge, rng, details).metrics()


def auc_error(auc, members, nonmembers):
    """Standard error of a measured AUC (Hanley and McNeil 1982)."""
    one, two = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance = auc * (1 - auc) + (members - 1) * (one - auc**2) + (nonmembers - 1) * (two - auc**2)
    return np.sqrt(variance / (members * nonmembers))


def tpr_error(law, spread, fpr, members, nonmembers):
    """Standard error of a TPR whose threshold is set on as many non-members."""
    tpr = law.tpr(spread, fpr)
    slope = stats.norm.pdf(stats.norm.ppf(tpr)) / stats.norm.pdf(stats.norm.ppf(fpr))
    return np.sqrt(tpr * (1 - tpr) / members + slope**2 * fpr * (1 - fpr) / nonmembers)


def check_law(attack, law, spread, signal, knowledge, rng):
    """Check AUC and TPR at 1 % FPR of a statistic that is Gaussian with this spread; return the measurement."""
    members, nonmembers = signal.is_member.sum(), signal.is_nonmember.sum()
    metrics = measure(attack, signal, knowledge, rng)
    auc, tpr = law.auc(spread), law.tpr(spread, 0.01)
    assert abs(metrics["auc"] - auc) < ERRORS * auc_error(auc, members, nonmembers), (metrics["auc"], auc)
    error = tpr_error(law, spread, 0.01, members, nonmembers)
    assert abs(metrics["tpr_at_1pct_fpr"] - tpr) < ERRORS * error, (metrics["tpr_at_1pct_fpr"], tpr, error)
    return metrics
