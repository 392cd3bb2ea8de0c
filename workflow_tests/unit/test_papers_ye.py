"""The artifacts of Ye et al.: tables and figures from made-up tables whose numbers are known."""

import inspect
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib.figure import Figure

from dpmia.measure_points import NULLS, POINTS
from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.tables import markdown
from dpmia.papers.ye import agreement, auc_tables, histograms, margins, names, roc
from dpmia.papers.ye.artifacts import ARTIFACTS
from dpmia.precision import ROC_RATES
from dpmia.registry import load
from dpmia.settings import jobs
from dpmia.settings.resolve import SCALES, make_plan
from dpmia.tables import COLUMNS, NO_ATTACK

ROOT = Path(__file__).parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")) | {"experiments": ["experiments/ye.yaml"]}
BY_NAME = {artifact.name: artifact for artifact in ARTIFACTS}
TABLES = [name for name, artifact in BY_NAME.items() if "auc_tables" in artifact.tabulate]
FIGURES = [name for name, artifact in BY_NAME.items() if artifact.draw]
CURVES = [name for name in FIGURES if "roc" in BY_NAME[name].tabulate]
ATTACKS = tuple(names.ATTACKS.values())
SHIFTS = (-0.02, 0.0, 0.02)
FACT = {"model": "vgg", "epochs": 20, "batch_size": 50, "optimiser": "sgd", "replicates": 3, "members": 500, "l2": 0.0}


#: Experiments on which attacks that the paper does not have are run at every scale.
BEYOND_THE_PAPER = ("ye_purchase_1a", "ye_purchase_2a", "ye_cifar10_1", "ye_cifar100_1a", "ye_mnist_1a")


def auc(experiment, attack):
    """Return the AUC that made-up attacks have: no two of them alike."""
    place = 0.001 * list(names.BY_EXPERIMENT).index(experiment)
    return 0.5 + place + 0.03 * ATTACKS.index(attack)


def replicates(experiment, attacks=ATTACKS, resolution=0.002, shifts=SHIFTS):
    """Return the table of an experiment, with TPR = FPR ** (1 / AUC - 1) in the middle target model."""
    rows = []
    for replicate, shift in enumerate(shifts):
        values = {(NO_ATTACK, "accuracy_members"): 0.9 + shift, (NO_ATTACK, "accuracy_nonmembers"): 0.4 + shift}
        values |= {(NO_ATTACK, "loss_members"): 3.0}  # in no artifact
        for attack in attacks:
            height = auc(experiment, attack)
            values[attack, "auc"] = height + shift
            low = {"tpr_at_1pct_fpr": 0.01, "tpr_at_0.1pct_fpr": 0.001}
            for metric, rate in {**low, **{f"tpr@{rate:g}": rate for rate in ROC_RATES}}.items():
                values[attack, metric] = rate ** (1 / height - 1) + shift / 2 if rate >= resolution else np.nan
        key = [experiment, "iid", False, np.inf]
        rows += [[*key, attack, False, metric, replicate, value] for (attack, metric), value in values.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def points(experiment):
    """Return members and non-members judged by attacks that say "member" up to an eighth, a quarter, ... of them."""
    rows = []
    for target, (part, shift), record in itertools.product(range(2), [("member", 0), ("nonmember", 100)], range(8)):
        for place, attack in enumerate(names.PAPER.values(), start=1):
            for alpha in (0.1, 0.3):
                loss, threshold = record / 8, place / 8 + alpha - 0.3 - 1 / 16
                row = [experiment, target, record + shift, 3, part, attack, alpha, loss, threshold, loss <= threshold]
                rows.append(row)
    return pd.DataFrame(rows, columns=POINTS)


def nulls(experiment):
    """Return losses around the number of the attack, of two records under one target model and under two."""
    rows = []
    for targets, target, record in ((1, 0, 7), (1, 0, 9), (2, 1, 5), (2, 1, 4), (2, 2, 5), (2, 2, 4)):
        for place, attack in enumerate(names.PAPER.values(), start=1):
            about = [experiment, targets, target, record, 3, attack, 0.1, record / 10, place - 0.5, 20]
            rows += [[*about, place + step] for step in np.linspace(-0.5, 0.5, 20) / place]
    return pd.DataFrame(rows, columns=NULLS)


MAKE = {"replicates": replicates, "points": points, "nulls": nulls}


def tables_of(artifact):
    return {name: MAKE[name.partition("/")[0]](name.partition("/")[2]) for name in artifact.tables}


def facts_of(artifact, stand_in=True):
    return Facts(stand_in, "laptop", {name.partition("/")[2]: FACT for name in artifact.tables})


def tidy(name, stand_in=True):
    artifact = BY_NAME[name]
    return load(artifact.tabulate)(tables_of(artifact), facts_of(artifact, stand_in))


def picture(name, stand_in=True):
    return load(BY_NAME[name].draw)(tidy(name, stand_in), facts_of(BY_NAME[name], stand_in))


def lines(axes):
    """Return what is drawn with a label: label -> points."""
    return {line.get_label(): line.get_xydata() for line in axes.get_lines() if not line.get_label().startswith("_")}


# What the paper prints


def test_the_printed_numbers_order_the_attacks_as_the_paper_says():
    best = {}
    for row in names.BY_EXPERIMENT.values():
        of_row = {letter: row.printed[letter][0] for letter in names.PAPER}
        best[row.experiment] = {letter for letter, value in of_row.items() if value == max(of_row.values())}
    assert all(best[row.experiment] == {"D"} for row in (*names.PURCHASE, *names.CIFAR10[1:]))
    assert all(best[row.experiment] == {"R"} for row in (names.CIFAR10[0], names.CIFAR100[0], *names.MNIST))
    assert best["ye_cifar100_1b"] == {"P", "D"}
    assert best["ye_cifar100_2a"] == {"P", "R"}
    assert best["ye_cifar100_2b"] == {"P"}


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
    assert list(inspect.signature(load(artifact.tabulate)).parameters) == ["tables", "facts"]
    if artifact.draw:
        assert list(inspect.signature(load(artifact.draw)).parameters) == ["table", "facts"]
    assert artifact.caption.endswith(".")


def test_all_tables_and_figures_of_the_paper_are_there():
    printed = {f"ye_{kind}{number}" for kind in ("fig", "table") for number in range(1, 6)}
    assert set(BY_NAME) == printed | {"ye_roc_mnist"}


@pytest.mark.parametrize("scale", SCALES)
def test_what_artifacts_show_is_run_at_every_scale(scale):
    experiments = make_plan(CONFIG | {"scale": scale}, ROOT).experiments
    shown = {name.partition("/")[2] for artifact in BY_NAME.values() for name in artifact.tables}
    assert shown == set(experiments) == set(names.BY_EXPERIMENT)
    for name, experiment in experiments.items():
        wanted = set(names.ATTACKS.values()) if scale == "paper" else set(names.ATTACKS.values()) - {"lira"}
        if scale != "paper" and name not in BEYOND_THE_PAPER:
            wanted = set(names.PAPER.values())
        assert set(experiment.attacks) == wanted, name
        assert experiment.details
        assert jobs.uses(experiment, "population")


def test_at_the_papers_scale_experiments_have_the_papers_sizes():
    for name, experiment in make_plan(CONFIG | {"scale": "paper"}, ROOT).experiments.items():
        printed = names.BY_EXPERIMENT[name].settings
        sizes = experiment.membership
        assert sizes.members == sizes.nonmembers == sizes.population == printed["members"]
        assert (experiment.references.count, experiment.training.l2) == (printed["references"], printed["l2"])
        assert (experiment.training.clip_norm if experiment.training.clip_all else None) == printed["clipped_to"]
        assert experiment.replicates == 10
        assert (experiment.training.momentum > 0) == ("cifar10_" in name)


# Tables of AUCs


@pytest.mark.parametrize("name", TABLES)
def test_tables_set_our_means_and_spreads_beside_the_printed_values(name):
    table = tidy(name).set_index(["configuration", "quantity"])
    for of_one in BY_NAME[name].tables:
        row = names.BY_EXPERIMENT[of_one.partition("/")[2]]
        for letter, (value, spread) in row.printed.items():
            quantity = letter if "accuracy" in letter else f"AUC of {letter}"
            assert tuple(table.loc[(row.label, quantity), ["paper", "paper_spread"]]) == (value, spread)
        for title, attack in names.ATTACKS.items():
            ours = table.loc[(row.label, f"AUC of {title}")]
            assert ours["ours"] == pytest.approx(auc(row.experiment, attack), abs=6e-4)
            assert (ours["spread"], ours["targets"]) == (0.02, 3)
            assert ours["tpr_at_1pct_fpr"] == pytest.approx(0.01 ** (1 / auc(row.experiment, attack) - 1), abs=6e-4)
            assert pd.isna(ours["tpr_at_0.1pct_fpr"])
        assert table.loc[(row.label, names.TRAIN), "ours"] == 90.0
        assert table.loc[(row.label, names.TEST), "ours"] == 40.0
        assert table.loc[(row.label, names.TEST), "spread"] == 2.0
        assert tuple(table.loc[(row.label, "records trained on"), ["paper", "ours"]]) == (row.settings["members"], 500)
        assert (row.label, "learning rate") not in table.index, "the run did not tell it"


def test_an_attack_that_did_not_run_and_a_single_target_leave_cells_empty():
    facts = Facts(True, "laptop")
    rows = replicates("ye_mnist_1a", attacks=("population",), shifts=(0.01,))
    table = auc_tables.tabulate({"replicates/ye_mnist_1a": rows}, facts).set_index("quantity")
    assert table.loc["AUC of P", "ours"] == pytest.approx(auc("ye_mnist_1a", "population") + 0.01, abs=6e-4)
    assert pd.isna(table.loc["AUC of P", "spread"])
    assert table.loc["AUC of P", "targets"] == 1
    assert (table.loc["AUC of D", "paper"], table.loc["AUC of D", "targets"]) == (0.549, 0)
    assert pd.isna(table.loc["AUC of D", "ours"])
    assert "AUC of LiRA" not in table.index  # the paper does not have it either


def test_a_table_of_no_configuration_is_refused():
    with pytest.raises(ValueError, match="no configuration of the paper"):
        auc_tables.tabulate({"replicates/other": replicates("ye_mnist_1a")}, Facts(True, "laptop"))


@pytest.mark.parametrize("name", [*TABLES, "ye_table2"])
def test_tables_in_markdown_say_whose_data_they_show(name):
    for stand_in in (True, False):
        text = markdown(tidy(name, stand_in), BY_NAME[name].caption, facts_of(BY_NAME[name], stand_in))
        assert ("Stand-in data" in text) == stand_in
        assert " nan " not in text.lower()
        assert " none " not in text.lower()


# ROC


@pytest.mark.parametrize("name", CURVES)
def test_curves_are_the_means_over_target_models_and_stop_at_the_resolution(name):
    figure = picture(name)
    for place, of_one in enumerate(BY_NAME[name].tables):
        experiment = of_one.partition("/")[2]
        for panel in figure.axes[2 * place : 2 * place + 2]:
            drawn = lines(panel)
            assert len(drawn) == len(roc.SHOWN)
            for title, attack in roc.SHOWN.items():
                height = auc(experiment, attack)
                fpr, tpr = drawn[f"{title} ({height:.3f})"].T
                assert fpr.tolist() == [rate for rate in ROC_RATES if rate >= 0.002]
                np.testing.assert_allclose(tpr, fpr ** (1 / height - 1))
        linear, logarithmic = figure.axes[2 * place : 2 * place + 2]
        assert linear.get_title() == names.BY_EXPERIMENT[experiment].label
        assert (linear.get_xscale(), logarithmic.get_xscale(), logarithmic.get_yscale()) == ("linear", "log", "log")
        assert [text.get_text() for text in linear.get_legend().get_texts()] == list(drawn)


def test_a_rate_that_one_target_model_cannot_tell_has_no_mean():
    rows = replicates("ye_purchase_1a")
    rows.loc[(rows["metric"] == "tpr@0.01") & (rows["replicate"] == 1), "value"] = np.nan
    table = roc.tabulate({"replicates/ye_purchase_1a": rows}, Facts(True, "laptop"))
    assert 0.01 not in set(table["fpr"])
    assert {0.007, 0.02} <= set(table["fpr"])


# Attacks record by record


def test_agreement_counts_equal_answers():
    table = tidy("ye_table2").set_index(["points", "first", "second"])
    assert len(table) == 30
    # S, P, R and D say "member" of 1, 2, 3 and 4 of 8 records; the smaller sets lie in the larger ones.
    for place, letter in enumerate(names.PAPER, start=1):
        assert table.loc[("train", "GT", letter), "ours"] == place / 8
        assert table.loc[("test", "GT", letter), "ours"] == 1 - place / 8
    assert table.loc[("train", "S", "D"), "ours"] == table.loc[("test", "S", "D"), "ours"] == 5 / 8
    assert table.loc[("train", "S", "D"), "paper"] == 0.696
    assert table.loc[("test", "R", "D"), "paper"] == 0.692
    of_left_out = table.loc[("train", "GT", "L")]
    assert (of_left_out["paper"], of_left_out["targets"]) == (0.968, 0)
    assert pd.isna(of_left_out["ours"])
    assert set(table.loc[table["targets"] > 0, "asked"]) == {8}


def test_an_attack_that_judged_some_points_is_compared_on_those():
    rows = points("ye_purchase_2a")
    some = rows[(rows["attack"] == "reference") & (rows["target"] == 0) & (rows["record"] % 100 < 4)]
    rows = pd.concat([rows, some.assign(attack="leave_one_out")])
    table = agreement.tabulate({"points/ye_purchase_2a": rows}, Facts(True, "laptop"))
    table = table.set_index(["points", "first", "second"])
    # R says "member" of the first 3 records, and so does L, which was asked about the first 4.
    assert tuple(table.loc[("train", "GT", "L"), ["ours", "asked", "targets"]]) == (3 / 4, 4, 1)
    assert table.loc[("test", "L", "R"), "ours"] == 1
    assert tuple(table.loc[("train", "L", "S"), ["ours", "asked"]]) == (2 / 4, 4)
    assert tuple(table.loc[("train", "GT", "R"), ["ours", "asked", "targets"]]) == (3 / 8, 8, 2)


def test_agreement_needs_its_false_positive_rate():
    rows = points("ye_purchase_2a")
    with pytest.raises(ValueError, match=r"alpha = 0\.3"):
        agreement.tabulate({"points/ye_purchase_2a": rows[rows["alpha"] == 0.1]}, Facts(True, "laptop"))


def test_margins_are_losses_less_thresholds_of_one_target_model():
    rows = points("ye_purchase_2a")
    rows.loc[(rows["attack"] == "reference") & (rows["record"] == 5), "threshold"] = -np.inf
    table = margins.tabulate({"points/ye_purchase_2a": rows}, Facts(True, "laptop"))
    found = {panel: part.set_index("record") for panel, part in table.groupby("panel")}
    assert (len(found["a"]), len(found["b"])) == (8, 7), "a record without threshold has no margin"
    assert 5 not in found["b"].index
    np.testing.assert_allclose(found["a"]["x"], np.arange(8) / 8 - 2 / 8 + 1 / 16)
    np.testing.assert_allclose(found["a"]["y"], np.arange(8) / 8 - 1 / 8 + 1 / 16)
    np.testing.assert_allclose(found["b"]["y"] - found["b"]["x"], 1 / 8)
    with pytest.raises(ValueError, match="distillation"):
        margins.tabulate({"points/ye_purchase_2a": rows[rows["attack"] != "distillation"]}, Facts(True, "laptop"))


def test_the_scatter_shows_every_margin_and_how_many_lie_above_the_diagonal():
    figure = picture("ye_fig5")
    for panel, (letter, rows) in zip(figure.axes, tidy("ye_fig5").groupby("panel"), strict=True):
        (dots,) = panel.collections
        np.testing.assert_allclose(dots.get_offsets(), rows[["x", "y"]])
        assert f"({letter})" in panel.get_title()
        assert "100% above" in panel.get_title(), "thresholds of P and D are the larger ones here"


@pytest.mark.parametrize(("name", "models", "records"), [("ye_fig1", 1, [7, 9]), ("ye_fig2", 2, [4, 5])])
def test_histograms_hold_every_null_loss_of_two_points_under_each_model(name, models, records):
    table, (of_all,) = tidy(name), tables_of(BY_NAME[name]).values()
    of_all = of_all[of_all["targets"] == models]
    assert sorted(set(table["model"])) == list(range(1, models + 1))
    assert len(table) == len(of_all) == models * 2 * 4 * 20
    assert [table.loc[table["point"] == place, "loss"].iloc[0] for place in (1, 2)] == [r / 10 for r in records]
    figure = picture(name)
    assert len(figure.axes) == models * 2 * 4
    for panel, letter in zip(figure.axes, itertools.cycle(names.PAPER)):
        assert panel.get_title().startswith(f"attack {letter}")
        assert sum(bar.get_height() for bar in panel.patches) == pytest.approx(1)
        marks = {label: drawn[0, 0] for label, drawn in lines(panel).items()}
        assert marks["threshold, α = 0.1"] == list(names.PAPER).index(letter) + 0.5
        assert marks["loss of the target model"] in {record / 10 for record in records}


def test_target_models_without_common_members_leave_an_empty_figure_that_says_so():
    rows = nulls("ye_purchase_1a")
    facts = Facts(True, "laptop")
    table = histograms.tabulate_fig2({"nulls/ye_purchase_1a": rows[rows["targets"] == 1]}, facts)
    (axes,) = histograms.draw(table, facts).axes
    assert any("no two members" in text.get_text() for text in axes.texts)


# All figures


@pytest.mark.parametrize("name", FIGURES)
def test_stand_in_data_are_marked_and_real_data_are_not(name):
    for stand_in in (True, False):
        with drawing.style():
            figure = picture(name, stand_in)
            Figure.draw_without_rendering(figure)
        marks = ["STAND-IN DATA" in [text.get_text() for text in panel.texts] for panel in figure.axes]
        assert set(marks) == {stand_in}
        told = figure.get_supxlabel().replace("\n", " ")
        assert told.count("Stand-in data" if stand_in else "Real data") == 1
        assert "20 epochs, batch 50, 500 records, 3 targets" in told


@pytest.mark.parametrize("name", FIGURES)
def test_drawing_does_not_change_the_table(name):
    table = tidy(name)
    before = table.copy()
    load(BY_NAME[name].draw)(table, facts_of(BY_NAME[name]))
    pd.testing.assert_frame_equal(table, before)
