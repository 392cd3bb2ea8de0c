"""Quantities: metrics by epsilon, differences of them, and the cells that measures make of them."""

import numpy as np
import pandas as pd
import pytest

from dpmia.claims.quantities import at, at_each, mean_over, metric
from dpmia.claims.rows import ALL, Epsilons
from dpmia.formats.rows import MissingRowsError


def table(experiment, values):
    """Return a table of replicates: (arm, epsilon, attack, metric) -> values of the replicates."""
    rows = [
        [experiment, *key, replicate, value]
        for key, numbers in values.items()
        for replicate, value in enumerate(numbers)
    ]
    return pd.DataFrame(rows, columns=["experiment", "arm", "epsilon", "attack", "metric", "replicate", "value"])


TABLES = {
    "replicates/toy": table(
        "toy",
        {
            ("a", 1.0, "x", "advantage"): (0.5, 0.7),
            ("a", 10.0, "x", "advantage"): (0.6, 0.8),
            ("a", np.inf, "x", "advantage"): (0.9, 0.9),
            ("a", 1.0, "model", "advantage_ceiling"): (0.2, 0.2),
            ("a", 10.0, "model", "advantage_ceiling"): (0.9, 0.9),
        },
    ),
    "replicates/other": table("other", {("a", 10.0, "x", "advantage"): (0.1, 0.2)}),
}
ADVANTAGE, CEILING = metric("toy", "a", "x"), metric("toy", "a", name="advantage_ceiling")
OTHER = metric("other", "a", "x")


def cells(measure, tables=TABLES):
    return {name: np.round([*values], 9).tolist() for name, values in measure(tables).items()}


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [
        (ADVANTAGE, [0.6, 0.8]),
        (ADVANTAGE - CEILING, [-0.3, -0.1]),
        (abs(ADVANTAGE - CEILING), [0.3, 0.1]),
        (ADVANTAGE - 2 * OTHER, [0.4, 0.4]),
        (ADVANTAGE - ADVANTAGE.fixed(1), [0.1, 0.1]),
        (ADVANTAGE - (lambda epsilon: epsilon / 100), [0.5, 0.7]),
    ],
    ids=["metric", "difference", "distance", "factor", "other epsilon", "formula"],
)
def test_a_quantity_is_computed_within_each_replicate(quantity, expected):
    assert cells(at(10, quantity)) == {"": expected}


def test_a_difference_is_measured_at_the_epsilons_that_all_its_metrics_have():
    assert [*cells(at_each(ALL, ADVANTAGE))] == ["ε = 1", "ε = 10", "ε = ∞"]
    assert [*cells(at_each(ALL, {"gap": ADVANTAGE - CEILING}))] == ["gap, ε = 1", "gap, ε = 10"]
    assert [*cells(at_each(ALL, ADVANTAGE - CEILING - OTHER))] == ["ε = 10"]


def test_a_mean_is_over_the_wanted_epsilons_of_each_replicate():
    assert cells(mean_over(Epsilons(most=10), ADVANTAGE)) == {"": [0.55, 0.75]}
    assert cells(mean_over(ALL, {"gap": ADVANTAGE - CEILING})) == {"gap": [0.0, 0.2]}


def test_a_replicate_without_a_number_at_some_epsilon_has_no_mean():
    key = ("loss", "precision")
    values = {("a", 1.0, *key): [0.5, 0.5, np.nan], ("a", 8.0, *key): [0.9, 0.9, 0.9]}
    (means,) = mean_over(ALL, metric("toy", "a", *key))({"replicates/toy": table("toy", values)}).values()
    np.testing.assert_allclose(means, [0.7, 0.7, np.nan])


def test_a_quantity_whose_table_is_not_there_has_no_cell():
    both = {"toy": ADVANTAGE, "other": OTHER, "both": ADVANTAGE - OTHER}
    there = {"replicates/toy": TABLES["replicates/toy"]}
    for measure in (at(10, both), mean_over(ALL, both)):
        assert [*measure(TABLES)] == ["toy", "other", "both"]
        assert [*measure(there)] == ["toy"]


def test_what_was_not_measured_is_an_error():
    with pytest.raises(MissingRowsError, match="ε = 3"):
        at(3, ADVANTAGE)(TABLES)
    with pytest.raises(MissingRowsError, match="no advantage of y"):
        at_each(ALL, ADVANTAGE - metric("toy", "a", "y"))(TABLES)
    apart = metric("toy", "a", "x") - OTHER
    with pytest.raises(MissingRowsError, match=r"no epsilon at which all of .*toy.*other.* were measured"):
        mean_over(ALL, apart)({**TABLES, "replicates/other": TABLES["replicates/other"].replace({"epsilon": {10: 5}})})
