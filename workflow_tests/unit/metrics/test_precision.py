"""Precision over quantiles, against counting by hand; the control, against enumeration and simulation."""

import itertools

import numpy as np
import pytest
from scipy import linalg, stats

from dpmia.metrics.precision import (
    QUANTILES,
    ROC_RATES,
    best_quantile,
    measured_precision,
    precision_references,
    random_best_quantile,
)

INF, NAN = np.inf, np.nan


def halves(members, nonmembers):
    return np.arange(members + nonmembers) < members


def counted(scores, is_member, quantiles=40):
    """Return the best precision by ranking records one by one; no ties, no missing scores."""
    ranked = is_member[np.argsort(-scores)]
    sizes = [int(np.ceil(i * len(scores) / quantiles)) for i in range(1, quantiles + 1)]
    return max(ranked[:size].mean() for size in sizes)


@pytest.mark.parametrize("records", [3, 39, 40, 41, 200, 1000])
def test_the_best_quantile_is_that_of_the_forty_rankings(records):
    rng = np.random.default_rng(records)
    is_member = rng.permutation(halves(records // 3, records - records // 3))
    scores = rng.standard_normal(records)
    best, _ = best_quantile(scores, is_member)
    assert best == pytest.approx(counted(scores, is_member), abs=1e-15)
    assert best >= is_member.mean()


def test_perfect_scores_are_precise_up_to_the_number_of_members():
    is_member = halves(500, 500)
    assert best_quantile(is_member + np.random.default_rng(0).random(1000), is_member) == (1, 0.5)
    # The wrong way round, nothing beats accepting everybody.
    assert best_quantile(-1.0 * is_member + np.random.default_rng(0).random(1000), is_member) == (0.5, 1)


def test_equal_scores_stand_or_fall_together():
    is_member = np.array([True, False, True, False])
    assert best_quantile(np.ones(4), is_member) == (0.5, 1)
    assert best_quantile(np.array([2.0, 2.0, 1.0, 1.0]), is_member) == (0.5, 1)
    assert best_quantile(np.array([2.0, 1.0, 2.0, 1.0]), is_member) == (1, 0.5)


def test_a_score_that_is_not_a_number_is_never_accepted():
    is_member = np.array([True, False, True, True])
    # Of four records, three members; the non-member has no score, so all that are accepted are members.
    assert best_quantile(np.array([0.3, NAN, 0.1, 0.2]), is_member) == (1, 0.75)
    assert best_quantile(np.array([0.3, 0.4, NAN, NAN]), is_member) == (0.5, 0.5)
    best = best_quantile(np.full(4, NAN), is_member)
    assert np.isnan(best[0])
    assert best[1] == 0


def test_infinite_scores_are_scores():
    is_member = np.array([True, True, False, False])
    assert best_quantile(np.array([INF, INF, 0.0, -INF]), is_member) == (1, 0.5)


# The control


@pytest.mark.parametrize(("members", "records"), [(1, 2), (1, 6), (3, 4), (4, 8), (6, 7), (5, 5)])
def test_the_control_is_the_mean_over_all_rankings(members, records):
    rankings = list(itertools.combinations(range(records), members))
    best = []
    for places in rankings:
        is_member = np.isin(np.arange(records), places)
        best.append(counted(-np.arange(records), is_member))
    error = np.std(best) / np.sqrt(5000)
    assert random_best_quantile(members, records) == pytest.approx(np.mean(best), abs=4 * error)


def exact_control(members, records, step=1e-3):
    """Return the mean of the best quantile over all rankings, off by half of `step` at most.

    The number of members among the k highest is a random walk; F(t), the chance that it never exceeds t * k, is
    followed from quantile to quantile as that of independent draws and then conditioned on their total. The mean is
    the share of members and the integral of 1 - F above it, by the midpoint rule.
    """
    share = members / records
    steps = int(np.ceil((1 - share) / step))
    limits = share + (np.arange(steps) + 0.5) * (1 - share) / steps
    ways = np.zeros((steps, members + 1))
    ways[:, 0] = 1
    sizes = np.ceil(np.arange(1, QUANTILES + 1) * records / QUANTILES).astype(int)
    for size, block in zip(sizes, np.diff(sizes, prepend=0), strict=True):
        drawn = stats.binom.pmf(np.arange(members + 1), block, share)
        ways = ways @ linalg.toeplitz(drawn, np.zeros(members + 1)).T
        ways[np.arange(members + 1) > limits[:, None] * size] = 0
    below = ways[:, members] / stats.binom.pmf(members, records, share)
    return share + (1 - share) * (1 - below).mean()


@pytest.mark.parametrize(("members", "records"), [(20, 130), (60, 120), (110, 130), (100, 1000), (300, 1000)])
def test_the_control_is_that_of_the_exact_distribution(members, records):
    error = 0.002 if records < 1000 else 0.0008
    assert random_best_quantile(members, records) == pytest.approx(exact_control(members, records), abs=4 * error)


def test_the_control_is_the_same_at_every_call():
    first = random_best_quantile(30, 100)
    random_best_quantile.cache_clear()
    np.random.default_rng(0).random()
    assert random_best_quantile(30, 100) == first


def test_a_random_ranking_of_a_thousand_records_gains_several_points():
    # A simulation with 2000 rankings gave these; the values of the paper's figure 4 are no larger.
    for share, gain in [(0.1, 0.036), (0.3, 0.055), (0.5, 0.059), (0.7, 0.055), (0.9, 0.035)]:
        members = round(1000 * share)
        assert random_best_quantile(members, 1000) - share == pytest.approx(gain, abs=3e-3)
        assert exact_control(members, 1000) - share == pytest.approx(gain, abs=2e-3)


def test_references_follow_from_the_numbers_of_members_and_non_members():
    references = precision_references(halves(30, 70))
    assert references == {"precision_baseline": 0.3, "precision_control": random_best_quantile(30, 100)}


def test_random_scores_reach_the_control_and_no_more():
    is_member, rng = halves(40, 60), np.random.default_rng(2)
    best = [best_quantile(rng.random(100), is_member)[0] for _ in range(500)]
    error = np.std(best) / np.sqrt(len(best))
    assert np.mean(best) == pytest.approx(exact_control(40, 100), abs=4 * error)


# All metrics


def test_precision_of_four_records_by_hand():
    is_member = np.array([True, True, False, False])
    scores, decisions = np.array([0.9, 0.2, 0.8, 0.1]), np.array([True, False, True, False])
    metrics = measured_precision(scores, decisions, is_member)
    assert (metrics["precision"], metrics["accepted"]) == (0.5, 0.5)
    assert (metrics["precision_best"], metrics["accepted_best"], metrics["nan_scores"]) == (1, 0.25, 0)
    assert metrics["tpr@0.5"] == 1
    assert metrics["tpr@1"] == 1


def test_an_attack_that_predicts_no_member_has_no_precision():
    metrics = measured_precision(np.arange(4.0), np.zeros(4, bool), np.array([True, True, False, False]))
    assert np.isnan(metrics["precision"])
    assert metrics["accepted"] == 0
    assert metrics["precision_best"] == 0.5


def test_records_without_a_score_are_reported_and_never_called_members():
    is_member = np.array([True, True, False, False])
    scores = np.array([0.5, NAN, NAN, 0.1])
    metrics = measured_precision(scores, np.ones(4, bool), is_member)
    assert (metrics["precision"], metrics["accepted"], metrics["nan_scores"]) == (0.5, 0.5, 0.5)
    assert (metrics["precision_best"], metrics["accepted_best"]) == (1, 0.25)
    assert metrics["tpr@0.5"] == 0.5, "the record without a score ranks last"


def test_a_rate_below_the_resolution_is_not_reported():
    is_member = halves(20, 50)
    metrics = measured_precision(np.arange(70.0), np.ones(70, bool), is_member)
    reported = [rate for rate in ROC_RATES if np.isfinite(metrics[f"tpr@{rate:g}"])]
    assert reported == [rate for rate in ROC_RATES if rate >= 0.02]


def test_rates_of_a_roc_are_dense_from_a_thousandth_to_one():
    assert (ROC_RATES[0], ROC_RATES[-1]) == (0.001, 1)
    ratios, steps = np.array(ROC_RATES[1:]) / np.array(ROC_RATES[:-1]), np.diff(ROC_RATES)
    assert (ratios > 1).all()
    assert (ratios < 1.34).all(), "on a logarithmic axis"
    assert (steps < 0.0501).all(), "on a linear axis"


def test_the_roc_of_shifted_normal_scores_is_that_of_theory():
    is_member = halves(20_000, 20_000)
    scores = np.random.default_rng(3).standard_normal(40_000) + is_member
    metrics = measured_precision(scores, scores > 0.5, is_member)
    for rate in (0.01, 0.1, 0.5):
        assert metrics[f"tpr@{rate:g}"] == pytest.approx(stats.norm.sf(stats.norm.isf(rate) - 1), abs=0.02)
    assert metrics["precision"] == pytest.approx(stats.norm.cdf(0.5), abs=0.01)
    assert metrics["tpr@1"] == 1


def test_infinite_scores_have_a_roc():
    is_member = np.array([True, True, False, False])
    metrics = measured_precision(np.array([INF, -INF, 0.0, -INF]), np.ones(4, bool), is_member)
    assert metrics["tpr@0.5"] == 0.5


@pytest.mark.parametrize("is_member", [np.ones(3, bool), np.zeros(3, bool)])
def test_one_kind_of_records_alone_cannot_be_measured(is_member):
    with pytest.raises(ValueError, match="one of them is missing"):
        measured_precision(np.arange(3.0), np.ones(3, bool), is_member)
