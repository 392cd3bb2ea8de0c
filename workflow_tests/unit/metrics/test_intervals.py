"""Confidence intervals against scipy's own, and against the definition."""

import numpy as np
import pytest
from scipy.stats import binomtest

from dpmia.metrics.intervals import clopper_pearson, mean_interval, replicates_needed


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (1, 1), (77, 1234)])
@pytest.mark.parametrize("error", [0.05, 0.01])
def test_clopper_pearson_agrees_with_scipy(successes, trials, error):
    low, high = clopper_pearson(successes, trials, error)
    expected = binomtest(successes, trials).proportion_ci(1 - error, method="exact")
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_clopper_pearson_takes_arrays():
    low, high = clopper_pearson(np.array([0, 5]), np.array([5, 5]))
    assert low[0] == 0
    assert high[1] == 1
    assert high[0] == pytest.approx(1 - low[1])


def test_the_replicates_needed_reach_the_half_width_and_one_fewer_does_not():
    rng = np.random.default_rng(0)
    values = rng.normal(size=5)
    found = mean_interval(values)
    half = (found.high - found.low) / 2
    needed = replicates_needed(half, 5, half / 3)

    def half_width(count):  # of `count` values with the spread of the five
        spread = values.std(ddof=1)
        points = np.resize([-1.0, 1.0], count)
        points -= points.mean()
        again = mean_interval(points / points.std(ddof=1) * spread)
        return (again.high - again.low) / 2

    assert half_width(needed) <= half / 3 < half_width(needed - 1)


def test_replicates_that_are_enough_stay_as_they_are_and_thousands_are_none():
    assert replicates_needed(0.02, 4, 0.02) == 4
    assert replicates_needed(1.0, 3, 0.001) is None
