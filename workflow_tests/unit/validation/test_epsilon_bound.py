"""Lower bounds on epsilon, on scores whose true epsilon is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm
from test_canary import FULL_BATCH

from dpmia.privacy.accounting import Mechanism
from dpmia.validation.engines_keep_epsilon import DELTA, Case
from dpmia.validation.epsilon_bound import epsilon_lower_bound, largest_tpr, mechanism_epsilon_lower_bound

#: Chance that a right bound fails one of the tests of coverage, were the seeds drawn anew.
FALSE_ALARM = 1e-6


def gaussian_epsilon(distance, delta):
    """Return epsilon(delta) of N(0, 1) against N(distance, 1), in closed form (Balle and Wang 2018)."""

    def excess(epsilon):
        return (
            norm.cdf(distance / 2 - epsilon / distance)
            - np.exp(epsilon) * norm.cdf(-distance / 2 - epsilon / distance)
            - delta
        )

    return brentq(excess, 0, 50)


def outputs(truth, size, rng, epsilon=1.0):
    """Return answers of randomised response: right with odds e^epsilon, so exactly (epsilon, 0)-private."""
    return (rng.random(size) < 1 / (1 + np.exp(-epsilon if truth else epsilon))).astype(float)


def test_bound_covers_the_truth_as_often_as_stated():
    """At 80 %, where a bound that covers too little is soon found out."""
    rng, draws, confidence = np.random.default_rng(1), 800, 0.8
    bounds = [
        epsilon_lower_bound(outputs(True, 400, rng), outputs(False, 400, rng), 0.0, confidence).epsilon
        for _ in range(draws)
    ]
    assert (np.array(bounds) > 1.0).sum() <= binom.ppf(1 - FALSE_ALARM, draws, 1 - confidence)
    assert np.mean(bounds) > 0.5


def test_measured_limits_hold_where_threshold_and_direction_were_chosen():
    rng, draws, confidence, misses = np.random.default_rng(2), 500, 0.8, 0
    for _ in range(draws):
        rates = epsilon_lower_bound(rng.normal(0.5, 1, 300), rng.normal(0, 1, 300), 0.0, confidence).rates
        tails = [norm.cdf, norm.sf][not rates.mirrored]
        with_rate, without_rate = tails(rates.threshold - 0.5), tails(rates.threshold)
        tpr, fpr = (without_rate, with_rate) if rates.mirrored else (with_rate, without_rate)
        misses += tpr < rates.tpr_low or fpr > rates.fpr_high
    assert misses <= binom.ppf(1 - FALSE_ALARM, draws, 1 - confidence)


def test_same_scores_give_no_epsilon_more_often_than_stated():
    rng, draws, confidence = np.random.default_rng(3), 500, 0.8
    false_alarms = [epsilon_lower_bound(*rng.normal(size=(2, 300)), 0.0, confidence).epsilon > 0 for _ in range(draws)]
    assert sum(false_alarms) <= binom.ppf(1 - FALSE_ALARM, draws, 1 - confidence)


@pytest.mark.parametrize("scores", [np.zeros(100), np.arange(100.0), np.repeat([0.0, 1.0], 50)], ids=str)
def test_identical_scores_give_zero(scores):
    assert epsilon_lower_bound(scores, scores, 0.0).epsilon == 0
    assert mechanism_epsilon_lower_bound(scores, scores, FULL_BATCH.mechanism, 1.0).epsilon == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_both_directions_are_tried(sign):
    """Evidence of 1 in 1000 against 1 in 10 that lies on one side only."""
    rng = np.random.default_rng(4)
    rare, frequent = ((rng.random(50_000) < rate).astype(float) for rate in (0.001, 0.1))
    bound = epsilon_lower_bound(frequent, rare, 0.0) if sign > 0 else epsilon_lower_bound(-rare, -frequent, 0.0)
    assert 0.8 * np.log(100) < bound.epsilon < np.log(100)
    assert bound.rates.mirrored == (sign < 0)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.05), (4.0, 0.05)])
def test_bound_without_assumptions_comes_near_the_truth_of_gaussian_scores(epsilon, delta):
    distance = brentq(lambda d: gaussian_epsilon(d, delta) - epsilon, 0.3, 8)
    rng = np.random.default_rng(5)
    bound = epsilon_lower_bound(rng.normal(distance, 1, 200_000), rng.normal(0, 1, 200_000), delta)
    assert 0.85 * epsilon < bound.epsilon < epsilon


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
def test_bound_of_the_mechanism_comes_near_the_truth_of_gaussian_scores(relation):
    """At a delta where the first bound would need thousands of times as many."""
    mechanism, sigma = Case(4, relation).mechanism, 2.0
    distance = (2 if relation == "replace_one" else 1) / sigma
    rng = np.random.default_rng(6)
    scores = rng.normal(distance, 1, 100_000), rng.normal(0, 1, 100_000)
    truth = gaussian_epsilon(distance, DELTA)
    bound = mechanism_epsilon_lower_bound(*scores, mechanism, sigma)
    assert 0.9 * truth < bound.epsilon < truth
    assert bound.epsilon > epsilon_lower_bound(*scores, DELTA).epsilon
    assert bound.delta == DELTA


@pytest.mark.parametrize("sigma", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("fpr", [1e-4, 0.1, 0.6])
def test_largest_tpr_is_the_trade_off_curve_of_one_gaussian_step(sigma, fpr):
    exact = norm.sf(norm.isf(fpr) - 1 / sigma)
    tpr = largest_tpr(FULL_BATCH.mechanism, sigma, np.array([fpr]))[0]
    assert exact <= tpr <= 1.01 * exact


@pytest.mark.parametrize("fpr", [0.01, 0.3, 0.8])
def test_largest_tpr_of_many_steps_comes_near_the_central_limit(fpr):
    rate, steps, sigma = 0.02, 5000, 5.35
    limit = norm.sf(norm.isf(fpr) - rate * np.sqrt(steps * np.expm1(sigma**-2)))
    mechanism = Mechanism("poisson", rate, steps, 100, "add_remove", DELTA, "pld")
    assert largest_tpr(mechanism, sigma, np.array([fpr]))[0] == pytest.approx(limit, rel=0.01)


@pytest.mark.parametrize("fpr", [0.01, 0.3, 0.8, 0.95])
def test_largest_tpr_holds_for_tests_that_call_models_without_the_record_positive(fpr):
    rate, sigma = 0.3, 0.7
    with_above = (1 - rate) * fpr + rate * norm.sf(norm.isf(fpr) - 1 / sigma)
    with_below = brentq(lambda x: (1 - rate) * norm.cdf(x) + rate * norm.cdf(x - 1 / sigma) - fpr, -9, 9)
    exact = max(with_above, norm.cdf(with_below))
    mechanism = Mechanism("poisson", rate, 1, 1, "add_remove", DELTA, "pld")
    assert exact <= largest_tpr(mechanism, sigma, np.array([fpr]))[0] <= 1.001 * exact


def test_impossible_questions_are_refused():
    good = np.arange(4.0)
    for bad in (np.array([0.0, np.nan]), np.array([1.0]), np.zeros((2, 2)), np.array([0.0, np.inf])):
        with pytest.raises(ValueError, match="finite scores"):
            epsilon_lower_bound(good, bad, 0.0)
    for delta in (-0.1, 1.0):
        with pytest.raises(ValueError, match="delta"):
            epsilon_lower_bound(good, good, delta)
    for confidence in (0.0, 1.0):
        with pytest.raises(ValueError, match="confidence"):
            epsilon_lower_bound(good, good, 0.0, confidence)
