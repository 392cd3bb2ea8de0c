"""Confidence intervals against scipy's own, and against the definition."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, t

from dpmia.metrics.intervals import (
    BOTH,
    EQUAL,
    EXACT,
    INFINITE,
    RECORDS,
    REPLICATES,
    SPLITS,
    TOO_FEW,
    Estimate,
    clopper_pearson,
    degrees_of_sum,
    equal_records,
    estimate,
    mean_interval,
    replicates_needed,
)

SHARE = (0.0, 1.0)


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


def covered(level, tries):
    """Return the range of coverages within four standard errors of the level."""
    error = 4 * np.sqrt(level * (1 - level) / tries)
    return level - error, level + error


@pytest.mark.parametrize("records_error", [0.0, 0.05])
def test_the_replicates_needed_reach_the_half_width_and_one_fewer_does_not(records_error):
    values = np.random.default_rng(0).normal(size=5)
    spread, shared = values.std(ddof=1), np.full(5, records_error**2)
    estimated = estimate(values, shared)
    wanted = estimated.half_width() / 3
    needed = replicates_needed(estimated, wanted)

    def half_width(count):  # of `count` values with the spread of the five
        sample = np.resize([-1.0, 1.0], count)
        sample -= sample.mean()
        return estimate(sample / sample.std(ddof=1) * spread, np.full(count, records_error**2)).half_width()

    assert half_width(needed) <= wanted < half_width(needed - 1)


def test_replicates_that_are_enough_stay_as_they_are_and_thousands_are_none():
    assert replicates_needed(Estimate(0.5, 0.001, 3.0, 4, REPLICATES), 0.02) == 4
    assert replicates_needed(Estimate(0.5, 1.0, 2.0, 3, REPLICATES), 0.001) is None


def test_no_number_of_replicates_narrows_what_shared_records_leave_open():
    assert replicates_needed(Estimate(0.5, 0.051, 19.0, 4, BOTH, 0.05), 0.09) is None


def test_two_values_have_a_mean_and_no_interval():
    estimated = estimate(np.array([-1.0, 0.3]))
    assert (estimated.mean, estimated.count, estimated.kind) == (pytest.approx(-0.35), 2, TOO_FEW)
    assert np.isnan(estimated.limits()).all()
    assert np.isfinite(mean_interval(np.array([-1.0, 0.3, 0.5])).low)


def test_equal_values_have_no_interval_over_replicates_and_the_reason():
    estimated = estimate(np.full(4, 0.8))
    assert (estimated.mean, estimated.kind) == (0.8, EQUAL)
    assert np.isnan(estimated.limits()).all()
    assert estimate(np.full(4, 0.8), np.full(4, np.nan)).kind == EQUAL
    exact = estimate(np.full(4, 0.8), exact=True)
    assert (exact.kind, *exact.limits(SHARE)) == (EXACT, 0.8, 0.8)


def test_equal_values_of_shared_records_have_an_interval_over_the_records():
    estimated = estimate(np.full(4, 0.441), np.full(4, 0.045**2))
    assert estimated.kind == BOTH
    assert estimated.degrees == pytest.approx(19)
    assert estimated.limits((-1.0, 1.0)) == pytest.approx(
        (0.441 - 0.045 * t.isf(0.025, 19), 0.441 + 0.045 * t.isf(0.025, 19))
    )


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_shares_that_are_0_or_1_have_exact_limits_over_the_records_of_one_replicate(share):
    estimated = estimate(np.full(4, share), trials=50)
    expected = binomtest(int(50 * share), 50).proportion_ci(method="exact")
    assert (estimated.kind, estimated.count) == (RECORDS, 4)
    assert estimated.limits(SHARE) == pytest.approx((expected.low, expected.high))
    assert equal_records(share, 50).limits(SHARE) == estimated.limits(SHARE)
    assert estimate(np.full(4, share)).kind == EQUAL


def test_a_shared_variance_below_zero_adds_nothing():
    values = np.array([0.1, 0.2, 0.4])
    plain, shared = estimate(values), estimate(values, np.full(3, -1e-4))
    assert (plain.kind, shared.kind) == (REPLICATES, BOTH)
    assert (shared.error, shared.degrees, shared.records_error) == (plain.error, plain.degrees, 0)


def test_missing_replicates_take_their_shared_variance_with_them():
    estimated = estimate(np.array([0.1, np.nan, 0.2, 0.4]), np.array([1e-4, 9.0, 1e-4, 1e-4]))
    assert estimated.records_error == pytest.approx(0.01)


@pytest.mark.parametrize(("predictions", "replicates"), [(5, 5), (50, 3)])
def test_the_interval_of_a_precision_of_few_predictions_covers_it_and_stays_within_0_and_1(predictions, replicates):
    rng, tries, true = np.random.default_rng(4), 2000, 0.9
    hits, left, measured = 0, 0, 0
    for _ in range(tries):
        positives = rng.poisson(predictions, replicates)
        values = np.where(positives > 0, rng.binomial(positives, true) / np.maximum(positives, 1), np.nan)
        estimated = estimate(values)
        if np.isnan(estimated.error):
            continue
        low, high = estimated.limits(SHARE)
        assert 0 <= low < estimated.mean < high <= 1
        measured += 1
        hits += low <= true <= high
        left += not 0 <= mean_interval(values).low <= mean_interval(values).high <= 1
    assert left > 0.3 * measured, "t intervals leave the range"
    # With few and discrete values it is too wide rather than too narrow.
    assert covered(0.95, measured)[0] <= hits / measured <= 0.99


def test_the_corrected_interval_covers_where_random_splits_of_one_data_set_overlap():
    # The error of a mean of training records on test records, as in the paper: what 30 splits of 40 records say about
    # the error to expect of other records.
    rng, tries, splits, train, test = np.random.default_rng(5), 1500, 30, 30, 10
    truth = 1 + 1 / train
    old = new = 0
    for _ in range(tries):
        records = rng.normal(size=train + test)
        order = rng.permuted(np.tile(records, (splits, 1)), axis=1)
        errors = ((order[:, train:] - order[:, :train].mean(axis=1, keepdims=True)) ** 2).mean(axis=1)
        corrected, plain = estimate(errors, overlap=test / train), estimate(errors)
        assert corrected.kind == SPLITS
        new += abs(corrected.mean - truth) <= corrected.half_width()
        old += abs(plain.mean - truth) <= plain.half_width()
    assert old / tries < 0.6
    assert new / tries > 0.9
    assert corrected.error == pytest.approx(plain.error * np.sqrt((1 / splits + test / train) * splits))


def test_equal_up_to_rounding_is_equal():
    for values in ([1.0, 2.0, np.inf], [np.inf] * 3):
        assert estimate(np.array(values)).kind == INFINITE
    assert estimate(np.array([1e6, 1e6, np.nextafter(1e6, 2e6)])).kind == EQUAL
    assert estimate(np.array([0.0, 0.0, 0.1 + 0.2 - 0.3])).kind == EQUAL
    assert estimate(np.array([0.0, 0.0, 1e-9])).kind == REPLICATES


@pytest.mark.parametrize(("successes", "trials"), [(1, 8), (3, 10), (499, 500)])
def test_limits_of_a_share_of_independent_trials_are_wilsons(successes, trials):
    share = successes / trials
    limits = Estimate(share, np.sqrt(share * (1 - share) / trials), 1e15, 4, REPLICATES).limits(SHARE)
    expected = binomtest(successes, trials).proportion_ci(method="wilson")
    assert limits == pytest.approx((expected.low, expected.high), rel=1e-6)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_at_the_end_with_a_known_error_has_limits_by_that_error(share):
    low, high = Estimate(share, 0.1, 19.0, 4, BOTH, 0.1).limits(SHARE)
    width = 0.1 * t.isf(0.025, 19)
    assert (low, high) == pytest.approx((0, width) if share == 0 else (1 - width, 1))


def test_of_replicates_a_thousand_may_be_needed_and_no_more():
    estimated = Estimate(0.5, 0.1, 3.0, 4, REPLICATES)
    at_a_thousand = t.isf(0.025, 999) * 0.1 * np.sqrt(4 / 1000)
    assert replicates_needed(estimated, at_a_thousand * (1 + 1e-9)) == 1000
    assert replicates_needed(estimated, at_a_thousand * (1 - 1e-9)) is None


def test_without_scatter_half_the_width_is_zero_whatever_the_degrees_of_freedom():
    assert Estimate(1.0, 0.0, 0.0, 1, RECORDS).half_width() == 0


@pytest.mark.parametrize("level", [0.95, 1 - 2 * 0.05 / 80])
def test_limits_over_replicates_and_records_are_never_within_those_over_replicates_alone(level):
    # By chance three replicates scatter little: Satterthwaite's degrees of freedom jump, and the t quantile falls.
    alone = Estimate(0.0, 1.0, 2, 3, REPLICATES)
    both = Estimate(0.0, np.hypot(1.0, 0.6), degrees_of_sum(1.0, 2, 0.36), 3, BOTH, 0.6)
    assert both.half_width(level) == pytest.approx(alone.half_width(level))
    assert both.limits(level=level)[1] == pytest.approx(alone.limits(level=level)[1])
    share = replace(both, mean=0.5)
    assert share.limits(SHARE, level)[1] == pytest.approx(replace(alone, mean=0.5).limits(SHARE, level)[1])
    assert replicates_needed(both, both.half_width(level), level) == 3


def test_wrong_limits_in_the_tails_are_no_more_frequent_than_stated():
    rng, tries, error = np.random.default_rng(5), 40_000, 0.0025
    records = rng.normal(size=tries) / np.sqrt(3)  # a third of the variance over replicates, shared by all three
    values = records[:, None] + np.sqrt(3) * rng.normal(size=(tries, 3))
    wrong = 0
    for sample in values:
        replicates = sample.var(ddof=1) / 3
        estimated = Estimate(sample.mean(), np.sqrt(replicates + 1 / 3), degrees_of_sum(replicates, 2, 1 / 3), 3, BOTH,
                             np.sqrt(1 / 3))  # fmt: skip
        wrong += estimated.limits(level=1 - 2 * error)[0] > 0
    assert wrong / tries < error
