"""Exact upper bounds against those of riskcal (Kulynych et al. 2024), which has an algorithm of its own for the curve.

Both take one step's privacy loss from dp-accounting, in buckets of different widths. Riskcal then runs the likelihood
ratio test on the probabilities of the loss; `dpmia.privacy.upper_bounds` draws lines from deltas.

How far apart two right curves can be: both move a loss y in a bucket of width h to the ends of the bucket, such that
E e^-y stays. By Hoeffding's lemma E y rises by h^2 / 8 at most, which is also the integral over epsilon of what delta
of one step rises. Averaged over the loss of the other T - 1 steps, of density f at most, delta of T steps rises by
T f h^2 / 8 at most, and so does TPR at any FPR. Lines at epsilons that stand s apart lie f s^2 / 8 above the curve.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from dp_accounting import NeighboringRelation
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from riskcal.analysis import get_advantage_from_pld, get_beta_from_plrvs, pld_to_plrvs

from dpmia.privacy.upper_bounds import (
    BUCKETS_PER_DEVIATION,
    LINES,
    STEEPEST,
    WIDEST_BUCKET,
    advantage_ceiling,
    tpr_ceiling,
    trade_off,
)

RELATIONS = {
    "add_remove": NeighboringRelation.ADD_OR_REMOVE_ONE,
    "replace_one": NeighboringRelation.REPLACE_ONE,
}
RATES = np.concatenate([np.geomspace(1e-4, 0.5, 30), 1 - np.geomspace(0.4, 1e-3, 20)])
#: Riskcal's buckets are this many times narrower than ours.
FINER = 4


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    ("sigma", "rate", "steps"),
    [
        (0.5, 0.01, 100),
        (0.6, 0.05, 60),
        (0.8, 0.1, 40),
        (1, 0.01, 1000),
        (2, 0.5, 6),
        (5.78, 0.02, 5000),
        (20, 0.5, 100),
    ],
)
def test_advantage_and_trade_off_of_the_sampled_gaussian(sigma, rate, steps, relation):
    width = min(rate * math.sqrt(math.expm1(1 / sigma**2)) / BUCKETS_PER_DEVIATION, WIDEST_BUCKET)
    narrow = width / FINER
    one = from_gaussian_mechanism(
        sigma, sampling_prob=rate, value_discretization_interval=narrow, neighboring_relation=RELATIONS[relation]
    )
    others, whole = pld_to_plrvs(one.self_compose(steps - 1)), one.self_compose(steps)
    density = max(others.pmf_X.max(), others.pmf_Y.max()) / narrow
    between_lines = math.ceil(STEEPEST / width / LINES) * width
    too_high = density * (steps * width**2 + between_lines**2) / 8
    too_low = density * steps * narrow**2 / 8  # as riskcal may be too high itself

    curve = trade_off(sampler="poisson", rate=rate, steps=steps, epochs=1, noise_multiplier=sigma, relation=relation)
    difference = advantage_ceiling(curve) - get_advantage_from_pld(whole)
    assert -too_low <= difference <= too_high
    assert too_high < 3e-3 * advantage_ceiling(curve), "else the test would see little"

    # Riskcal takes the worse of the two directions; "symmetric" leaves it at "out" mistaken for "in", which is ours.
    one_direction = replace(pld_to_plrvs(whole), is_symmetric=True)
    differences = tpr_ceiling(curve, RATES) - (1 - get_beta_from_plrvs(one_direction, RATES))
    assert differences.min() >= -too_low
    assert differences.max() <= too_high
    worse_direction = 1 - get_beta_from_plrvs(pld_to_plrvs(whole), RATES)
    assert (tpr_ceiling(curve, RATES) <= worse_direction + too_high).all()
