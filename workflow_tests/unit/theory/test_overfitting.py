"""Theory of overfitting: reference values, brute force, simulated attacks, limits."""

import numpy as np
import pytest
from attack_checks import measure
from model_cards import card
from scipy import integrate, optimize, stats

from dpmia.attacks import bounded_loss, gaussian_error
from dpmia.attacks.base import Knowledge
from dpmia.formats.signals import MEMBER, NONMEMBER, VALIDATION, Signal
from dpmia.metrics.ranking import advantage
from dpmia.theory import overfitting

RATIOS = [1.02, 1.5, 2, 5, 40]


# Theorem 3 and the attack that does not know sigma_D


@pytest.mark.parametrize(
    ("ratio", "known_sigma", "unknown_sigma"),
    # Recomputed from the formulas of Yeom et al. 2018, theorem 3 and section III-C.
    [(1.5, 0.1936, 0.1877), (2, 0.3227, 0.2998), (3, 0.4843, 0.4216), (5, 0.6471, 0.5242), (10, 0.7982, 0.6030)],
)
def test_advantages_at_a_few_ratios(ratio, known_sigma, unknown_sigma):
    assert overfitting.gaussian_advantage(ratio) == pytest.approx(known_sigma, abs=5e-5)
    assert overfitting.unknown_sigma_advantage(ratio) == pytest.approx(unknown_sigma, abs=5e-5)


@pytest.mark.parametrize("ratio", [0.3, *RATIOS])
def test_theorem_3_is_the_total_variation_distance(ratio):
    def gap(error):
        return abs(stats.norm.pdf(error) - stats.norm.pdf(error, scale=ratio)) / 2

    meeting = float(overfitting.gaussian_boundary(1, ratio))
    far = 40 * max(1, ratio)
    distance = 2 * (integrate.quad(gap, 0, meeting)[0] + integrate.quad(gap, meeting, far, limit=200)[0])
    assert overfitting.gaussian_advantage(ratio) == pytest.approx(distance, abs=1e-6)


@pytest.mark.parametrize(("sigma_s", "sigma_d"), [(1, 1.5), (0.2, 3), (4, 1), (2, 2.0000001)])
def test_both_densities_are_equal_at_the_boundary(sigma_s, sigma_d):
    boundary = overfitting.gaussian_boundary(sigma_s, sigma_d)
    inside, outside = stats.norm.pdf(boundary, scale=sigma_s), stats.norm.pdf(boundary, scale=sigma_d)
    assert inside == pytest.approx(outside, rel=1e-9)


@pytest.mark.parametrize("sigma", [0.1, 1, 7])
def test_the_boundary_tends_to_sigma_without_overfitting(sigma):
    assert overfitting.gaussian_boundary(sigma, sigma) == pytest.approx(sigma, rel=1e-15)
    assert overfitting.gaussian_boundary(sigma, sigma * (1 + 1e-9)) == pytest.approx(sigma, rel=1e-8)


def test_advantages_rise_from_zero_to_their_limits():
    ratios = np.concatenate([[1], np.geomspace(1 + 1e-9, 1e6, 500), [np.inf]])
    known_sigma, unknown_sigma = overfitting.gaussian_advantage(ratios), overfitting.unknown_sigma_advantage(ratios)
    for values, limit in ((known_sigma, 1), (unknown_sigma, 0.6827)):
        assert values[0] == pytest.approx(0, abs=1e-15)
        assert (np.diff(values) > -1e-12).all()
        assert values[-1] == pytest.approx(limit, abs=1e-4)
    assert (known_sigma >= unknown_sigma - 1e-12).all()  # the best test is at least as good as any other
    assert overfitting.gaussian_advantage(1 / ratios[:-1]) == pytest.approx(known_sigma[:-1], abs=1e-12)


@pytest.mark.parametrize("ratio", [1.5, 2, 5])
def test_threshold_attacks_on_normal_errors_reach_the_formulas(ratio):
    members, others = np.random.default_rng(3).normal(size=(2, 1_000_000)) * np.array([[0.7], [0.7 * ratio]])
    errors, truth = np.concatenate([members, others]), np.repeat([True, False], 1_000_000)
    known_sigma = advantage(gaussian_error.decisions(errors, 0.7, 0.7 * ratio), truth)["advantage"]
    unknown_sigma = advantage(gaussian_error.decisions(errors, 0.7), truth)["advantage"]
    # Three standard errors of a difference of two shares of a million.
    assert known_sigma == pytest.approx(float(overfitting.gaussian_advantage(ratio)), abs=0.0022)
    assert unknown_sigma == pytest.approx(float(overfitting.unknown_sigma_advantage(ratio)), abs=0.0022)


def test_the_attack_picks_the_larger_density_at_every_error():
    errors = np.linspace(-6, 6, 1201) + 1e-4
    for sigma_s, sigma_d in [(1, 2), (2, 1), (0.5, 0.6)]:
        likelier = stats.norm.pdf(errors, scale=sigma_s) > stats.norm.pdf(errors, scale=sigma_d)
        assert (gaussian_error.decisions(errors, sigma_s, sigma_d) == likelier).all()
    assert not gaussian_error.decisions(errors, 1.0, 1.0).any()
    assert gaussian_error.decisions(np.array([-0.99, 0.5, 1.0, 1.01]), 1.0).tolist() == [True, True, False, False]


@pytest.mark.parametrize(("sigma_s", "sigma_d"), [(0, 1), (1, 0), (-1, None), (np.nan, None)])
def test_standard_deviations_must_be_positive(sigma_s, sigma_d):
    with pytest.raises(ValueError, match="expected a standard deviation greater than 0"):
        gaussian_error.decisions(np.zeros(3), sigma_s, sigma_d)


# Theorem 2


def test_theorem_2_on_drawn_losses():
    rng = np.random.default_rng(0)
    losses = np.concatenate([rng.beta(1, 4, 200_000), rng.beta(2, 2, 200_000)]) * 3
    truth = np.repeat([True, False], 200_000)
    measured = advantage(bounded_loss.decisions(losses, 3.0, rng), truth)["advantage"]
    error = losses[~truth].mean() - losses[truth].mean()
    assert measured == pytest.approx(error / 3.0, abs=0.005)
    assert measured == pytest.approx(0.3, abs=0.006)  # means 1/5 and 1/2 of the bound


def test_losses_at_the_ends_leave_nothing_to_chance():
    assert bounded_loss.decisions(np.zeros(1000), 2.0, np.random.default_rng(0)).all()
    assert not bounded_loss.decisions(np.full(1000, 2.0), 2.0, np.random.default_rng(0)).any()


@pytest.mark.parametrize("losses", [[-0.1, 0.5], [0.5, 2.1], [np.nan, 0.5]])
def test_losses_beyond_their_bound_are_refused(losses):
    with pytest.raises(ValueError, match="expected losses between 0 and 2"):
        bounded_loss.decisions(np.array(losses), 2.0, np.random.default_rng(0))


def test_the_attack_on_the_01_loss_reaches_the_generalisation_error():
    logits = np.array([[2, 1], [2, 1], [0, 1], [2, 0], [0, 1], [1, 0], [1, 0]], dtype=np.float32)
    labels = np.array([0, 0, 0, 0, 0, 1, 1])
    part = np.array([MEMBER, MEMBER, MEMBER, MEMBER, NONMEMBER, NONMEMBER, VALIDATION], dtype=np.uint8)
    signal = Signal(card(), np.arange(7), labels, part, logits)
    metrics = measure(bounded_loss.ZeroOneLoss(), signal, Knowledge(), np.random.default_rng(0))
    assert (metrics["tpr"], metrics["fpr"], metrics["advantage"]) == (0.75, 0, 0.75)


# Theorem 5


@pytest.mark.parametrize(
    ("ratio", "influence", "peak"), [(2, 2.72, 0.1613), (5, 3.66, 0.3236), (10, 4.31, 0.3991), (50, 5.60, 0.4751)]
)
def test_the_peak_of_theorem_5(ratio, influence, peak):
    def below(tau):
        return -overfitting.binary_attribute_advantage(tau, 1.0, ratio)

    optimum = optimize.minimize_scalar(below, bounds=(0, 20), method="bounded", options={"xatol": 1e-9})
    assert overfitting.most_telling_influence(ratio) == pytest.approx(optimum.x, abs=1e-5)
    assert (optimum.x, -optimum.fun) == (pytest.approx(influence, abs=0.005), pytest.approx(peak, abs=5e-5))


def test_influence_reveals_nothing_at_its_ends_and_nothing_without_overfitting():
    assert overfitting.binary_attribute_advantage([0, 1e6], 1, 5) == pytest.approx([0, 0])
    assert overfitting.binary_attribute_advantage([0, 1, 10], 2, 2).tolist() == [0, 0, 0]
    assert overfitting.most_telling_influence(1) == pytest.approx(2)
    taus = np.linspace(0, 30, 301)
    curve = overfitting.binary_attribute_advantage(taus, 1, 5)
    assert curve.max() < 0.5
    assert (np.diff(np.sign(np.diff(curve))) != 0).sum() == 1, "a single peak"
