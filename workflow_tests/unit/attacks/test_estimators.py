"""Estimates of how rare a loss is: against numpy and scipy, both sides against each other, and at the edges."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logit

from dpmia.attacks.confidence import HIGHEST, LOWEST, confidence, loss_of
from dpmia.attacks.estimators import ESTIMATORS, NullLosses
from dpmia.common.errors import AttackError
from dpmia.formats.signals import cross_entropy

LEVELS = (0.001, 0.05, 0.1, 0.29, 0.3, 0.5, 0.7, 0.95)


def per_record(rows):
    """Each query with a list of losses of its own."""
    values = np.concatenate([np.asarray(row, dtype=float) for row in rows])
    belongs = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return NullLosses.gather(values, belongs, len(rows), np.arange(len(rows)))


def losses(seed, shape):
    return np.random.default_rng(seed).exponential(1, shape)


def one_by_one(seed, queries=200, values=13):
    rows, queried = losses(seed, (queries, values)), losses(seed + 1, queries)
    return rows, queried, per_record(rows)


def test_confidence_is_the_logit_where_that_can_be_computed_and_goes_on_where_not():
    p = np.array([1e-12, 0.1, 0.5, 0.9, 0.999])
    np.testing.assert_allclose(confidence(-np.log(p)), logit(p), rtol=1e-12, atol=1e-12)
    # p = 1 - 1e-30 is 1 in floating point, its loss is not 0.
    np.testing.assert_allclose(confidence(np.array([1e-30])), [30 * np.log(10)])
    np.testing.assert_allclose(confidence(np.array([500.0])), [-500])
    phi = np.linspace(-700, 87, 41)
    np.testing.assert_allclose(confidence(loss_of(phi)), phi, rtol=1e-12, atol=1e-12)


def test_losses_of_zero_and_infinity_have_finite_confidences_at_the_ends():
    assert confidence(np.array([0.0, np.inf])).tolist() == [HIGHEST, LOWEST]
    assert pytest.approx([87.34, -744.44], abs=0.01) == [HIGHEST, LOWEST]
    assert np.isnan(confidence(np.array([np.nan]))).all()


@pytest.mark.parametrize("margin", [1.0, 50.0, 87.0, 88.0, 95.0, 104.0, 120.0, 200.0, 750.0])
def test_a_loss_has_the_same_confidence_computed_from_logits_and_stored_as_float32(margin):
    loss = cross_entropy(np.array([[margin, 0.0], [0.0, margin]], dtype=np.float32), np.array([0, 0]))
    np.testing.assert_allclose(confidence(loss.astype(np.float32).astype(float)), confidence(loss), rtol=1e-6)


def test_ranks_are_counts_in_the_group_of_each_query():
    rng = np.random.default_rng(0)
    values, belongs = rng.integers(0, 20, 500).astype(float), rng.integers(0, 7, 500)
    group, queried = rng.integers(0, 8, 300), rng.integers(-1, 21, 300).astype(float)  # group 7 is empty
    null = NullLosses.gather(values, belongs, 8, group)
    expected = [(values[belongs == mine] <= loss).sum() for mine, loss in zip(group, queried, strict=True)]
    assert null.rank(queried).tolist() == expected
    assert null.counts.tolist() == [(belongs == mine).sum() for mine in group]
    assert null.of(0).tolist() == sorted(values[belongs == group[0]])


def test_places_beyond_the_values_of_a_query_are_its_own_ends():
    null = per_record([[3.0, 1.0], [5.0], [7.0, 9.0]])
    for place, expected in ((-1, [1, 5, 7]), (0, [1, 5, 7]), (1, [3, 5, 9]), (2, [3, 5, 9]), (99, [3, 5, 9])):
        assert null.ordered(np.full(3, place)).tolist() == expected


def test_a_gaussian_needs_two_values():
    mean, spread = per_record([[0.5, 0.7], [0.5], []]).gaussian
    assert np.isnan(spread).tolist() == [False, True, True]
    assert np.isnan(mean).tolist() == [False, False, True]


def test_no_loss_is_rarer_than_the_largest_one():
    null = per_record([[1.0, 1000.0]] * 2)
    assert ESTIMATORS["linear"].alpha(null, np.array([1000.0, 2000.0])).tolist() == [1, 1]


def test_empirical_is_the_rank_among_the_values_and_the_loss_itself():
    rows, queried, null = one_by_one(0)
    alphas = ESTIMATORS["empirical"].alpha(null, queried)
    np.testing.assert_allclose(alphas, (1 + (rows <= queried[:, None]).sum(1)) / 14)


def test_empirical_threshold_is_next_to_the_percentile_of_the_published_tool():
    rows, _, null = one_by_one(2, values=40)
    ordered = np.sort(rows, axis=1)
    for level in (0.05, 0.1, 0.3, 0.5):
        published = np.quantile(rows, level, axis=1, method="lower")
        place = [np.searchsorted(row, value) for row, value in zip(ordered, published, strict=True)]
        thresholds = ESTIMATORS["empirical"].threshold(null, level)
        ours = [np.searchsorted(row, value) for row, value in zip(ordered, thresholds, strict=True)]
        assert np.abs(np.array(place) - ours).max() <= 1


def test_linear_is_numpys_quantile_and_interp_with_two_invented_losses():
    rows, queried, null = one_by_one(4)
    padded = np.sort(np.pad(rows, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1000))), axis=1)
    for level in LEVELS:
        expected = np.quantile(padded, level, axis=1)
        np.testing.assert_allclose(ESTIMATORS["linear"].threshold(null, level), expected, rtol=1e-12)
    expected = [np.interp(loss, row, np.linspace(0, 1, 15)) for loss, row in zip(queried, padded, strict=True)]
    np.testing.assert_allclose(ESTIMATORS["linear"].alpha(null, queried), expected, rtol=1e-12)


def test_logit_gaussian_is_scipys_normal_on_the_logit_scale():
    rows, queried, null = one_by_one(6)
    phi, at = logit(np.exp(-rows)), logit(np.exp(-queried))
    law = stats.norm(phi.mean(1), phi.std(1, ddof=1))
    np.testing.assert_allclose(ESTIMATORS["logit_gaussian"].alpha(null, queried), law.sf(at), rtol=1e-9)
    for level in LEVELS:
        expected = np.log1p(np.exp(-law.isf(level)))
        np.testing.assert_allclose(ESTIMATORS["logit_gaussian"].threshold(null, level), expected, rtol=1e-9)


def test_minimum_of_thresholds_is_maximum_of_alphas_and_mean_lies_between():
    _, queried, null = one_by_one(8)
    linear, gaussian, smaller, mean = (ESTIMATORS[name] for name in ("linear", "logit_gaussian", "minimum", "mean"))
    alphas = np.stack([linear.alpha(null, queried), gaussian.alpha(null, queried)])
    np.testing.assert_array_equal(smaller.alpha(null, queried), alphas.max(0))
    np.testing.assert_allclose(mean.alpha(null, queried), alphas.mean(0))
    thresholds = np.stack([linear.threshold(null, 0.1), gaussian.threshold(null, 0.1)])
    np.testing.assert_array_equal(smaller.threshold(null, 0.1), thresholds.min(0))
    between = mean.threshold(null, 0.1)
    assert ((between >= thresholds.min(0)) & (between <= thresholds.max(0))).all()
    np.testing.assert_allclose(mean.alpha(null, between), 0.1, rtol=1e-9)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("ties", [False, True])
def test_threshold_and_alpha_are_one_decision(name, ties):
    rng = np.random.default_rng(10)
    for count in (1, 2, 3, 10, 99):
        rows = rng.exponential(1, (300, count))
        queried = rng.exponential(0.7, 300)
        if ties:
            rows, queried = np.round(rows, 1), np.round(queried, 1)  # zeros among them
        null = per_record(rows)
        alpha = ESTIMATORS[name].alpha(null, queried)
        assert ((alpha >= 0) & (alpha <= 1)).all()
        for level in LEVELS:
            clear = np.abs(alpha - level) > 1e-9
            decisions = queried <= ESTIMATORS[name].threshold(null, level)
            assert (decisions == (alpha <= level))[clear].all()


@pytest.mark.parametrize("name", ["empirical", "linear"])
def test_rank_based_estimators_keep_the_false_positive_rate_for_any_number_of_values(name):
    """Exchangeable losses: the rank of one among K + 1 is uniform, whatever their law."""
    rng = np.random.default_rng(11)
    records = 20_000
    for count in (1, 4, 9, 19, 30):
        null, queried = per_record(rng.exponential(1, (records, count))), rng.exponential(1, records)
        alpha = ESTIMATORS[name].alpha(null, queried)
        for level in (0.05, 0.1, 0.3, 0.5):
            exact = np.floor(level * (count + 1) + 1e-12) / (count + 1)
            error = 4 * np.sqrt(0.25 / records)
            rate = (alpha <= level).mean()
            if name == "empirical":
                assert abs(rate - exact) < error
            else:
                # Between two ranks a straight line: never further than one rank away.
                assert exact - error < rate < exact + 1 / (count + 1) + error


def test_no_rank_is_rarer_than_one_in_the_number_of_models_and_one():
    null = per_record([[1.0, 2.0, 3.0, 4.0]])
    alpha = ESTIMATORS["empirical"].alpha(null, np.array([0.0]))
    assert alpha == 1 / 5
    assert ESTIMATORS["empirical"].threshold(null, 0.19) == -np.inf
    assert ESTIMATORS["empirical"].threshold(null, 0.2) == np.nextafter(1.0, 0)
    # The others go below by extrapolation: from loss 0, or by the tail of a Gaussian.
    assert 0 < ESTIMATORS["linear"].threshold(null, 0.01) < 1
    assert 0 < ESTIMATORS["logit_gaussian"].threshold(null, 0.01) < 1


@pytest.mark.parametrize("name", ESTIMATORS)
def test_losses_that_are_all_equal_make_nobody_a_member(name):
    for value in (0.0, 1e-8, 0.7, 30.0):
        null, queried = per_record([[value] * 10] * 2), np.array([value, value])
        assert (ESTIMATORS[name].alpha(null, queried) >= 0.5 - 1e-6).all()
        assert (ESTIMATORS[name].threshold(null, 0.1) < value).all()
    smaller = ESTIMATORS[name].alpha(per_record([[0.7] * 10]), np.array([0.1]))
    assert smaller < 0.1, "a loss below all of them is rare"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_losses_at_the_ends_give_numbers(name):
    null = per_record([[0.0, 0.1, np.inf], [0.0, 0.0, 0.0], [np.inf, np.inf, np.inf], [0.1, 0.2, 0.3]])
    for queried in (np.zeros(4), np.full(4, np.inf), np.full(4, 1e4)):
        alpha = ESTIMATORS[name].alpha(null, queried)
        assert ((alpha >= 0) & (alpha <= 1)).all()
        assert not np.isnan(ESTIMATORS[name].threshold(null, 0.3)).any()
    assert ESTIMATORS[name].alpha(null, np.full(4, np.inf))[3] == 1


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_query_that_cannot_be_judged_is_never_a_member(name):
    null = per_record([[1.0, 2.0, 3.0], []])
    alpha = ESTIMATORS[name].alpha(null, np.array([0.1, 1e-9]))
    assert alpha[0] < 1
    assert alpha[1] == 1
    assert ESTIMATORS[name].threshold(null, 0.5)[1] == -np.inf
    assert ESTIMATORS[name].judged(null).tolist() == [True, False]


def test_one_value_gives_a_rank_and_no_gaussian():
    null, queried = per_record([[1.0], [1.0]]), np.array([0.5, 2.0])
    assert ESTIMATORS["empirical"].alpha(null, queried).tolist() == [0.5, 1]
    assert ESTIMATORS["linear"].alpha(null, queried)[0] == 0.25
    for name in ("logit_gaussian", "minimum", "mean"):
        assert ESTIMATORS[name].alpha(null, queried).tolist() == [1, 1]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_loss_that_is_not_a_number_stays_none(name):
    null = per_record([[1.0, 2.0, 3.0]] * 2)
    assert np.isnan(ESTIMATORS[name].alpha(null, np.array([np.nan, 0.5]))).tolist() == [True, False]


def test_values_that_are_missing_or_not_numbers_are_refused():
    nobody = np.zeros(0, dtype=np.int64)
    with pytest.raises(AttackError, match="there are no losses to compare with"):
        NullLosses.gather(np.zeros(0), nobody, 1, np.zeros(1, dtype=np.int64))
    with pytest.raises(ValueError, match="1 losses to compare with are not numbers"):
        per_record([[1.0, np.nan]])


def test_a_level_next_to_a_rank_allows_no_rank_above_it():
    null = per_record([np.arange(9.0)])
    level = np.nextafter(0.9, 0)
    assert np.floor(level * 10) == 9, "as floating point multiplies"
    assert ESTIMATORS["empirical"].alpha(null, np.array([7.0])) > level
    assert ESTIMATORS["empirical"].threshold(null, level) == np.nextafter(7.0, 0)
    assert ESTIMATORS["empirical"].threshold(null, 0.9) == np.nextafter(8.0, 0)


def test_a_threshold_at_the_largest_loss_holds_for_infinite_ones():
    null = per_record([[np.inf] * 3])
    assert ESTIMATORS["logit_gaussian"].alpha(null, np.array([np.inf])) == 0.5
    assert ESTIMATORS["logit_gaussian"].threshold(null, 0.5) == np.inf
