"""Precision by sampling rate (figures 3 and 12 to 17 of Thudi et al.), from invented tables."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from drawn import caption, lines, titles
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from thudi_tables import (
    BY_NAME,
    DESCRIPTION,
    OF_MODELS,
    PRECISION,
    TABLES,
    ceiling,
    height,
    metrics,
    picture,
    run_summary_of,
    tidy,
    wilson,
)

from dpmia.common.registry import load
from dpmia.formats.rows import MissingRowsError
from dpmia.metrics.precision import measured_precision, precision_references
from dpmia.papers.thudi import names, roc
from dpmia.theory.precision_bounds import precision_bound

#: figure -> what is written above each panel, its experiment and attack, and the epsilons of its curves.
SHOWN = {
    "thudi_fig3": (
        [("MNIST", names.MNIST), ("CIFAR-10", names.CIFAR10), ("SVHN-extended", names.SVHN)],
        ["lira"],
        [1, 3, 5, 7, 9, 12, 15],
    ),
    "thudi_fig12": ([("CIFAR-10", "thudi_cifar10_control"), ("MNIST", "thudi_mnist_control")], ["lira"], [np.inf]),
    "thudi_fig13": (
        [("CIFAR-10", names.CIFAR10), ("MNIST", names.MNIST)],
        ["lira_shadows_10", "lira_shadows_30", "lira", "lira_shadows_70", "lira_shadows_90"],
        [3],
    ),
    "thudi_fig14": ([("CIFAR-10", names.CIFAR10), ("MNIST", names.MNIST)], ["population"], [1, 3, 5, 9, 15]),
    "thudi_fig15": ([("CIFAR-10", names.CIFAR10), ("MNIST", names.MNIST)], ["reference_10"], [1, 3, 9, 15]),
    "thudi_fig17": ([("CIFAR-10", names.CIFAR10), ("MNIST", names.MNIST)], ["reference_10_own_rate"], [3, 7]),
}
SHOWN |= {
    "thudi_fig16": (
        [
            (f"{title}, FPR {fpr:g}", experiment)
            for (title, experiment), fpr in itertools.product(
                [("CIFAR-10", names.CIFAR10), ("MNIST", names.MNIST)], [0.05, 0.2, 0.3, 0.5]
            )
        ],
        ["reference_05", "reference_20", "reference_30", "reference_50"] * 2,
        [1, 3, 9, 15],
    )
}


#: Figures with a panel of gains below each panel.
GAINS = ("thudi_fig3", "thudi_fig13", "thudi_fig14", "thudi_fig15", "thudi_fig16", "thudi_fig17")


def bound_lines(axes, label):
    """Return epsilon -> line of a bound."""
    named = {line.get_label(): line for line in axes.get_lines()}
    bounds = {name.partition("ε = ")[2]: line for name, line in named.items() if name.startswith(f"_{label}, ε")}
    return {float(epsilon): line for epsilon, line in bounds.items()}


@pytest.mark.parametrize("name", GAINS)
def test_gains_are_precisions_minus_the_sampling_rate(name):
    figure = picture(name)
    columns = len(figure.panels) // (4 if name == "thudi_fig16" else 2)
    for above, below in zip(figure.panels[:columns], figure.panels[columns:], strict=False):
        drawn, gains = lines(above), lines(below)
        assert drawn.keys() == gains.keys()
        for label in [label for label in drawn if label.startswith("ε = ")]:
            places = [min(names.RATES, key=lambda rate: abs(rate - x)) for x in gains[label][:, 0]]
            np.testing.assert_allclose(gains[label][:, 1], drawn[label][:, 1] - places, atol=1e-9)
        assert below.get_shared_y_axes().joined(below, figure.panels[columns])
        assert not below.get_shared_y_axes().joined(above, below)
        low, high = below.get_ylim()
        assert low < 0 < high < 0.6


def test_points_from_fewer_replicates_than_the_caption_says_are_hollow_and_named():
    artifact = BY_NAME["thudi_fig14"]
    tables = {name: metrics(name.partition("/")[2], epsilons=(1.0, 3.0)) for name in artifact.tables}
    few = tables["replicates/thudi_mnist"]
    chosen = (few["attack"] == names.POPULATION) & (few["metric"] == "precision") & (few["epsilon"] == 3.0)
    few.loc[chosen & (few["arm"] == "p0.3") & (few["replicate"] > 0), "value"] = np.nan
    run_summary = run_summary_of(artifact)
    figure = load(artifact.draw)(load(artifact.tabulate)(tables, run_summary), run_summary)
    hollow = [[line for line in axes.get_lines() if line.get_label() == "_few replicates"] for axes in figure.panels]
    assert [len(lines) for lines in hollow] == [0, 1, 0, 1], "MNIST, and its gain"
    assert "Hollow markers with a number: 1 points" in caption(figure)
    assert "Hollow" not in caption(picture("thudi_fig14"))


def test_all_figures_of_precision_are_tested_here():
    assert sorted(SHOWN) == sorted(PRECISION)


@pytest.mark.parametrize("name", PRECISION)
def test_the_tidy_table_has_the_means_of_the_replicates_and_their_intervals(name):
    panels, attacks, epsilons = SHOWN[name]
    table = tidy(name)
    assert list(table["panel"].unique()) == [title for title, _ in panels]
    best = name in ("thudi_fig3", "thudi_fig12", "thudi_fig13")
    for number, (title, experiment) in enumerate(panels):
        rows = table[(table["panel"] == title) & (table["curve"] == "attack")]
        mine = [attacks[number]] if name == "thudi_fig16" else attacks
        assert set(rows["attack"]) == set(mine)
        assert sorted(rows["epsilon"].unique()) == epsilons
        assert len(rows) == len(mine) * len(epsilons) * 5
        expected = [height(experiment, row.attack, row.epsilon, row.rate) + 0.05 * best for row in rows.itertuples()]
        np.testing.assert_allclose(rows["mean"].astype(float), expected)
        limits = rows[["low", "high"]].to_numpy(dtype=float)
        np.testing.assert_allclose(limits, [wilson(mean) for mean in rows["mean"].astype(float)], rtol=1e-3)
        assert (rows["replicates"] == 3).all()


@pytest.mark.parametrize("name", PRECISION)
def test_attacks_stand_beside_the_baseline_and_oracles_beside_their_control(name):
    table = tidy(name)
    for title, _ in SHOWN[name][0]:
        curves = dict(list(table[table["panel"] == title].groupby("curve")))
        assert ("control" in curves) == (name in ("thudi_fig3", "thudi_fig12", "thudi_fig13"))
        for curve, gained in (("baseline", 0), ("control", 0.04)):
            if curve in curves:
                rows = curves[curve]
                assert rows["rate"].tolist() == list(names.RATES)
                np.testing.assert_allclose(rows["mean"].astype(float), 0.8 * rows["rate"].astype(float) + gained)
                assert (rows["replicates"] == 3).all(), "a split counts once, whatever was trained on it"


@pytest.mark.parametrize("name", PRECISION)
def test_the_bound_is_theorem_3_3_with_the_delta_of_the_run(name):
    table = tidy(name)
    models = table[table["curve"] == "attack"]
    expected = precision_bound(models["epsilon"].astype(float), models["rate"].astype(float), 1e-5, 0.01)
    np.testing.assert_allclose(models["bound"].astype(float), expected)
    along = table[table["curve"] == "bound"]
    assert along.empty == (name == "thudi_fig12"), "without privacy there is no bound"
    if len(along):
        assert along["epsilon"].unique().tolist() == SHOWN[name][2], "one for each epsilon"


@pytest.mark.parametrize("name", PRECISION)
def test_the_exact_ceiling_of_the_mechanism_stands_beside_the_bound(name):
    table = tidy(name)
    models = table[(table["curve"] == "attack") & np.isfinite(table["epsilon"].astype(float))]
    pairs = zip(models["epsilon"].astype(float), models["rate"].astype(float), strict=True)
    np.testing.assert_allclose(models["ceiling"].astype(float), [ceiling(*model) for model in pairs])
    along = table[table["curve"] == "ceiling"]
    assert along.empty == (name == "thudi_fig12"), "without privacy there is no ceiling"
    for _, rows in along.groupby("panel"):
        models = list(itertools.product(SHOWN[name][2], names.RATES))
        np.testing.assert_allclose(rows["mean"].astype(float), [ceiling(*model) for model in models])
    for axes in picture(name).axes:
        assert bound_lines(axes, "exact upper bound").keys() == ({*SHOWN[name][2]} if name != "thudi_fig12" else set())


@pytest.mark.parametrize("name", PRECISION)
def test_the_panels_show_the_numbers_of_the_table(name):
    table, figure = tidy(name), picture(name)
    kinds = 2 if name in GAINS else 1
    shown = [title for title in titles(figure) if title]
    assert shown == [title for title, _ in SHOWN[name][0]]
    columns = len(figure.panels) // kinds // (2 if name == "thudi_fig16" else 1)
    rows_of_panels = [figure.panels[start : start + columns] for start in range(0, len(figure.panels), columns)]
    for axes, (title, _) in zip(itertools.chain(*rows_of_panels[::kinds]), SHOWN[name][0], strict=True):
        rows = table[table["panel"] == title]
        drawn = lines(axes)
        curves = list(rows[rows["curve"] == "attack"].groupby(["attack", "epsilon"]))
        labels = {
            f"shadows at p = {rate:g}" if name == "thudi_fig13" else label: curve
            for (attack, epsilon), curve in curves
            for rate in names.RATES
            for label in ["LiRA, no privacy" if np.isinf(epsilon) else f"ε = {epsilon:g}"]
            if name != "thudi_fig13" or names.LIRA_BY_RATE[rate] == attack
        }
        assert len(labels) == len(curves)
        assert set(labels) <= set(drawn)
        for label, curve in labels.items():
            np.testing.assert_allclose(drawn[label][:, 1], curve["mean"].astype(float))
            # Beside each other so that intervals are seen, never as far as half-way to the next rate.
            assert np.abs(drawn[label][:, 0] - curve["rate"].astype(float)).max() < 0.04
        baseline = rows[rows["curve"] == "baseline"]
        np.testing.assert_allclose(drawn["every record predicted a member"], baseline[["rate", "mean"]].astype(float))
    (legend,) = figure.legends
    assert len({text.get_text() for text in legend.get_texts()}) == len(legend.get_texts())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["thudi_fig11", "thudi_fig13", "thudi_fig17"])
def test_where_no_epsilon_of_the_figure_was_run_those_that_were_are_drawn(name):
    artifact = BY_NAME[name]
    tables = {table: metrics(table.partition("/")[2], epsilons=(1.0, 12.0)) for table in artifact.tables}
    run_summary = run_summary_of(artifact)
    table = load(artifact.tabulate)(tables, run_summary)
    assert {1.0, 12.0} == set(table["epsilon"].dropna()) - {np.inf}
    text = caption(load(artifact.draw)(table, run_summary))
    assert "Not run at this scale: ε = 3" in text
    assert "Not in the paper's figure: ε = 1, 12." in text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["thudi_fig3", "thudi_fig4", "thudi_fig11", "thudi_fig13", "thudi_fig16"])
def test_an_epsilon_and_an_arm_that_the_paper_has_not_are_drawn_without_a_change_of_code(name):
    artifact = BY_NAME[name]
    tables = {
        table: metrics(table.partition("/")[2], epsilons=(3.0, 4.5), rates=(0.1, 0.2, 0.5)) for table in artifact.tables
    }
    run_summary = run_summary_of(artifact)
    table = load(artifact.tabulate)(tables, run_summary)
    figure = load(artifact.draw)(table, run_summary)
    assert {0.1, 0.2, 0.5} <= set(table["rate"].dropna())
    if name != "thudi_fig4":  # a mean over epsilons
        assert {3.0, 4.5} <= set(table["epsilon"].dropna())
        assert "Not in the paper's figure: ε = 4.5." in caption(figure)
    if name in ("thudi_fig3", "thudi_fig4"):
        assert figure.axes[0].get_xticks().tolist() == [0.1, 0.2, 0.5]


def test_an_epsilon_looks_alike_in_all_panels_and_stands_in_its_place_in_the_legend():
    table = tidy("thudi_fig14")
    few = table[(table["experiment"] != names.CIFAR10) | table["epsilon"].isin((3.0, np.nan))]
    artifact = BY_NAME["thudi_fig14"]
    figure = load(artifact.draw)(few, run_summary_of(artifact))
    named = dict.fromkeys(figure.panels[0].get_legend_handles_labels()[1])  # the legend has them first
    assert [name for name in named if name.startswith("ε")] == [f"ε = {epsilon}" for epsilon in (1, 3, 5, 9, 15)]
    looks = [
        {(line.get_marker(), line.get_color()) for line in axes.get_lines() if line.get_label() == "ε = 3"}
        for axes in figure.panels
    ]
    assert len(set.union(*looks)) == 1


def test_what_was_not_run_is_said():
    artifact = BY_NAME["thudi_fig14"]
    few = {name: metrics(name.partition("/")[2], epsilons=(1.0, 9.0)) for name in artifact.tables}
    run_summary = run_summary_of(artifact)
    table = load(artifact.tabulate)(few, run_summary)
    figure = load(artifact.draw)(table, run_summary)
    assert "Not run at this scale: ε = 3, 5, 15." in caption(figure)
    assert "Not run" not in caption(picture("thudi_fig14"))


def test_where_the_attack_predicts_no_member_there_is_no_point_and_the_caption_counts_them():
    artifact = BY_NAME["thudi_fig14"]
    tables = {name: metrics(name.partition("/")[2], epsilons=(1.0, 3.0)) for name in artifact.tables}
    silent = tables["replicates/thudi_mnist"]
    chosen = (silent["attack"] == names.POPULATION) & (silent["metric"] == "precision") & (silent["epsilon"] == 3.0)
    silent.loc[chosen & silent["arm"].isin(["p0.1", "p0.3"]), "value"] = np.nan
    run_summary = run_summary_of(artifact)
    figure = load(artifact.draw)(load(artifact.tabulate)(tables, run_summary), run_summary)
    text = caption(figure)
    assert "No point where the attack predicts no member: 2 of 20 places." in text
    assert "no point" not in caption(picture("thudi_fig14"))


@pytest.mark.parametrize("name", ["thudi_fig4", "thudi_fig5", "thudi_fig11", "thudi_fig14"])
def test_a_data_set_that_cannot_be_had_leaves_its_panels_empty_and_says_so(name):
    artifact = BY_NAME[name]
    kept = artifact.tables[0]
    run_summary = run_summary_of(artifact)
    table = load(artifact.tabulate)({kept: TABLES[kept]}, run_summary)
    assert table["experiment"].unique().tolist() == [kept.partition("/")[2]]
    figure = load(artifact.draw)(table, run_summary)
    empty = [panel for panel in figure.axes if "not run" in [text.get_text() for text in panel.texts]]
    assert 0 < len(empty) < len(figure.axes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "panels"), [("thudi_fig3", 2), ("thudi_fig4", 1), ("thudi_fig5", 1), ("thudi_fig16", 8)]
)
def test_a_data_set_that_is_not_run_at_a_scale_has_no_panel(name, panels):
    artifact = BY_NAME[name]
    (kept,) = [table for table in artifact.tables if "mnist" in table]
    run_summary = replace(run_summary_of(artifact), experiments={kept.partition("/")[2]: DESCRIPTION})
    figure = load(artifact.draw)(load(artifact.tabulate)({kept: TABLES[kept]}, run_summary), run_summary)
    assert len(figure.panels) == panels
    assert all("MNIST" in title for title in titles(figure) if title)
    assert "not run" not in [text.get_text() for panel in figure.axes for text in panel.texts]


@pytest.mark.parametrize("name", OF_MODELS)
def test_tables_without_the_models_of_a_figure_are_refused(name):
    artifact = BY_NAME[name]
    others = {table: TABLES[table].assign(attack="another", epsilon=12.0) for table in artifact.tables}
    with pytest.raises(MissingRowsError, match="replicates/thudi"):
        load(artifact.tabulate)(others, run_summary_of(artifact))


def _intervals(figure):
    """Return how many bands and bars of intervals a figure has."""
    shapes = (shape for axes in figure.axes for shape in axes.collections if not isinstance(shape, PathCollection))
    corners = [path.vertices for shape in shapes for path in shape.get_paths()]
    return sum(len(corner) > 0 and np.isfinite(corner).all() and np.ptp(corner[:, 1]) > 0 for corner in corners)


def test_one_replicate_is_drawn_without_intervals():
    for name in ("thudi_fig4", "thudi_fig12"):
        artifact = BY_NAME[name]
        single = {table: TABLES[table][TABLES[table]["replicate"] == 0] for table in artifact.tables}
        run_summary = run_summary_of(artifact)
        one, all_ = (
            load(artifact.draw)(load(artifact.tabulate)(tables, run_summary), run_summary)
            for tables in (single, {table: TABLES[table] for table in artifact.tables})
        )
        assert _intervals(one) == 0 < _intervals(all_)
        Figure.draw_without_rendering(one)


def test_metrics_are_named_as_they_are_measured():
    scores = np.arange(2000.0)
    is_member = scores % 2 > 0
    measured = set(measured_precision(scores, scores > 5, is_member) | precision_references(is_member))
    assert {"precision", "precision_best", "precision_baseline", "precision_control"} <= measured
    assert set(roc._METRICS) <= measured
