"""Ceilings of a mechanism: closed forms, the central limit, simulated tests, and never above the formulas."""

import math
from itertools import product

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType
from scipy.stats import binom, norm

from dpmia.privacy import upper_bounds
from dpmia.privacy.accounting import Mechanism
from dpmia.privacy.upper_bounds import (
    TradeOff,
    advantage_ceiling,
    gaussian_trade_off,
    precision_ceiling,
    tpr_ceiling,
    trade_off,
    trade_off_of,
)
from dpmia.theory.bounds import advantage_bound
from dpmia.theory.precision_bounds import precision_bound

RELATIONS = ("add_remove", "replace_one")
RATES = np.concatenate([np.geomspace(1e-6, 0.5, 40), 1 - np.geomspace(1e-6, 0.4, 40)])
#: Chance that a right ceiling fails one of the simulations, were the seeds drawn anew.
FALSE_ALARM = 1e-6


def poisson(rate, steps, sigma, relation):
    return trade_off(sampler="poisson", rate=rate, steps=steps, epochs=1, noise_multiplier=sigma, relation=relation)


def other_centre(relation):
    return -1.0 if relation == "replace_one" else 0.0


# --- The sums ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("adjacency", AdjacencyType)
@pytest.mark.parametrize(
    ("rate", "steps", "sigma"), [(0.01, 1, 0.3), (0.02, 300, 0.8), (0.5, 10, 2.0), (1e-4, 20, 5.0)]
)
def test_deltas_are_bit_by_bit_those_of_the_library(adjacency, rate, steps, sigma):
    width, one = upper_bounds._one_step(adjacency, rate, sigma, 1e-7)
    whole = one.self_compose(steps)
    epsilons = np.arange(0, whole.size + 7, 3) * width
    np.testing.assert_array_equal(upper_bounds._deltas(whole, epsilons), whole.get_delta_for_epsilon(epsilons))


# --- The dominating pair ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "sigma"), [(0.3, 0.8), (0.05, 0.6)])
@pytest.mark.parametrize(
    ("angle", "norm_of_other"), [(0.0, 0.5), (90.0, 1.0), (150.0, 1.0), (180.0, 0.7), (180.0, 1.0)]
)
def test_no_two_gradients_of_one_step_are_easier_to_separate_than_opposite_ones(rate, sigma, angle, norm_of_other):
    """The total variation of two replaced gradients in the plane, by integration, is below that of the pair."""
    axis = np.arange(-6, 6, 0.02)
    x, y = axis[:, None], axis[None, :]

    def gaussian(a, b):
        return np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * sigma**2)) / (2 * np.pi * sigma**2)

    radians = np.deg2rad(angle)
    one, other = (1.0, 0.0), (norm_of_other * np.cos(radians), norm_of_other * np.sin(radians))
    p, q = ((1 - rate) * gaussian(0, 0) + rate * gaussian(*centre) for centre in (one, other))
    cell = (axis[1] - axis[0]) ** 2
    curve = poisson(rate, 1, sigma, "replace_one")
    for slope in (0.5, 1.0, 2.0):
        reached = np.maximum(p - slope * q, 0).sum() * cell
        possible = (curve.tpr - slope * curve.fpr).max()
        assert reached <= possible + 1e-4
        if (angle, norm_of_other) == (180.0, 1.0):
            assert reached == pytest.approx(possible, rel=0.01, abs=1e-4)


# --- Closed forms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [0.3, 1.0, 5.0, 80.0])
def test_one_gaussian_step_in_closed_form(sigma):
    for relation, distance in (("add_remove", 1 / sigma), ("replace_one", 2 / sigma)):
        curve = trade_off(sampler="full", rate=1.0, steps=1, epochs=1, noise_multiplier=sigma, relation=relation)
        exact = norm.sf(norm.isf(RATES) - distance)
        ceiling = tpr_ceiling(curve, RATES)
        assert (ceiling >= exact - 1e-12).all()
        np.testing.assert_allclose(ceiling, exact, rtol=1e-4)
        assert advantage_ceiling(curve) == pytest.approx(2 * norm.cdf(distance / 2) - 1, rel=1e-6)


@pytest.mark.parametrize(("rate", "sigma", "relation"), list(product([0.02, 0.5, 0.999], [0.5, 2.0, 20.0], RELATIONS)))
def test_one_sampled_step_in_closed_form(rate, sigma, relation):
    """Both directions: low and high false positive rates differ where the record is only sometimes in the batch."""
    curve = poisson(rate, 1, sigma, relation)
    thresholds = np.linspace(-5 * sigma - 2, 5 * sigma + 2, 400)

    def positives(centre):
        return rate * norm.sf(thresholds, centre, sigma) + (1 - rate) * norm.sf(thresholds, 0, sigma)

    tpr, fpr = positives(1.0), positives(other_centre(relation))
    ceiling = tpr_ceiling(curve, fpr)
    assert (ceiling >= tpr - 1e-12).all()
    np.testing.assert_allclose(ceiling - fpr, tpr - fpr, rtol=1e-2, atol=5e-4)  # one step fills few buckets
    assert advantage_ceiling(curve) == pytest.approx((tpr - fpr).max(), rel=1e-3)


def test_steps_of_the_full_batch_are_one_step_with_less_noise():
    for relation in RELATIONS:
        many = trade_off(sampler="full", rate=1.0, steps=16, epochs=16, noise_multiplier=8.0, relation=relation)
        one = trade_off(sampler="full", rate=1.0, steps=1, epochs=1, noise_multiplier=2.0, relation=relation)
        assert advantage_ceiling(many) == advantage_ceiling(one)
        sampled = poisson(1 - 1e-9, 16, 8.0, relation)
        np.testing.assert_allclose(tpr_ceiling(sampled, RATES), tpr_ceiling(one, RATES), rtol=2e-3)


def test_batches_of_all_records_are_the_full_batch():
    for relation in RELATIONS:
        all_of_them = {"rate": 1.0, "steps": 3, "epochs": 1, "noise_multiplier": 2.0, "relation": relation}
        drawn, full = (trade_off(sampler=sampler, **all_of_them) for sampler in ("poisson", "full"))
        assert np.array_equal(drawn.tpr, full.tpr)


def test_a_shuffled_record_is_met_once_an_epoch():
    shuffled = trade_off(
        sampler="shuffle", rate=0.02, steps=450, epochs=9, noise_multiplier=3.0, relation="replace_one"
    )
    assert advantage_ceiling(shuffled) == pytest.approx(2 * norm.cdf(1.0) - 1, rel=1e-6)


# --- Many steps -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sigma", "relation", "advantage"), [(5.78, RELATIONS[0], 0.098), (10.6, RELATIONS[1], 0.106)])
def test_many_sampled_steps_come_near_their_central_limit(sigma, relation, advantage):
    curve = poisson(0.02, 5000, sigma, relation)
    distance = (2 if relation == "replace_one" else 1) * 0.02 * math.sqrt(5000 * math.expm1(1 / sigma**2))
    limit = gaussian_trade_off(distance)
    assert advantage_ceiling(curve) == pytest.approx(advantage_ceiling(limit), rel=4e-3)
    assert advantage_ceiling(curve) == pytest.approx(advantage, abs=5e-4)
    np.testing.assert_allclose(tpr_ceiling(curve, [0.01, 0.1, 0.5]), tpr_ceiling(limit, [0.01, 0.1, 0.5]), rtol=5e-3)


@pytest.mark.parametrize(("rate", "sigma"), [(1e-6, 5.0), (1e-4, 100.0), (1e-3, 4.0), (0.01, 1e4)])
def test_a_million_sampled_steps_come_near_their_central_limit(rate, sigma):
    limit = gaussian_trade_off(rate * math.sqrt(1e6 * math.expm1(1 / sigma**2)))
    curve = poisson(rate, 1_000_000, sigma, "add_remove")
    assert advantage_ceiling(limit) < advantage_ceiling(curve) < 1.03 * advantage_ceiling(limit)


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("sigma", [0.001, 0.05, 1.0, 1e6])
@pytest.mark.parametrize("rate", [1e-12, 1e-6, 0.3])
@pytest.mark.parametrize("steps", [1, 1_000_000])
def test_curves_are_numbers_between_chance_and_certainty_with_any_noise(rate, steps, sigma, relation):
    curve = poisson(rate, steps, sigma, relation)
    assert ((curve.fpr >= 0) & (curve.tpr <= 1)).all()
    assert (curve.tpr >= curve.fpr).all()
    assert 0 <= advantage_ceiling(curve) <= 1


@pytest.mark.parametrize(
    ("rate", "steps", "sigma", "relation"),
    [
        (0.1, 40, 0.8, "add_remove"),
        (0.1, 40, 0.8, "replace_one"),
        (0.05, 60, 0.6, "add_remove"),
        (0.5, 6, 2, "add_remove"),
    ],
)
def test_the_best_test_of_simulated_outcomes_reaches_the_curve_and_stays_below(rate, steps, sigma, relation):
    """The likelihood ratio of one-dimensional outcomes: no test does better, so the ceiling is the truth."""
    rng, models, other = np.random.default_rng(4), 40_000, other_centre(relation)

    def scores(centre):
        total = np.zeros(models)
        for _ in range(steps):
            seen = rng.normal(size=models) * sigma + centre * (rng.random(models) < rate)

            def log_density(at, seen=seen):
                return np.log(rate * np.exp(at * (2 * seen - at) / (2 * sigma**2)) + 1 - rate)

            total += log_density(1.0) - (log_density(other) if other else 0)
        return total

    with_record, without = scores(1.0), scores(other)
    curve = poisson(rate, steps, sigma, relation)
    for quantile in (0.003, 0.03, 0.3, 0.9):
        # A threshold of a third sample: both rates are then binomial.
        threshold = np.quantile(scores(other)[:20_000], 1 - quantile)
        hits, false = int((with_record >= threshold).sum()), int((without >= threshold).sum())
        low, high = binom.ppf([FALSE_ALARM / 16, 1 - FALSE_ALARM / 16], models, false / models) / models
        below, above = binom.ppf([FALSE_ALARM / 16, 1 - FALSE_ALARM / 16], models, hits / models) / models
        assert below <= tpr_ceiling(curve, high)
        assert above >= tpr_ceiling(curve, low)
    advantage = max(
        (with_record >= t).mean() - (without >= t).mean() for t in np.quantile(without, np.linspace(0.01, 0.99, 99))
    )
    assert advantage == pytest.approx(advantage_ceiling(curve), abs=0.01)


# --- Against the formulas ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("sigma", [0.5, 2.0, 20.0])
def test_never_above_the_formulas(sigma, relation):
    delta = 1e-5
    mechanism = Mechanism("poisson", 0.02, 200, 4, relation, delta, "pld")
    epsilon = mechanism.epsilon(sigma)
    record = mechanism.record(epsilon, sigma, 1.0)
    for compared in RELATIONS:
        curve = trade_off_of(record, compared)
        formula = advantage_bound(epsilon, delta, relation)
        if compared == relation == "add_remove":  # the promise itself, without group privacy
            formula = advantage_bound(epsilon, delta, "replace_one")
        assert advantage_ceiling(curve) <= formula + 1e-6
        if sigma >= 2 and compared == relation:
            assert advantage_ceiling(curve) < 0.3 * formula
    curve = trade_off_of(record, relation)
    line = np.minimum(delta + np.exp(min(epsilon, 50.0)) * RATES, 1 - np.exp(-epsilon) * (1 - delta - RATES))
    # Both are upper bounds on a discretised loss; the buckets differ.
    assert (tpr_ceiling(curve, RATES) <= line * 1.001 + 1e-6).all()
    for prior, acceptance in product([0.1, 0.5, 0.9], [0.05, 0.5, 1.0]):
        by_formula = precision_bound(epsilon, prior, delta, acceptance)
        assert precision_ceiling(curve, prior, acceptance) <= by_formula + 1e-4


def test_more_noise_lowers_every_ceiling_and_replacing_a_record_shows_more():
    for relation in RELATIONS:
        curves = [poisson(0.02, 500, sigma, relation) for sigma in (0.5, 1.0, 50.0)]
        for ceiling in (advantage_ceiling, lambda curve: precision_ceiling(curve, 0.5, 0.1)):
            values = [float(ceiling(curve)) for curve in curves]
            assert values == sorted(values, reverse=True)
    for sigma in (0.5, 1.6):
        added, replaced = (advantage_ceiling(poisson(0.02, 500, sigma, relation)) for relation in RELATIONS)
        assert added < replaced < 2 * added + 1e-3


# --- The curve itself -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: poisson(0.02, 1000, 0.3, "add_remove"),
        lambda: poisson(0.3, 3, 9, "replace_one"),
        lambda: poisson(0.3, 50, 0.2, "add_remove"),
        lambda: gaussian_trade_off(3.0),
        lambda: gaussian_trade_off(1e-3),
        lambda: gaussian_trade_off(200.0),
    ],
    ids=["rare", "few", "sure", "gaussian", "silent", "open"],
)
def test_curves_rise_from_corner_to_corner_and_are_concave(make):
    curve = make()
    assert curve.fpr[0] == 0
    assert (curve.fpr[-1], curve.tpr[-1]) == (1, 1)
    assert (np.diff(curve.fpr) >= 0).all()
    assert (np.diff(curve.tpr) >= 0).all()
    assert (curve.tpr >= curve.fpr - 1e-12).all()
    values = tpr_ceiling(curve, np.linspace(0, 1, 201))
    assert (np.diff(values, 2) <= 1e-9).all()
    with pytest.raises(ValueError, match="read-only"):
        curve.fpr[0] = 1


def test_precision_of_a_known_curve():
    curve = TradeOff(np.array([0.0, 0.1, 1.0]), np.array([0.0, 0.8, 1.0]))
    assert precision_ceiling(curve, 0.5, 0.8) == pytest.approx(0.8 / 0.9)
    assert precision_ceiling(curve, 0.5, 0.4) == pytest.approx(0.8 / 0.9)
    assert precision_ceiling(curve, 0.2, 1.0) == pytest.approx(0.2)
    assert advantage_ceiling(curve) == pytest.approx(0.7)
    certain = TradeOff(np.array([0.0, 0.1, 0.5, 1.0]), np.array([0.0, 0.8, 1.0, 1.0]))
    assert precision_ceiling(certain, 0.5, 1.0) == pytest.approx(1 / 1.5), "the smallest FPR with all members"


def test_one_step_can_make_a_rare_member_nearly_certain():
    """Against the closed form: FPR of the threshold at which a Gaussian step has the asked TPR."""
    for acceptance in (1e-3, 0.1, 0.9):
        fpr = norm.sf(norm.isf(acceptance) + 2.0)
        sure = 1 / (1 + 3 * fpr / acceptance)
        assert precision_ceiling(gaussian_trade_off(2.0), 0.25, acceptance) == pytest.approx(sure, rel=1e-4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sampler": "fixed"}, "sampler"),
        ({"relation": "zero_out"}, "relation"),
        ({"rate": 0.0}, "rate"),
        ({"rate": 1.1}, "rate"),
        ({"steps": 0}, "step"),
        ({"noise_multiplier": 0.0}, "noise"),
        ({"noise_multiplier": math.inf}, "noise"),
        ({"sampler": "shuffle", "relation": "add_remove"}, "'replace_one' with 'shuffle'"),
    ],
)
def test_impossible_mechanisms_are_refused(changes, message):
    right = {"sampler": "poisson", "rate": 0.1, "steps": 2, "epochs": 1, "noise_multiplier": 1.0}
    with pytest.raises(ValueError, match=message):
        trade_off(**{**right, "relation": "replace_one", **changes})
    curve = gaussian_trade_off(1.0)
    for prior, acceptance in ((0.0, 0.5), (1.0, 0.5), (0.5, 0.0), (0.5, 1.1)):
        with pytest.raises(ValueError, match="expected"):
            precision_ceiling(curve, prior, acceptance)
