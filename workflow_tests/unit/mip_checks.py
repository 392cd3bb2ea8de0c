"""The gain of the best attacker by Monte Carlo, to compare closed forms with."""

import numpy as np

from dpmia.theory.mip import membership_posterior


def sampled_gain(members, log_likelihoods):
    """Return the gain on each record and its standard error (proposition 2: the integral over the law of the output).

    Args:
        members: bool (subsets, records), all training sets, equally likely.
        log_likelihoods: (subsets, draws), log density, up to a constant, of drawn outputs given each training set.
            Each draw: a random training set, then an output given it.
    """
    posterior = membership_posterior(members, np.exp(log_likelihoods - log_likelihoods.max(axis=0)))
    right = np.maximum(posterior, 1 - posterior)
    share = members.mean(axis=0)
    guess = np.maximum(share, 1 - share)
    return right.mean(axis=1) - guess, right.std(axis=1, ddof=1) / np.sqrt(right.shape[1])
