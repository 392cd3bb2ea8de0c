"""What more replicates of the same records would show, beside truths that are known or simulated in full."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from world_tables import shared_table

from dpmia.claims.build import claim
from dpmia.claims.comparisons import above, at_most, highest_at, near
from dpmia.claims.decisions import Condition, Every, Highest, Some
from dpmia.claims.limits import ERROR, WITHOUT_LIMIT, Extended, mean_of
from dpmia.claims.more_replicates import decided_shares
from dpmia.claims.quantities import at, metric
from dpmia.metrics.shared_records import shared_variances

RNG = np.random.default_rng(5)


def judged(rule, cells, comparison):
    """Return a claim on cells that are given."""
    condition = Condition("x", comparison, lambda tables: cells)
    return claim("toy", "S.", condition, rule=rule, artifact="toy_fig1", tables=("replicates/toy",))


def standardised(count, mean, error, rng=RNG):
    """Return values with exactly this mean and standard error of the mean."""
    values = rng.normal(size=count)
    return mean + (values - values.mean()) / values.std(ddof=1) * error * count**0.5


@pytest.mark.parametrize("distance", [0.5, 1.0, 2.0])
def test_replicates_without_limit_decide_one_mean_whatever_it_is(distance):
    of_one = judged(Every, pd.Series(standardised(8, distance, 1.0)), above(0))
    assert decided_shares(of_one, {}, [WITHOUT_LIMIT], ERROR) == {WITHOUT_LIMIT: 1.0}


def test_the_share_of_one_mean_is_that_of_the_normal_law():
    """All means: the measured one, and as many new replicates, whose mean lies around one drawn with the error 1."""
    of_one = judged(Every, pd.Series(standardised(4000, 1.0, 1.0)), above(0))
    share = decided_shares(of_one, {}, [2], ERROR, draws=2000)[2]
    spread, limit = 2**0.5 / 2, norm.ppf(0.95) / 2**0.5  # of the mean of all, and how far it must lie from 0
    assert share == pytest.approx(norm.cdf((1 - limit) / spread) + norm.cdf((-1 - limit) / spread), abs=0.03)


def test_the_largest_of_many_noisy_means_is_not_taken_for_the_truth():
    """Sixty differences that are 0, of which chance makes some large; by themselves they would be hard to decide."""
    rng = np.random.default_rng(0)
    noise = {str(cell): pd.Series(rng.normal(size=20) * 20**0.5) for cell in range(60)}
    largest = max(abs(values.mean()) for values in noise.values())
    tolerance = near(0, 1.1 * largest)
    together = decided_shares(judged(Every, noise, tolerance), {}, [8, WITHOUT_LIMIT], ERROR)
    assert together[WITHOUT_LIMIT] > 0.95
    assert together[8] > 0.6
    alone = {name: values for name, values in noise.items() if abs(values.mean()) > 0.9 * largest}
    assert len(alone) < 4, "too few to say how much of them is chance"
    assert decided_shares(judged(Every, alone, tolerance), {}, [8], ERROR)[8] < together[8]


def test_means_that_differ_keep_their_distances():
    rng = np.random.default_rng(1)
    cells = {str(cell): pd.Series(standardised(10, 100.0 * cell, 1.0, rng)) for cell in range(1, 9)}
    assert decided_shares(judged(Every, cells, above(50)), {}, [2], ERROR) == {2: 1.0}
    assert decided_shares(judged(Some, cells, above(795)), {}, [2], ERROR) == {2: 1.0}


def test_records_that_replicates_share_stay_as_they_are():
    table = {"replicates/toy": shared_table(0.1)}
    leaks = claim(
        "toy", "S.", Condition("x", above(0), at(1, metric("toy", "a", "loss"))), artifact="t", tables=tuple(table)
    )
    assert decided_shares(leaks, table, [WITHOUT_LIMIT], ERROR)[WITHOUT_LIMIT] < 0.5
    values = np.random.default_rng(2).normal(size=(21, 6))
    measured = mean_of(values)
    more = mean_of(Extended(values, 4, 0.25))
    variance = max(float(np.nanmean(shared_variances((values[0] - values[1:]).T))), 0)
    alone = values[0].std(ddof=1) / 24**0.5
    assert more.mean == pytest.approx(measured.mean + 0.25)
    assert more.error == pytest.approx((alone**2 + variance) ** 0.5)


def test_curves_are_compared_place_by_place():
    rng = np.random.default_rng(3)
    curve = {place: pd.Series(standardised(6, height, 0.3, rng)) for place, height in ((0.1, 0), (0.5, 2), (0.9, 1.7))}
    shares = decided_shares(judged(Highest, {"": curve}, highest_at(0.5)), {}, [2, 8, WITHOUT_LIMIT], ERROR)
    assert shares[2] < shares[8] < shares[WITHOUT_LIMIT] == 1.0


def test_two_replicates_say_how_they_spread_and_one_does_not():
    two, one = (judged(Every, pd.Series(values), at_most(0)) for values in ([-1.0, -1.2], [-1.0]))
    assert decided_shares(two, {}, [4], ERROR)[4] > 0.9
    assert np.isnan(decided_shares(one, {}, [4], ERROR)[4])


def test_equal_replicates_do_not_say_how_they_spread():
    assert np.isnan(decided_shares(judged(Every, pd.Series([1.0, 1.0, 1.0]), above(0)), {}, [2], ERROR)[2])
