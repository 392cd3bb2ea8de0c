"""Metrics, against scores whose metrics are known, and intervals, against scipy and by simulation."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import precision_score, recall_score

from dpmia.metrics.intervals import mean_interval
from dpmia.metrics.ranking import (
    LOW_RATES,
    advantage,
    best_threshold,
    guessed_right,
    guesses,
    held_rate,
    largest_held_rate,
    passing_at,
    ranking,
    roc,
    tpr_at,
)


def halves(n, m=None):
    return np.arange(n + (n if m is None else m)) < n


def rates(decisions, is_member):
    metrics = advantage(decisions, is_member)
    return {name: metrics[name] for name in ("advantage", "tpr", "fpr")}


def test_random_scores_tell_nothing():
    members, scores = halves(20_000), np.random.default_rng(0).random(40_000)
    # Four standard errors: of an AUC sqrt((n + m + 1) / (12 n m)), of a rate sqrt(p (1 - p) / n).
    metrics = ranking(scores, members)
    assert metrics["auc"] == pytest.approx(0.5, abs=4 * np.sqrt(40_001 / 12 / 20_000**2))
    assert metrics["tpr_at_1pct_fpr"] == pytest.approx(0.01, abs=4 * np.sqrt(2 * 0.01 * 0.99 / 20_000))
    assert advantage(scores > 0.3, members)["advantage"] == pytest.approx(0, abs=4 * np.sqrt(2 * 0.21 / 20_000))


def test_perfect_scores_tell_all():
    members = halves(50, 2000)
    metrics = ranking(members.astype(float), members)
    assert metrics == {"auc": 1, "tpr_at_1pct_fpr": 1, "tpr_at_0.1pct_fpr": 1, "resolution": 1 / 2000}
    assert rates(members, members) == {"advantage": 1, "tpr": 1, "fpr": 0}
    assert rates(~members, members) == {"advantage": -1, "tpr": 0, "fpr": 1}
    assert rates(members | True, members) == {"advantage": 0, "tpr": 1, "fpr": 1}
    assert best_threshold(members.astype(float), members) == 1


@pytest.mark.parametrize("count", [24, 105, 360, 1001])
def test_a_perfect_separation_has_an_auc_of_one_at_any_size(count):
    is_member = np.repeat([True, False], count)
    assert ranking(np.arange(2 * count)[::-1], is_member)["auc"] == 1
    assert ranking(np.arange(2 * count), is_member)["auc"] == 0


def test_precision_and_recall_are_those_of_scikit_learn():
    rng = np.random.default_rng(6)
    for _ in range(20):
        members = rng.permutation(halves(9, 5))
        decisions = rng.random(14) < 0.5
        metrics = advantage(decisions, members)
        assert metrics["precision"] == pytest.approx(
            precision_score(members, decisions, zero_division=np.nan), nan_ok=True
        )
        assert metrics["recall"] == pytest.approx(recall_score(members, decisions)) == metrics["tpr"]


def test_precision_and_recall_by_hand():
    members = np.array([True, True, True, False, False])
    metrics = advantage(np.array([True, True, False, True, False]), members)
    assert (metrics["precision"], metrics["recall"]) == (2 / 3, 2 / 3)
    assert advantage(members | True, members)["precision"] == 3 / 5, "whoever accuses all is right about the members"
    nobody = advantage(members & False, members)
    assert np.isnan(nobody["precision"])
    assert nobody["recall"] == 0


def test_with_equal_halves_and_full_recall_the_advantage_follows_from_the_precision():
    # Yeom et al. 2018, table I: precision .874 at recall 1 is an advantage of 2 - 1 / .874 = .856.
    members = halves(1000)
    decisions = np.arange(2000) < 1144
    metrics = advantage(decisions, members)
    assert metrics["precision"] == pytest.approx(0.874, abs=5e-4)
    assert metrics["advantage"] == pytest.approx(2 - 1 / metrics["precision"])


@pytest.mark.parametrize("mu", [0.5, 1, 2])
def test_shifted_normal_scores_have_the_metrics_of_theory(mu):
    n = 20_000
    members = halves(n)
    scores = np.random.default_rng(1).standard_normal(2 * n) + mu * members
    metrics = ranking(scores, members)
    assert metrics["auc"] == pytest.approx(stats.norm.cdf(mu / np.sqrt(2)), abs=4 / np.sqrt(6 * n))
    threshold = best_threshold(scores, members)
    # The largest difference of two empirical distributions exceeds the true one by little: 2 % at n = 20 000.
    best = advantage(scores >= threshold, members)
    assert best["advantage"] == pytest.approx(2 * stats.norm.cdf(mu / 2) - 1, abs=0.02)
    for name, rate in [("tpr_at_1pct_fpr", 0.01), ("tpr_at_0.1pct_fpr", 0.001)]:
        tpr = stats.norm.sf(stats.norm.isf(rate) - mu)
        slope = stats.norm.pdf(stats.norm.isf(rate) - mu) / stats.norm.pdf(stats.norm.isf(rate))
        error = np.sqrt(tpr * (1 - tpr) / n + slope**2 * rate * (1 - rate) / n)
        assert metrics[name] == pytest.approx(tpr, abs=4 * error + 1 / n)


def test_ranking_of_small_sets_is_that_of_all_pairs():
    rng = np.random.default_rng(2)
    for _ in range(20):
        members, scores = halves(5, 8), rng.integers(0, 6, 13)  # with ties
        pairs = [(a > b) + (a == b) / 2 for a, b in itertools.product(scores[members], scores[~members])]
        assert ranking(scores, members)["auc"] == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize(
    ("nonmembers", "at_1pct", "at_a_thousandth"),
    [(99, False, False), (100, True, False), (101, True, False), (999, True, False), (1000, True, True)],
)
def test_a_rate_below_the_resolution_is_not_reported(nonmembers, at_1pct, at_a_thousandth):
    members = halves(10, nonmembers)
    metrics = ranking(np.arange(10.0 + nonmembers), members)
    assert metrics["resolution"] == 1 / nonmembers
    assert np.isfinite(metrics["tpr_at_1pct_fpr"]) == at_1pct
    assert np.isfinite(metrics["tpr_at_0.1pct_fpr"]) == at_a_thousandth


@pytest.mark.parametrize(("nonmembers", "rate"), [(100, 0.01), (105, 0.01), (215, 0.01), (2105, 0.001)])
def test_a_part_of_the_records_lets_as_many_pass_as_it_has_of_those_that_pass_of_all(nonmembers, rate):
    rng = np.random.default_rng(nonmembers)
    scores, members = rng.normal(size=500 + nonmembers), np.arange(500 + nonmembers) < 500
    whole = tpr_at(*roc(scores + members, members)[:2], rate, nonmembers)
    assert tpr_at(*roc(scores + members, members)[:2], rate, nonmembers, nonmembers) == whole
    tprs = []
    for _ in range(200):  # parts of other sizes, as groups drawn at random leave
        kept = rng.random(len(scores)) > 0.05
        tprs.append(tpr_at(*roc((scores + members)[kept], members[kept])[:2], rate, (~members[kept]).sum(), nonmembers))
    assert np.isfinite(tprs).all()
    assert np.mean(tprs) == pytest.approx(whole, abs=0.03)
    flat = tpr_at(np.array([0, 0.5, 1]), np.array([0.2, 0.6, 1]), 0.25, 2, 4)
    assert flat == pytest.approx(0.4), "half a non-member may pass: half way from .2 to .6"


def test_a_rate_of_exactly_one_false_alarm_allows_one():
    members = halves(4, 100)
    # In falling order: member, non-member, two members, other non-members and the last member.
    scores = np.concatenate([[10, 8, 7, 0], [9], np.full(99, 1.0)])
    assert ranking(scores, members)["tpr_at_1pct_fpr"] == 0.75


@pytest.mark.parametrize("rate", [0.001, 0.01, 0.03, 0.1])
def test_the_largest_held_rate_is_that_of_any_number_of_nonmembers(rate):
    least = math.ceil(1 / rate)
    for fewest, most in ((1, least), (least, least), (least, 3 * least), (2 * least - 1, 2 * least + 5), (1500, 9000)):
        every = [held_rate(rate, number) for number in range(max(fewest, least), most + 1)]
        assert largest_held_rate(rate, fewest, most) == max(every)


@pytest.mark.parametrize("nonmembers", [99, 100, 113, 199, 200, 1000])
def test_the_held_rate_is_the_mean_tpr_of_random_scores(nonmembers):
    """On few non-members a threshold that passes 1 % of them passes more of new records."""
    members, rng = halves(200, nonmembers), np.random.default_rng(nonmembers)
    rankings = [ranking(rng.random(200 + nonmembers), members) for _ in range(400)]
    for name, rate in LOW_RATES.items():
        held, values = held_rate(rate, nonmembers), np.array([metrics[name] for metrics in rankings])
        assert np.isnan(held) == (nonmembers < round(1 / rate))
        assert np.isnan(values).all() == np.isnan(held)
        if not np.isnan(held):
            assert held >= rate
            assert values.mean() == pytest.approx(held, abs=4 * values.std() / 20)


def test_the_best_threshold_is_the_best_of_all():
    rng = np.random.default_rng(3)
    for _ in range(50):
        members = rng.permutation(halves(6, 9))
        scores = rng.integers(0, 7, 15).astype(float)
        largest = advantage(scores >= best_threshold(scores, members), members)["advantage"]
        assert largest == max(advantage(scores >= t, members)["advantage"] for t in [*scores, np.inf])
        assert largest >= 0


def test_of_equally_good_thresholds_the_highest_is_taken():
    members = np.array([True, False, True, False])
    assert best_threshold(np.array([4.0, 3.0, 2.0, 1.0]), members) == 4
    assert best_threshold(np.array([1.0, 2.0, 1.0, 2.0]), members) == np.inf, "better to accuse nobody"
    assert best_threshold(np.zeros(4), members) == np.inf, "all scores equal: no rule beats guessing"


@pytest.mark.parametrize("members", [np.ones(3, bool), np.zeros(3, bool)])
def test_one_kind_of_records_alone_cannot_be_measured(members):
    scores = np.arange(3.0)
    for measured in (lambda: advantage(scores > 1, members), lambda: best_threshold(scores, members)):
        with pytest.raises(ValueError, match="members and non-members; one of them is missing"):
            measured()
    with pytest.raises(ValueError, match="one of them is missing"):
        ranking(scores, members)


def test_intervals_are_those_of_scipy():
    values = np.random.default_rng(4).standard_normal(7)
    for level in (0.5, 0.95, 0.99):
        interval = mean_interval(values, level)
        low, high = stats.t.interval(level, 6, loc=values.mean(), scale=stats.sem(values))
        assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-12)
        assert (interval.mean, interval.count) == (pytest.approx(values.mean()), 7)
    assert (mean_interval(values).low, mean_interval(values).high) == pytest.approx(
        stats.ttest_1samp(values, 0).confidence_interval()
    )


def test_intervals_cover_the_true_mean_as_often_as_they_say():
    values = np.random.default_rng(5).normal(3, 2, (4000, 4))
    intervals = [mean_interval(row) for row in values]
    covered = np.mean([interval.low <= 3 <= interval.high for interval in intervals])
    # Four standard errors of 4000 tosses.
    assert covered == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / 4000))


def test_one_value_has_no_interval_and_none_no_mean():
    one = mean_interval(np.array([0.25]))
    assert (one.mean, one.count) == (0.25, 1)
    assert np.isnan([one.low, one.high]).all()
    none = mean_interval(np.array([]))
    assert none.count == 0
    assert np.isnan([none.mean, none.low, none.high]).all()


def test_missing_values_are_left_out():
    full, holed = mean_interval(np.array([1.0, 2, 4])), mean_interval(np.array([1, np.nan, 2, 4, np.nan]))
    assert full == holed
    assert mean_interval(np.array([np.nan, np.nan])).count == 0


def test_equal_values_have_an_interval_of_no_width():
    interval = mean_interval(np.full(5, 0.5))
    assert (interval.low, interval.mean, interval.high) == (0.5, 0.5, 0.5)


def test_the_highest_scores_are_guessed_members_and_the_lowest_are_not():
    members = np.array([True, False, True, True, False, False, True, False, True, False])
    shares = guessed_right(np.array([9, 8, 7, 6, 5, 4, 3, 2, 1, 0.0]), members)
    # From the lowest: one guess of each kind, then one again (a fifth of 10), two, and all.
    assert shares == {
        "guessed_right@0.1": 1.0,
        "guessed_right@0.2": 1.0,
        "guessed_right@0.5": (1 + 1) / 4,
        "guessed_right@1": (3 + 3) / 10,
    }
    assert [guesses(10, share) for share in (0.1, 0.2, 0.5, 1.0)] == [2, 2, 4, 10]
    assert guesses(101, 1.0) == 100


def test_guesses_of_equal_scores_do_not_see_who_is_a_member():
    rng = np.random.default_rng(7)
    rights = [guessed_right(np.zeros(100), rng.random(100) < 0.5)["guessed_right@1"] for _ in range(400)]
    assert np.mean(rights) == pytest.approx(0.5, abs=4 * 0.05 / 20)


@pytest.mark.parametrize(
    ("rate", "nonmembers", "passing"),
    [(0.1, 10, 1), (0.25, 10, 2), (0.3, 10, 3), (1.0, 7, 7), (0.01, 100, 1), (1.0, 1, 1)],
)
def test_the_held_rate_is_that_of_the_next_non_member(rate, nonmembers, passing):
    # Of the n + 1 equally likely ranks of one more, those above the threshold: counted as fractions of whole numbers.
    assert held_rate(rate, nonmembers) == (passing + 1) / (nonmembers + 1)
    assert np.isnan(held_rate(0.99 / nonmembers, nonmembers))


@pytest.mark.parametrize("rate", [0.001, 0.05, 0.1, 0.29, 0.7, 0.9, 1.0, 1 / 3])
def test_as_many_pass_as_shares_are_at_most_the_rate(rate):
    counts = np.arange(1, 400)
    right = [int((np.arange(1, count + 1) / count <= rate).sum()) for count in counts]
    assert passing_at(rate, counts).tolist() == right
