"""Standard errors over the records of one model, against closed forms and against all pairs."""

import numpy as np
import pytest

from dpmia.metrics.intervals import EQUAL, RECORDS, SINGLE
from dpmia.metrics.record_errors import record_estimates, standard_errors


def drawn(seed, members=7, nonmembers=11):
    """Return scores with ties, decisions and the truth."""
    rng = np.random.default_rng(seed)
    is_member = rng.permutation(np.arange(members + nonmembers) < members)
    scores = rng.integers(0, 6, members + nonmembers) + is_member * 1.0
    return scores, scores >= 3, is_member


@pytest.mark.parametrize("seed", range(5))
def test_the_error_of_an_advantage_is_that_of_two_independent_shares(seed):
    scores, decisions, is_member = drawn(seed)
    tpr, fpr = decisions[is_member].mean(), decisions[~is_member].mean()
    expected = np.sqrt(tpr * (1 - tpr) / 6 + fpr * (1 - fpr) / 10)
    assert standard_errors(scores, decisions, is_member)["advantage"] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_the_error_of_an_auc_is_delongs_over_all_pairs(seed):
    scores, decisions, is_member = drawn(seed)
    ours, others = scores[is_member][:, None], scores[~is_member]
    won = (ours > others) + (ours == others) / 2
    expected = np.sqrt(won.mean(axis=1).var(ddof=1) / 7 + won.mean(axis=0).var(ddof=1) / 11)
    assert standard_errors(scores, decisions, is_member)["auc"] == pytest.approx(expected)


def test_a_single_member_has_no_error_and_two_have_one():
    decisions = np.array([True, False, True, False])
    one = standard_errors(np.arange(4.0), decisions, np.array([True, False, False, False]))
    assert np.isnan([*one.values()]).all()
    two = standard_errors(np.arange(4.0), decisions, np.array([True, True, False, False]))
    estimates = record_estimates(np.arange(4.0), decisions, np.array([True, False, False, False]))
    assert {each.kind for each in estimates.values()} == {SINGLE}
    # Shares of a half, of two records each: the variance is a half, that of the mean a quarter.
    assert two["advantage"] == pytest.approx(np.sqrt(1 / 4 + 1 / 4))


def test_estimates_have_the_degrees_of_two_groups_of_records():
    scores, decisions, is_member = drawn(0)
    errors, found = standard_errors(scores, decisions, is_member), record_estimates(scores, decisions, is_member)
    assert found["advantage"].mean == pytest.approx(decisions[is_member].mean() - decisions[~is_member].mean())
    for name, each in found.items():
        assert (each.error, each.records_error, each.kind) == (errors[name], errors[name], RECORDS)
        assert (each.degrees, each.count) == (7 + 11 - 2, 1)


def test_where_nothing_varies_an_auc_has_the_limits_of_the_fewer_records_and_an_advantage_none():
    is_member = np.arange(18) < 7
    for members in (is_member, ~is_member):
        found = record_estimates(members.astype(float), np.ones(18, dtype=bool), members)
        assert (found["auc"].mean, found["auc"].kind, found["auc"].error, found["auc"].count) == (1, RECORDS, 0, 1)
        low, high = found["auc"].limits((0.0, 1.0))
        assert (low, high) == (pytest.approx(0.025 ** (1 / 7)), 1)
        assert (found["advantage"].mean, found["advantage"].kind, found["advantage"].count) == (0, EQUAL, 1)
        assert np.isnan([found["advantage"].error, found["advantage"].degrees]).all()


def test_scores_that_are_all_the_same_have_an_auc_without_limits():
    is_member = np.arange(20) < 10
    found = record_estimates(np.zeros(20), np.ones(20, dtype=bool), is_member)["auc"]
    assert (found.mean, found.kind) == (0.5, EQUAL)
    assert np.isnan(found.limits((0.0, 1.0))).all()


def test_an_auc_of_one_has_a_lower_limit():
    is_member = np.arange(20) < 10
    found = record_estimates(is_member * 1.0, is_member, is_member)["auc"]
    low, high = found.limits((0.0, 1.0))
    assert (found.kind, high) == (RECORDS, 1.0)
    assert 0.5 < low < 0.8
