"""Records that join the training set one by one."""

from dataclasses import fields

import numpy as np
import pytest
from scipy import stats

from dpmia.common.errors import DataError
from dpmia.jobs.drawing import ArmDraw
from dpmia.splits.drawn_sizes import of_splits
from dpmia.splits.draws import bernoulli
from dpmia.splits.split import Split

GROUPS = np.repeat("", 60)


def rng(seed=0):
    return np.random.default_rng(seed)


def same(one, other):
    return all(np.array_equal(getattr(one, part.name), getattr(other, part.name)) for part in fields(Split))


def test_every_record_has_one_place_and_only_the_pool_joins():
    split = bernoulli(GROUPS, rng(), records=40, rate=0.4)
    assert sorted([*split.members, *split.nonmembers]) == list(range(40))
    assert split.population.tolist() == list(range(40, 60))
    assert (len(split.background), len(split.validation)) == (0, 0)


def test_all_records_may_be_the_pool():
    split = bernoulli(GROUPS, rng(), records="all", rate=0.4)
    assert len(split.members) + len(split.nonmembers) == 60
    assert len(split.population) == 0
    assert same(split, bernoulli(GROUPS, rng(), records=60, rate=0.4))


def test_records_that_are_no_queries_join_all_the_same():
    whole = bernoulli(GROUPS, rng(3), records=40, rate=0.4)
    some = bernoulli(GROUPS, rng(3), records=40, rate=0.4, queries=15)
    assert sorted([*some.members, *some.nonmembers]) == list(range(15))
    assert np.array_equal(some.training, whole.members)
    assert np.array_equal(some.population, whole.population)


def test_all_draws_share_the_pool_and_the_records_queried():
    draws = [bernoulli(GROUPS, rng(seed), records=40, rate=rate, queries=20) for seed, rate in [(1, 0.3), (2, 0.8)]]
    for split in draws:
        assert sorted([*split.members, *split.nonmembers]) == list(range(20))
        assert set(split.training) <= set(range(40))
    assert not same(*draws)


def test_the_first_records_after_the_pool_may_measure_accuracy():
    plain = bernoulli(GROUPS, rng(3), records=40, rate=0.4)
    split = bernoulli(GROUPS, rng(3), records=40, rate=0.4, validation=15)
    assert split.validation.tolist() == list(range(40, 55))
    assert split.population.tolist() == list(range(55, 60))
    assert np.array_equal(split.members, plain.members)


@pytest.mark.parametrize(("population", "last"), [(3, 58), (0.05, 58), ("all", 60)])
def test_the_attacker_may_have_the_first_records_after_those_only(population, last):
    whole = bernoulli(GROUPS, rng(3), records=40, rate=0.4, validation=15)
    split = bernoulli(GROUPS, rng(3), records=40, rate=0.4, validation=15, population=population)
    assert split.population.tolist() == list(range(55, last))
    assert split.validation.tolist() == whole.validation.tolist()
    assert np.array_equal(split.members, whole.members)


def test_one_seed_gives_one_split_and_another_seed_another():
    draw = {"records": 40, "rate": 0.5, "queries": 20}
    assert same(bernoulli(GROUPS, rng(1), **draw), bernoulli(GROUPS, rng(1), **draw))
    assert not same(bernoulli(GROUPS, rng(1), **draw), bernoulli(GROUPS, rng(2), **draw))


@pytest.mark.parametrize("rate", [0.3, 0.7])
def test_records_join_at_the_rate_and_independently(rate):
    draws, size = 1000, 60
    joined = np.zeros((draws, size))
    for seed in range(draws):
        joined[seed, bernoulli(GROUPS, rng(seed), records="all", rate=rate).members] = 1
    # Fixed seeds; a correct draw fails any of these with a probability of about 1e-6.
    by_record = joined.sum(axis=0)
    statistic = (((by_record - draws * rate) ** 2) / (draws * rate * (1 - rate))).sum()
    assert stats.chi2.sf(statistic, size) > 1e-6
    # Independence: sizes are binomial, and the pairs of two records are as frequent as their product.
    sizes = joined.sum(axis=1)
    spread = (draws - 1) * sizes.var(ddof=1) / (size * rate * (1 - rate))
    assert 1e-6 < stats.chi2.sf(spread, draws - 1) < 1 - 1e-6
    both = (joined[:, 0] * joined[:, 1]).mean()
    assert both == pytest.approx(rate**2, abs=4.9 * np.sqrt(rate**2 * (1 - rate**2) / draws))


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (
            {"records": 61, "rate": 0.5},
            "records of the pool, for validation and population: 61 records are required, and there are 60",
        ),
        (
            {"records": 50, "rate": 0.5, "validation": 11},
            "for validation and population: 61 records are required, and there are 60",
        ),
        (
            {"records": 50, "rate": 0.5, "validation": 4, "population": 7},
            "for validation and population: 61 records are required, and there are 60",
        ),
        ({"records": 0, "rate": 0.5}, "0 records"),
        ({"records": 10, "rate": 0.5, "queries": 11}, "records to attack: 11 records are required, and there are 10"),
        ({"records": 10, "rate": 0.0}, "rate: 0.0 is not a number above 0 and below 1"),
        ({"records": 10, "rate": 1}, "rate: 1 is not a number above 0 and below 1"),
        ({"records": 60, "rate": 1e-9}, "records that join at rate 1e-09: 0 of 60"),
        ({"records": 60, "rate": 1 - 1e-9, "queries": 7}, "records that join at rate 0.999999999: 7 of 7"),
    ],
)
def test_what_cannot_be_drawn_or_distinguished_is_refused(arguments, reported):
    with pytest.raises(DataError) as error:
        bernoulli(GROUPS, rng(), **arguments)
    assert reported in str(error.value)


def test_a_set_without_members_says_what_to_do():
    with pytest.raises(DataError, match=r"Attack more records .*choose a rate nearer to 0\.5\."):
        bernoulli(GROUPS, rng(), records=2, rate=1e-6)


@pytest.mark.parametrize(("records", "expected"), [(30, 12), ("all", 24)])
def test_a_batch_must_fit_into_the_expected_training_set_since_the_realised_size_is_secret(records, expected):
    arm = ArmDraw("bernoulli", None, {"records": records, "rate": 0.4}, iid=False)
    splits = {("a", seed): bernoulli(GROUPS, rng(seed), **arm.draw) for seed in range(9)}
    assert len({len(split.training) for split in splits.values()}) > 1
    assert of_splits(splits, {"a": arm}, len(GROUPS))["a"].training == expected
