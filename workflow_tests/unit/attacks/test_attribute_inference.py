"""Attribute inference on arrays: by hand, by enumeration, and against the theory on normal errors."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm

from dpmia.attacks import attribute, gaussian_error
from dpmia.attacks.attribute import NOTHING
from dpmia.metrics.ranking import advantage
from dpmia.theory import overfitting


def normal_records(seed, count, predictions, prior, sigma_s, sigma_d):
    """Return errors for every value, true values and membership, with normal errors at the true value."""
    rng = np.random.default_rng(seed)
    is_member = np.repeat([True, False], count)
    truth = rng.choice(len(prior), 2 * count, p=prior)
    error = rng.normal(size=2 * count) * np.where(is_member, sigma_s, sigma_d)
    response = np.array(predictions)[truth] + error
    return response[:, None] - np.array(predictions), truth, is_member


# Adversary 4


def test_the_most_likely_value_weighs_frequency_and_error():
    errors = np.array([[0.0, 0.1], [3.0, 0.1], [1.0, -1.0]])
    assert attribute.most_likely(errors, np.array([0.5, 0.5]), 1.0).tolist() == [0, 1, 0]
    assert attribute.most_likely(errors, np.array([0.1, 0.9]), 1.0).tolist() == [1, 1, 1]
    # The second record's errors speak for value 1 with 4.495, and log odds of 2.2 against it.
    assert attribute.most_likely(errors, np.array([0.9, 0.1]), 1.0).tolist() == [0, 1, 0]
    # With errors that are large anyway, only frequencies count.
    assert attribute.most_likely(errors, np.array([0.9, 0.1]), 100.0).tolist() == [0, 0, 0]


def test_a_value_that_never_occurs_is_never_guessed():
    assert attribute.most_likely(np.array([[0.0, 5.0]]), np.array([0.0, 1.0]), 1.0).tolist() == [1]


def test_a_standard_deviation_must_be_positive():
    with pytest.raises(ValueError, match="expected a standard deviation greater than 0"):
        attribute.most_likely(np.zeros((1, 2)), np.array([0.5, 0.5]), 0.0)


def attribute_advantage(predictions, prior, sigma_s, sigma_d):
    """Return the attribute advantage for a target of any number of values, by equation 5 and section IV-A.

    Each value is picked on one interval of responses; its probabilities are those of normal distributions.
    """
    centres, weights = np.asarray(predictions, dtype=float), np.asarray(prior, dtype=float)
    advantage = 0.0
    for value, centre in enumerate(centres):
        low, high = -np.inf, np.inf
        for other in range(len(centres)):
            gap = centre - centres[other]
            if gap == 0:
                if (weights[other], value) > (weights[value], other):  # of equal values the first is picked
                    low = np.inf
                continue
            meeting = (centre + centres[other]) / 2 + sigma_s**2 / gap * np.log(weights[other] / weights[value])
            low, high = (max(low, meeting), high) if gap > 0 else (low, min(high, meeting))
        if low < high:
            hits = [norm.cdf(high, centre, sigma) - norm.cdf(low, centre, sigma) for sigma in (sigma_s, sigma_d)]
            advantage += weights[value] * (hits[0] - hits[1])
    return advantage


@pytest.mark.parametrize("influence", [0.3, 2, 9])
def test_the_general_case_contains_theorem_5(influence):
    general = attribute_advantage([4, 4 + influence], [0.5, 0.5], 0.8, 3)
    assert general == pytest.approx(float(overfitting.binary_attribute_advantage(influence, 0.8, 3)), abs=1e-12)


@pytest.mark.parametrize(
    ("predictions", "prior", "sigma_d"),
    [
        ([0, 1.5], [0.5, 0.5], 3),
        ([0, 1.5], [0.2, 0.8], 3),
        ([1.0, -0.5, 0.3, 4.0], [0.1, 0.3, 0.4, 0.2], 2),
        ([0, 0, 2], [0.3, 0.3, 0.4], 5),
        ([0, 0.1, 0.2], [0.05, 0.9, 0.05], 4),
    ],
)
def test_the_attack_reaches_the_theory_on_normal_errors(predictions, prior, sigma_d):
    errors, truth, is_member = normal_records(1, 200_000, predictions, prior, 1.0, sigma_d)
    metrics = attribute.advantage(attribute.most_likely(errors, np.array(prior), 1.0), truth, is_member)
    expected = attribute_advantage(predictions, prior, 1.0, sigma_d)
    assert metrics["advantage"] == pytest.approx(expected, abs=0.005)  # over three standard errors


# Attribute advantage and adversary 5


def test_the_advantage_is_the_difference_of_the_shares_of_right_guesses():
    guesses, truth = np.array([0, 1, 2, NOTHING, 1, 1]), np.array([0, 1, 0, 2, 1, 0])
    is_member = np.array([True, True, True, False, False, False])
    metrics = attribute.advantage(guesses, truth, is_member)
    rates = {name: metrics[name] for name in ("tpr", "fpr", "advantage")}
    assert rates == {"tpr": pytest.approx(2 / 3), "fpr": pytest.approx(1 / 3), "advantage": pytest.approx(1 / 3)}


def test_what_holds_for_everyone_gives_no_advantage():
    truth = np.array([0, 1, 2, 0, 1, 2])
    assert attribute.advantage(truth, truth, np.arange(6) < 3)["advantage"] == 0
    assert attribute.advantage(np.zeros(6, int), truth, np.arange(6) < 3)["advantage"] == 0


def test_theorem_6_holds_for_any_guesses():
    rng = np.random.default_rng(5)
    truth, guesses = rng.integers(3, size=(2, 500))
    is_member = rng.random(500) < 0.4
    membership = advantage(attribute.membership_by_attribute(guesses, truth), is_member)["advantage"]
    right = guesses == truth
    by_hand = right[is_member].mean() - right[~is_member].mean()
    assert membership == pytest.approx(by_hand, abs=1e-15)
    assert attribute.advantage(guesses, truth, is_member)["advantage"] == membership != 0


# Adversary 6


def test_asking_one_value_guesses_it_or_nothing():
    accepted = np.random.default_rng(0).random((2000, 3)) < 0.5
    guesses = attribute.uniform_reduction(accepted, np.random.default_rng(1))
    made = guesses != NOTHING
    assert accepted[made, guesses[made]].all()
    assert made.mean() == pytest.approx(0.5, abs=0.05)
    # Four standard deviations of a third of a thousand.
    assert np.bincount(guesses[made], minlength=3) / made.sum() == pytest.approx([1 / 3] * 3, abs=0.06)


def test_theorem_7_by_enumeration():
    # Every value is asked for equally often, so the average over values is the exact expectation.
    rng = np.random.default_rng(2)
    accepted, truth, is_member = rng.random((400, 5)) < 0.6, rng.integers(5, size=400), rng.random(400) < 0.5

    class Chosen:
        def __init__(self, value):
            self.value = value

        def integers(self, high, size):
            return np.full(size, self.value)

    mean = np.mean(
        [
            attribute.advantage(attribute.uniform_reduction(accepted, Chosen(v)), truth, is_member)["advantage"]
            for v in range(5)
        ]
    )
    oracle = advantage(accepted[np.arange(400), truth], is_member)["advantage"]
    assert mean == pytest.approx(oracle / 5, abs=1e-15)
    assert oracle != 0


# Adversary 7


def brute_force(accepted, prior, most_frequent_first):
    guesses = []
    for row in accepted:
        said = [value for value, yes in enumerate(row) if yes]
        best = max if most_frequent_first else min
        guesses.append(best(said, key=lambda value: prior[value]) if said else NOTHING)
    return guesses


@pytest.mark.parametrize(("order", "first"), [("descending", True), ("ascending", False)])
def test_all_outputs_of_the_oracle(order, first):
    accepted = np.array(list(itertools.product([False, True], repeat=4)))
    for prior in itertools.permutations([0.1, 0.2, 0.3, 0.4]):
        guesses = attribute.multi_query_reduction(accepted, np.array(prior), order)
        assert guesses.tolist() == brute_force(accepted, prior, first)


def test_the_order_of_the_paper_is_taken_where_none_is_named():
    accepted = np.array([[True, True]])
    assert attribute.multi_query_reduction(accepted, np.array([0.3, 0.7])).tolist() == [1]
    assert attribute.multi_query_reduction(accepted, np.array([0.5, 0.5])).tolist() == [0]


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match="expected an order of descending, ascending"):
        attribute.multi_query_reduction(np.ones((1, 2), dtype=bool), np.array([0.5, 0.5]), "random")


def test_frequent_values_first_are_right_more_often_than_rare_ones_first():
    prior = np.array([0.05, 0.15, 0.8])
    errors, truth, is_member = normal_records(0, 20_000, [0, 1, 2], prior, 0.3, 3.0)
    accepted = gaussian_error.decisions(errors, 0.8)
    falling, rising = (
        attribute.advantage(attribute.multi_query_reduction(accepted, prior, order), truth, is_member)["tpr"]
        for order in attribute.ORDERS
    )
    assert falling > rising + 0.1
