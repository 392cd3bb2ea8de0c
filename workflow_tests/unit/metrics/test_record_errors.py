"""Standard errors over the records of one model, against closed forms, all pairs and simulated models."""

import numpy as np
import pytest
from scipy import stats

from dpmia.metrics.intervals import CHOSEN, EQUAL, RECORDS, SINGLE
from dpmia.metrics.record_errors import NARROWEST, record_estimates


def drawn(seed, members=7, nonmembers=11):
    """Return scores with ties, decisions and the truth."""
    rng = np.random.default_rng(seed)
    is_member = rng.permutation(np.arange(members + nonmembers) < members)
    scores = rng.integers(0, 6, members + nonmembers) + is_member * 1.0
    return scores, scores >= 3, is_member


def of_counts(hits, members, guessed, nonmembers):
    """Return the estimate of an advantage by how many members, and how many non-members, are taken for members."""
    decisions = np.concatenate([np.arange(members) < hits, np.arange(nonmembers) < guessed])
    is_member = np.arange(members + nonmembers) < members
    return record_estimates(decisions.astype(float), decisions, is_member)["advantage"]


def test_limits_of_an_advantage_reach_as_far_as_those_with_a_success_and_a_failure_more():
    # 3 of 8 members and 1 of 18 non-members: shares of .4 and .1, of 10 and 20.
    estimate = of_counts(3, 8, 1, 18)
    assert estimate.mean == pytest.approx(3 / 8 - 1 / 18)
    variances = 0.4 * 0.6 / 10, 0.1 * 0.9 / 20
    error = np.sqrt(sum(variances))
    assert estimate.error == pytest.approx(error + (3 / 8 - 1 / 18 - 0.3) / NARROWEST)
    assert estimate.degrees == pytest.approx(sum(variances) ** 2 / (variances[0] ** 2 / 9 + variances[1] ** 2 / 19))
    assert (estimate.count, estimate.kind, estimate.records_error) == (1, RECORDS, estimate.error)
    low, high = estimate.limits((-1.0, 1.0), 0.9)
    assert low < 0.3 - NARROWEST * error
    assert high > 0.3 + NARROWEST * error


def test_with_many_records_the_error_of_an_advantage_is_that_of_two_independent_shares():
    estimate = of_counts(30_000, 100_000, 10_000, 100_000)
    assert estimate.error == pytest.approx(np.sqrt((0.3 * 0.7 + 0.1 * 0.9) / 100_000), rel=2e-3)


@pytest.mark.parametrize(
    ("members", "nonmembers", "tpr", "fpr"),
    [(10, 1000, 0.2, 0.05), (100, 1000, 0.02, 0.01), (20, 1000, 0.95, 0.1), (10, 10, 0.9, 0.1), (20, 20, 0.5, 0.3)],
)
def test_each_limit_of_an_advantage_of_few_records_is_rarely_wrong(members, nonmembers, tpr, fpr):
    # Limits by the plain variance are wrong in up to .36 of 20,000 models in these cases; Agresti and Caffo's in .096.
    rng = np.random.default_rng(0)
    trials = zip(rng.binomial(members, tpr, 2000), rng.binomial(nonmembers, fpr, 2000), strict=True)
    limits = np.array([of_counts(x, members, y, nonmembers).limits((-1.0, 1.0), 0.9) for x, y in trials])
    assert (limits[:, 0] > tpr - fpr).mean() < 0.07
    assert (limits[:, 1] < tpr - fpr).mean() < 0.11


@pytest.mark.parametrize("seed", range(5))
def test_the_error_of_an_auc_is_delongs_with_one_more_record_on_each_side_that_wins_half_of_its_pairs(seed):
    scores, decisions, is_member = drawn(seed)
    ours, others = scores[is_member][:, None], scores[~is_member]
    won = (ours > others) + (ours == others) / 2
    members, others = np.append(won.mean(axis=1), 0.5), np.append(won.mean(axis=0), 0.5)
    expected = np.sqrt(members.var(ddof=1) / 8 + others.var(ddof=1) / 12)
    welch = stats.ttest_ind(members, others, equal_var=False)
    estimate = record_estimates(scores, decisions, is_member)["auc"]
    assert (estimate.error, estimate.records_error) == (pytest.approx(expected), estimate.error)
    assert (estimate.degrees, estimate.count, estimate.kind) == (pytest.approx(welch.df), 1, RECORDS)


def test_a_single_member_has_no_interval_and_two_have_one():
    decisions = np.array([True, False, True, False])
    one = record_estimates(np.arange(4.0), decisions, np.array([True, False, False, False]))
    assert {estimate.kind for estimate in one.values()} == {SINGLE}
    assert np.isnan([estimate.error for estimate in one.values()]).all()
    two = record_estimates(np.arange(4.0), decisions, np.array([True, True, False, False]))
    assert {estimate.kind for estimate in two.values()} == {RECORDS}


def test_where_nothing_varies_an_auc_has_the_limits_of_the_fewer_records():
    is_member = np.arange(18) < 7
    for members in (is_member, ~is_member):
        estimate = record_estimates(members.astype(float), np.ones(18, dtype=bool), members)["auc"]
        assert (estimate.mean, estimate.kind, estimate.error, estimate.count) == (1, RECORDS, 0, 1)
        low, high = estimate.limits((0.0, 1.0))
        assert (low, high) == (pytest.approx(0.025 ** (1 / 7)), 1)


def test_an_attack_that_is_always_right_has_a_lower_limit():
    low, high = of_counts(30, 30, 0, 40).limits((-1.0, 1.0))
    assert 0.8 < low < 0.95
    assert high == 1


def test_scores_that_are_all_the_same_have_an_auc_without_limits():
    is_member = np.arange(20) < 10
    estimate = record_estimates(np.zeros(20), np.ones(20, dtype=bool), is_member)["auc"]
    assert (estimate.mean, estimate.kind) == (0.5, EQUAL)
    assert np.isnan(estimate.limits((0.0, 1.0))).all()


def test_an_oracle_has_no_interval_of_its_advantage():
    is_member = np.arange(40) < 20
    scores = np.random.default_rng(0).random(40)
    honest, oracle = (record_estimates(scores, scores >= 0.5, is_member, oracle) for oracle in (False, True))
    assert oracle["advantage"].mean == honest["advantage"].mean
    assert oracle["advantage"].kind == CHOSEN
    assert np.isnan(oracle["advantage"].limits((-1.0, 1.0))).all()
    assert oracle["auc"] == honest["auc"]


@pytest.mark.parametrize(("members", "nonmembers", "shift"), [(20, 200, 3.0), (10, 500, 2.0), (60, 60, 0.5)])
def test_limits_of_an_auc_miss_on_either_side_as_rarely_as_they_say(members, nonmembers, shift):
    rng = np.random.default_rng(5)
    is_member = np.arange(members + nonmembers) < members
    truth, missed = stats.norm.cdf(shift / np.sqrt(2)), np.zeros(2)
    draws = 1000
    for _ in range(draws):
        scores = rng.normal(size=len(is_member)) + shift * is_member
        low, high = record_estimates(scores, scores > 0, is_member)["auc"].limits((0.0, 1.0))
        missed += (truth < low, truth > high)
    assert (missed <= 0.025 * draws + 3.1 * np.sqrt(0.025 * 0.975 * draws)).all()


def test_an_auc_of_one_has_a_lower_limit():
    is_member = np.arange(20) < 10
    estimate = record_estimates(is_member * 1.0, is_member, is_member)["auc"]
    low, high = estimate.limits((0.0, 1.0))
    assert (estimate.kind, high) == (RECORDS, 1.0)
    assert 0.5 < low < 0.8
