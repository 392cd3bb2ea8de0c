"""Comparisons and rules: from values of replicates to findings, and the criteria that are made of them."""

import numpy as np
import pandas as pd
import pytest

from dpmia.claims.comparisons import (
    above,
    at_least,
    at_most,
    below,
    exactly,
    highest_at,
    listed_numbers,
    near,
    near_each,
    near_percent,
    not_below,
)
from dpmia.claims.decisions import Condition, Every, Exact, Highest, NoLater, Some, Together, Undecidable
from dpmia.claims.rows import ALL, Epsilons, MeasuredReplicates, Replicates
from dpmia.formats.rows import MissingRowsError
from dpmia.metrics.intervals import Interval, mean_interval


def measured(cells, comparison, quantity="advantage"):
    """Return the condition on cells that are already known."""
    return Condition(quantity, comparison, lambda tables: cells)


def judged(rule, cells, comparison):
    """Return the finding of a rule on cells that are already known."""
    return rule(measured(cells, comparison)).judge({})


# Comparisons

LOW, COVERS, HIGH = Interval(0.2, 0.1, 0.3, 4), Interval(0.5, 0.4, 0.6, 4), Interval(0.8, 0.7, 0.9, 4)


@pytest.mark.parametrize(
    ("comparison", "low", "covers", "high"),
    [
        (at_least(0.5), False, None, True),
        (above(0.5), False, None, True),
        (at_most(0.5), True, None, False),
        (below(0.5), True, None, False),
        (near(0.2, 0.15), True, False, False),
        (near(0.5, 0.05), False, None, False),
        (near_percent(0.5, 10), False, None, False),
        (near_percent(0.2, 75), True, False, False),
        (not_below(0.5, 0.05), False, None, True),
    ],
)
def test_an_interval_on_either_side_decides_and_one_that_covers_both_does_not(comparison, low, covers, high):
    assert [comparison(interval)[0] for interval in (LOW, COVERS, HIGH)] == [low, covers, high]


@pytest.mark.parametrize(
    ("comparison", "description"),
    [
        (at_least(0.8), "at least 0.8"),
        (at_least(0, 1e-12), "at least 0 (rounding errors up to 1e-12 aside)"),
        (at_most(-0.005), "at most -0.005"),
        (above(0), "above 0"),
        (at_most(1e-6), "at most 1e-6"),
        (below(0.45), "below 0.45"),
        (near(0.1716, 0.002), "within 0.002 of 0.1716"),
        (near_percent(15_132, 2), "within 2 % of 15132"),
        (exactly(0), "exactly 0"),
        (
            near_each({"ratio 2": 0.3227, "ratio 5": 0.6471}, 5e-4),
            "within 0.0005 of 0.3227 (ratio 2), 0.6471 (ratio 5)",
        ),
        (near_each({"a": 0.8, "b": 0.9}, 0.05, "the value in table 1"), "within 0.05 of the value in table 1"),
        (not_below(0, 0.05), "not below 0 by more than 0.05"),
        (highest_at(0.1, 0.3), "highest at 0.1 or 0.3"),
    ],
)
def test_a_comparison_describes_itself(comparison, description):
    assert str(comparison) == description


@pytest.mark.parametrize(
    "comparison",
    [
        *(make(0.5) for make in (at_least, above, at_most, below)),
        *(make(0.5, 0.05) for make in (not_below, near)),
    ],
)
def test_one_replicate_decides_nothing(comparison):
    assert judged(Every, [0.9], comparison).holds is None
    assert judged(Every, [0.9], comparison).note == "1 of at least 3 replicates, no interval"
    assert judged(Every, {"x": [0.9]}, comparison).note == "x; 1 of at least 3 replicates, no interval"


@pytest.mark.parametrize(
    ("low", "high", "below", "either"),
    [
        (0.46, 0.54, True, True),
        (0.44, 0.51, None, None),
        (0.49, 0.56, True, None),
        (0.46, 0.49, True, True),
        (0.42, 0.44, False, False),
        (0.56, 0.58, True, False),
    ],
)
def test_a_tie_is_what_lies_within_the_tolerance_of_the_claim(low, high, below, either):
    interval = Interval((low + high) / 2, low, high, 4)
    assert [make(0.5, 0.05)(interval)[0] for make in (not_below, near)] == [below, either]
    assert near(0.5, 0.001)(interval)[0] is not True


def test_on_the_threshold_itself_above_and_at_least_differ():
    point = Interval(0.5, 0.5, 0.5, 4)
    assert [make(0.5)(point)[0] for make in (at_least, at_most, above, below)] == [True, True, False, False]


def test_rounding_errors_are_forgiven_up_to_what_is_said():
    results = [(at_least(0, 0.1), -0.1), (at_least(0, 0.1), -0.2), (at_most(0, 0.1), 0.1), (at_most(0, 0.1), 0.2)]
    assert [comparison(Interval(x, x, x, 0))[0] for comparison, x in results] == [True, False, True, False]


# Means


def test_replicates_without_a_number_are_counted():
    finding = judged(Every, {"x": [0.1, np.nan, 0.1, 0.12]}, at_most(0.5))
    assert finding.holds
    assert finding.note == "x; 3 of 4 replicates have a number"


VALUES = [0.1, 0.2, 0.4, 0.5]


def limits_of(error, values=VALUES):
    """Return the one-sided Student limits that are wrong with probability `error` each."""
    interval = mean_interval(np.array(values), 1 - 2 * error)
    return pytest.approx((interval.mean, interval.low, interval.high))


def shown(finding):
    return finding.measured, finding.low, finding.high


def test_a_mean_that_meets_its_condition_does_so_by_its_own_limits_however_many_there_are():
    sure = {f"{place}": [0.6, 0.61, 0.6, 0.61] for place in range(9)}
    finding = judged(Every, {"wide": VALUES, **sure}, above(0.05))
    assert (finding.holds, finding.note) == (True, "worst of 10: wide")
    assert shown(finding) == limits_of(0.05)
    assert finding.interval == "one-sided 95 % limits"
    assert not limits_of(0.005).expected[1] > 0.05  # all ten together would not show it


@pytest.mark.parametrize(
    ("comparison", "holds", "error", "name"),
    [
        (below(0.31), None, 0.025, "one-sided 97.5 % limits, 95 % over 2 tests"),
        (below(-9), False, 0.025, "one-sided 97.5 % limits, 95 % over 2 tests"),
        (near(9, 0.1), False, 0.0125, "one-sided 98.75 % limits, 95 % over 4 tests"),
    ],
)
def test_limits_that_refute_one_of_several_means_hold_together(comparison, holds, error, name):
    finding = judged(Every, {"wide": VALUES, "same": VALUES}, comparison)
    assert (finding.holds, finding.interval) == (holds, name)
    assert shown(finding) == limits_of(error)


def test_limits_that_accept_one_of_several_means_hold_together():
    finding = judged(Some, {"wide": VALUES, "low": [-0.1, -0.2, -0.1, -0.2]}, above(-0.5))
    assert (finding.holds, finding.interval) == (True, "one-sided 97.5 % limits, 95 % over 2 tests")
    failed = judged(Some, {"wide": VALUES, "low": [-0.1, -0.2, -0.1, -0.2]}, above(9))
    assert (failed.holds, failed.interval) == (False, "one-sided 95 % limits")
    assert (shown(finding), shown(failed)) == (limits_of(0.025), limits_of(0.05))


def test_what_has_no_limits_names_none():
    assert judged(Every, [0.1], above(0)).interval == ""
    assert judged(Exact, 1, above(0)).interval == "exact"


def cells(*means, spread=0.01):
    return {f"{place}": mean + spread * np.array([-1, 0, 1]) for place, mean in enumerate(means)}


def test_every_mean_must_hold_and_the_worst_is_reported():
    several = [judged(Every, cells(*means), above(0)) for means in ((1, 2), (1, -2, 3), (1, 0.001), (1, 0.001, -2))]
    assert [finding.holds for finding in several] == [True, False, None, False]
    assert several[1].measured == pytest.approx(-2)


def test_some_mean_must_hold_and_the_best_is_reported():
    several = [judged(Some, cells(*means), above(0)) for means in ((-1, 2), (-1, -2), (-1, 0.001))]
    assert [finding.holds for finding in several] == [True, False, None]
    assert several[0].note == "best of 2: 1"


def test_a_mean_without_number_may_be_the_one_that_holds():
    unknown = judged(Some, cells(-1, -2) | {"unknown": [np.nan, np.nan, np.nan]}, above(0))
    assert (unknown.holds, unknown.note) == (None, "best of 2: 0; 1 more have no number")
    assert judged(Some, cells(-1, 2) | {"unknown": [np.nan, np.nan, np.nan]}, above(0)).holds


def test_a_cell_may_have_a_value_of_its_own():
    comparison = near_each({"0": 1, "1": 2}, 0.1)
    assert judged(Every, cells(1, 2), comparison).holds
    finding = judged(Every, cells(1, 1), comparison)
    assert (finding.holds, finding.note) == (False, "worst of 2: 1")


def test_nothing_measured_is_no_finding():
    with pytest.raises(MissingRowsError, match="nothing"):
        judged(Every, {}, above(0))
    with pytest.raises(MissingRowsError, match="no number was measured for advantage"):
        judged(Every, {"x": [np.nan, np.nan]}, above(0))


def test_each_condition_needs_a_number_where_all_must_hold():
    shown = Condition("advantage", above(0), lambda _: cells(1))
    unknown = Condition("TPR", above(0), lambda _: {"0.1": [np.nan] * 3})
    with pytest.raises(MissingRowsError, match="no number was measured for TPR"):
        Every(shown, unknown).judge({})
    assert Some(shown, unknown).judge({}).holds


# Curves


def curve(spread=0.01, **means):
    return {float(place.replace("_", ".")[1:]): mean + spread * np.arange(-1, 2) for place, mean in means.items()}


@pytest.mark.parametrize(
    ("means", "holds"),
    [
        ({"p0_1": 1, "p0_3": 2, "p0_5": 0}, True),
        ({"p0_1": 1, "p0_3": 2, "p0_5": 3}, False),
        ({"p0_1": 1, "p0_3": 2, "p0_5": 2.001}, None),
    ],
)
def test_the_highest_place_is_found_where_intervals_show_it(means, holds):
    rng = np.random.default_rng(1)
    noisy = {place: values + 0.001 * rng.normal(size=3) for place, values in curve(**means).items()}
    noisy = {place: rng.permutation(values) for place, values in noisy.items()}
    assert judged(Highest, {"": noisy}, highest_at(0.1, 0.3)).holds is holds


def test_a_tie_among_allowed_places_does_no_harm():
    rng = np.random.default_rng(2)
    places = {place: mean + 0.01 * rng.normal(size=5) for place, mean in {0.1: 2, 0.3: 2, 0.5: 1}.items()}
    assert judged(Highest, {"": places}, highest_at(0.1, 0.3)).holds is True
    with pytest.raises(MissingRowsError):
        judged(Highest, {"": places}, highest_at(0.1, 0.3, 0.5))


@pytest.mark.parametrize(
    ("first", "second", "spread", "holds"),
    [
        ({0.1: 2, 0.3: 1}, {0.1: 1, 0.3: 2}, 0.01, True),
        ({0.1: 1, 0.3: 2}, {0.1: 1, 0.3: 2}, 0.01, True),
        ({0.1: 1, 0.3: 2}, {0.1: 2, 0.3: 1}, 0.01, False),
        ({0.1: 2, 0.3: 1}, {0.1: 1, 0.3: 2}, 9.0, None),
        ({0.1: 2, 0.3: 1}, {0.1: 1, 0.3: 1}, 0.01, True),  # the first is low, wherever the second is
    ],
)
def test_one_curve_is_highest_no_later_than_another_where_intervals_show_it(first, second, spread, holds):
    rng = np.random.default_rng(4)
    curves = [{place: mean + spread * rng.normal(size=5) for place, mean in one.items()} for one in (first, second)]
    assert judged(NoLater, {"": tuple(curves)}, at_most(0)).holds is holds


# Other rules


def test_exact_findings_have_no_chance_and_the_first_number_is_reported():
    rule = Exact(measured({"a": 2, "b": 3}, at_least(2)), measured(0.5, below(1)), note="{1:g} and {2:.2f}")
    finding = rule.judge({})
    assert (finding.measured, finding.low, finding.high, finding.holds, finding.note) == (2, 2, 2, True, "3 and 0.50")
    failed = Exact(measured(2, at_least(2)), measured(1, below(1))).judge({})
    assert (failed.measured, failed.holds) == (1, False), "the number that fails, not the first"
    with pytest.raises(MissingRowsError, match="was not measured"):
        judged(Exact, np.nan, at_least(0))


def test_of_rules_that_must_hold_together_the_worst_is_reported():
    held, failed = Exact(measured(1, above(0)), note="one"), Exact(measured(2, below(0)), note="two")
    assert [Together(*rules).judge({}).note for rules in ((held, held), (held, failed), (failed, held))] == [
        "one",
        "two",
        "two",
    ]
    assert Together(held, failed).conditions == (*held.conditions, *failed.conditions)
    with pytest.raises(ValueError, match="more than one rule depends on chance"):
        Together(Every(*held.conditions), Some(*failed.conditions), held)


def test_what_no_outcome_would_decide_is_measured_and_stays_undecided():
    rule = Undecidable(
        "settings are lost", measured(cells(1, -2), above(0)), note=lambda tables, worst: f"at {worst.note}"
    )
    finding = rule.judge({})
    assert (finding.holds, finding.note) == (None, "settings are lost; at 1")
    assert finding.measured == pytest.approx(-2)
    assert "not judged: settings are lost" in rule.criterion


def test_a_rule_may_have_a_note_of_its_own():
    rule = Every(
        measured(cells(1, 2), above(0)), note=lambda tables, finding: f"{finding.note}, of {len(tables)} tables"
    )
    assert rule.judge({"a": None}).note == "worst of 2: 0, of 1 tables"


# Criteria


def test_the_criterion_is_made_of_quantities_and_comparisons():
    first, second = measured(1, at_least(0.8), "advantage"), measured(1, above(0), "accuracy")
    assert Every(first, second).criterion == "advantage: at least 0.8; accuracy: above 0"
    assert Some(first).criterion == "advantage: at least 0.8, in one case at least"
    assert Together(Some(first), Exact(second)).criterion.startswith(
        "advantage: at least 0.8, in one case at least; acc"
    )


def test_numbers_are_listed_as_in_a_sentence():
    assert [listed_numbers(numbers) for numbers in ((1,), (1, 2.5), (1, 2, 3))] == ["1", "1 and 2.5", "1, 2 and 3"]


@pytest.mark.parametrize(
    ("epsilons", "description"),
    [
        (ALL, "every epsilon"),
        (Epsilons(least=0.1), "every epsilon from 0.1 up"),
        (Epsilons(most=1), "every epsilon up to 1"),
        (Epsilons(named=(0.1, 1, np.inf)), "epsilon 0.1, 1 and ∞"),
        (Epsilons(named=(3.0,)), "epsilon 3"),
    ],
)
def test_epsilons_describe_themselves(epsilons, description):
    assert str(epsilons) == description


# Rows


@pytest.fixture
def table():
    rows = [["toy", "a", epsilon, "x", "advantage", r, epsilon + r] for epsilon in (0.1, 1.0, np.inf) for r in (1, 0)]
    return pd.DataFrame(rows, columns=["experiment", "arm", "epsilon", "attack", "metric", "replicate", "value"])


def test_rows_are_found_by_meaning(table):
    rows = Replicates.of({"replicates/toy": table}, "toy")
    assert rows("a", 1, "x").to_dict() == {0: 1.0, 1: 2.0}
    assert rows.epsilons(Epsilons(least=1), "a", "x") == [1, np.inf]
    assert rows.epsilons(Epsilons(most=1), "a", "x") == [0.1, 1]
    assert rows.epsilons(Epsilons(named=(0.1, 1000)), "a", "x") == [0.1]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda rows: rows("a", 10, "x"), r"toy has no advantage of x, arm a, ε = 10"),
        (lambda rows: rows("b", np.inf, "x"), r"arm b, ε = ∞"),
        (lambda rows: rows.epsilons(Epsilons(least=1), "a", "y"), r"advantage of y, arm a, ε from 0 to ∞"),
        (lambda rows: rows.epsilons(Epsilons(least=2, most=3), "a", "x"), r"arm a, ε from 2 to 3"),
        (lambda rows: rows.epsilons(Epsilons(named=(3, 5)), "a", "x"), r"at any of ε = 3, 5"),
    ],
)
def test_what_was_not_measured_is_named(table, ask, message):
    with pytest.raises(MissingRowsError, match=message):
        ask(MeasuredReplicates.read(table))


def test_a_rule_takes_comparisons_of_its_own_kind_only():
    with pytest.raises(TypeError, match="compares means"):
        Every(measured({"": np.ones(3)}, highest_at(0.1))).judge({})
    with pytest.raises(TypeError, match="compares curves"):
        Highest(measured({"": {0.1: np.ones(3), 0.2: np.zeros(3)}}, above(0))).judge({})
