"""Limits of claims whose replicates share records."""

import numpy as np
import pandas as pd
import pytest

from dpmia.claims.comparisons import above, at_least, highest_at
from dpmia.claims.decisions import Condition, Every, Exact, Highest, NoLater
from dpmia.claims.limits import ERROR, mean_of
from dpmia.claims.quantities import at, metric
from dpmia.claims.rows import Replicates
from dpmia.common.epsilon import parse_epsilon
from dpmia.formats.rows import COLUMNS, EFFECTS, GROUPS
from dpmia.metrics.intervals import estimate, estimate_rows
from dpmia.metrics.shared_records import shared_variances

#: One record in each group.
RECORDS = np.arange(GROUPS)

ONE, OTHER = (metric("toy", arm, "lira") for arm in ("one", "other"))


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def table(scores: dict[str, np.ndarray], shared: bool = True) -> dict[str, pd.DataFrame]:
    """Return the table of an experiment whose metric is the mean score of records, by arm (replicates, records)."""
    rows = []
    for arm, of_arm in scores.items():
        for replicate, of_records in enumerate(of_arm):
            effects = [of_records.mean() - np.delete(of_records, group).mean() for group in RECORDS]
            key = ["toy", arm, False, parse_epsilon(1), "lira", False, "advantage", replicate]
            rows.append([*key, of_records.mean(), *(effects if shared else [np.nan] * GROUPS)])
    frame = pd.DataFrame(rows, columns=[*COLUMNS, *EFFECTS])
    return {"replicates/toy": frame if shared else frame[COLUMNS]}


def scores(rng, replicates=6, common=1.0, own=1.0):
    """Return scores with a part that all replicates have in common, and one of each replicate."""
    return common * rng.normal(size=GROUPS) + own * rng.normal(size=(replicates, GROUPS))


def judged(quantity, tables, rule=Every):
    return rule(Condition("x", above(0), at(1, quantity))).judge(tables)


def test_limits_of_one_metric_are_those_of_its_mean(rng):
    of_records = scores(rng)
    finding = judged(ONE, table({"one": of_records}))
    effects = np.array(
        [[values.mean() - np.delete(values, group).mean() for group in RECORDS] for values in of_records]
    )
    low, high = estimate(of_records.mean(axis=1), shared_variances(effects)).limits(level=1 - 2 * ERROR)
    assert (finding.low, finding.high) == (pytest.approx(low), pytest.approx(high))
    assert finding.interval == "one-sided 95 % limits, over replicates and records"


def test_what_two_arms_have_in_common_is_not_in_the_limits_of_their_difference(rng):
    common, noise = rng.normal(size=GROUPS), rng.normal(size=(2, 6))
    one, other = (common + of_replicates[:, None] for of_replicates in noise)
    finding = judged(ONE - OTHER, table({"one": one, "other": other}))
    alone = judged(ONE - OTHER, table({"one": one, "other": other}, shared=False))
    assert (finding.low, finding.high) == (pytest.approx(alone.low), pytest.approx(alone.high))
    assert finding.interval == alone.interval == "one-sided 95 % limits"
    assert judged(ONE, table({"one": one, "other": other})).low < judged(ONE, table({"one": one}, shared=False)).low


def test_an_arm_without_shared_records_adds_nothing(rng):
    one, other = scores(rng), scores(rng)
    tables = table({"one": one, "other": other})
    rows = tables["replicates/toy"]
    rows.loc[rows["arm"] == "other", EFFECTS] = np.nan
    alone = table({"one": one, "other": other}, shared=False)
    assert judged(OTHER, tables).low == judged(OTHER, alone).low
    assert judged(ONE, tables).low < judged(ONE, alone).low


def test_quantities_that_are_not_linear_are_measured_again_without_each_group(rng):
    of_records = scores(rng) - 3
    finding = judged(abs(ONE), table({"one": of_records}))
    mirrored = judged(ONE, table({"one": -of_records}))
    assert (finding.low, finding.high) == (pytest.approx(mirrored.low), pytest.approx(mirrored.high))


def test_curves_carry_what_records_have_in_common(rng):
    def curve(tables):
        metrics = Replicates.of(tables, "toy")
        return {0.1: metrics("one", 1, "lira"), 0.9: metrics("other", 1, "lira")}

    tables = table({"one": scores(rng) + 9, "other": scores(rng)})
    highest = Highest(Condition("x", highest_at(0.1), lambda of: {"": curve(of)})).judge(tables)
    assert highest.holds
    assert highest.interval == "one-sided 95 % limits, over replicates and records"
    later = NoLater(Condition("x", at_least(0), lambda of: {"": (curve(of), curve(of))})).judge(tables)
    assert (later.measured, later.holds) == (0, True)
    assert "over replicates and records" in later.interval


def test_exact_numbers_stay(rng):
    finding = Exact(Condition("x", above(0), lambda of: float(len(of)))).judge(table({"one": scores(rng)}))
    assert (finding.measured, finding.interval) == (1, "exact")


@pytest.mark.slow  # judges 240 simulated tables
def test_a_verdict_on_shared_records_is_wrong_in_at_most_five_per_cent(rng):
    draws = [scores(rng, replicates=8, own=0.5) for _ in range(120)]
    wrong = {
        shared: np.mean([judged(ONE, table({"one": draw}, shared)).holds is True for draw in draws])
        for shared in (True, False)
    }
    most = ERROR + 3.1 * np.sqrt(ERROR * (1 - ERROR) / len(draws))
    assert wrong[True] <= most
    assert wrong[False] > 0.2, "limits over replicates alone take what the records have in common for an effect"


@pytest.mark.parametrize("error", [0.05, 0.001])
def test_shared_records_never_make_limits_narrower(rng, error):
    for _ in range(40):
        of_records = scores(rng, replicates=4, common=0.3)
        values = of_records.mean(axis=1)
        without = [np.delete(of_records, group, axis=1).mean(axis=1) for group in RECORDS]
        both, alone = mean_of(np.array([values, *without])), mean_of(values)
        assert both.one_sided(error).low <= alone.one_sided(error).low + 1e-12


@pytest.mark.parametrize("values", [[0.3], [0.3, 0.3], [0.3, 0.4]])
def test_too_few_replicates_have_no_limits_whatever_records_they_share(values):
    (mean,) = estimate_rows(np.array([values]))
    for some in (mean, mean.with_records(0.01), mean.with_replicates(4).with_records(0.01)):
        limits = some.one_sided(0.05)
        assert np.isnan([some.error, limits.low, limits.high]).all()
