"""True positive rates at low false positive rates: limits that cover, and what random scores reach."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import norm

from dpmia.metrics.low_rates import guessing_tail, tpr_limits
from dpmia.metrics.ranking import held_rate, roc


def limits(scores, is_member, rate, error=0.05):
    fpr, tpr, _ = roc(scores, is_member)
    return tpr_limits(fpr, tpr, rate, int(is_member.sum()), int((~is_member).sum()), error)


@pytest.mark.parametrize("shift", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("sizes", [(1000, 100), (300, 1000), (50, 400)])
def test_limits_cover_the_rate_of_all_records(sizes, shift):
    rng, rate = np.random.default_rng(sum(sizes)), 0.01
    truth = norm.sf(norm.isf(rate) - shift)
    is_member = np.arange(sum(sizes)) < sizes[0]
    drawn = [limits(rng.normal(size=sum(sizes)) + shift * is_member, is_member, rate) for _ in range(400)]
    low, high = np.array(drawn).T
    assert (low > truth).mean() <= 0.025 + 0.025  # 3 standard errors of the simulation
    assert (high < truth).mean() <= 0.025 + 0.025


def test_limits_narrow_around_the_rate_with_the_records():
    rng = np.random.default_rng(0)
    widths = []
    for records in (300, 3000, 30000):
        is_member = np.arange(2 * records) < records
        low, high = limits(rng.normal(size=2 * records) + is_member, is_member, 0.05)
        assert low < norm.sf(norm.isf(0.05) - 1) < high
        widths.append(high - low)
    assert widths[0] > 2 * widths[1] > 4 * widths[2]


def test_so_few_nonmembers_that_the_threshold_may_have_any_rate_leave_no_lower_limit():
    is_member = np.arange(200) < 100
    assert limits(is_member.astype(float), is_member, 0.01)[0] == 0, "of 100 non-members none need lie above it"
    assert limits(is_member.astype(float), is_member, 0.1)[0] > 0.9


def test_equal_scores_do_not_raise_the_lower_limit():
    is_member = np.arange(2000) < 1000
    same = np.zeros(2000)
    low, high = limits(same, is_member, 0.01)
    assert (low, high) == (0, pytest.approx(0.0044, abs=1e-3)), "no threshold has a rate above 0, and below 1"


@pytest.mark.parametrize(("members", "nonmembers", "rate"), [(3, 4, 0.25), (4, 3, 0.4), (2, 5, 0.4), (3, 3, 1 / 3)])
def test_what_random_scores_find_is_counted_over_all_orders(members, nonmembers, rate):
    orders = {*permutations([True] * members + [False] * nonmembers)}
    passing = int(rate * nonmembers + 1e-9)
    counts = []
    for order in orders:
        last = [place for place, inside in enumerate(order) if not inside][passing]  # the first that does not pass
        counts.append(sum(order[:last]))
    for hits in range(members + 1):
        share = np.mean(np.array(counts) >= hits)
        assert guessing_tail(hits, members, nonmembers, rate) == pytest.approx(share)


def test_the_mean_of_what_random_scores_find_is_the_rate_that_is_held():
    members, nonmembers, rate = 500, 500, 0.01
    mean = sum(guessing_tail(hits, members, nonmembers, rate) for hits in range(1, members + 1)) / members
    assert mean == pytest.approx(held_rate(rate, nonmembers))
