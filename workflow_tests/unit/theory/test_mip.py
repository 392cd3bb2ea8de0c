"""Membership inference privacy: the optimal adversary by enumeration, closed form and chance; theorems; noise."""

import math
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from mip_checks import sampled_gain
from scipy.stats import laplace

from dpmia.theory.bounds import humphries_advantage
from dpmia.theory.mip import (
    CALIBRATIONS,
    all_subsets,
    corollary_8_scale,
    epsilon_from_eta,
    eta_from_epsilon,
    laplace_gain,
    membership_posterior,
    optimal_gain,
    theorem_7_scale,
    total_variation_scale,
)
from dpmia.theory.precision_bounds import precision_bound
from dpmia.theory.reciprocal_sum import ReciprocalSum

ETAS = [0.05, 0.1, 0.25]


def random_laws(members, outputs, seed=0):
    """Return some law of the output for each training set."""
    return np.random.default_rng(seed).dirichlet(np.full(outputs, 0.5), size=len(members))


def means(values, members):
    return np.array([values[member].mean() for member in members])


def sigma(outputs, moment):
    return np.mean(np.abs(outputs - outputs.mean()) ** moment) ** (1 / moment)


def data_sets(records):
    """Return numbers of several kinds: normal, with an outlier, two values, growing fast, one apart from equal ones."""
    rng = np.random.default_rng(records)
    return [
        rng.normal(size=records),
        rng.standard_cauchy(size=records),
        np.arange(records) % 2.0,
        2.0 ** np.arange(records),
        np.eye(records)[0],
    ]


# Definition 1 and proposition 2


def test_subsets_are_all_there_and_each_once():
    members = all_subsets(6)
    assert members.shape == (math.comb(6, 3), 6)
    assert (members.sum(axis=1) == 3).all()
    assert len(np.unique(members, axis=0)) == len(members)
    assert all_subsets(5, 2).sum(axis=0).tolist() == [4] * 5


@pytest.mark.parametrize(("records", "size"), [(4, 2), (5, 2), (3, 1), (4, 3)])
def test_the_gain_is_that_of_the_best_of_all_attackers(records, size):
    members = all_subsets(records, size)
    laws = random_laws(members, outputs=5)
    best = np.zeros(records)
    for guesses in product([False, True], repeat=5):  # what an attacker says to each output
        right = np.where(np.array(guesses), members.T[:, :, None], ~members.T[:, :, None])
        best = np.maximum(best, (right * laws).sum(axis=(1, 2)) / len(members))
    guess = max(size / records, 1 - size / records)
    np.testing.assert_allclose(optimal_gain(members, laws), best - guess, atol=1e-12)


def test_with_half_of_the_records_the_gain_is_half_the_total_variation():
    members = all_subsets(6)
    laws = random_laws(members, outputs=7)
    for record, gain in enumerate(optimal_gain(members, laws)):
        inside, outside = laws[members[:, record]].mean(axis=0), laws[~members[:, record]].mean(axis=0)
        assert gain == pytest.approx(np.abs(inside - outside).sum() / 4)


def test_an_attacker_who_guesses_by_the_posterior_is_right_as_often_as_the_gain_says():
    members, rng = all_subsets(4), np.random.default_rng(1)
    laws = random_laws(members, outputs=3)
    drawn = rng.integers(len(members), size=40_000)
    outputs = (rng.random(40_000)[:, None] > laws[drawn].cumsum(axis=1)[:, :-1]).sum(axis=1)
    predicts_member = membership_posterior(members, laws)[:, outputs] > 0.5
    right = (predicts_member == members[drawn].T).mean(axis=1)
    np.testing.assert_allclose(right, 0.5 + optimal_gain(members, laws), atol=4 * 0.5 / 200)


def test_an_output_that_says_all_gives_the_largest_gain_and_one_that_implies_nothing_none():
    for members in (all_subsets(6), all_subsets(5, 2)):
        guess = max(members.mean(), 1 - members.mean())
        np.testing.assert_allclose(optimal_gain(members, np.eye(len(members))), 1 - guess)
        np.testing.assert_allclose(optimal_gain(members, np.ones((len(members), 1))), 0, atol=1e-15)


def test_post_processing_gains_nothing():
    members = all_subsets(6)
    laws = random_laws(members, outputs=8)
    channel = np.random.default_rng(3).dirichlet(np.ones(4), size=8)  # theorem 3
    assert (optimal_gain(members, laws @ channel) <= optimal_gain(members, laws) + 1e-12).all()


# The same in closed form and by chance


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
@pytest.mark.parametrize(("records", "size"), [(4, 2), (5, 2), (5, 4)])
def test_the_closed_form_for_laplace_noise_is_the_integral(records, size, scale):
    members = all_subsets(records, size)
    signs = np.where(members.T, 1, -1) / len(members)
    normal, _, *others = data_sets(records)
    for values in (normal, *others):  # gaps of the Cauchy numbers are too wide for a grid
        outputs = means(values, members)
        edges = np.unique([outputs.min() - 30 * scale, *outputs, outputs.max() + 30 * scale])
        grid = np.concatenate([np.linspace(*pair, 4001) for pair in pairwise(edges)])
        area = np.trapezoid(np.abs(signs @ laplace.pdf(grid, outputs[:, None], scale)), grid)
        guess = max(size / records, 1 - size / records)
        np.testing.assert_allclose(laplace_gain(members, outputs, scale), (1 + area) / 2 - guess, atol=1e-4)


def test_outputs_that_are_all_the_same_or_far_apart_are_no_trouble():
    members = all_subsets(4)
    np.testing.assert_allclose(laplace_gain(members, np.ones(6), 1.0), 0, atol=1e-15)
    np.testing.assert_allclose(laplace_gain(members, np.arange(6) * 1e6, 1.0), 0.5, atol=1e-12)
    order = np.random.default_rng(0).permutation(6)
    outputs = means(np.array([0.0, 1.0, 5.0, 7.0]), members)
    np.testing.assert_allclose(laplace_gain(members[order], outputs[order], 2.0), laplace_gain(members, outputs, 2.0))


def test_chance_and_closed_form_agree():
    members, rng = all_subsets(6), np.random.default_rng(4)
    outputs = means(data_sets(6)[0], members)
    drawn = outputs[rng.integers(len(members), size=20_000)] + rng.laplace(scale=0.3, size=20_000)
    gains, errors = sampled_gain(members, -np.abs(drawn - outputs[:, None]) / 0.3)
    assert (np.abs(gains - laplace_gain(members, outputs, 0.3)) < 4 * errors).all()
    assert errors.max() < 0.002


# Theorems 4 to 6


@pytest.mark.parametrize(("epsilon", "eta"), [(0.1, 0.02498), (0.5, 0.1225), (1, 0.2311), (2, 0.3808)])
def test_values_of_theorem_4(epsilon, eta):
    assert eta_from_epsilon(epsilon) == pytest.approx(eta, abs=5e-5)
    assert eta_from_epsilon(epsilon) == pytest.approx(1 / (1 + math.exp(-epsilon)) - 0.5)


def test_theorem_4_goes_both_ways():
    etas = np.linspace(0.001, 0.499, 100)
    np.testing.assert_allclose(epsilon_from_eta(etas), np.log((1 + 2 * etas) / (1 - 2 * etas)), rtol=1e-12)
    np.testing.assert_allclose(eta_from_epsilon(epsilon_from_eta(etas)), etas)
    assert eta_from_epsilon(1e-6) / 1e-6 == pytest.approx(0.25, abs=1e-6)
    assert eta_from_epsilon(np.inf) == 0.5


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_naming_the_one_record_with_the_right_probability_reaches_theorem_4(epsilon):
    truth = 1 / (1 + math.exp(-epsilon))
    laws = np.array([[truth, 1 - truth], [1 - truth, truth]])
    np.testing.assert_allclose(optimal_gain(all_subsets(2), laws), eta_from_epsilon(epsilon))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_a_differentially_private_mean_keeps_theorem_4_and_proposition_6(epsilon):
    members = all_subsets(6)
    for values in data_sets(6):
        outputs = means(values, members)
        scale = np.ptp(values) / 3 / epsilon
        assert laplace_gain(members, outputs, scale).max() <= eta_from_epsilon(epsilon) + 1e-12
        places = np.linspace(outputs.min() - scale, outputs.max() + scale, 501)
        posterior = membership_posterior(members, np.exp(-np.abs(places - outputs[:, None]) / scale))
        assert max((posterior / (1 - posterior)).max(), ((1 - posterior) / posterior).max()) <= math.exp(epsilon) + 1e-6


def test_publishing_each_record_now_and_then_is_private_on_average_and_reveals_all_at_times():
    # Theorem 5: every record of the training set is published with probability p.
    members, chance = all_subsets(4), 0.01
    published = np.array(list(product([False, True], repeat=4)))
    laws = np.array(
        [np.where(member, np.where(published, chance, 1 - chance), ~published).prod(axis=1) for member in members]
    )
    assert optimal_gain(members, laws).max() <= 2 * chance
    possible = laws.sum(axis=0) > 0
    assert membership_posterior(members, laws[:, possible]).max() == pytest.approx(1)


# Theorem 7 and corollary 8


@pytest.mark.parametrize(("moment", "scale"), [(2, 3795), (4, 484), (6, 243), (8, 173)])
def test_values_of_corollary_8_at_a_tenth(moment, scale):
    assert corollary_8_scale(0.1, moment) == pytest.approx(scale, abs=0.6)


@pytest.mark.parametrize("moment", [2, 4, 8, math.inf])
def test_theorem_7_needs_more_than_corollary_8_and_that_more_than_total_variation(moment):
    etas = np.linspace(0.001, 0.499, 50)
    assert (theorem_7_scale(etas, moment) > corollary_8_scale(etas, moment)).all()
    assert (corollary_8_scale(etas, moment) > total_variation_scale(etas, moment)).all()
    assert (theorem_7_scale(etas, 1) > total_variation_scale(etas, 1)).all()
    assert corollary_8_scale(0.1, math.inf) == pytest.approx(61.6)


@pytest.mark.parametrize("records", [4, 5, 6, 7])
@pytest.mark.parametrize(("calibration", "moments"), [(name, [2, 4, 8]) for name in CALIBRATIONS])
def test_noise_of_each_calibration_keeps_eta_on_every_data_set(records, calibration, moments):
    members = all_subsets(records)
    moments = moments if calibration == "corollary_8" else [1, *moments]
    for values, moment, eta in product(data_sets(records), moments, ETAS):
        outputs = means(values, members)
        scale = sigma(outputs, moment) * CALIBRATIONS[calibration](eta, moment)
        gain = laplace_gain(members, outputs, scale).max()
        assert gain <= eta
        if calibration != "total_variation" and moment <= 4:
            assert gain <= 0.01  # the printed constants are very loose


def test_the_scale_of_total_variation_leaves_an_attacker_something():
    members, values = all_subsets(6), data_sets(6)[0]
    outputs = means(values, members)
    gains = [laplace_gain(members, outputs, sigma(outputs, 1) * total_variation_scale(eta)).max() for eta in ETAS]
    assert (np.array(gains) > 0.6 * np.array(ETAS)).all()


@pytest.mark.parametrize("eta", [0.001, 0.01])
def test_no_smaller_scale_than_that_of_total_variation_would_do_for_small_eta(eta):
    # Two records, one of them trains, the output is 1 or -1: sigma = 1 for every M.
    outputs = np.array([1.0, -1.0])
    gain = laplace_gain(all_subsets(2), outputs, float(total_variation_scale(eta))).max()
    assert gain == pytest.approx((1 - math.exp(-2 * eta)) / 2)
    assert eta * 0.98 < gain < eta
    assert laplace_gain(all_subsets(2), outputs, 0.97 * float(total_variation_scale(eta))).max() > eta


@pytest.mark.parametrize("calibration", CALIBRATIONS.values(), ids=CALIBRATIONS)
@pytest.mark.parametrize("eta", [0, 0.5, -0.1, math.nan, [0.1, 0.6], 10**400])
def test_eta_out_of_range_is_refused(calibration, eta):
    with pytest.raises(ValueError, match=r"expected eta in \(0, 1/2\)"):
        calibration(eta, 2)
    with pytest.raises(ValueError, match=r"expected eta in \(0, 1/2\)"):
        epsilon_from_eta(eta)


@pytest.mark.parametrize(("calibration", "least"), [("theorem_7", 1), ("corollary_8", 2), ("total_variation", 1)])
def test_moments_below_the_range_of_the_proof_are_refused(calibration, least):
    assert CALIBRATIONS[calibration](0.1, least) > 0
    for moment in (least - 0.5, math.nan):
        with pytest.raises(ValueError, match=f"expected a moment M of at least {least}"):
            CALIBRATIONS[calibration](0.1, moment)


# Proposition 9


@pytest.mark.parametrize("records", [4, 6, 8, 10])
def test_the_example_is_what_plain_enumeration_finds(records):
    example = ReciprocalSum(records)
    halves = [frozenset(half) for half in combinations(range(records), records // 2)]
    plain = {half: 1 / math.fsum(example.values[list(half)]) for half in halves}
    np.testing.assert_allclose(sorted(example.outputs()), sorted(plain.values()), rtol=1e-9)
    assert example.variance() == pytest.approx(np.var(list(plain.values())))
    changes = [
        abs(plain[half] - plain[half - {out} | {new}])
        for half in halves
        for out in half
        for new in set(range(records)) - half
    ]
    assert example.sensitivity == pytest.approx(max(changes))


@pytest.mark.parametrize(("records", "largest"), [(8, 8.367), (12, 30.397), (16, 113.446), (20, 429.833)])
def test_the_variance_stays_below_one_while_one_output_grows(records, largest):
    example = ReciprocalSum(records)
    outputs = np.sort(example.outputs())
    assert 0.98 < example.variance() <= 1
    assert outputs[-1] == pytest.approx(math.sqrt(math.comb(records, records // 2)), rel=1e-6)
    assert outputs[-1] == pytest.approx(largest, rel=1e-3)
    assert 0 < outputs[0] < outputs[-2] < 0.45


def test_the_sum_that_bounds_the_variance_stays_below_one():
    # T2 of the docstring, which makes the variance at most 1 for every larger number of records, too.
    for records in range(8, 22, 2):
        others = np.sort(ReciprocalSum(records).outputs())[:-1]
        bound = 1 / (2 ** (records // 2) - 2) + 1 / (2 ** (records // 2 - 2) - 1)
        assert (others**2).sum() <= bound < 1


@pytest.mark.parametrize(
    ("records", "scale", "crossing"), [(24, 4056, 0.09), (30, 30_720, 0.012), (36, 234_900, 0.0016)]
)
def test_what_differential_privacy_needs_in_the_example(records, scale, crossing):
    sensitivity = ReciprocalSum(records).sensitivity
    assert sensitivity / epsilon_from_eta(0.1) == pytest.approx(scale, rel=5e-4)
    etas = np.geomspace(1e-4, 0.49, 4000)
    worse = sensitivity / epsilon_from_eta(etas) > corollary_8_scale(etas, 2)
    assert etas[worse].min() == pytest.approx(crossing, rel=0.05)
    assert worse[etas > crossing * 1.1].all()


def test_noise_for_mip_keeps_eta_in_the_example():
    example, members = ReciprocalSum(8), all_subsets(8)
    outputs = np.array([1 / math.fsum(example.values[member]) for member in members])
    for eta in ETAS:
        assert laplace_gain(members, outputs, float(corollary_8_scale(eta, 2))).max() <= eta
        assert laplace_gain(members, outputs, float(total_variation_scale(eta))).max() <= eta


@pytest.mark.parametrize("records", [2, 7, 0])
def test_numbers_of_records_without_an_example_are_refused(records):
    with pytest.raises(ValueError, match="even number of records of at least 4"):
        ReciprocalSum(records)


def test_too_many_halves_are_not_enumerated():
    with pytest.raises(ValueError, match="at most 24 records"):
        ReciprocalSum(26).outputs()


# Between the papers


def test_identities_with_the_bounds_of_the_other_papers():
    epsilons = np.concatenate([[0.0], np.geomspace(1e-4, 50, 200)])
    etas = eta_from_epsilon(epsilons)
    np.testing.assert_allclose(etas, np.tanh(epsilons / 2) / 2, atol=1e-15)
    np.testing.assert_allclose(etas, humphries_advantage(epsilons) / 2, atol=1e-15)
    np.testing.assert_allclose(0.5 + etas, precision_bound(epsilons, 0.5), atol=1e-15)
    np.testing.assert_allclose(0.5 + etas, 1 / (1 + np.exp(-epsilons)), atol=1e-15)
