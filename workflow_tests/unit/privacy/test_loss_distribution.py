"""Epsilon by privacy loss distributions, of a few steps and of a million, with all noise that can be given."""

import math

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
from dp_accounting.pld.pld_privacy_accountant import PLDAccountant
from scipy.optimize import brentq
from scipy.stats import norm

from dpmia.privacy.loss_distribution import MOST_SPARSE_STEPS, RELATIONS, GaussianSteps

DELTA = 1e-7


def gaussian_epsilon(mu, delta=DELTA):
    """Return the epsilon of one release whose mean moves by `mu` standard deviations, in closed form."""

    def excess(epsilon):
        inside, outside = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
        return norm.cdf(inside) - np.exp(epsilon + norm.logcdf(outside)) - delta

    return brentq(excess, 0, mu * (mu / 2 + 10)) if excess(0) > 0 else 0.0


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("rate", "steps"), [(0.3, 1), (0.02, 500), (0.01, MOST_SPARSE_STEPS + 500)])
def test_epsilon_is_bit_by_bit_that_of_the_accountant(relation, rate, steps):
    steps_of = GaussianSteps(rate, steps, 2.0, relation)
    accountant = PLDAccountant(RELATIONS[relation], value_discretization_interval=5e-4)
    accountant.compose(SelfComposedDpEvent(PoissonSampledDpEvent(rate, GaussianDpEvent(2.0)), steps))
    assert steps_of.epsilon(DELTA, near=1.0) == accountant.get_epsilon(DELTA)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("steps", [1, 100, 1_000_000])
@pytest.mark.parametrize("noise", [0.001, 0.05, 1.0, 30.0, 1e4])
def test_steps_of_all_records_are_one_release_with_less_noise(relation, steps, noise):
    exact = gaussian_epsilon((2 if relation == "replace_one" else 1) * math.sqrt(steps) / noise)
    epsilon = GaussianSteps(1.0, steps, noise, relation).epsilon(DELTA, near=max(exact, 1e-3))
    assert exact - 1e-9 <= epsilon <= 1.005 * exact + 1e-6


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    ("rate", "noise"), [(0.3, 1e4), (0.01, 100.0), (1e-3, 2.0), (1e-3, 30.0), (1e-4, 4.0), (1e-5, 1.0)]
)
def test_a_million_steps_come_near_the_central_limit(relation, rate, noise):
    # Dong et al. 2019, theorem 5; and the same limit for mixtures shifted to both sides.
    if relation == "replace_one":
        mu = 2 * rate * math.sqrt(1e6 * math.sinh(noise**-2))
    else:
        mu = rate * math.sqrt(1e6 * math.expm1(noise**-2))
    limit = gaussian_epsilon(mu)
    epsilon = GaussianSteps(rate, 1_000_000, noise, relation).epsilon(DELTA, near=limit)
    assert epsilon == pytest.approx(limit, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "noise", "steps", "fine"), [(1e-4, 0.7, 100_000, 3e-5), (0.03, 0.5, 1_000_000, 2.5e-3)]
)
def test_epsilon_is_near_that_of_finer_buckets(rate, noise, steps, fine):
    # Batches that hold the record are rare, or losses are large: far from the central limit.
    accountant = PLDAccountant(RELATIONS["add_remove"], value_discretization_interval=fine)
    accountant.compose(SelfComposedDpEvent(PoissonSampledDpEvent(rate, GaussianDpEvent(noise)), steps))
    expected = accountant.get_epsilon(DELTA)
    assert expected <= GaussianSteps(rate, steps, noise, "add_remove").epsilon(DELTA, near=expected) <= 1.02 * expected


def test_an_epsilon_far_from_the_expected_one_is_found_too():
    steps = GaussianSteps(0.01, 1000, 0.5, "add_remove")
    fine, coarse = (steps.epsilon(DELTA, near) for near in (0.01, 1e3))
    assert fine <= coarse <= 1.05 * fine


@pytest.mark.slow  # distributions of many buckets
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("noise", [0.001, 0.05, 0.7, 1e6])
@pytest.mark.parametrize("rate", [1e-12, 1e-6, 0.3])
def test_epsilon_is_finite_and_rises_with_the_steps_whatever_they_are(relation, noise, rate):
    epsilons = [
        GaussianSteps(rate, steps, noise, relation).epsilon(DELTA, near=1.0) for steps in (1, 10_000, 1_000_000)
    ]
    assert all(0 <= epsilon < 1e13 for epsilon in epsilons)
    assert epsilons[0] <= epsilons[1] + 1e-6
    assert epsilons[1] <= epsilons[2] + 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("run", [(0.02, 5000, "replace_one", 1e-5), (1e-4, 2000, "add_remove", 1e-6)])
def test_epsilon_is_finite_and_falls_with_noise_next_to_the_largest_exponent_of_floats(run):
    rate, steps, relation, delta = run
    noise = [0.3 * 0.98**step for step in range(20)] if rate > 0.01 else [0.0585, 0.0577, 0.0575, 0.057]
    epsilons = [GaussianSteps(rate, steps, sigma, relation).epsilon(delta, near=709) for sigma in noise]
    assert epsilons == sorted(epsilons)
    assert epsilons[0] < 709 < epsilons[-1] < 1500
    # Hardly more than one part in a hundred from one to the next is due to another way of counting.
    ratios = np.diff(np.log(epsilons)) / -np.diff(np.log(noise))
    assert ratios.max() < 1.3 * np.median(ratios)
