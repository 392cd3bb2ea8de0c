"""Intervals of replicates that share records, in worlds whose true mean is known."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

from dpmia.formats.rows import GROUPS
from dpmia.metrics.intervals import estimate, mean_interval
from dpmia.metrics.ranking import ranking
from dpmia.metrics.shared_records import common_effects, group_effects, groups_of, shared_variances, variance_of

RECORDS = np.arange(200)
GAP = 1.0


def world(rng, replicates, shared, own, seeds=0.0, anew=False):
    """Return the differences of means between members and non-members, and the effects of groups, of some replicates.

    Args:
        rng: source of randomness.
        replicates: how many.
        shared: standard deviation of what is special about a record, in all replicates alike.
        own: of what is special about it in one replicate.
        seeds: of what shifts all members of a replicate.
        anew: whether each replicate has other records.
    """
    of_records = shared * rng.normal(size=len(RECORDS))
    values, effects = [], []
    for _ in range(replicates):
        if anew:
            of_records = shared * rng.normal(size=len(RECORDS))
        is_member = len(RECORDS) // 2 > RECORDS
        scores = of_records + own * rng.normal(size=len(RECORDS)) + (GAP + seeds * rng.normal()) * is_member

        def measure(kept, scores=scores, is_member=is_member):
            return {"gap": scores[kept & is_member].mean() - scores[kept & ~is_member].mean()}

        values.append(measure(np.ones(len(RECORDS), dtype=bool))["gap"])
        effects.append(group_effects(measure, RECORDS)["gap"])
    return np.array(values), np.array(effects)


def coverage(tries=400, **options):
    """Return how often the interval over both covers the true mean, and how often that over replicates does."""
    rng = np.random.default_rng(1)
    both = one = 0
    for _ in range(tries):
        values, effects = world(rng, **options)
        low, high = estimate(values, shared_variances(effects)).limits()
        both += low <= GAP <= high
        plain = mean_interval(values)
        one += plain.low <= GAP <= plain.high
    return both / tries, one / tries


@pytest.mark.slow
@pytest.mark.parametrize(
    ("replicates", "shared", "own", "seeds", "before"),
    [
        (4, 1.0, 0.01, 0.0, 0.05),  # replicates differ in seeds that hardly matter
        (4, 1.0, 0.5, 0.1, 0.8),
        (10, 1.0, 1.0, 0.0, 0.6),
    ],
)
def test_intervals_cover_where_replicates_share_records(replicates, shared, own, seeds, before):
    covered, over_replicates = coverage(replicates=replicates, shared=shared, own=own, seeds=seeds)
    assert 0.92 <= covered <= 0.98
    assert over_replicates < before


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"shared": 0.0, "own": 1.0}, {"shared": 1.0, "own": 0.5, "anew": True}])
def test_intervals_stay_right_where_nothing_is_shared(options):
    covered, over_replicates = coverage(replicates=4, **options)
    assert 0.92 <= covered <= 0.98
    assert 0.92 <= over_replicates <= 0.98


@pytest.mark.slow
def test_intervals_cover_where_replicates_draw_from_one_small_pool():
    rng, tries, pool, members, replicates = np.random.default_rng(0), 200, 220, 100, 20
    both = one = 0
    for _ in range(tries):
        gaps = GAP + 2 * rng.normal(size=pool)  # what membership changes in the score of each record
        values, effects = [], []
        for _ in range(replicates):
            records = rng.permutation(pool)[: 2 * members]
            is_member = np.arange(2 * members) < members
            scores = 0.1 * rng.normal(size=2 * members) + is_member * gaps[records]

            def measure(kept, scores=scores, is_member=is_member):
                return {"gap": scores[kept & is_member].mean() - scores[kept & ~is_member].mean()}

            values.append(measure(np.ones(2 * members, dtype=bool))["gap"])
            effects.append(group_effects(measure, records)["gap"])
        low, high = estimate(np.array(values), shared_variances(np.array(effects))).limits()
        both += low <= GAP <= high
        plain = mean_interval(np.array(values))
        one += plain.low <= GAP <= plain.high
    assert 0.9 <= both / tries <= 0.98
    assert one / tries < 0.5


def test_records_are_divided_at_random_whatever_their_order():
    assert set(groups_of(np.arange(500))) == set(range(GROUPS))
    counts = np.bincount(groups_of(np.arange(20_000)), minlength=GROUPS)
    assert chisquare(counts).pvalue > 0.001
    rows = np.arange(20_000)
    orders = (rows % 2, rows % GROUPS, rows // 100 % 2, rows * GROUPS // len(rows))
    for order in orders:  # alternating, by remainder, in blocks, sorted
        table = np.histogram2d(groups_of(rows), order, bins=(GROUPS, order.max() + 1))[0]
        assert chi2_contingency(table).pvalue > 0.001
    np.testing.assert_array_equal(groups_of(rows[:500]), groups_of(rows)[:500])


@pytest.mark.parametrize("order", ["sorted", "alternating", "every twentieth"])
def test_intervals_cover_whatever_the_order_of_the_rows(order):
    rng, tries, count = np.random.default_rng(3), 400, 400
    covered = 0
    for _ in range(tries):
        hard = rng.random(count) < 0.5  # drawn anew in each world, and then stored in some order
        places = {
            "sorted": np.arange(count),
            "alternating": np.r_[np.arange(0, count, 2), np.arange(1, count, 2)],
            "every twentieth": np.argsort(np.arange(count) % GROUPS, kind="stable"),
        }[order]
        scores = np.zeros(count)
        scores[places[: hard.sum()]] = 1.0
        measure = partial(mean_of, scores)
        rows = rng.integers(1_000_000) + np.arange(count)  # their groups are fixed: other rows have others
        effects = np.array([group_effects(measure, rows)["mean"]] * 3)
        low, high = estimate(scores.mean() + 0.001 * rng.normal(size=3), shared_variances(effects)).limits()
        covered += low <= 0.5 <= high
    assert 0.92 <= covered / tries <= 0.98


def mean_of(scores, kept):
    return {"mean": scores[kept].mean()}


def test_the_shared_variance_of_equal_replicates_is_that_over_records():
    rng = np.random.default_rng(0)
    scores, is_member = rng.normal(size=2000), np.arange(2000) < 1000
    scores[is_member] += 0.5
    effects = group_effects(lambda kept: ranking(scores[kept], is_member[kept]), np.arange(2000))["auc"]
    (first, *others) = shared_variances(np.array([effects] * 3))
    assert others == pytest.approx([first, first])
    # Hanley and McNeil 1982, for normal scores; the jackknife has 19 degrees of freedom.
    auc = ranking(scores, is_member)["auc"]
    q_1, q_2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance = (auc * (1 - auc) + 999 * (q_1 - auc**2) + 999 * (q_2 - auc**2)) / 1000**2
    assert 0.45 * variance < first < 1.8 * variance


def test_the_shared_variance_is_the_mean_covariance_with_the_others():
    effects = np.random.default_rng(2).normal(size=(3, GROUPS))
    # Of the jackknife: (groups - 1)^2 / groups times the covariance of its values.
    covariances = np.cov(effects) * (GROUPS - 1) ** 2 / GROUPS
    expected = [(covariances[row].sum() - covariances[row, row]) / 2 for row in range(3)]
    assert shared_variances(effects) == pytest.approx(expected)


def test_what_is_not_measured_without_any_group_has_no_shared_variance():
    effects = np.random.default_rng(2).normal(size=(4, GROUPS))
    whole = shared_variances(effects[:3])
    effects[3] = np.nan
    variances = shared_variances(effects)
    assert variances[:3] == pytest.approx(whole)
    assert np.isnan(variances[3])


def test_a_group_without_which_a_metric_is_undefined_counts_as_one_without_effect():
    effects = np.random.default_rng(2).normal(size=(4, GROUPS))
    lost, zero = effects.copy(), effects.copy()
    lost[:, 5], zero[:, 5] = np.nan, 0.0
    assert shared_variances(lost) == pytest.approx(shared_variances(zero))
    np.testing.assert_allclose(common_effects(lost[None]), common_effects(zero[None]))


def test_one_replicate_shares_records_with_none():
    effects = np.random.default_rng(2).normal(size=(1, GROUPS))
    assert np.isnan(shared_variances(effects[:1])).all(), "one replicate shares with none"


def test_group_effects_are_differences_to_the_metric_without_the_group():
    values = np.arange(40.0)

    def mean(kept):
        if not kept[0]:
            raise ValueError("the first record is missing")
        return {"mean": values[kept].mean()}

    effects = group_effects(mean, np.arange(40))["mean"]
    assert len(effects) == GROUPS
    assert np.isnan(effects[0])
    assert effects[3] == pytest.approx(values.mean() - values[groups_of(np.arange(40)) != 3].mean())


def test_the_variance_of_a_mean_is_that_of_its_records_by_their_number():
    values = np.random.default_rng(3).normal(size=GROUPS)
    rows = np.arange(1000)
    one_of_each = rows[np.unique(groups_of(rows), return_index=True)[1]]
    effects = group_effects(partial(mean_of, values), one_of_each)["mean"]
    assert variance_of(np.array(effects)) == pytest.approx(values.var(ddof=1) / GROUPS)


def test_common_effects_have_the_mean_covariance_of_replicates():
    rng = np.random.default_rng(4)
    effects = rng.normal(size=(5, 4, GROUPS)) + 2 * rng.normal(size=(5, 1, GROUPS))
    effects[1, 3] = np.nan  # a replicate without the metric
    effects[2, 2:] = np.nan
    effects[3, 1:] = np.nan  # one alone shares with none
    effects[4] = np.nan
    shared_effects = common_effects(effects)
    assert shared_effects.mean(axis=1) == pytest.approx(np.zeros(5), abs=1e-12)
    for replicates, common in zip(effects[:3], shared_effects[:3], strict=True):
        assert variance_of(common) == pytest.approx(np.nanmean(shared_variances(replicates)))
        # They point where the replicates do.
        assert np.corrcoef(common, np.nanmean(replicates, axis=0))[0, 1] == pytest.approx(1)
    assert not shared_effects[3:].any()


def test_where_replicates_vary_against_each_other_there_is_no_common_effect():
    one = np.random.default_rng(5).normal(size=GROUPS)
    assert not common_effects(np.array([[one, -one], [one, -0.5 * one]])).any()
