"""Bounds on membership advantage: printed values, order, identities between the papers, and brute force."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar

from dpmia.theory.bounds import (
    advantage_bound,
    auc_bound,
    erlingsson_advantage,
    humphries_advantage,
    tpr_bound,
    yeom_advantage,
)

EPSILONS = np.concatenate([[0.0], np.geomspace(1e-4, 50, 400)])
DELTAS = [0, 1e-10, 1e-5, 0.01, 0.3, 0.99]


@pytest.mark.parametrize(
    ("epsilon", "humphries", "erlingsson"),
    # Recomputed from the formulas of Humphries et al. 2023, theorems III.1 and III.3, at delta = 1e-5.
    [(0.01, 0.00501, 0.00996), (0.1, 0.04997, 0.09517), (1, 0.46212, 0.63212), (10, 0.99991, 0.99995)],
)
def test_values_at_the_epsilons_of_the_paper(epsilon, humphries, erlingsson):
    assert humphries_advantage(epsilon, 1e-5) == pytest.approx(humphries, abs=5e-6)
    assert erlingsson_advantage(epsilon, 1e-5) == pytest.approx(erlingsson, abs=5e-6)


@pytest.mark.parametrize("delta", DELTAS)
def test_the_formulas_are_those_of_the_theorems(delta):
    factor = np.exp(EPSILONS)
    np.testing.assert_allclose(
        humphries_advantage(EPSILONS, delta), (factor - 1 + 2 * delta) / (factor + 1), atol=1e-15
    )
    np.testing.assert_allclose(erlingsson_advantage(EPSILONS, delta), 1 - (1 - delta) / factor, atol=1e-15)
    np.testing.assert_allclose(yeom_advantage(EPSILONS), factor - 1, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("delta", DELTAS)
def test_humphries_is_the_lowest_bound_everywhere(delta):
    humphries, erlingsson = humphries_advantage(EPSILONS, delta), erlingsson_advantage(EPSILONS, delta)
    assert (humphries <= erlingsson + 1e-15).all()
    if delta == 0:
        assert (erlingsson <= yeom_advantage(EPSILONS) + 1e-15).all()
    # Appendix B of Humphries et al. 2023, with the misprinted sign put right.
    expected = -(1 - delta) * (1 - np.exp(-EPSILONS)) / (np.exp(EPSILONS) + 1)
    np.testing.assert_allclose(humphries - erlingsson, expected, atol=1e-15)


@pytest.mark.parametrize("delta", DELTAS)
def test_bounds_start_at_delta_grow_and_stay_below_one(delta):
    for bound in (humphries_advantage, erlingsson_advantage):
        values = bound(EPSILONS, delta)
        assert values[0] == pytest.approx(delta)
        assert (np.diff(values) >= 0).all()
        assert values.max() <= 1


def test_largest_gap_to_erlingsson():
    def below(epsilon):
        return humphries_advantage(epsilon) - erlingsson_advantage(epsilon)

    gap = minimize_scalar(below, bounds=(0.1, 3), method="bounded", options={"xatol": 1e-9})
    assert gap.x == pytest.approx(np.log(1 + np.sqrt(2)), abs=1e-6)
    assert -gap.fun == pytest.approx(3 - 2 * np.sqrt(2), abs=1e-12)
    assert round(-gap.fun, 4) == 0.1716
    for edge in (0.262, 2.041):
        assert below(edge) == pytest.approx(-0.1, abs=3e-4)


@pytest.mark.parametrize("delta", [0, 1e-5, 0.05, 0.5])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 3, 8])
def test_no_test_that_privacy_allows_does_better_and_one_does_as_well(epsilon, delta):
    # Kairouz et al. 2015: fpr + e^epsilon fnr >= 1 - delta and the same with both swapped; maximise 1 - fnr - fpr.
    factor = np.exp(epsilon)
    best = linprog([1, 1], A_ub=[[-1, -factor], [-factor, -1]], b_ub=[delta - 1, delta - 1], bounds=[(0, 1), (0, 1)])
    assert best.success
    assert humphries_advantage(epsilon, delta) == pytest.approx(1 - best.fun, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
def test_randomised_response_reaches_the_bound(epsilon):
    truth = np.exp(epsilon) / (1 + np.exp(epsilon))  # the probability of a true answer under pure epsilon
    assert humphries_advantage(epsilon) == pytest.approx(truth - (1 - truth))


def test_no_privacy_is_no_bound():
    assert humphries_advantage(np.inf, 1e-5) == 1
    assert erlingsson_advantage(np.inf, 1e-5) == 1
    assert yeom_advantage(np.inf) == np.inf
    assert humphries_advantage(1e4, 1e-5) == 1


def test_identities_between_the_papers():
    # At P = 1/2 Izzo's accuracy gain is half the advantage, and tanh(epsilon / 2) / 2 under pure privacy.
    np.testing.assert_allclose(humphries_advantage(EPSILONS), np.tanh(EPSILONS / 2), atol=1e-15)
    # Accuracy at P = 1/2 is (1 + advantage) / 2, and precision at most 1 / (1 + e^-epsilon) there.
    np.testing.assert_allclose((1 + humphries_advantage(EPSILONS)) / 2, 1 / (1 + np.exp(-EPSILONS)), atol=1e-15)
    # A likelihood ratio of at most L gives (L - 1) / (L + 1).
    ratio = np.exp(EPSILONS[EPSILONS < 20])
    np.testing.assert_allclose(humphries_advantage(np.log(ratio)), (ratio - 1) / (ratio + 1), atol=1e-12)


def test_yeoms_bound_implies_nothing_above_log_two_and_knows_no_delta():
    assert yeom_advantage(np.log(2)) == pytest.approx(1)
    with pytest.raises(ValueError, match="delta = 0 only"):
        yeom_advantage(1, 1e-5)


def test_lists_are_bounded_one_by_one():
    for bound in (humphries_advantage, erlingsson_advantage, yeom_advantage):
        assert bound([0.1, 1]).tolist() == [float(bound(0.1)), float(bound(1))]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_a_guarantee_under_add_remove_is_one_of_twice_epsilon_under_replace_one(epsilon):
    delta = 1e-5
    grown = humphries_advantage(2 * epsilon, (1 + np.exp(epsilon)) * delta)
    assert advantage_bound(epsilon, delta, "add_remove") == pytest.approx(float(grown), abs=1e-12)
    assert advantage_bound(epsilon, delta, "replace_one") == humphries_advantage(epsilon, delta)
    assert advantage_bound(epsilon, delta, "add_remove", "add_remove") == humphries_advantage(epsilon, delta)
    with pytest.raises(ValueError, match="implies none"):
        advantage_bound(epsilon, delta, "replace_one", "add_remove")


def test_no_bound_is_above_one_or_breaks_down_at_large_epsilon():
    for relation in ("add_remove", "replace_one"):
        assert (advantage_bound([1000.0, 1e308, np.inf], 0.5, relation) <= 1).all()


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (1.0, 1e-5), (3.0, 0.1), (0.0, 0.2), (800.0, 0.0)])
def test_the_largest_tpr_has_the_largest_advantage_and_area(epsilon, delta):
    fpr = np.linspace(0, 1, 200_001)
    tpr = tpr_bound(fpr, epsilon, delta)
    assert (tpr[0], tpr[-1]) == (pytest.approx(delta), 1)
    assert (np.diff(tpr) >= -1e-12).all()
    assert (tpr - fpr).max() == pytest.approx(float(humphries_advantage(epsilon, delta)), abs=1e-5)
    assert np.trapezoid(tpr, fpr) == pytest.approx(float(auc_bound(epsilon, delta)), abs=1e-5)


def test_without_privacy_no_rate_is_bounded():
    assert tpr_bound([0.0, 0.5, 1.0], np.inf, 1e-5).tolist() == [1, 1, 1]
