"""The artifacts of Thudi et al.: theory against printed values, figures of models from invented tables."""

import inspect
import itertools
from functools import cache

import numpy as np
import pandas as pd
import pytest
from drawn import lines
from matplotlib.figure import Figure

from dpmia.common.registry import load
from dpmia.formats.rows import COLUMNS, NO_ATTACK
from dpmia.metrics.precision import ROC_RATES, precision_metrics
from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.tables import markdown
from dpmia.papers.thudi import budgets, capacity, frames, gain, names, precision_by_rate, rates, roc
from dpmia.papers.thudi.artifacts import ARTIFACTS
from dpmia.privacy.accounting import Mechanism
from dpmia.settings.precision_budgets import PrecisionBudgets, budget_rows
from dpmia.theory import logistic_example
from dpmia.theory.positive_accuracy import positive_accuracy_bound

BY_NAME = {artifact.name: artifact for artifact in ARTIFACTS}
FIGURES = [name for name, artifact in BY_NAME.items() if artifact.draw]
OF_MODELS = [name for name in FIGURES if BY_NAME[name].tables]
#: Laying out a figure takes most of the time of these tests.
LAID_OUT_LIKE_ANOTHER = ("thudi_fig6", "thudi_fig9", "thudi_fig14", "thudi_fig15", "thudi_fig17")
PRECISION = [name for name in OF_MODELS if "precision_by_rate" in BY_NAME[name].draw]
ATTACKS = [
    *names.LIRA_BY_RATE.values(),
    *(names.LIRA_PER_POINT, names.POPULATION, *names.REFERENCE.values(), names.REFERENCE_OWN_RATE),
]
SHIFTS = (-0.02, 0.0, 0.02)
#: Half of the 95 % t interval of three values .02 apart: t = 4.303 with two degrees of freedom.
HALF = 4.303 * 0.02 / np.sqrt(3)
FACT = {
    **{"dataset": "mnist", "model": "mlp 32", "sizes": "2000 records, of which some join", "references": 20},
    **{
        "passes": "20 epochs, batch 32",
        "optimiser": "sgd",
        "sampling": "poisson",
        "clip_norm": 0.1,
        "clipped_to": None,
        "replicates": 3,
    },
    **{"relation": "add_remove", "delta": 1e-5, "accountant": "rdp"},
    "precision_budgets": budget_rows(
        PrecisionBudgets(epsilons=budgets.TARGET_EPSILONS), {names.arm_of(rate): rate for rate in names.RATES}, 1e-5
    ),
}


def height(experiment, attack, epsilon, rate):
    """Return the positive accuracy that invented models have: no two of them alike."""
    place = 0.01 * list(names.DATASETS).index(experiment) + 0.001 * ATTACKS.index(attack)
    return 0.8 * rate + place + 0.003 * min(epsilon, 20)


def ceiling(epsilon, rate):
    """Return what no attack on a invented mechanism exceeds."""
    return rate + (1 - rate) * 0.2 * epsilon / (1 + epsilon)


def metrics(experiment, epsilons=(*names.EPSILONS, np.inf), attacks=ATTACKS, rates=names.RATES):
    """Return a table of measurements in three replicates."""
    rows = []
    for rate, epsilon, attack, (replicate, shift) in itertools.product(rates, epsilons, attacks, enumerate(SHIFTS)):
        best = height(experiment, attack, epsilon, rate)
        values = {"precision_best": best + 0.05 + shift, "precision": best + shift}
        values |= {"precision_baseline": 0.8 * rate + shift / 2, "precision_control": 0.8 * rate + 0.04}
        if attack == names.LIRA:
            # In one replicate there are too few non-members for the smallest false positive rate.
            values |= {f"tpr@{fpr:g}": min(fpr + shift + 0.1 * rate, 1) for fpr in ROC_RATES}
            values["tpr@0.001"] = np.nan if replicate == 1 else 0.5
        about = [experiment, names.arm_of(rate), True, epsilon, attack, False]
        rows += [[*about, metric, replicate, value] for metric, value in values.items()]
    for rate, epsilon, replicate in itertools.product(rates, filter(np.isfinite, epsilons), range(3)):
        about = [experiment, names.arm_of(rate), True, epsilon, NO_ATTACK, False]
        values = {"precision_ceiling": ceiling(epsilon, rate), "accuracy_members": 0.9}
        values |= {f"tpr_ceiling@{fpr:g}": min(fpr + 0.2 + 0.1 * rate, 1) for fpr in ROC_RATES}
        rows += [[*about, metric, replicate, value] for metric, value in values.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def accuracies(experiment):
    """Return the accuracies of models trained with the budgets, rounded down as a settings file would."""
    rows = []
    for cell, (replicate, shift) in itertools.product(budgets.budgets().dropna().itertuples(), enumerate(SHIFTS)):
        about = [experiment, cell.arm, True, np.floor(1000 * cell.epsilon) / 1000, NO_ATTACK, False]
        best = 0.5 + 0.1 * cell.bound + 0.1 * cell.rate + shift
        values = {budgets.BEST: best, budgets.FINAL: best - 0.1, "accuracy_members": 0.99}
        values["precision_ceiling"] = ceiling(np.floor(1000 * cell.epsilon) / 1000, cell.rate)
        rows += [[*about, metric, replicate, value] for metric, value in values.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


TABLES = {f"replicates/{experiment}": metrics(experiment) for experiment in names.DATASETS}
TABLES |= {f"replicates/{experiment}": accuracies(experiment) for experiment in names.BUDGETS}


def facts_of(artifact, synthetic=True):
    experiments = {name.partition("/")[2]: FACT for name in artifact.tables}
    return Facts(synthetic and bool(experiments), "laptop", experiments)


@cache
def tidy(name):
    artifact = BY_NAME[name]
    return load(artifact.tabulate)({table: TABLES[table] for table in artifact.tables}, facts_of(artifact))


@cache
def picture(name):
    artifact = BY_NAME[name]
    return load(artifact.draw)(tidy(name), facts_of(artifact))


# The catalogue


def test_there_are_seventeen_figures_and_a_table_of_theory():
    assert sorted(FIGURES, key=lambda name: int(name.removeprefix("thudi_fig"))) == [
        f"thudi_fig{number}" for number in range(1, 18)
    ]
    assert [name for name in BY_NAME if name not in FIGURES] == ["thudi_theory"]


@pytest.mark.parametrize("artifact", ARTIFACTS, ids=list(BY_NAME))
def test_the_functions_of_an_artifact_exist_and_take_what_they_are_given(artifact):
    assert list(inspect.signature(load(artifact.tabulate)).parameters) == ["tables", "facts"]
    if artifact.draw:
        assert list(inspect.signature(load(artifact.draw)).parameters) == ["table", "facts"]
    assert artifact.caption.endswith(".")


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn_and_changes_no_table(name):
    before = tidy(name).copy()
    figure = picture(name)
    if name not in LAID_OUT_LIKE_ANOTHER:
        Figure.draw_without_rendering(figure)
    pd.testing.assert_frame_equal(tidy(name), before)
    assert synthetic_marks(figure) == (len(figure.axes) if BY_NAME[name].tables else 0)


def synthetic_marks(figure):
    return [text.get_text() for panel in figure.axes for text in panel.texts].count("SYNTHETIC DATA")


@pytest.mark.parametrize("name", ["thudi_fig4", "thudi_fig5", "thudi_fig11", "thudi_fig12"])
def test_real_data_are_not_marked(name):
    artifact = BY_NAME[name]
    assert synthetic_marks(load(artifact.draw)(tidy(name), facts_of(artifact, synthetic=False))) == 0


# Theory


def theory_values(statement):
    table = tidy("thudi_theory")
    return table[table["statement"] == statement]


def test_the_theory_table_has_the_printed_bounds_and_budgets():
    bounds = theory_values("theorem 3.3")
    assert bounds["as_printed"].tolist() == pytest.approx([0.953, 0.881, 0.731, 0.241], abs=1e-3)
    assert bounds["value"].tolist()[-1] == pytest.approx(0.377, abs=1e-3)
    found = theory_values("epsilon that keeps a bound")["value"].tolist()
    expected = [*[5.198, 3.847, 3, 2.153, 0.802], *[4.198, 2.847, 2, 1.153, np.nan], *[3.198, 1.847, 1, 0.153, np.nan]]
    assert found == pytest.approx(expected, abs=1e-3, nan_ok=True)


def test_the_theory_table_has_the_printed_and_corrected_capacities():
    found = theory_values("corollary 5.2")
    assert found["as_printed"].tolist() == pytest.approx([12_131, 6065, 606, 121, 29.8], rel=2e-3)
    assert found["value"].round(1).tolist() == [1641.8, 820.9, 82.1, 16.4, 4.1]


def test_the_theory_table_has_the_control_and_the_example():
    control = theory_values("gain of the best of forty quantiles over the baseline")["value"]
    assert control.tolist() == pytest.approx([0.036, 0.055, 0.059, 0.055, 0.035], abs=3e-3)
    example = theory_values("figure 8, positive accuracy")["value"]
    assert example.tolist() == pytest.approx([0.998, 0.955, 0.823, 0.660, 0.545], abs=1e-3)
    assert theory_values("figure 8, best accuracy")["value"].tolist() == pytest.approx([0.549], abs=1e-3)


def test_the_theory_table_in_markdown_has_dashes_where_a_bound_cannot_be_met():
    text = markdown(tidy("thudi_theory"), BY_NAME["thudi_theory"].caption, Facts(False, "laptop"))
    (row,) = [line for line in text.splitlines() if "bound 0.731" in line and "| 0.9 " in line]
    assert row.strip("| ").split()[-1] == "-"


def test_figure_1_goes_to_the_rate_as_epsilon_falls_and_to_zero_as_the_rate_does():
    table = tidy("thudi_fig1")
    assert sorted(table["epsilon"].unique()) == [0.1, 1, 2, 5]
    assert (table["prior"].min(), table["prior"].max()) == (0.001, 0.9)
    np.testing.assert_allclose(table["bound"], positive_accuracy_bound(table["epsilon"], table["prior"]))
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
    found = {name: rows.set_index("size")["capacity"] for name, rows in tidy("thudi_fig7").groupby("curve")}
    assert found[capacity.PRINTED].loc[[0.5, 1.0, 10.0, 50.0, 200.0]].tolist() == pytest.approx(
        [12_131, 6065, 606, 121, 29.8], rel=2e-3
    )
    assert (found[capacity.CORRECTED] < found[capacity.PRINTED]).all()
    line = found[capacity.LINEAR]
    assert line[100.0] == pytest.approx(found[capacity.PRINTED][100.0])
    np.testing.assert_allclose(line / line.index, line[100.0] / 100)
    assert ((found[capacity.PRINTED] > line) == (line.index < 100)).drop(100.0).all()


def test_figure_8_has_the_values_of_the_example():
    table = tidy("thudi_fig8").round({"threshold": 6})
    precision = table[table["measure"] == "positive accuracy"].set_index("threshold")
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
        assert logistic_example.positive_accuracy(threshold) == pytest.approx(drawn[accused].mean(), abs=4 * error)
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
    wide = tidy("thudi_fig10").pivot(index=["epsilon", "prior"], columns="bound", values="positive_accuracy")
    assert sorted(wide.index.levels[0]) == [0.1, 1, 2]
    assert (wide["theorem 3.3"] <= wide["Sablayrolles et al."] + 1e-12).all()


# Positive accuracy by sampling rate (3, 12 to 17)

#: figure -> what is written above each panel, its experiment and attack, and the epsilons of its curves.
SHOWN = {
    "thudi_fig3": (
        [("(a) MNIST", names.MNIST), ("(b) CIFAR10", names.CIFAR10), ("(c) SVHN-extended", names.SVHN)],
        ["lira"],
        [1, 3, 5, 7, 9, 12, 15],
    ),
    "thudi_fig12": ([("(a) CIFAR10", names.CIFAR10), ("(b) MNIST", names.MNIST)], ["lira"], [np.inf]),
    "thudi_fig13": (
        [("(a) CIFAR10", names.CIFAR10), ("(b) MNIST", names.MNIST)],
        ["lira_shadows_10", "lira_shadows_30", "lira", "lira_shadows_70", "lira_shadows_90"],
        [3],
    ),
    "thudi_fig14": ([("(a) CIFAR10", names.CIFAR10), ("(b) MNIST", names.MNIST)], ["population"], [1, 3, 5, 9, 15]),
    "thudi_fig15": ([("(a) CIFAR10", names.CIFAR10), ("(b) MNIST", names.MNIST)], ["reference_10"], [1, 3, 9, 15]),
    "thudi_fig17": ([("(a) CIFAR10", names.CIFAR10), ("(b) MNIST", names.MNIST)], ["reference_10_own_rate"], [3, 7]),
}
SHOWN |= {
    "thudi_fig16": (
        [
            (f"({letter}) {title}, FPR {fpr:g}", experiment)
            for letter, ((title, experiment), fpr) in zip(
                "abcdefgh",
                itertools.product([("CIFAR10", names.CIFAR10), ("MNIST", names.MNIST)], [0.05, 0.2, 0.3, 0.5]),
                strict=True,
            )
        ],
        ["reference_05", "reference_20", "reference_30", "reference_50"] * 2,
        [1, 3, 9, 15],
    )
}


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
        np.testing.assert_allclose((rows["high"] - rows["low"]).astype(float) / 2, HALF, rtol=1e-3)
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
    expected = positive_accuracy_bound(models["epsilon"].astype(float), models["rate"].astype(float), 1e-5, 0.01)
    np.testing.assert_allclose(models["bound"].astype(float), expected)
    along = table[table["curve"] == "bound"]
    assert along.empty == (name == "thudi_fig12"), "without privacy there is no bound"
    if len(along):
        assert along["epsilon"].unique().tolist() == [SHOWN[name][2][0]]


@pytest.mark.parametrize("name", PRECISION)
def test_the_exact_ceiling_of_the_mechanism_stands_beside_the_bound(name):
    table = tidy(name)
    models = table[(table["curve"] == "attack") & np.isfinite(table["epsilon"].astype(float))]
    found = zip(models["epsilon"].astype(float), models["rate"].astype(float), strict=True)
    np.testing.assert_allclose(models["ceiling"].astype(float), [ceiling(*model) for model in found])
    along = table[table["curve"] == "ceiling"]
    assert along.empty == (name == "thudi_fig12"), "without privacy there is no ceiling"
    for _, rows in along.groupby("panel"):
        strictest = SHOWN[name][2][0]
        assert rows["epsilon"].unique().tolist() == [strictest]
        np.testing.assert_allclose(rows["mean"].astype(float), [ceiling(strictest, rate) for rate in names.RATES])
    for axes in picture(name).axes:
        assert any(label.startswith("exact ceiling") for label in lines(axes)) == (name != "thudi_fig12")


@pytest.mark.parametrize("name", PRECISION)
def test_the_panels_show_the_numbers_of_the_table(name):
    table, figure = tidy(name), picture(name)
    for axes, (title, _) in zip(figure.axes, SHOWN[name][0], strict=True):
        assert axes.get_title() == title
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
        np.testing.assert_allclose(drawn["always member"], baseline[["rate", "mean"]].astype(float))
    (legend,) = figure.legends
    assert len({text.get_text() for text in legend.get_texts()}) == len(legend.get_texts())


@pytest.mark.parametrize("name", ["thudi_fig3", "thudi_fig4", "thudi_fig11", "thudi_fig13", "thudi_fig16"])
def test_an_epsilon_and_an_arm_that_the_paper_has_not_are_drawn_without_a_change_of_code(name):
    artifact = BY_NAME[name]
    tables = {
        table: metrics(table.partition("/")[2], epsilons=(3.0, 4.5), rates=(0.1, 0.2, 0.5)) for table in artifact.tables
    }
    facts = facts_of(artifact)
    table = load(artifact.tabulate)(tables, facts)
    figure = load(artifact.draw)(table, facts)
    assert {0.1, 0.2, 0.5} <= set(table["rate"].dropna())
    if name != "thudi_fig4":  # a mean over epsilons
        assert {3.0, 4.5} <= set(table["epsilon"].dropna())
        assert "Not in the paper's figure: ε = 4.5." in figure.get_supxlabel().replace("\n", " ")
    if name in ("thudi_fig3", "thudi_fig4"):
        assert figure.axes[0].get_xticks().tolist() == [0.1, 0.2, 0.5]


def test_what_was_not_run_is_said():
    artifact = BY_NAME["thudi_fig14"]
    few = {name: metrics(name.partition("/")[2], epsilons=(1.0, 9.0)) for name in artifact.tables}
    facts = facts_of(artifact)
    table = load(artifact.tabulate)(few, facts)
    figure = load(artifact.draw)(table, facts)
    assert "Not run at this scale: ε = 3, 5, 15." in figure.get_supxlabel().replace("\n", " ")
    assert "Not run" not in picture("thudi_fig14").get_supxlabel().replace("\n", " ")


def test_where_the_attack_predicts_no_member_there_is_no_point_and_the_caption_counts_them():
    artifact = BY_NAME["thudi_fig14"]
    tables = {name: metrics(name.partition("/")[2], epsilons=(1.0, 3.0)) for name in artifact.tables}
    silent = tables["replicates/thudi_mnist"]
    chosen = (silent["attack"] == names.POPULATION) & (silent["metric"] == "precision") & (silent["epsilon"] == 3.0)
    silent.loc[chosen & silent["arm"].isin(["p0.1", "p0.3"]), "value"] = np.nan
    facts = facts_of(artifact)
    figure = load(artifact.draw)(load(artifact.tabulate)(tables, facts), facts)
    told = figure.get_supxlabel().replace("\n", " ")
    assert "No point where the attack predicts no member: 2 of 20 places." in told
    assert "no point" not in picture("thudi_fig14").get_supxlabel().replace("\n", " ")


@pytest.mark.parametrize("name", ["thudi_fig4", "thudi_fig5", "thudi_fig11", "thudi_fig14"])
def test_a_data_set_that_cannot_be_had_leaves_its_panels_empty_and_says_so(name):
    artifact = BY_NAME[name]
    kept = artifact.tables[0]
    facts = facts_of(artifact)
    table = load(artifact.tabulate)({kept: TABLES[kept]}, facts)
    assert table["experiment"].unique().tolist() == [kept.partition("/")[2]]
    figure = load(artifact.draw)(table, facts)
    empty = [panel for panel in figure.axes if "not run" in [text.get_text() for text in panel.texts]]
    assert 0 < len(empty) < len(figure.axes)


@pytest.mark.parametrize("name", OF_MODELS)
def test_tables_without_the_models_of_a_figure_are_refused(name):
    artifact = BY_NAME[name]
    others = {table: TABLES[table][TABLES[table]["epsilon"] == 12.0] for table in artifact.tables}
    if name in ("thudi_fig3", "thudi_fig4"):
        others = {table: rows[rows["attack"] == names.POPULATION] for table, rows in others.items()}
    with pytest.raises(ValueError, match="replicates/thudi"):
        load(artifact.tabulate)(others, facts_of(artifact))


def test_one_replicate_is_drawn_without_intervals():
    for name in ("thudi_fig4", "thudi_fig12"):
        artifact = BY_NAME[name]
        single = {table: TABLES[table][TABLES[table]["replicate"] == 0] for table in artifact.tables}
        table = load(artifact.tabulate)(single, facts_of(artifact))
        Figure.draw_without_rendering(load(artifact.draw)(table, facts_of(artifact)))


def test_metrics_are_named_as_they_are_measured():
    scores = np.arange(2000.0)
    measured = set(precision_metrics(scores, scores > 5, scores % 2 > 0))
    assert {"precision", "precision_best", "precision_baseline", "precision_control"} <= measured
    assert set(roc._METRICS) <= measured


# Figure 4


def test_figure_4_averages_epsilons_and_replicates_and_has_the_control():
    table = tidy("thudi_fig4")
    limits = table["curve"].isin((gain.BOUND, gain.CEILING))
    assert len(table) == 3 * 4 * 5
    exact = {rate: np.mean([ceiling(epsilon, rate) for epsilon in names.EPSILONS]) - rate for rate in names.RATES}
    formula = {rate: np.mean(positive_accuracy_bound(names.EPSILONS, rate, 1e-5, 0.01)) - rate for rate in names.RATES}
    for row in table[limits].itertuples():
        assert row.mean == pytest.approx((exact if row.curve == gain.CEILING else formula)[row.rate])
    table = table[~limits]
    assert (table["replicates"] == 7 * 3).all()
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
    np.testing.assert_allclose(met["high"] - met["mean"], HALF, rtol=1e-3)
    assert table.loc[~table["feasible"], "mean"].isna().all()
    figure = picture(name)
    for axes in figure.axes:
        drawn = lines(axes)
        assert {len(points) for label, points in drawn.items() if label.startswith("bound")} == {4, 5}
        crosses = [line for line in axes.get_lines() if line.get_marker() == "x" and len(line.get_xdata())]
        assert [line.get_xdata().tolist() for line in crosses] == [[0.9], [0.9]]
    (legend,) = figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {
        *("bound 0.953", "bound 0.881", "bound 0.731", "cannot be met")
    }
    np.testing.assert_allclose(
        met["ceiling"], [ceiling(*cell) for cell in zip(met["epsilon"], met["rate"], strict=True)], rtol=1e-6
    )
    told = figure.get_supxlabel().replace("\n", " ")
    low, high = (f"{ceiling(epsilon, rate):.2f}" for epsilon, rate in ((5.197, 0.1), (0.802, 0.9)))
    assert f"{low} to {high} under 0.953" in told


def test_models_with_another_epsilon_than_the_bound_leaves_are_not_shown():
    # Every arm was trained with every epsilon: each cell takes its own and no other.
    name = "replicates/thudi_mnist_budget"
    mixed = pd.concat([TABLES[name], TABLES[name].assign(epsilon=2.5, value=0.0)])
    table = budgets.tabulate_best({name: mixed}, facts_of(BY_NAME["thudi_fig5"]))
    assert table["mean"].min() > 0.5


# Figure 11


def test_figure_11_leaves_out_what_one_replicate_cannot_resolve():
    table = tidy("thudi_fig11")
    table = table[table["curve"] == "attack"]
    assert sorted(table["epsilon"].unique()) == [3, 5, 7]
    assert sorted(table["fpr"].unique()) == list(ROC_RATES[1:])
    row = table[(table["rate"] == 0.3) & (table["fpr"] == 0.1)].iloc[0]
    assert row["mean"] == pytest.approx(0.1 + 0.03)
    assert row["high"] - row["mean"] == pytest.approx(HALF, rel=1e-3)


def test_figure_11_has_a_panel_for_each_data_set_and_epsilon():
    figure = picture("thudi_fig11")
    assert [panel.get_title() for panel in figure.axes] == [
        f"({letter}) {title}, ε = {epsilon}"
        for letter, (title, epsilon) in zip("abcdef", itertools.product(["CIFAR10", "MNIST"], [3, 5, 7]), strict=True)
    ]
    for panel in figure.axes:
        assert panel.get_xscale() == "log"
        limits = {"(ε, δ) formula", "exact ceiling, any p"}
        assert set(lines(panel)) == {*(f"p = {rate:g}" for rate in names.RATES), "guessing", *limits}


def test_figure_11_stands_side_by_side_where_there_is_one_epsilon():
    artifact = BY_NAME["thudi_fig11"]
    facts = facts_of(artifact)
    tables = {name: metrics(name.partition("/")[2], epsilons=(3.0,)) for name in artifact.tables}
    figure = load(artifact.draw)(load(artifact.tabulate)(tables, facts), facts)
    assert [panel.get_title() for panel in figure.axes] == ["(a) CIFAR10, ε = 3", "(b) MNIST, ε = 3"]
    width, height = figure.get_size_inches()
    assert width > height


def test_figure_11_has_both_limits_down_to_the_smallest_rate():
    table = tidy("thudi_fig11")
    for (_, epsilon), rows in table.groupby(["experiment", "epsilon"]):
        limits = {curve: part.set_index("fpr")["mean"] for curve, part in rows.groupby("curve")}
        assert limits["bound"].index.tolist() == limits["ceiling"].index.tolist() == list(ROC_RATES)
        steep, flat = np.exp(epsilon) * 0.01 + 1e-5, 1 - np.exp(-epsilon) * (1 - 1e-5 - 0.01)
        assert limits["bound"][0.01] == pytest.approx(min(steep, flat))
        # The largest of all sampling rates.
        assert limits["ceiling"][0.01] == pytest.approx(0.01 + 0.2 + 0.09)


# Colours


def test_an_epsilon_and_a_rate_have_one_colour_in_all_figures():
    colours = [frames.epsilon_colour(epsilon) for epsilon in (*names.EPSILONS, np.inf)]
    assert len(set(colours)) == len(colours)
    assert len({frames.rate_colour(rate) for rate in names.RATES}) == 5
    assert frames.epsilon_colour(0.1) == frames.epsilon_colour(1)


@pytest.mark.parametrize(("name", "epsilon"), [("thudi_fig3", 1), ("thudi_fig14", 1), ("thudi_fig17", 3)])
def test_both_bounds_have_the_colour_of_their_epsilon_and_panels_one_axis(name, epsilon):
    first, *others = picture(name).axes
    colours = {line.get_label(): line.get_color() for line in first.get_lines()}
    for bound in ("theorem 3.3", "exact ceiling"):
        assert colours[f"{bound}, ε = {epsilon}"] == colours[f"ε = {epsilon}"] == frames.epsilon_colour(epsilon)
    assert all(panel.get_shared_y_axes().joined(first, panel) for panel in others)


def test_bounds_beside_attacks_that_are_coloured_by_rate_have_no_colour():
    colours = {line.get_label(): line.get_color() for line in picture("thudi_fig13").axes[0].get_lines()}
    assert colours["theorem 3.3, ε = 3"] == colours["exact ceiling, ε = 3"] == drawing.GREY


@pytest.mark.parametrize("rate", names.RATES)
def test_arms_are_named_by_their_rate(rate):
    assert names.rate_of(names.arm_of(rate)) == rate


def test_precision_by_rate_draws_the_metric_of_its_kind():
    assert [figure.best for figure in (precision_by_rate.FIG3, precision_by_rate.FIG12, precision_by_rate.FIG13)] == [
        True
    ] * 3
