"""Noise of corollary 8: its law, the moments that scale it, what is released, and what the best attacker gains."""

import math

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from mip_checks import sampled_gain
from scipy.integrate import dblquad
from scipy.stats import gamma, gennorm, ks_2samp, kstest, laplace, uniform

from dpmia.mip.noise import Noise, privatise, random_halves, release, split_moments
from dpmia.theory.mip import CALIBRATIONS, all_subsets, corollary_8_scale, laplace_gain


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def best_gain(noise, members, outputs, draws, rng):
    """Return the gain of the optimal adversary on the worst record, and its standard error, by Monte Carlo."""
    drawn = outputs[rng.integers(len(members), size=draws)] + noise.draw(rng, draws)
    gains, errors = sampled_gain(members, np.array([noise.log_density(drawn - output) for output in outputs]))
    return gains.max(), errors.max()


# The law of the noise


@pytest.mark.parametrize("moment", [1, 2, 8])
@pytest.mark.parametrize("dimensions", [1, 3, 40])
def test_the_radius_has_the_named_law(dimensions, moment, rng):
    sigmas = np.geomspace(0.01, 100, dimensions)
    distances = Noise(sigmas, moment, 3.0, "gamma")
    assert kstest(distances.norm(distances.draw(rng, 4000)), gamma(dimensions, scale=3.0).cdf).pvalue > 1e-3
    distances = Noise(sigmas, moment, 3.0, "laplace")
    assert kstest(distances.norm(distances.draw(rng, 4000)), gamma(1, scale=3.0).cdf).pvalue > 1e-3


def test_one_number_gets_laplace_noise_by_either_law(rng):
    for radius in ("gamma", "laplace"):
        drawn = Noise(np.array([2.0]), 4, 3.0, radius).draw(rng, 4000)[:, 0]
        assert kstest(drawn, laplace(scale=6.0).cdf).pvalue > 1e-3


@pytest.mark.parametrize("radius", ["gamma", "laplace"])
@pytest.mark.parametrize("moment", [1, 2, 5])
def test_the_density_is_that_of_the_draws(moment, radius, rng):
    noise = Noise(np.array([1.0, 3.0]), moment, 1.5, radius)
    drawn = noise.draw(rng, 40_000)
    # Two regions away from the peak that the Laplace radius has at 0: (from x, to x, from y, to y).
    regions = [(0.5, 1.5, -1.0, 2.0), (-3.0, -1.0, 1.0, 9.0)]
    counts = [((drawn > [a, c]) & (drawn < [b, d])).all(axis=1).sum() for a, b, c, d in regions]
    masses = [dblquad(lambda y, x: np.exp(noise.log_density(np.array([x, y]))), *region)[0] for region in regions]
    share = masses[0] / sum(masses)
    assert counts[0] == pytest.approx(sum(counts) * share, abs=4 * math.sqrt(sum(counts) * share * (1 - share)))


@pytest.mark.parametrize("moment", [1, 2, 2.5, 8, 1000, 10**6, 2**64])
def test_directions_have_the_law_of_their_norm_however_large_the_moment(moment, rng):
    # A direction has the law of independent coordinates with density exp(-|x|^M), over their norm.
    # At large M that is uniform on the surface of a cube: one coordinate is 1, all others are uniform.
    drawn = Noise(np.ones(3), moment, 1.0).draw(rng, 4000)
    directions = drawn / Noise(np.ones(3), moment, 1.0).norm(drawn)[:, None]
    assert (directions != 0).all()
    if moment <= 8:
        other = gennorm.rvs(moment, size=(4000, 3), random_state=rng)
        other /= ((np.abs(other) ** moment).mean(axis=1) ** (1 / moment))[:, None]
        assert ks_2samp(directions[:, 0], other[:, 0]).pvalue > 1e-3
    else:
        sizes = np.sort(np.abs(directions), axis=1)
        assert sizes[:, -1] == pytest.approx(1, abs=0.01)
        others = rng.permuted(sizes[:, :-1], axis=1)[:, 0]
        assert kstest(others, uniform().cdf).pvalue > 1e-3
    assert abs((directions > 0).mean() - 0.5) < 4 * 0.5 / math.sqrt(directions.size)


def test_noise_is_alike_in_units_of_the_moments(rng):
    sigmas = np.array([0.1, 1.0, 50.0])
    ratios = Noise(sigmas, 4, 2.0).draw(rng, 3000) / sigmas
    assert min(ks_2samp(ratios[:, 0], ratios[:, place]).pvalue for place in (1, 2)) > 1e-3


def test_one_draw_and_many_have_their_shapes():
    noise = Noise(np.ones(3), 2, 1.0)
    assert noise.draw(np.random.default_rng(0)).shape == (3,)
    assert noise.draw(np.random.default_rng(0), 7).shape == (7, 3)


@pytest.mark.parametrize(("calibration", "scale"), [("theorem_7", 75**1.5), ("corollary_8", 61.6**1.5)])
def test_noise_is_calibrated_by_name(calibration, scale):
    assert Noise.calibrated(0.1, np.ones(2), 4, calibration=calibration).scale == pytest.approx(scale)
    assert Noise.calibrated(0.1, np.ones(2), 4, calibration="total_variation").scale == pytest.approx(5)


# Moments


@pytest.mark.parametrize("moment", [1, 2, 4, 8])
def test_over_all_halves_the_mth_moment_of_the_norm_is_one(moment, rng):
    values = rng.standard_cauchy(size=(6, 3))
    outputs = np.array([values[member].mean(axis=0) for member in all_subsets(6)])
    noise = Noise(split_moments(outputs, moment), moment, 1.0)
    assert (noise.norm(outputs - outputs.mean(axis=0)) ** moment).mean() == pytest.approx(1, abs=1e-9)


def test_moments_are_those_of_the_formula_at_any_size(rng):
    outputs = rng.normal(size=(50, 4))
    expected = (np.abs(outputs - outputs.mean(axis=0)) ** 4).mean(axis=0) ** 0.25
    np.testing.assert_allclose(split_moments(outputs, 4), expected)
    np.testing.assert_allclose(split_moments(outputs, 2), outputs.std(axis=0))
    for unit in (1e-120, 1e120):  # the 8th power of either leaves the range of floating-point numbers
        np.testing.assert_allclose(split_moments(outputs * unit, 8), split_moments(outputs, 8) * unit)
    assert split_moments(np.ones((5, 2)), 8).tolist() == [0, 0]


@pytest.mark.parametrize("moment", [2, 4])
def test_moments_settle_as_halves_grow_in_number(moment, rng):
    values = rng.normal(size=200)
    outputs = np.array([[values[half].mean()] for half in random_halves(200, 8192, rng)])
    long_run = split_moments(outputs[:4096], moment)[0]

    def estimates(count):
        return np.array([split_moments(part, moment)[0] for part in outputs[4096:].reshape(-1, count, 1)])

    deviations = [np.abs(estimates(count) - long_run).mean() for count in (16, 128, 1024)]
    assert deviations[0] > deviations[1] > deviations[2]
    assert estimates(128).std() / long_run < 0.1


def test_halves_are_halves_and_any_record_may_be_in_them(rng):
    halves = random_halves(9, 2000, rng)
    assert all(len(half) == 4 and (np.diff(half) > 0).all() for half in halves)
    shares = np.bincount(np.concatenate(halves), minlength=9) / 2000
    np.testing.assert_allclose(shares, 4 / 9, atol=4 * 0.5 / math.sqrt(2000))
    with pytest.raises(ValueError, match="at least 2 records"):
        random_halves(1, 1, rng)


# What the best attacker gains


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("moment", [2, 8])
def test_no_attacker_gains_more_than_eta_on_several_numbers(calibration, moment, rng):
    members, eta = all_subsets(6), 0.1
    values = np.column_stack([rng.normal(size=6), rng.standard_cauchy(size=6), np.eye(6)[0], 2.0 ** np.arange(6)])
    outputs = np.array([values[member].mean(axis=0) for member in members])
    noise = Noise.calibrated(eta, split_moments(outputs, moment), moment, calibration=calibration)
    gain, error = best_gain(noise, members, outputs, 4000, rng)
    assert gain <= eta + 3 * error
    assert gain <= (0.06 if calibration == "total_variation" else 0.01)
    # Without its share of noise the same attacker would know.
    assert best_gain(Noise(noise.moments, moment, 1e-3), members, outputs, 2000, rng)[0] > 0.45


@pytest.mark.parametrize(("dimensions", "gain"), [(1, 0.0014), (10, 0.017), (100, 0.048), (1000, 0.109)])
def test_the_laplace_radius_fails_in_high_dimension_and_the_gamma_radius_does_not(dimensions, gain, rng):
    # Two outputs at distance 1 in the Euclidean geometry (M = 2), with the scale of M = 8 at eta = 0.1.
    scale, outputs = float(corollary_8_scale(0.1, 8)), np.outer([0.0, 1.0], np.ones(dimensions))
    measured, error = best_gain(Noise(np.ones(dimensions), 2, scale, "laplace"), all_subsets(2), outputs, 1500, rng)
    assert measured == pytest.approx(gain, abs=3 * error + 0.001)
    measured, error = best_gain(Noise(np.ones(dimensions), 2, scale, "gamma"), all_subsets(2), outputs, 300, rng)
    assert measured < 0.0015


@pytest.mark.parametrize(("dimensions", "gain"), [(1, 0.003), (10, 0.05), (100, 0.13), (1000, 0.26)])
def test_the_printed_noise_breaks_its_guarantee_on_two_records(dimensions, gain, rng):
    # One of two records trains and the output is 1 or -1 everywhere: every moment is 1, as the corollary asks.
    outputs = np.outer([1.0, -1.0], np.ones(dimensions))
    sigmas = split_moments(outputs, 8)
    np.testing.assert_allclose(sigmas, 1)
    measured, error = best_gain(Noise.calibrated(0.1, sigmas, 8, "laplace"), all_subsets(2), outputs, 1000, rng)
    assert measured == pytest.approx(gain, abs=3 * error + 0.005)
    assert (measured > 0.1) == (dimensions >= 100)
    assert best_gain(Noise.calibrated(0.1, sigmas, 8, "gamma"), all_subsets(2), outputs, 300, rng)[0] < 0.005


def test_the_gain_on_what_is_released_is_that_of_the_closed_form(rng):
    members, values, eta = all_subsets(6), rng.normal(size=6), 0.25
    outputs = np.array([[values[member].mean()] for member in members])
    settings = {"eta": eta, "moment": 2, "radius": "gamma", "calibration": "total_variation"}
    used = rng.integers(len(members), size=2000)
    released = np.array([release(outputs, outputs[half], **settings, rng=rng)[0] for half in used])
    scale = outputs.std() / (2 * eta)
    likelihoods = np.exp(-np.abs(released - outputs) / scale)
    guesses = members.T @ likelihoods > ~members.T @ likelihoods
    right = (guesses == members[used].T).mean(axis=1)
    np.testing.assert_allclose(right, 0.5 + laplace_gain(members, outputs[:, 0], scale), atol=4 * 0.5 / math.sqrt(2000))
    assert right.max() < 0.5 + eta


# What is released


RELEASE = {"eta": 0.25, "moment": 4, "radius": "gamma", "calibration": "corollary_8"}


def test_a_number_that_never_moved_is_released_as_it_was_even_if_the_last_half_moves_it(rng):
    outputs = np.column_stack([np.full(10, 0.1), rng.normal(size=10)])
    released = release(outputs, np.array([99.0, 0.0]), **RELEASE, rng=rng)
    assert released[0] == 0.1
    assert released[1] not in (0.0, *outputs[:, 1])
    assert release(np.ones((10, 2)), np.array([5.0, 6.0]), **RELEASE, rng=rng).tolist() == [1, 1]


def test_noise_is_added_to_the_last_output_in_units_of_the_moments_of_the_others():
    outputs = np.random.default_rng(0).normal(size=(20, 3))
    last = np.array([7.0, 8.0, 9.0])
    released = release(outputs, last, **RELEASE, rng=np.random.default_rng(1))
    noise = Noise(split_moments(outputs, 4), 4, float(corollary_8_scale(0.25, 4)))
    np.testing.assert_allclose(released, last + noise.draw(np.random.default_rng(1)))


DATA = np.random.default_rng(9).normal(3, 1, size=(4000, 2))
PRIVATE = {"eta": 0.3, "calibration": "total_variation", "splits": 16}


@pytest.mark.parametrize(
    ("function", "truth"),
    [
        (np.mean, 3.0),
        (lambda data: data.mean(axis=0), np.full(2, 3.0)),
        (lambda data: np.cov(data.T), np.eye(2)),
        (lambda data: [len(data), data.mean()], np.array([2000.0, 3.0])),
    ],
    ids=["number", "vector", "matrix", "list"],
)
def test_functions_of_data_are_released_in_their_shape_and_near_the_truth(function, truth):
    released = privatise(function, DATA, **PRIVATE, random_state=0)
    assert released.shape == np.shape(truth)
    np.testing.assert_allclose(released, truth, atol=0.5)
    assert np.unique(np.concatenate([np.ravel(released), np.ravel(function(DATA))])).size > np.size(truth)


def test_functions_get_halves_of_arrays_and_of_data_frames():
    seen = []
    frame = pd.DataFrame(DATA[:7], columns=["a", "b"], index=list("gfedcba"))
    for data in (frame, DATA[:7], DATA[:7].tolist()):
        privatise(lambda half: seen.append(half) or np.asarray(half).mean(), data, **PRIVATE, random_state=3)
    assert len(seen) == 3 * 17
    assert all(half.shape == (3, 2) for half in seen)
    np.testing.assert_array_equal([half["a"] for half in seen[:17]], [half[:, 0] for half in seen[17:34]])


def test_a_seed_repeats_a_release_and_without_one_none_is_like_another():
    def once(state, jobs=None):
        return float(privatise(np.mean, DATA, **PRIVATE, random_state=state, n_jobs=jobs))

    assert once(1) == once(1) != once(2)
    with parallel_config(backend="threading"):
        assert once(1, jobs=2) == once(1)
    np.random.seed(0)  # noqa: NPY002  numpy's global stream must not matter
    first = once(None)
    np.random.seed(0)  # noqa: NPY002
    assert once(None) != first


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"eta": 0.6}, "expected eta in"),
        ({"eta": 1e-310}, "expected a larger eta, got 1e-310, whose noise is infinite"),
        ({"splits": 15}, "expected splits between 16"),
        ({"moment": 1, "calibration": "corollary_8"}, "moment M of at least 2"),
        ({"moment": math.nan}, "moment M of at least 1, got nan"),
        ({"moment": math.inf}, "expected a finite moment M, got inf"),
        ({"moment": 10**400}, "expected a finite moment M"),
        ({"random_state": -1}, "expected random_state of at least 0, got -1"),
        ({"radius": "lapace"}, "Did you mean 'laplace'"),
        ({"calibration": "corollary_9"}, "Did you mean 'corollary_8'"),
        ({"radius": "laplace"}, "whose noise is too small"),
    ],
)
def test_wrong_arguments_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        privatise(lambda data: data.mean(axis=0), DATA, **PRIVATE | changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"eta": "0.3"}, "expected eta to be a number, got '0.3'"),
        ({"moment": ...}, "expected moment to be a number, got Ellipsis"),
        ({"moment": np.array(3)}, r"expected moment to be a number, got array\(3\)"),
        ({"splits": 3.0}, "expected splits to be a whole number, got 3.0"),
        ({"splits": [[1], [1, 2]]}, "expected splits to be a whole number"),
        ({"random_state": 0.5}, "expected random_state to be a whole number or None, got 0.5"),
        ({"n_jobs": "2"}, "expected n_jobs to be a whole number or None, got '2'"),
    ],
)
def test_arguments_of_another_type_are_refused_before_anything_runs(changes, message):
    with pytest.raises(TypeError, match=message):
        privatise(None, DATA, **PRIVATE | changes)


def test_outputs_that_cannot_be_released_are_refused():
    for wrong in (np.inf, np.nan, -1.5e308):
        with pytest.raises(ValueError, match=r"not finite, or beyond 1e\+300"):
            privatise(lambda data, wrong=wrong: wrong, DATA, **PRIVATE)
    lengths = iter([2, 2, 3] + [2] * 20)
    with pytest.raises(ValueError, match=r"of one shape from the function, got \[\(\(2,\),\), \(\(3,\),\)\]"):
        privatise(lambda data: np.ones(next(lengths)), DATA, **PRIVATE)
    with pytest.raises(ValueError, match="at least 2 records"):
        privatise(np.mean, DATA[:1], **PRIVATE)
    for wrong, kind in ((1j, "complex128"), ("1", "<U1")):
        with pytest.raises(TypeError, match=rf"real numbers from the function, got outputs of the type {kind}"):
            privatise(lambda data, wrong=wrong: wrong, DATA, **PRIVATE)
    for data in ({"a": [1, 2]}, "records.csv", 3.0):
        with pytest.raises(TypeError, match="expected data to be an array or a data frame of records, got "):
            privatise(np.mean, data, **PRIVATE)


def test_what_is_no_function_and_what_returns_nothing_is_refused():
    with pytest.raises(TypeError, match="expected a function of records, got 'mean'"):
        privatise("mean", DATA, **PRIVATE)
    with pytest.raises(TypeError, match="expected real numbers from the function, got None"):
        privatise(lambda data: None, DATA, **PRIVATE)
