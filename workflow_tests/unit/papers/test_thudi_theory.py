"""The theory of Thudi et al.: against printed values and by simulation."""

import numpy as np
import pytest
from thudi_tables import BY_NAME, tidy

from dpmia.papers.artifact import RunSummary
from dpmia.papers.tables import markdown
from dpmia.papers.thudi import capacity, rates
from dpmia.privacy.accounting import Mechanism
from dpmia.theory import logistic_example
from dpmia.theory.precision_bounds import precision_bound


def theory_values(statement):
    table = tidy("thudi_theory")
    return table[table["statement"] == statement]


def test_the_theory_table_has_the_printed_bounds_and_budgets():
    bounds = theory_values("theorem 3.3")
    assert bounds["as_printed"].tolist() == pytest.approx([0.953, 0.881, 0.731, 0.241], abs=1e-3)
    assert bounds["value"].tolist()[-1] == pytest.approx(0.377, abs=1e-3)
    epsilons = theory_values("epsilon that keeps a bound")["value"].tolist()
    expected = [*[5.198, 3.847, 3, 2.153, 0.802], *[4.198, 2.847, 2, 1.153, np.nan], *[3.198, 1.847, 1, 0.153, np.nan]]
    assert epsilons == pytest.approx(expected, abs=1e-3, nan_ok=True)


def test_the_theory_table_has_the_printed_and_corrected_capacities():
    capacities = theory_values("corollary 5.2")
    assert capacities["as_printed"].tolist() == pytest.approx([12_131, 6065, 606, 121, 29.8], rel=2e-3)
    assert capacities["value"].round(1).tolist() == [1641.8, 820.9, 82.1, 16.4, 4.1]


def test_the_theory_table_has_the_control_and_the_example():
    control = theory_values("gain of the best of forty quantiles over the baseline")["value"]
    assert control.tolist() == pytest.approx([0.036, 0.055, 0.059, 0.055, 0.035], abs=3e-3)
    example = theory_values("figure 8, precision")["value"]
    assert example.tolist() == pytest.approx([0.998, 0.955, 0.823, 0.660, 0.545], abs=1e-3)
    assert theory_values("figure 8, best accuracy")["value"].tolist() == pytest.approx([0.549], abs=1e-3)


def test_the_theory_table_in_markdown_has_dashes_where_a_bound_cannot_be_met():
    text = markdown(tidy("thudi_theory"), BY_NAME["thudi_theory"].caption, RunSummary(False, "laptop"))
    (row,) = [line for line in text.splitlines() if "bound 0.731" in line and "| 0.9 " in line]
    assert row.strip("| ").split()[-1] == "-"


def test_figure_1_goes_to_the_rate_as_epsilon_falls_and_to_zero_as_the_rate_does():
    table = tidy("thudi_fig1")
    assert sorted(table["epsilon"].unique()) == [0.1, 1, 2, 5]
    assert (table["prior"].min(), table["prior"].max()) == (0.001, 0.9)
    np.testing.assert_allclose(table["bound"], precision_bound(table["epsilon"], table["prior"]))
    small = table[table["epsilon"] == 0.1]
    assert (small["bound"] - small["prior"]).between(0, 0.026).all()
    assert table[table["prior"] == 0.001]["bound"].max() < 0.13


def test_figure_2_crosses_once_where_both_terms_are_equal():
    meet = rates.crossing()
    assert meet == pytest.approx(0.66, abs=0.02)
    assert np.exp(-meet) == pytest.approx((1 - meet) / meet, abs=1e-9)
    wide = tidy("thudi_fig2").pivot(index="t", columns="lowered", values="term")
    assert ((wide["sampling rate"] > wide["epsilon"]) == (wide.index < meet)).all()


def test_figure_7_has_both_forms_and_a_line_through_the_printed_one():
    curves = {name: rows.set_index("size")["capacity"] for name, rows in tidy("thudi_fig7").groupby("curve")}
    assert curves[capacity.PRINTED].loc[[0.5, 1.0, 10.0, 50.0, 200.0]].tolist() == pytest.approx(
        [12_131, 6065, 606, 121, 29.8], rel=2e-3
    )
    assert (curves[capacity.CORRECTED] < curves[capacity.PRINTED]).all()
    line = curves[capacity.LINEAR]
    assert line[100.0] == pytest.approx(curves[capacity.PRINTED][100.0])
    np.testing.assert_allclose(line / line.index, line[100.0] / 100)
    assert ((curves[capacity.PRINTED] > line) == (line.index < 100)).drop(100.0).all()


def test_figure_8_has_the_values_of_the_example():
    table = tidy("thudi_fig8").round({"threshold": 6})
    precision = table[table["measure"] == "precision"].set_index("threshold")
    assert precision["value"].loc[[-100, -50, -25, -10, 0]].tolist() == pytest.approx(
        [0.998, 0.955, 0.823, 0.660, 0.545], abs=1e-3
    )
    assert (precision["value"] <= precision["bound"]).all(), "theorem 3.3 holds wherever it says something"
    accuracy = table[table["measure"] == "accuracy"].set_index("threshold")["value"]
    assert (accuracy.idxmax(), accuracy.max()) == (-0.5, pytest.approx(0.549, abs=1e-3))


def test_the_step_of_figure_8_is_that_of_drawn_gradients_and_noise():
    moved = {drawn: logistic_example.step(drawn) for drawn in (False, True)}
    assert moved == {False: 0, True: -1}
    rng = np.random.default_rng(0)
    drawn = rng.random(400_000) < 0.5
    weights = np.where(drawn, moved[True], moved[False]) + logistic_example.NOISE * rng.standard_normal(len(drawn))
    for threshold in (-8, 0):
        accused = weights <= threshold
        error = 0.5 / np.sqrt(accused.sum())
        assert logistic_example.precision(threshold) == pytest.approx(drawn[accused].mean(), abs=4 * error)
        assert logistic_example.accuracy(threshold) == pytest.approx((accused == drawn).mean(), abs=4e-3)
        assert logistic_example.acceptance(threshold) == pytest.approx(accused[drawn].mean(), abs=5e-3)


def test_the_noise_of_figure_8_is_that_of_renyi_accounting_and_more_than_needed():
    step = ("poisson", 1.0, 1, 1, "add_remove", 1e-5)
    assert Mechanism(*step, "rdp").epsilon(logistic_example.NOISE) == pytest.approx(1, abs=2e-3)
    assert Mechanism(*step, "pld").epsilon(logistic_example.NOISE) == pytest.approx(0.916, abs=1e-3)


def test_figure_9_is_lowest_everywhere():
    wide = tidy("thudi_fig9").pivot(index="epsilon", columns="bound", values="accuracy")
    assert (wide.index.min() > 0, wide.index.max()) == (True, 5)
    for older in wide.columns.drop("theorem 3.3 = Humphries et al."):
        assert (wide["theorem 3.3 = Humphries et al."] <= wide[older] + 1e-12).all()
        assert (wide["theorem 3.3 = Humphries et al."] < wide[older])[wide.index >= 0.5].all()
    np.testing.assert_allclose(wide["theorem 3.3 = Humphries et al."], 1 / (1 + np.exp(-wide.index.to_numpy())))


def test_figure_10_is_at_or_below_the_older_bound():
    wide = tidy("thudi_fig10").pivot(index=["epsilon", "prior"], columns="bound", values="precision")
    assert sorted(wide.index.levels[0]) == [0.1, 1, 2]
    assert (wide["theorem 3.3"] <= wide["Sablayrolles et al."] + 1e-12).all()
