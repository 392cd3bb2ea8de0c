"""The artifacts of Thudi et al.: the catalogue, and figures of models from invented tables."""

import inspect
import itertools

import numpy as np
import pandas as pd
import pytest
from drawn import badges, caption, lines, titles
from matplotlib.figure import Figure
from thudi_tables import (
    BY_NAME,
    FIGURES,
    LAID_OUT_LIKE_ANOTHER,
    TABLES,
    ceiling,
    height,
    metrics,
    picture,
    run_summary_of,
    tidy,
    wilson,
)

from dpmia.common.formatting import format_bound
from dpmia.common.registry import load
from dpmia.metrics.intervals import REPLICATES
from dpmia.metrics.precision import ROC_RATES
from dpmia.papers import drawing
from dpmia.papers.thudi import budgets, frames, gain, names, precision_by_rate
from dpmia.papers.thudi.artifacts import ARTIFACTS
from dpmia.theory.precision_bounds import precision_bound

# The catalogue


def test_there_are_seventeen_figures_and_a_table_of_theory():
    assert sorted(FIGURES, key=lambda name: int(name.removeprefix("thudi_fig"))) == [
        f"thudi_fig{number}" for number in range(1, 18)
    ]
    assert [name for name in BY_NAME if name not in FIGURES] == ["thudi_theory", "thudi_controls"]


@pytest.mark.parametrize("artifact", ARTIFACTS, ids=list(BY_NAME))
def test_the_functions_of_an_artifact_exist_and_take_what_they_are_given(artifact):
    assert list(inspect.signature(load(artifact.tabulate)).parameters) == ["tables", "run_summary"]
    if artifact.draw:
        assert list(inspect.signature(load(artifact.draw)).parameters) == ["table", "run_summary"]
    assert artifact.caption.endswith(".")


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn_and_changes_no_table(name):
    before = tidy(name).copy()
    figure = picture(name)
    if name not in LAID_OUT_LIKE_ANOTHER:
        Figure.draw_without_rendering(figure)
    pd.testing.assert_frame_equal(tidy(name), before)
    assert badges(figure) == (["SYNTHETIC DATA"] if BY_NAME[name].tables else [])


@pytest.mark.parametrize("name", ["thudi_fig4", "thudi_fig5", "thudi_fig11", "thudi_fig12"])
def test_real_data_are_not_marked(name):
    artifact = BY_NAME[name]
    assert badges(load(artifact.draw)(tidy(name), run_summary_of(artifact, synthetic=False))) == []


# Figure 4


def test_figure_4_shows_gains_below_zero_that_have_no_interval():
    artifact, table = BY_NAME["thudi_fig4"], tidy("thudi_fig4").assign(low=np.nan, high=np.nan)
    table = table.assign(mean=table["mean"].astype(float) - 0.5)
    figure = load(artifact.draw)(table, run_summary_of(artifact))
    assert figure.axes[0].get_ylim()[0] < table["mean"].min() < 0


def test_figure_4_averages_epsilons_and_replicates_and_has_the_control():
    table = tidy("thudi_fig4")
    limits = table["curve"].isin((gain.BOUND, gain.CEILING))
    assert len(table) == 3 * (3 * 5 + len(frames.CURVE_RATES))
    exact = {rate: np.mean([ceiling(epsilon, rate) for epsilon in names.EPSILONS]) - rate for rate in names.RATES}
    formula = {rate: np.mean(precision_bound(names.EPSILONS, rate, 1e-5, 0.01)) - rate for rate in frames.CURVE_RATES}
    for row in table[limits].itertuples():
        assert row.mean == pytest.approx((exact if row.curve == gain.CEILING else formula)[row.rate])
    table = table[~limits]
    assert (table["replicates"] == 3).all(), "models of one replicate share their split and count once"
    for row in table.itertuples():
        mine = [height(row.experiment, "lira", epsilon, row.rate) + 0.05 for epsilon in names.EPSILONS]
        expected = np.mean(mine) - 0.8 * row.rate if row.curve == gain.ATTACK else 0.04
        assert row.mean == pytest.approx(expected)
        assert row.low < row.mean < row.high


# Figures 5 and 6


@pytest.mark.parametrize(("name", "lower"), [("thudi_fig5", 0.0), ("thudi_fig6", 0.1)])
def test_figures_5_and_6_show_the_models_of_each_bound_and_mark_what_cannot_be_met(name, lower):
    table = tidy(name)
    assert len(table) == 3 * 15
    met = table[table["feasible"]]
    assert len(met) == 3 * 13
    np.testing.assert_allclose(met["mean"], 0.5 + 0.1 * met["bound"] + 0.1 * met["rate"] - lower)
    limits = met[["low", "high"]].to_numpy(dtype=float)
    np.testing.assert_allclose(limits, [wilson(mean) for mean in met["mean"]], rtol=1e-3)
    assert set(met["interval"]) == {REPLICATES}
    assert table.loc[~table["feasible"], "mean"].isna().all()
    figure = picture(name)
    for axes in figure.axes:
        drawn = lines(axes)
        assert {len(curve) for label, curve in drawn.items() if label.startswith("bound")} == {4, 5}
        crosses = [line for line in axes.get_lines() if line.get_marker() == "x" and len(line.get_xdata())]
        assert [line.get_xdata().tolist() for line in crosses] == [[pytest.approx(0.9, abs=0.04)]] * 2
        assert crosses[0].get_xdata()[0] != crosses[1].get_xdata()[0], "beside each other"
        assert all(line.get_ydata().max() < 0 for line in crosses), "below the axis of accuracies"
        assert axes.get_ylim() == figure.axes[0].get_ylim()
    (legend,) = figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {
        *("bound 0.953", "bound 0.881", "bound 0.731", "cannot be met", "chance, 0.1")
    }
    np.testing.assert_allclose(
        met["ceiling"], [ceiling(*cell) for cell in zip(met["epsilon"], met["rate"], strict=True)], rtol=1e-6
    )
    caption_text = caption(figure)
    low, high = (format_bound(ceiling(epsilon, rate), 2) for epsilon, rate in ((5.197, 0.1), (0.802, 0.9)))
    assert f"{low} to {high} under 0.953" in caption_text


def test_models_with_another_epsilon_than_the_bound_leaves_are_not_shown():
    # Every arm was trained with every epsilon: each cell takes its own and no other.
    name = "replicates/thudi_mnist_budget"
    mixed = pd.concat([TABLES[name], TABLES[name].assign(epsilon=2.5, value=0.0)])
    table = budgets.tabulate_best({name: mixed}, run_summary_of(BY_NAME["thudi_fig5"]))
    assert table["mean"].min() > 0.5


# Figure 11


def test_figure_11_leaves_out_what_one_replicate_cannot_resolve():
    table = tidy("thudi_fig11")
    table = table[table["curve"] == "attack"]
    assert sorted(table["epsilon"].unique()) == [3, 5, 7]
    assert sorted(table["fpr"].unique()) == list(ROC_RATES[1:])
    row = table[(table["rate"] == 0.3) & (table["fpr"] == 0.1)].iloc[0]
    assert row["mean"] == pytest.approx(0.1 + 0.03)
    assert [row["low"], row["high"]] == pytest.approx(wilson(0.13), rel=1e-3)


def test_figure_11_has_a_panel_for_each_data_set_and_epsilon():
    figure = picture("thudi_fig11")
    assert titles(figure) == [
        f"{title}, ε = {epsilon}" for title, epsilon in itertools.product(["CIFAR-10", "MNIST"], [3, 5, 7])
    ]
    for panel in figure.axes:
        assert panel.get_xscale() == "log"
        limits = {"(ε, δ) bound", "exact upper bound, any p"}
        assert set(lines(panel)) == {*(f"p = {rate:g}" for rate in names.RATES), "guessing", *limits}


def test_figure_11_stands_side_by_side_where_there_is_one_epsilon():
    artifact = BY_NAME["thudi_fig11"]
    run_summary = run_summary_of(artifact)
    tables = {name: metrics(name.partition("/")[2], epsilons=(3.0,)) for name in artifact.tables}
    figure = load(artifact.draw)(load(artifact.tabulate)(tables, run_summary), run_summary)
    assert titles(figure) == ["CIFAR-10, ε = 3", "MNIST, ε = 3"]
    width, height = figure.get_size_inches()
    assert width > height


def test_figure_11_has_both_limits_down_to_the_smallest_rate():
    table = tidy("thudi_fig11")
    for (_, epsilon), rows in table.groupby(["experiment", "epsilon"]):
        limits = {curve: part.set_index("fpr")["mean"] for curve, part in rows.groupby("curve")}
        assert limits["ceiling"].index.tolist() == list(ROC_RATES)
        bound = limits["bound"]
        assert len(bound) >= 200, "dense: lines between the rates would not be the bound"
        assert (bound.index.min(), bound.index.max()) == pytest.approx((ROC_RATES[0], 1))
        steep, flat = np.exp(epsilon) * bound.index + 1e-5, 1 - np.exp(-epsilon) * (1 - 1e-5 - bound.index)
        np.testing.assert_allclose(bound, np.minimum(1, np.minimum(steep, flat)))
        # The largest of all sampling rates.
        assert limits["ceiling"][0.01] == pytest.approx(0.01 + 0.2 + 0.09)


# Colours


def test_an_epsilon_and_a_rate_have_one_colour_in_all_figures():
    colours = [frames.epsilon_colour(epsilon) for epsilon in (*names.EPSILONS, np.inf)]
    assert len(set(colours)) == len(colours)
    assert len({frames.rate_colour(rate) for rate in names.RATES}) == 5
    assert frames.epsilon_colour(0.1) == frames.epsilon_colour(1)


@pytest.mark.parametrize("name", ["thudi_fig3", "thudi_fig14", "thudi_fig16", "thudi_fig17"])
def test_every_bound_has_the_colour_of_its_epsilon(name):
    for panel in picture(name).panels:
        colours = {line.get_label(): line.get_color() for line in panel.get_lines()}
        epsilons = [label.removeprefix("ε = ") for label in colours if label.startswith("ε = ")]
        assert len(epsilons) > 1
        for epsilon, bound in itertools.product(epsilons, ("theorem 3.3", "exact upper bound")):
            expected = colours[f"ε = {epsilon}"]
            assert colours[f"_{bound}, ε = {epsilon}"] == expected == frames.epsilon_colour(float(epsilon))


def test_bounds_beside_attacks_that_are_coloured_by_rate_have_no_colour():
    colours = {line.get_label(): line.get_color() for line in picture("thudi_fig13").axes[0].get_lines()}
    assert colours["_theorem 3.3, ε = 3"] == colours["_exact upper bound, ε = 3"] == drawing.GREY


@pytest.mark.parametrize("rate", names.RATES)
def test_arms_are_named_by_their_rate(rate):
    assert names.rate_of(names.arm_of(rate)) == rate


def test_precision_by_rate_draws_the_metric_of_its_kind():
    assert [figure.best for figure in (precision_by_rate.FIG3, precision_by_rate.FIG12, precision_by_rate.FIG13)] == [
        True
    ] * 3
