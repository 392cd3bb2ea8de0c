"""Lower bounds on epsilon from guesses: against closed forms, and against mechanisms whose epsilon is known."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from dpmia.metrics.intervals import clopper_pearson
from dpmia.privacy.lower_bounds import epsilon_from_guesses, probability


@pytest.mark.parametrize(("right", "guesses"), [(60, 100), (99, 100), (100, 100), (9, 10), (700, 1000)])
def test_without_delta_it_is_the_limit_of_clopper_and_pearson(right, guesses):
    low, _ = clopper_pearson(right, guesses, 0.1)
    assert epsilon_from_guesses(right, guesses, guesses, 0.0) == pytest.approx(max(0, logit(low)), abs=1e-5)


@pytest.mark.parametrize("right", [0, 10, 50, 55])
def test_guesses_no_better_than_a_coin_bound_nothing(right):
    assert epsilon_from_guesses(right, 100, 100, 0.0) == 0


def reference(right, guesses, records, epsilon, delta):
    """Return the p-value as the paper prints it: theorem 5.2, with alpha by the sum over i."""
    distribution = stats.binom(guesses, expit(epsilon))
    growth = [(distribution.sf(right - i - 1) - distribution.sf(right - 1)) / i for i in range(1, records + 1)]
    return min(1, distribution.sf(right - 1) + 2 * records * delta * max(growth))


@pytest.mark.parametrize("right", [0, 1, 20, 37, 40])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
def test_the_probability_is_that_of_the_theorem(right, epsilon):
    for records, delta in ((40, 0.0), (40, 1e-5), (100, 1e-3)):
        expected = reference(right, 40, records, epsilon, delta)
        assert probability(right, 40, records, epsilon, delta) == pytest.approx(expected, rel=1e-9)


def test_delta_records_and_confidence_lower_the_bound():
    plain = epsilon_from_guesses(180, 200, 200, 0.0)
    assert epsilon_from_guesses(180, 200, 200, 1e-4) < plain
    assert epsilon_from_guesses(180, 200, 2000, 1e-4) < epsilon_from_guesses(180, 200, 200, 1e-4)
    assert epsilon_from_guesses(180, 200, 200, 0.0, confidence=0.99) < plain
    assert epsilon_from_guesses(170, 200, 200, 0.0) < plain


def test_randomised_response_is_bounded_below_its_epsilon_as_often_as_stated():
    """Each coin is shown truly with the probability that epsilon 1 allows: the bound exceeds 1 in at most 5 %."""
    rng, epsilon = np.random.default_rng(0), 1.0
    right = rng.binomial(300, expit(epsilon), 2000)
    bounds = np.array([epsilon_from_guesses(int(count), 300, 300, 0.0) for count in np.unique(right)])
    drawn = bounds[np.searchsorted(np.unique(right), right)]
    assert (drawn > epsilon).mean() <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 2000)
    assert np.median(drawn) > 0.7


@pytest.mark.parametrize(
    ("right", "guesses", "records", "delta", "confidence"),
    [(5, 4, 4, 0, 0.95), (1, 4, 3, 0, 0.95), (-1, 4, 4, 0, 0.95), (0, 0, 4, 0, 0.95), (1, 4, 4, 1, 0.95),
     (1, 4, 4, 0, 1)],
)  # fmt: skip
def test_numbers_out_of_range_are_refused(right, guesses, records, delta, confidence):
    with pytest.raises(ValueError, match=r"guesses on|expected numbers"):
        epsilon_from_guesses(right, guesses, records, delta, confidence)


def test_the_ends_of_what_is_allowed_are_allowed_and_nothing_beyond():
    assert epsilon_from_guesses(0, 1, 1, 0.0) == 0
    assert epsilon_from_guesses(1, 1, 1, 0.0, confidence=0.4) == pytest.approx(np.log(0.6 / 0.4), abs=1e-5)
    for wrong in ({"delta": 1.0}, {"delta": -1e-9}, {"confidence": 0.0}, {"confidence": 1.0}):
        with pytest.raises(ValueError, match="expected numbers from 0 and below 1"):
            epsilon_from_guesses(1, 2, 2, **{"delta": 0.0, **wrong})
    for counts in ((-1, 1, 1), (2, 1, 2), (1, 2, 1), (0, 0, 1)):
        with pytest.raises(ValueError, match="guesses on"):
            epsilon_from_guesses(*counts, 0.0)
