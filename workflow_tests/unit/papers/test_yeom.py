"""The artifacts of Yeom et al., drawn from invented tables whose numbers are known."""

import inspect
import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from drawn import badges, caption, lines, titles
from matplotlib.figure import Figure

from dpmia.common.registry import load
from dpmia.formats.rows import COLUMNS as REPLICATES
from dpmia.formats.rows import KEYS
from dpmia.formats.stages import REGRESSION
from dpmia.jobs.describing import ExperimentDescription
from dpmia.metrics.intervals import BOTH, EQUAL, SPLITS
from dpmia.metrics.intervals import REPLICATES as INDEPENDENT
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.tables import markdown
from dpmia.papers.yeom import fig3, names, networks, table1
from dpmia.papers.yeom.artifacts import ARTIFACTS
from dpmia.theory.overfitting import gaussian_advantage, unknown_sigma_advantage

BY_NAME = {artifact.name: artifact for artifact in ARTIFACTS}
FIGURES = [name for name, artifact in BY_NAME.items() if artifact.draw]
SIZES = (1, 4, 32)
#: parameter -> ratio; adversary -> advantage at each parameter.
RATIOS = {2: 1.2, 8: 2.0, 20: 5.0}
ADVANTAGES = {
    "threshold": (0.1, 0.3, 0.6),
    "threshold_sigma_s": (0.12, 0.33, 0.72),
    "attribute": (0.02, 0.1, 0.3),
    "uniform": (0.05, 0.1, 0.25),
    "multi_query_descending": (0.06, 0.2, 0.5),
    "multi_query_ascending": (0.04, 0.15, 0.4),
}
SHIFTS = (-0.02, 0.0, 0.02)
#: Half of the 95 % t interval of three values .02 apart: t = 4.303 with two degrees of freedom.
HALF = 4.303 * 0.02 / np.sqrt(3)
#: The same of three splits that overlap, with a test record for three training records.
OF_SPLITS = 4.303 * 0.02 * np.sqrt(1 / 3 + 1 / 3)


def study(dataset):
    """Return the table of a study with the advantages above in three splits."""
    model, records, targets = {"yeom_eyedata": ("ridge", 120, {}), "yeom_iwpc": ("tree", 4819, fig3.TARGETS)}[dataset]
    name = dataset.removeprefix("yeom_")
    rows = []
    for (place, (parameter, ratio)), (replicate, shift) in itertools.product(
        enumerate(RATIOS.items()), enumerate(SHIFTS)
    ):
        sizes = [records, 0.75 * records, 0.25 * records]
        key = [name, *sizes, model, parameter, records if model == "ridge" else 10, 0.5, 0.5 * ratio, ratio]
        for adversary, heights in ADVANTAGES.items():
            for target in ["membership"] if adversary.startswith("threshold") else targets:
                values = {"membership": 2, "vkorc1": 3, "cyp2c9": 6}[target]
                height = heights[place] + shift
                rows.append([*key, adversary, target, values, replicate, 0.1 + height, 0.1, height])
    return pd.DataFrame(rows, columns=REGRESSION)


def heights(dataset, colluding, s):
    """Return (attack, metric) -> mean of networks."""
    step, spread = np.log2(s) / 10, {"MNIST": 0.1, "CIFAR-10": 0.5, "CIFAR-100": 1.0}[dataset]
    values = {
        ("model", "accuracy_members"): 0.5 + step,
        ("model", "accuracy_nonmembers"): 0.5 + step - spread * step - 0.02 * colluding,
        ("model", "loss_members"): 1 - 1.5 * step,
        ("model", "loss_nonmembers"): 1 + spread,
        ("average_threshold", "advantage"): spread * step,
        ("average_threshold", "precision"): 0.5 + spread * step / 2,
        ("average_threshold", "recall"): 0.995,
    }
    if colluding:
        values |= {("collusion", metric): 0.4 + step for metric in ("advantage", "precision", "recall")}
    return values


def summary(experiment, sizes=SIZES):
    """Return a summary table with the heights above, and rows that no figure shows."""
    dataset, colluding = (names.HONEST | names.COLLUDING)[experiment], experiment in names.COLLUDING
    rows = []
    for s in sizes:
        for (attack, metric), mean in heights(dataset, colluding, s).items():
            key = [experiment, f"s{s}", False, np.inf, attack, False, metric]
            rows.append([*key, mean, mean - 0.01, mean + 0.02, 4, BOTH])
            rows.append([*key[:1], f"s{s}-iid", True, *key[3:], 0.123, 0.12, 0.13, 4, BOTH])
    return pd.DataFrame(rows, columns=[*KEYS, "mean", "low", "high", "replicates", "interval"])


def replicates(experiment, sizes=SIZES):
    """Return three replicates around the heights above; accuracies on members shift twice as far as all others."""
    shifts = pd.DataFrame({"replicate": range(3), "shift": SHIFTS})
    rows = summary(experiment, sizes).merge(shifts, how="cross")
    times = np.where(rows["metric"] == "accuracy_members", 2, 1)
    return rows.assign(value=rows["mean"] + times * rows["shift"])[REPLICATES]


def table_of(name, **options):
    stage, experiment = name.split("/")
    make = {"studies": study, "summary": summary, "replicates": replicates}[stage]
    return make(experiment, **options)


def run_summary_of(artifact, synthetic=True):
    description = ExperimentDescription("mnist", "growing", "50 members", "30 epochs, batch 32", 4, keys=3)
    experiments = {name.split("/")[1]: description for name in artifact.tables}
    return RunSummary(synthetic and bool(experiments), "laptop", experiments)


def tidy(name, **options):
    artifact = BY_NAME[name]
    return load(artifact.tabulate)(
        {table: table_of(table, **options) for table in artifact.tables}, run_summary_of(artifact)
    )


def picture(name, synthetic=True):
    return load(BY_NAME[name].draw)(tidy(name), run_summary_of(BY_NAME[name], synthetic))


# The catalogue


@pytest.mark.parametrize("artifact", ARTIFACTS, ids=BY_NAME)
def test_the_functions_of_an_artifact_exist_and_take_what_they_are_given(artifact):
    assert artifact.name.startswith("yeom_")
    assert artifact.caption.endswith(".")
    assert list(inspect.signature(load(artifact.tabulate)).parameters) == ["tables", "run_summary"]
    if artifact.draw:
        assert list(inspect.signature(load(artifact.draw)).parameters) == ["table", "run_summary"]


def test_all_of_the_papers_figures_and_tables_are_there():
    shown = {f"yeom_{name}" for name in ("fig1", "fig2a", "fig2b", "fig2c", "fig3", "fig4a", "fig4b", "table1")}
    assert shown == set(BY_NAME) - {"yeom_theory"}


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_figures_can_be_saved_and_say_what_they_are_made_from(name, tmp_path):
    with drawing.style():
        figure = picture(name)
        drawing.save(figure, tmp_path / "figure.png")
    assert isinstance(figure, Figure)
    assert (tmp_path / "figure.png").stat().st_size > 5000
    if BY_NAME[name].tables:
        for synthetic, source in ((True, "Synthetic data, scale laptop"), (False, "Real data, scale laptop")):
            figure = picture(name, synthetic)
            assert badges(figure) == (["SYNTHETIC DATA"] if synthetic else [])
            text = caption(figure)
            assert source in text
            kinds = {"yeom_fig4b": INDEPENDENT, "yeom_fig2c": BOTH, "yeom_fig4a": BOTH}
            assert f"95 % intervals over {kinds.get(name, SPLITS)}" in text


# Theory


def test_figure_1_has_the_peaks_of_theorem_5():
    table = tidy("yeom_fig1")
    tops = table[table["peak"]].set_index("ratio")
    assert tops["advantage"].round(4).to_dict() == {2: 0.1613, 5: 0.3236, 10: 0.3991, 50: 0.4751}
    assert tops["influence"].round(2).to_dict() == {2: 2.72, 5: 3.66, 10: 4.31, 50: 5.6}
    assert (table.groupby("ratio")["advantage"].max() == tops["advantage"]).all()
    curves = lines(picture("yeom_fig1").axes[0])
    assert len(curves) == 4
    assert all((np.diff(curve[:, 0]) >= 0).all() for curve in curves.values())


def test_the_table_of_theorems_and_the_attack_it_plays():
    table = tidy("yeom_theory").set_index("ratio")
    assert table.loc[[2.0, 5.0, 10.0], "threshold"].tolist() == [0.3227, 0.6471, 0.7982]
    np.testing.assert_allclose(table["threshold_simulated"], table["threshold"], atol=0.003)
    assert table.loc[1.0, ["threshold", "threshold_simulated", "threshold_sigma_s"]].tolist() == [0, 0, 0]


# Regression models


@pytest.mark.parametrize(
    ("name", "adversary", "theory"),
    [
        ("yeom_fig2a", "threshold", gaussian_advantage),
        ("yeom_fig2b", "threshold_sigma_s", unknown_sigma_advantage),
    ],
)
def test_figure_2_shows_means_intervals_and_theory(name, adversary, theory):
    table = tidy(name)
    measured = table[table["adversary"] != "theory"]
    assert set(measured["adversary"]) == {adversary}
    for dataset in ("eyedata", "iwpc"):
        rows = measured[measured["dataset"] == dataset].sort_values("ratio")
        assert rows["mean"].tolist() == pytest.approx(ADVANTAGES[adversary])
        assert (rows["high"] - rows["mean"]).tolist() == pytest.approx([OF_SPLITS] * 3, rel=1e-3)
        assert set(rows["interval"]) == {SPLITS}
        assert rows["splits"].tolist() == [3, 3, 3]
    curve = table[table["adversary"] == "theory"]
    np.testing.assert_allclose(curve["mean"], theory(curve["ratio"].to_numpy()))
    assert (curve["ratio"].min(), curve["ratio"].max()) == (1, 5.25)

    drawn = lines(picture(name).axes[0])
    assert len(drawn) == 3
    expected = list(zip(RATIOS.values(), ADVANTAGES[adversary], strict=True))
    for label in ("Ridge, eyedata", "trees, IWPC"):
        np.testing.assert_allclose(drawn[label], expected)


def test_captions_tell_records_folds_and_splits():
    text = caption(picture("yeom_fig2a"))
    assert "eyedata: 3 splits, leave-one-out, 120 records." in text
    assert "IWPC: 3 splits, 10-fold cross-validation, 4,819 records." in text


def test_captions_of_studies_compare_them_with_the_papers_scale():
    artifact = BY_NAME["yeom_fig2a"]
    paper = {
        "yeom_eyedata": {"dataset": "eyedata", "splits": 10_000, "cross_validation": "leave_one_out"},
        "yeom_iwpc": {"dataset": "iwpc", "splits": 20, "cross_validation": 10},
    }
    text = caption(load(artifact.draw)(tidy("yeom_fig2a"), replace(run_summary_of(artifact), studies=paper)))
    assert "eyedata: leave-one-out, 120 records. Here / paper's scale: 3 / 10000 splits." in text
    assert "IWPC: 10-fold cross-validation, 4,819 records. Here / paper's scale: 3 / 20 splits." in text


def test_the_axis_of_ratios_is_stretched_around_one():
    axes = picture("yeom_fig2a").axes[0]
    place = axes.get_xaxis().get_transform().transform
    one, near, far, further = place(np.array([1.0, 1.05, 2.0, 2.05]))
    assert near - one > 5 * (further - far) > 0
    low, high = axes.get_xlim()
    ratios = np.concatenate([curve[:, 0] for curve in lines(axes).values()])
    assert low < ratios.min() <= ratios.max() < high


def test_figure_3_has_a_panel_for_each_genotype_with_all_attacks():
    figure = picture("yeom_fig3")
    assert titles(figure) == ["VKORC1", "CYP2C9"]
    for axes in figure.axes:
        drawn = {label: curve[:, 1].tolist() for label, curve in lines(axes).items()}
        assert drawn == {
            "membership": pytest.approx(ADVANTAGES["threshold_sigma_s"]),
            "multi-query": pytest.approx(ADVANTAGES["multi_query_descending"]),
            "multi-query, rarest first": pytest.approx(ADVANTAGES["multi_query_ascending"]),
            "attribute": pytest.approx(ADVANTAGES["attribute"]),
            "uniform": pytest.approx(ADVANTAGES["uniform"]),
        }


def test_figure_3_compares_the_uniform_reduction_with_theorem_7_split_by_split():
    table = tidy("yeom_fig3")
    rows = table[table["adversary"] == fig3.BEYOND].sort_values("parameter")
    for target, values in (("vkorc1", 3), ("cyp2c9", 6)):
        gaps = np.array(ADVANTAGES["uniform"]) - np.array(ADVANTAGES["threshold_sigma_s"]) / values
        chosen = rows[rows["target"] == target]
        assert chosen["mean"].tolist() == pytest.approx(gaps)
        # Both shift together from split to split: what is left of the shift is its (1 - 1/m)-th part.
        assert (chosen["high"] - chosen["mean"]).tolist() == pytest.approx([OF_SPLITS * (1 - 1 / values)] * 3, rel=1e-3)


# Convolutional networks


def test_figure_2c_has_the_ratio_of_losses_and_the_formula():
    table = tidy("yeom_fig2c")
    measured = table[table["dataset"] != "theory"].set_index(["dataset", "s"])
    assert len(measured) == 9
    assert measured.loc[("CIFAR-10", 32), "ratio"] == pytest.approx(1.5 / 0.25)
    assert measured.loc[("CIFAR-10", 32), "mean"] == pytest.approx(0.25)
    assert measured.loc[("MNIST", 1), ["low", "high"]].tolist() == pytest.approx([-0.01, 0.02])
    curve = table[table["dataset"] == "theory"]
    np.testing.assert_allclose(curve["mean"], unknown_sigma_advantage(curve["ratio"].to_numpy()))
    assert curve["ratio"].max() >= measured["ratio"].max()
    drawn = lines(picture("yeom_fig2c").axes[0])
    np.testing.assert_allclose(drawn["CIFAR-100"][:, 1], np.array([0, 2, 5]) / 10)


def test_figure_4a_shows_the_advantage_of_collusion_at_every_size():
    table = tidy("yeom_fig4a")
    assert set(table["metric"]) == {"advantage", "precision", "recall"}
    axes = picture("yeom_fig4a").axes[0]
    drawn = list(lines(axes).values())
    for curve in drawn:
        np.testing.assert_allclose(curve, [(1, 0.4), (4, 0.6), (32, 0.9)], rtol=0.1)
    assert len({curve[0, 0] for curve in drawn}) == 3, "side by side"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "4", "32"]
    text = caption(picture("yeom_fig4a"))
    assert "k = 3 shared keys, as in the paper." in text
    assert "CNN of size s, 50 members, 30 epochs, batch 32" in text
    artifact, run_summary = BY_NAME["yeom_fig4a"], run_summary_of(BY_NAME["yeom_fig4a"])
    paper = {
        name: replace(description, keys=5, passes="40 epochs, batch 32")
        for name, description in run_summary.experiments.items()
    }
    text = caption(load(artifact.draw)(table, replace(run_summary, paper=paper)))
    assert "k = 3 shared keys; in the paper 5." in text
    assert "Here / paper's scale: 30 / 40 epochs." in text


def test_figure_4b_has_differences_of_accuracies_taken_in_each_replicate():
    table = tidy("yeom_fig4b").set_index(["metric", "dataset", "colluding", "s"]).sort_index()
    error = table.loc[("generalisation_error", "CIFAR-100", True, 32)]
    assert error[["mean", "low", "high"]].tolist() == pytest.approx([0.52, 0.52 - HALF, 0.52 + HALF], rel=1e-3)
    assert table.loc[("generalisation_error", "CIFAR-100", False, 32), "mean"] == pytest.approx(0.5)
    low, high = table["low"], table["high"]
    assert ((low.isna() | (low >= -1)) & (high.isna() | (high <= 1))).all()
    # Honest and colluding networks shift alike: nothing is left of it in what collusion costs.
    cost = table.loc["accuracy_cost"]
    assert cost["mean"].to_numpy() == pytest.approx(np.full(9, 0.02))
    assert set(cost["interval"]) == {EQUAL}
    assert table["replicates"].tolist() == [3] * 27
    drawn = lines(picture("yeom_fig4b").axes[0])
    assert set(drawn) == {f"{name}{kind}" for name in networks.STYLES for kind in ("", ", honest")}
    np.testing.assert_allclose(drawn["CIFAR-10"][:, 1], np.array([0, 0.1, 0.25]) + 0.02)


@pytest.mark.parametrize(("left", "kind"), [(slice(0, 3), True), (slice(3, 6), False)], ids=["colluding", "honest"])
def test_figure_4b_of_one_kind_of_trainer_has_no_cost(left, kind):
    artifact = BY_NAME["yeom_fig4b"]
    table = load(artifact.tabulate)({name: table_of(name) for name in artifact.tables[left]}, run_summary_of(artifact))
    assert set(table["metric"]) == {"generalisation_error"}
    assert set(table["colluding"]) == {kind}
    load(artifact.draw)(table, run_summary_of(artifact))


def test_table_1_stands_beside_what_is_printed():
    table = tidy("yeom_table1")
    assert list(zip(table["quantity"], table["data set"].fillna(""), strict=True)) == list(table1.PRINTED)
    rows = table.dropna(subset="s").set_index(["quantity", "data set"])
    assert rows["s"].tolist() == [32] * 6
    assert rows["mean"].tolist() == [0.525, 0.625, 0.75, 0.995, 0.995, 0.995]
    assert rows.loc[("precision", "CIFAR-10"), ["low", "high", "paper", "shokri"]].tolist() == [
        *(0.615, 0.645),
        *("0.694", "0.72-0.74"),
    ]
    # 2 - 1 / precision is the advantage at full recall: the printed precisions in the words of the other figures.
    assert [round(2 - 1 / float(value), 3) for value in rows["paper"].iloc[:3]] == [0.020, 0.559, 0.856]
    text = markdown(table, BY_NAME["yeom_table1"].caption, run_summary_of(BY_NAME["yeom_table1"]))
    assert "Synthetic data" in text
    assert "| one query" in text


def test_table_1_takes_the_largest_network_where_none_is_of_its_size():
    table = tidy("yeom_table1", sizes=(1, 2, 8)).dropna(subset="s")
    assert table["s"].tolist() == [8] * 6


def test_a_data_set_that_was_not_run_is_left_out():
    artifact = BY_NAME["yeom_fig4a"]
    tables = {name: table_of(name) for name in artifact.tables[:2]}
    table = load(artifact.tabulate)(tables, run_summary_of(artifact))
    assert set(table["dataset"]) == {"MNIST", "CIFAR-10"}
    run_summary = replace(run_summary_of(artifact), not_run={"yeom_cifar100": "no file"})
    figure = load(artifact.draw)(table, run_summary)
    assert set(lines(figure.axes[0])) == {"MNIST", "CIFAR-10"}
    assert "Not run: yeom_cifar100 (no file)." in caption(figure)


def test_a_study_that_was_not_run_is_named():
    artifact = BY_NAME["yeom_fig2a"]
    run_summary = replace(run_summary_of(artifact), not_run={"yeom_iwpc": "no file"})
    figure = load(artifact.draw)(tidy("yeom_fig2a"), run_summary)
    assert "Not run: yeom_iwpc (no file)." in caption(figure)
