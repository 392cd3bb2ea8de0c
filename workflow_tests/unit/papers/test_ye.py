"""The artifacts of Ye et al.: tables and figures from invented tables whose numbers are known."""

import inspect
import itertools
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
import ye_tables as made
from drawn import badges, caption, lines, titles
from matplotlib.figure import Figure

from dpmia.common.registry import load
from dpmia.formats.rows import MissingRowsError
from dpmia.metrics.precision import ROC_RATES
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.ye import agreement, histograms, margins, names, roc
from dpmia.papers.ye.artifacts import ARTIFACTS
from dpmia.papers.ye.note import run_note
from dpmia.planning import jobs
from dpmia.planning.plan import make_plan
from dpmia.settings.base import SCALES

ROOT = Path(__file__).parents[3]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")) | {"experiments": ["experiments/ye.yaml"]}
BY_NAME = {artifact.name: artifact for artifact in ARTIFACTS}
FIGURES = [name for name, artifact in BY_NAME.items() if artifact.draw]
CURVES = [name for name in FIGURES if "roc" in BY_NAME[name].tabulate]

#: Experiments on which the attacks of the paper alone are run, but at the paper's scale.
OF_THE_PAPER_ALONE = ("ye_purchase_clipped", "ye_cifar10_vgg")


def wilson(share):
    """Return the 95 % limits of a share whose three values are .02 apart."""
    half = 4.303 * 0.02 / np.sqrt(3)
    times = half**2 / (share * (1 - share))
    return sorted(np.roots([1 + times, -2 * share - times, share**2]))


def tidy(name, synthetic=True):
    artifact = BY_NAME[name]
    return load(artifact.tabulate)(made.tables_of(artifact), made.run_summary_of(artifact, synthetic))


@cache
def picture(name, synthetic=True):
    """Return a figure that tests share, and only read; drawing it leaves its table as it was."""
    table = tidy(name, synthetic)
    before = table.copy()
    with drawing.style():
        figure = load(BY_NAME[name].draw)(table, made.run_summary_of(BY_NAME[name], synthetic))
        Figure.draw_without_rendering(figure)
    pd.testing.assert_frame_equal(table, before)
    return figure


# What the paper prints


def test_the_printed_numbers_order_the_attacks_as_the_paper_says():
    best = {}
    for row in names.CONFIGURATIONS:
        of_row = {letter: row.printed[letter][0] for letter in names.PAPER}
        best[row.label] = {letter for letter, value in of_row.items() if value == max(of_row.values())}
    of_purchase = [row.label for row in names.PURCHASE.values()]
    assert all(best[label] == {"D"} for label in (*of_purchase, "CIFAR-10 II", "CIFAR-10 III"))
    of_mnist = [row.label for row in names.MNIST.values()]
    assert all(best[label] == {"R"} for label in ("CIFAR-10 I", "CIFAR-100 Ia", *of_mnist))
    assert best["CIFAR-100 Ib"] == {"P", "D"}
    assert best["CIFAR-100 IIa"] == {"P", "R"}
    assert best["CIFAR-100 IIb"] == {"P"}


def test_the_printed_agreement_with_the_truth_is_the_rates_of_the_attacks():
    pairs = list(itertools.combinations(agreement.ORDER, 2))
    rates = {part: dict(zip(pairs, agreement.PRINTED[part], strict=True)) for part in agreement.PRINTED}
    for letter, tpr, fpr in (("S", 0.696, 0.344), ("P", 0.662, 0.336), ("R", 0.772, 0.344), ("D", 0.992, 0.628)):
        assert rates["train"]["GT", letter] == tpr
        assert 1 - rates["test"]["GT", letter] == pytest.approx(fpr)
    assert (rates["train"]["S", "P"], rates["test"]["S", "P"]) == (0.874, 0.948)
    assert (rates["train"]["L", "D"], rates["test"]["L", "D"]) == (0.968, 0.822)


# The catalogue and the experiments


@pytest.mark.parametrize("artifact", BY_NAME.values(), ids=BY_NAME)
def test_the_functions_of_an_artifact_exist_and_take_what_they_are_given(artifact):
    assert list(inspect.signature(load(artifact.tabulate)).parameters) == ["tables", "run_summary"]
    if artifact.draw:
        assert list(inspect.signature(load(artifact.draw)).parameters) == ["table", "run_summary"]
    assert artifact.caption.endswith(".")


def test_all_tables_and_figures_of_the_paper_are_there():
    printed = {f"ye_{kind}{number}" for kind in ("fig", "table") for number in range(1, 6)}
    assert set(BY_NAME) == printed | {"ye_roc_mnist", "ye_table2_heatmap"}
    ours = {name for name, artifact in BY_NAME.items() if artifact.caption.startswith("Ours:")}
    assert ours == set(BY_NAME) - printed


def test_configurations_are_arms_of_one_experiment_for_each_table():
    assert [(row.experiment, row.arm) for row in names.CONFIGURATIONS] == made.PLACES
    assert [row.label.partition(" ")[2] for row in names.CONFIGURATIONS] == [arm for _, arm in made.PLACES]


@pytest.mark.parametrize("name", BY_NAME)
def test_an_artifact_is_made_of_the_tables_of_what_it_shows(name):
    experiments = [table.partition("/")[2] for table in BY_NAME[name].tables]
    assert experiments == list(dict.fromkeys(experiment for experiment, _ in made.SHOWN[name]))


@pytest.mark.parametrize("scale", SCALES)
def test_what_artifacts_show_is_run_at_every_scale(scale):
    experiments = make_plan(CONFIG | {"scale": scale}, ROOT).experiments
    shown = {name.partition("/")[2] for artifact in BY_NAME.values() for name in artifact.tables}
    assert shown == set(experiments) == set(made.ARMS)
    for name, experiment in experiments.items():
        assert tuple(experiment.arms) == made.ARMS[name]
        wanted = set(names.ATTACKS.values()) if scale == "paper" else set(names.ATTACKS.values()) - {"lira"}
        if scale != "paper" and name in OF_THE_PAPER_ALONE:
            wanted = set(names.PAPER.values())
        assert set(experiment.attacks) == wanted, name
        assert experiment.details
        assert jobs.uses(experiment, "population")
    looked_at = {name: experiment.per_record for name, experiment in experiments.items() if experiment.per_record}
    assert set(looked_at) == {"ye_purchase"}
    assert set(looked_at["ye_purchase"].arms) == {"Ia", "IIa"}
    assert looked_at["ye_purchase"].leave_one_out.arms == ["IIa"]


def test_at_the_papers_scale_experiments_have_the_papers_sizes():
    experiments = make_plan(CONFIG | {"scale": "paper"}, ROOT).experiments
    for row in names.CONFIGURATIONS:
        experiment, printed = experiments[row.experiment], row.settings
        arm, training = experiment.arms[row.arm], experiment.training
        for part in ("members", "nonmembers", "population"):
            of_arm = getattr(arm, part)
            assert (getattr(experiment.membership, part) if of_arm is None else of_arm) == printed["members"], row.label
        l2 = training.l2 if arm.training is None or arm.training.l2 is None else arm.training.l2
        assert (experiment.references.count, l2) == (printed["references"], printed["l2"]), row.label
        assert (training.clip_norm if training.clip_all else None) == printed["clipped_to"]
        assert experiment.replicates == 10
        assert (training.momentum > 0) == (row.experiment in ("ye_cifar10", "ye_cifar10_vgg"))


# ROC


@pytest.mark.slow
@pytest.mark.parametrize("name", CURVES)
def test_curves_are_the_means_over_target_models_and_stop_at_the_resolution(name):
    figure = picture(name)
    assert len(figure.panels) == 2 * len(made.SHOWN[name])
    for place, (experiment, arm) in enumerate(made.SHOWN[name]):
        linear, logarithmic = figure.panels[2 * place : 2 * place + 2]
        for panel in (linear, logarithmic):
            drawn = lines(panel)
            assert set(drawn) == {*roc.SHOWN, "guessing"}
            thin = [line for line in panel.get_lines() if line.get_label() == "_target model"]
            assert len(thin) == 3 * len(roc.SHOWN)
            for title, attack in roc.SHOWN.items():
                height = made.auc(experiment, arm, attack)
                fpr, tpr = drawn[title].T
                assert fpr.tolist() == [rate for rate in ROC_RATES if rate >= 0.002]
                np.testing.assert_allclose(tpr, fpr ** (1 / height - 1))
        label = made.BY_PLACE[experiment, arm].label
        assert titles(figure)[2 * place : 2 * place + 2] == [label, f"{label}, logarithmic axes"]
        assert (linear.get_xscale(), logarithmic.get_xscale(), logarithmic.get_yscale()) == ("linear", "log", "log")
        for text, (title, attack) in zip(linear.texts[::-1], roc.SHOWN.items(), strict=True):
            name, _, numbers = text.get_text().partition("  ")
            assert name == title
            height = made.auc(experiment, arm, attack)
            shown = [float(number.strip("[],")) for number in numbers.split()]
            assert shown == pytest.approx([height, *wilson(height)], abs=2e-3)


def test_no_two_curves_have_the_same_colour_or_the_same_dashes():
    colours, dashes = zip(*roc.LOOKS.values(), strict=True)
    assert len(set(colours)) == len(set(dashes)) == len(roc.SHOWN)


def test_the_roc_has_forty_rates_and_those_of_its_claims():
    assert len(ROC_RATES) >= 38
    assert list(ROC_RATES) == sorted(set(ROC_RATES))
    assert {0.001, 0.01, 0.1, 0.2, 0.5, 1.0} <= set(ROC_RATES)
    assert max(high - low for low, high in itertools.pairwise(ROC_RATES)) <= 0.05 + 1e-9


def test_a_rate_that_one_target_model_cannot_tell_has_no_mean():
    rows = made.replicates("ye_purchase")
    untold = (rows["arm"] == "Ia") & (rows["metric"] == "tpr@0.01") & (rows["replicate"] == 1)
    rows.loc[untold, "value"] = np.nan
    table = roc.FIG3.tabulate({"replicates/ye_purchase": rows}, RunSummary(True, "laptop"))
    rates = {name: set(curves["fpr"]) for name, curves in table.groupby("configuration")}
    assert 0.01 not in rates["Purchase100 Ia"]
    assert {0.008, 0.0125} <= rates["Purchase100 Ia"]
    assert {0.008, 0.01, 0.0125} <= rates["Purchase100 IIa"]


def test_curves_are_drawn_of_the_configurations_that_were_run():
    tables = {"replicates/ye_purchase": made.replicates("ye_purchase", arms=["III", "IIa"])}
    run_summary = RunSummary(True, "laptop", {"ye_purchase": made.described("ye_purchase", ["III", "IIa"])})
    table = roc.FIG3.tabulate(tables, run_summary)
    assert set(table["configuration"]) == {"Purchase100 IIa"}
    figure = roc.FIG3.draw(table, run_summary)
    assert len(figure.axes) == 2
    assert sentences(figure) == [made.sentence("ye_purchase", "IIa")]
    with pytest.raises(MissingRowsError, match="no attack on MNIST Ia or MNIST IIa"):
        roc.ROC_MNIST.tabulate({"replicates/ye_mnist": made.replicates("ye_mnist", arms=["Ib"])}, run_summary)


# Attacks record by record


def test_agreement_counts_equal_answers():
    table = tidy("ye_table2_heatmap").set_index(["records", "first", "second"])
    assert len(table) == 30
    # S, P, R and D say "member" of 1, 2, 3 and 4 of 8 records; the smaller sets lie in the larger ones.
    for place, letter in enumerate(names.PAPER, start=1):
        assert table.loc[("train", "GT", letter), "ours"] == place / 8
        assert table.loc[("test", "GT", letter), "ours"] == 1 - place / 8
    assert table.loc[("train", "S", "D"), "ours"] == table.loc[("test", "S", "D"), "ours"] == 5 / 8
    assert table.loc[("train", "S", "D"), "paper"] == 0.696
    assert table.loc[("test", "R", "D"), "paper"] == 0.692
    of_leave_one_out = table.loc[("train", "GT", "L")]
    assert (of_leave_one_out["paper"], of_leave_one_out["targets"]) == (0.968, 0)
    assert pd.isna(of_leave_one_out["ours"])
    assert set(table.loc[table["targets"] > 0, "queries"]) == {8}


def test_an_attack_that_judged_some_points_is_compared_on_those():
    rows = made.per_record("ye_purchase")
    some = rows[(rows["attack"] == "reference") & (rows["target"] == 0) & (rows["record"] % 100 < 4)]
    rows = pd.concat([rows, some[some["arm"] == "IIa"].assign(attack="leave_one_out")])
    table = agreement.tabulate({"per_record/ye_purchase": rows}, RunSummary(True, "laptop"))
    table = table.set_index(["records", "first", "second"])
    # R says "member" of the first 3 records, and so does L, which was asked about the first 4.
    assert tuple(table.loc[("train", "GT", "L"), ["ours", "queries", "targets"]]) == (3 / 4, 4, 1)
    assert table.loc[("test", "L", "R"), "ours"] == 1
    assert tuple(table.loc[("train", "L", "S"), ["ours", "queries"]]) == (2 / 4, 4)
    assert tuple(table.loc[("train", "GT", "R"), ["ours", "queries", "targets"]]) == (3 / 8, 8, 2)


def test_the_heatmap_has_the_rates_of_the_table_and_no_cell_where_an_attack_did_not_run():
    table, figure = tidy("ye_table2_heatmap"), picture("ye_table2_heatmap")
    for panel, records in zip(figure.axes, ("train", "test"), strict=True):
        across, down = (
            [label.get_text() for label in ticks] for ticks in (panel.get_xticklabels(), panel.get_yticklabels())
        )
        (cells,) = panel.collections
        shown = {
            (across[j], down[i]): cells.get_array()[i, j]
            for i, j in zip(*np.where(~cells.get_array().mask), strict=True)
        }
        rows = table[(table["records"] == records) & table["ours"].notna()].set_index(["first", "second"])
        assert shown == rows["ours"].to_dict()
        assert not any("L" in pair for pair in shown), "leave-one-out is not in the invented table"
        texts = {text.get_position(): text.get_text() for text in panel.texts}
        for (first, second), row in rows.iterrows():
            place = across.index(first) + 0.5, down.index(second) + 0.5
            assert texts[place] == f"{row['ours']:.2f}\n({row['paper']:.2f})"


def test_agreement_needs_its_false_positive_rate():
    rows = made.per_record("ye_purchase")
    with pytest.raises(MissingRowsError, match=r"alpha = 0\.3"):
        agreement.tabulate({"per_record/ye_purchase": rows[rows["alpha"] == 0.1]}, RunSummary(True, "laptop"))


def test_margins_are_losses_less_thresholds_of_one_target_model():
    rows = made.per_record("ye_purchase")
    rows.loc[(rows["attack"] == "reference") & (rows["record"] == 5), "threshold"] = -np.inf
    table = margins.tabulate({"per_record/ye_purchase": rows}, RunSummary(True, "laptop"))
    panels = {panel: part.set_index("record") for panel, part in table.groupby("panel")}
    assert (len(panels["a"]), len(panels["b"])) == (8, 7), "a record without threshold has no margin"
    assert 5 not in panels["b"].index
    np.testing.assert_allclose(panels["a"]["x"], np.arange(8) / 8 - 2 / 8 + 1 / 16)
    np.testing.assert_allclose(panels["a"]["y"], np.arange(8) / 8 - 1 / 8 + 1 / 16)
    np.testing.assert_allclose(panels["b"]["y"] - panels["b"]["x"], 1 / 8)
    with pytest.raises(MissingRowsError, match="distillation"):
        margins.tabulate({"per_record/ye_purchase": rows[rows["attack"] != "distillation"]}, RunSummary(True, "laptop"))


@pytest.mark.parametrize("name", ["ye_table2", "ye_fig1", "ye_fig2", "ye_fig5"])
def test_records_of_another_configuration_are_not_shown_instead(name):
    artifact, ((_, arm),) = BY_NAME[name], made.SHOWN[name]
    (other,) = {"Ia", "IIa"} - {arm}
    tables = {table: made.MAKE[table.partition("/")[0]]("ye_purchase", [other]) for table in artifact.tables}
    with pytest.raises(MissingRowsError, match=f"Purchase100 {arm} in"):
        load(artifact.tabulate)(tables, made.run_summary_of(artifact))


def test_the_scatter_shows_every_margin_and_how_many_lie_above_the_diagonal():
    figure = picture("ye_fig5")
    for panel, (letter, rows) in zip(figure.axes, tidy("ye_fig5").groupby("panel"), strict=True):
        (dots,) = panel.collections
        np.testing.assert_allclose(dots.get_offsets(), rows[["x", "y"]])
        title = panel.get_title(loc="left")
        assert title.startswith(f"({letter})")
        # Thresholds of P and D are the larger ones here.
        above, low = len(rows), 0.025 ** (1 / len(rows))
        assert f"{100 * above / len(rows):.0f} [{100 * low:.0f}, 100] % above" in " ".join(title.split())


@pytest.mark.parametrize(
    ("name", "arm", "models", "records", "below"),
    [("ye_fig1", "IIa", 1, [7, 9], 0.5), ("ye_fig2", "Ia", 2, [4, 5], 0.25)],
)
def test_histograms_hold_every_null_loss_of_two_points_under_each_model(name, arm, models, records, below):
    table, (of_all,) = tidy(name), made.tables_of(BY_NAME[name]).values()
    of_all = of_all[(of_all["arm"] == arm) & (of_all["targets"] == models)]
    assert sorted(set(table["model"])) == list(range(1, models + 1))
    assert len(table) == len(of_all) == models * 2 * 4 * 20
    if models > 1:
        drawn = dict(list(table[table["attack"] == "S"].groupby("model")))
        for point in (1, 2):
            one, other = (drawn[model].loc[drawn[model]["point"] == point, "null_loss"].tolist() for model in (1, 2))
            assert one == other, "attack S does not depend on the target model"
    assert [table.loc[table["point"] == place, "loss"].iloc[0] for place in (1, 2)] == [r / 10 for r in records]
    figure = picture(name)
    assert len(figure.panels) == models * 2 * 4
    assert titles(figure)[:4] == [f"attack {letter}" for letter in names.PAPER]
    row_of = {id(panel): figure.panels[4 * (place // 4)] for place, panel in enumerate(figure.panels)}
    for panel, letter in zip(figure.axes, itertools.cycle(names.PAPER)):
        assert panel.get_xscale() == "log"
        assert panel.get_shared_y_axes().joined(panel, row_of[id(panel)])
        assert sum(bar.get_height() for bar in panel.patches) == pytest.approx(1)
        marks = {label: drawn[0, 0] for label, drawn in lines(panel).items()}
        assert marks["threshold, α = 0.1"] == list(names.PAPER).index(letter) + 1 - below
        assert marks["loss of the target model"] in {record / 10 for record in records}


def test_target_models_without_common_members_leave_an_empty_figure_that_says_so():
    rows, run_summary = made.nulls("ye_purchase"), RunSummary(True, "laptop")
    alone = rows[(rows["targets"] == 1) | (rows["arm"] == "IIa")]
    for few in (alone, alone[:0]):
        table = histograms.FIG2.tabulate({"nulls/ye_purchase": few}, run_summary)
        (axes,) = histograms.FIG2.draw(table, run_summary).axes
        assert any("no two members" in text.get_text() for text in axes.texts)


# All figures


def sentences(figure):
    """Return what a caption says about models: the sentences between the scale and the end."""
    text = caption(figure).partition("scale laptop. ")[2]
    return [f"{part}." for part in text.removesuffix(".").split(". ")]


def test_a_caption_tells_of_clipped_gradients():
    experiments = {"ye_purchase_clipped": replace(made.described("ye_purchase_clipped"), clipped_to=2.0)}
    note = run_note(RunSummary(False, "paper", experiments), names.ROC["fig4"])
    expected = made.sentence("ye_purchase_clipped", "IV").removesuffix(".") + ", gradients clipped to 2."
    assert note == f"Real data, scale paper. {expected}", "CIFAR-10 III was not run"


@pytest.mark.parametrize("synthetic", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FIGURES)
def test_synthetic_data_are_marked_and_real_data_are_not(name, synthetic):
    figure = picture(name, synthetic)
    assert badges(figure) == (["SYNTHETIC DATA"] if synthetic else [])
    assert caption(figure).count("Synthetic data" if synthetic else "Real data") == 1
    assert sentences(figure) == [made.sentence(*place) for place in made.SHOWN[name]]
