"""The range of each metric that is reported, and limits that stay in it."""

import math

import numpy as np
import pandas as pd
import pytest

from dpmia.evaluation.summary import summary_table
from dpmia.formats.rows import COLUMNS, RECORDS
from dpmia.metrics.precision import measured_precision, precision_references
from dpmia.metrics.ranges import possible_range
from dpmia.metrics.ranking import advantage, ranking


def test_every_metric_of_an_attack_has_a_range_that_holds_it():
    rng = np.random.default_rng(0)
    truth = np.arange(200) < 100
    for scores in (rng.normal(size=200), truth.astype(float), -truth.astype(float)):
        decisions = scores > 0
        metrics = advantage(decisions, truth) | ranking(scores, truth) | measured_precision(scores, decisions, truth)
        metrics |= precision_references(truth)
        for metric, value in metrics.items():
            least, most = possible_range(metric)
            assert math.isfinite(least), metric
            assert math.isfinite(most), metric
            assert np.isnan(value) or least <= value <= most, metric


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("advantage", (-1, 1)),
        ("advantage_excess", (-2, 2)),
        ("auc_excess", (-1, 1)),
        ("accuracy_members", (0, 1)),
        ("accuracy_cost", (-1, 1)),
        ("generalisation_error", (-1, 1)),
        ("tpr_ceiling@0.01", (0, 1)),
        ("loss_members", (0, math.inf)),
        ("of_a_user", (-math.inf, math.inf)),
    ],
)
def test_ranges(metric, expected):
    assert possible_range(metric) == expected


@pytest.mark.parametrize(
    ("metric", "interval"),
    [
        ("accuracy_members", "records"),
        ("tpr", "records"),
        ("precision", "none: all values equal"),
        ("guessed_right@0.5", "none: all values equal"),
        ("advantage", "none: all values equal"),
        ("precision_baseline", "exact"),
        ("tpr_ceiling@0.1", "exact"),
    ],
)
def test_equal_values_have_limits_where_all_records_are_counted(metric, interval):
    rows = [["toy", "a", True, 1.0, "x", False, metric, replicate, 1.0, 50] for replicate in range(3)]
    summary = summary_table(pd.DataFrame(rows, columns=[*COLUMNS, RECORDS]))
    assert summary["interval"].tolist() == [interval]


def test_no_interval_of_a_summary_leaves_the_range_and_two_replicates_have_none():
    values = {"auc": [0.99, 1.0, 0.7], "advantage_excess": [1.9, -1.5, 0.2], "loss_members": [0.1, 5, 0.2],
              "tpr": [0.1, 0.9]}  # fmt: skip
    rows = [
        ["toy", "a", True, 1.0, "x", False, metric, replicate, value]
        for metric, of_metric in values.items()
        for replicate, value in enumerate(of_metric)
    ]
    summary = summary_table(pd.DataFrame(rows, columns=COLUMNS)).set_index("metric")
    assert 0 < summary.loc["auc", "low"] < 0.9 < summary.loc["auc", "high"] < 1
    assert summary.loc["loss_members", "low"] == 0
    assert (summary.loc["advantage_excess", "low"], summary.loc["advantage_excess", "high"]) == (-2, 2)
    assert summary.loc["auc", "interval"] == "replicates"
    assert np.isnan(summary.loc["tpr", ["low", "high"]].astype(float)).all()
    assert (summary.loc["tpr", "mean"], summary.loc["tpr", "interval"]) == (0.5, "none: fewer than 3 replicates")
