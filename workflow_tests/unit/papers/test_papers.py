"""The figures of Humphries et al., drawn from synthetic tables whose numbers are known."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from drawn import badges, bars, caption, lines, titles
from matplotlib.figure import Figure
from settings_samples import OWN_CONFIG, ROOT

from dpmia.common.registry import load
from dpmia.evaluation.summary import LIMITS, UNCERTAINTY
from dpmia.formats.rows import KEYS
from dpmia.metrics.intervals import BOTH
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.catalogue import PAPERS
from dpmia.papers.humphries import bounds, epsilon_curves
from dpmia.planning.descriptions import describe_experiment
from dpmia.planning.plan import make_plan
from dpmia.theory.bounds import erlingsson_advantage, humphries_advantage

#: Those of Humphries et al.; the other papers have tests of their own.
ARTIFACTS = {artifact.name: artifact for artifact in PAPERS["humphries"]}
HUMPHRIES = {"experiments": ["experiments/humphries.yaml"]}
EXPERIMENTS = make_plan(OWN_CONFIG | HUMPHRIES, ROOT).experiments
EPSILONS = [0.1, 1.0, 100.0, np.inf]
ENDINGS = ("pdf", "svg", "png")
#: attack -> its mean advantage in the non-IID arm at the four epsilons; the IID arm has a tenth of it.
HEIGHTS = {
    "average_threshold": [0.1, 0.2, 0.3, 0.4],
    "optimal_threshold": [0.2, 0.4, 0.6, 0.8],
    "random": [0.03, 0.03, 0.03, 0.03],
    "shadow": [0.15, 0.25, 0.35, 0.45],
    "blind": [0.5, 0.5, 0.5, 0.5],
}
ACCURACY = {"accuracy_members": [0.6, 0.7, 0.8, 0.9], "accuracy_nonmembers": [0.5, 0.55, 0.6, 0.65]}
CEILING = [0.01, 0.1, 0.9]


def names_of(artifact):
    return [table.split("/")[1] for table in artifact.tables]


def run_summary_of(artifact, synthetic=True):
    summaries = [table.split("/")[1] for table in artifact.tables if table.startswith("summary/")]
    experiments = {name: describe_experiment(EXPERIMENTS[name]) for name in summaries}
    return RunSummary(synthetic and bool(artifact.tables), "laptop", experiments)


def summary(experiment, epsilons=EPSILONS):
    """Return a summary table of an experiment with the heights above, shifted a little from arm to arm."""
    rows = []
    sides = [False, True] if EXPERIMENTS[experiment].iid_arms else [False]
    for (number, arm), iid, (place, epsilon) in itertools.product(
        enumerate(EXPERIMENTS[experiment].arms), sides, enumerate(epsilons)
    ):
        values = {(attack, "advantage"): heights[place] for attack, heights in HEIGHTS.items()}
        values |= {("model", metric): heights[place] for metric, heights in ACCURACY.items()}
        values |= {("model", "loss_members"): 3.0, ("optimal_threshold", "tpr"): 0.7}  # in no figure
        values |= {("blind", "auc"): 0.75, ("average_threshold", "advantage_excess"): -0.1}
        if np.isfinite(epsilon):
            values["model", "advantage_ceiling"] = CEILING[place]
            values["model", "tpr_ceiling_at_1pct_fpr"] = CEILING[place] / 2
        values["average_threshold", "tpr_at_1pct_fpr"] = np.nan if epsilon == 0.1 else 0.06
        for (attack, metric), height in values.items():
            mean = height if "ceiling" in metric else (height + 0.01 * number) / (10 if iid else 1)
            key = [
                experiment,
                arm + "-iid" * iid,
                iid,
                epsilon,
                attack,
                attack in ("optimal_threshold", "random"),
                metric,
            ]
            rows.append([*key, mean, mean - 0.02, mean + 0.03, 4, BOTH, 0.01, 3.0, 0.0])
    return pd.DataFrame(rows, columns=[*KEYS, *LIMITS, "replicates", *UNCERTAINTY])


def tidy(artifact, synthetic=True, **options):
    tables = {table: summary(table.split("/")[1], **options) for table in artifact.tables}
    return load(artifact.tabulate)(tables, run_summary_of(artifact, synthetic))


def picture(name, synthetic=True, **options):
    """Draw a figure; that leaves its table as it was."""
    artifact = ARTIFACTS[name]
    table = tidy(artifact, synthetic, **options)
    before = table.copy()
    figure = load(artifact.draw)(table, run_summary_of(artifact, synthetic))
    pd.testing.assert_frame_equal(table, before)
    return figure


@cache
def shown(name, synthetic=True):
    """Return a figure that tests share; they only read it."""
    return picture(name, synthetic)


FIGURES = [name for name, artifact in ARTIFACTS.items() if artifact.draw]
OF_MODELS = [name for name in FIGURES if ARTIFACTS[name].tables]

# Figure 1


def test_figure_1_is_the_formulas():
    table = bounds.tabulate({}, RunSummary(True, "laptop"))
    curves = {name: rows.set_index("epsilon")["advantage"] for name, rows in table.groupby("bound")}
    for name, formula in {
        "Humphries et al.": lambda e: humphries_advantage(e, 1e-5),
        "Erlingsson et al.": lambda e: erlingsson_advantage(e, 1e-5),
        "Yeom et al.": lambda e: np.minimum(np.expm1(e), 1),
    }.items():
        np.testing.assert_allclose(curves[name], formula(curves[name].index.to_numpy()))
    assert table["epsilon"].agg(["min", "max"]).tolist() == pytest.approx([0.01, 10])  # the paper's axis
    assert table.groupby("bound")["delta"].first().to_dict() == {
        **{"Humphries et al.": 1e-5, "Erlingsson et al.": 1e-5},
        "Yeom et al.": 0,
    }


def test_figure_1_shows_three_curves_and_is_not_synthetic():
    figure = picture("humphries_fig1")
    (axes,) = figure.axes
    table = bounds.tabulate({}, RunSummary(True, "laptop"))
    assert len(lines(axes)) == 3
    for name, curve in lines(axes).items():
        np.testing.assert_allclose(curve, table.loc[table["bound"] == name, ["epsilon", "advantage"]])
    assert (axes.get_xscale(), axes.get_xlabel(), axes.get_ylabel()) == ("log", "ε", "bound on membership advantage")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(lines(axes))
    assert [text.get_text() for text in axes.texts] == []


# Figures of trained models

AVERAGE, OPTIMAL, SHADOW = ("average threshold", "optimal threshold (oracle)", "shadow models")


def four(arm):
    attacks = ((AVERAGE, "average_threshold"), (OPTIMAL, "optimal_threshold"), (SHADOW, "shadow"))
    return [*((title, arm, attack) for title, attack in attacks), ("accuracy", arm, None)]


def two(arm):
    return [(OPTIMAL, arm, "optimal_threshold"), ("accuracy", arm, None)]


#: Figures of arms beside their IID arms: title, arm and attack of each panel.
PAIRS = {
    "humphries_fig2": four("cluster"),
    "humphries_fig2_reverse": four("cluster"),
    "humphries_fig2_nearest": two("cluster"),
    "humphries_fig3": two("cluster"),
    "humphries_fig3_nearest": two("cluster"),
    "humphries_fig6": [
        ("Cleveland", "cleveland", "optimal_threshold"),
        ("Hungary", "hungary", "optimal_threshold"),
        ("Switzerland", "switzerland", "optimal_threshold"),
        ("VA Long Beach", "va", "optimal_threshold"),
    ],
    "humphries_fig7": two("gabriel_pereira"),
    "humphries_fig8": four("region_3"),
    "humphries_fig9": four("census"),
}
SHARE_LABELS = {"p0": "p = 0", "p25": "p = 0.25", "p50": "p = 0.5", "p75": "p = 0.75", "p100": "p = 1"}
SHARES = {"humphries_fig4": 4, "humphries_fig5": 2, "humphries_fig5_text": 2}
OTHERS = {"humphries_fig2_guarantees": 2, "humphries_dependence": 6, "humphries_strong": 4}
PANELS = {**{name: len(panels) for name, panels in PAIRS.items()}, **SHARES, **OTHERS}


def test_all_figures_of_models_are_tested_here():
    assert sorted(PANELS) == sorted(OF_MODELS)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_panels_show_the_numbers_of_their_arm_and_attack(name):
    figure, artifact = shown(name), ARTIFACTS[name]
    assert titles(figure) == [title for title, _, _ in PAIRS[name]]
    ticks = [tick.get_text() for tick in figure.panels[-1].get_xticklabels()]
    assert ticks == ["0.1", "1", "100", "∞"]
    for panel, (_, arm, attack) in zip(figure.panels, PAIRS[name], strict=True):
        shift = 0.01 * list(EXPERIMENTS[names_of(artifact)[0]].arms).index(arm)
        assert panel.get_xticks().tolist() == [0.1, 1, 100, 1000]
        if attack is None:
            assert panel.get_ylabel() == "accuracy"
            continue
        drawn = lines(panel)
        finite = EPSILONS[:3]
        expected = np.array(HEIGHTS[attack][:3]) + shift
        np.testing.assert_allclose(drawn["non-IID"], np.transpose([finite, expected]))
        np.testing.assert_allclose(drawn["IID"], np.transpose([finite, expected / 10]))
        np.testing.assert_allclose(drawn["exact upper bound, IID"], np.transpose([finite, CEILING]))
        blind = [line for line in panel.get_lines() if len(y := line.get_ydata()) and np.allclose(y, 0.5 + shift)]
        assert len(blind) == 1, "the blind baseline of the non-IID arm, at one height"
        control = attack == "optimal_threshold"
        assert ("random scores" in drawn) == control, "an oracle stands beside its control, an attack does not"
        if control:
            np.testing.assert_allclose(drawn["random scores"][:, 1], (0.03 + shift) / 10)
        assert panel.get_ylim()[0] < 0 < 1 < panel.get_ylim()[1]


@pytest.mark.parametrize("name", [name for name, panels in PAIRS.items() if panels[-1][2] is None])
def test_strips_enlarge_what_is_small_at_the_smallest_epsilons(name):
    figure = shown(name)
    strips = [axes for axes in figure.axes if axes not in figure.panels]
    assert len(strips) == len(PAIRS[name]) - 1
    for strip, panel in zip(strips, figure.panels, strict=False):
        low, high = strip.get_ylim()
        assert low < 0 < CEILING[0] < CEILING[1] < high < 0.3
        assert (strip.get_xlabel(), panel.get_xlabel()) == ("ε", "")
        np.testing.assert_allclose(lines(strip)["IID"], lines(panel)["IID"])


def test_the_blind_baseline_has_its_interval_and_its_own_number_of_replicates():
    artifact = ARTIFACTS["humphries_fig7"]
    table = tidy(artifact)
    table.loc[table["attack"] == "blind", "replicates"] = 2
    figure = load(artifact.draw)(table, run_summary_of(artifact))
    blind = table[(table["attack"] == "blind") & ~table["iid"] & (table["metric"] == "advantage")].iloc[0]
    spans = [
        patch.get_extents().transformed(figure.panels[0].transData.inverted()) for patch in figure.panels[0].patches
    ]
    assert any((span.y0, span.y1) == pytest.approx((blind["low"], blind["high"])) for span in spans)
    assert "The blind baseline is the mean of 2 replicates." in caption(figure)
    assert "4 replicates" in caption(figure)


def test_validation_records_are_diamonds():
    artifact = ARTIFACTS["humphries_fig7"]
    table = tidy(artifact)
    more = table[table["metric"] == "accuracy_members"].assign(metric="accuracy_validation")
    figure = load(artifact.draw)(pd.concat([table, more]), run_summary_of(artifact))
    markers = {
        line.get_linestyle(): line.get_marker() for line in figure.panels[1].get_lines() if line.get_marker() != "None"
    }
    assert (markers["-"], markers["--"], markers[":"]) == ("o", "o", "D")


@pytest.mark.parametrize("name", SHARES)
def test_panels_of_shares_show_a_curve_for_each_arm(name):
    figure = shown(name)
    expected_titles = [AVERAGE, OPTIMAL, SHADOW, "accuracy"] if SHARES[name] == 4 else [OPTIMAL, "accuracy"]
    assert titles(figure) == expected_titles
    attacks = {AVERAGE: "average_threshold", OPTIMAL: "optimal_threshold", SHADOW: "shadow"}
    for panel, title in zip(figure.panels[:-1], expected_titles, strict=False):
        drawn = lines(panel)
        arms = EXPERIMENTS[names_of(ARTIFACTS[name])[0]].arms
        assert {label for label in drawn if label.startswith("p = ")} == {SHARE_LABELS[arm] for arm in arms}
        for number, arm in enumerate(arms):
            label = SHARE_LABELS[arm]
            expected = np.array(HEIGHTS[attacks[title]][:3]) + 0.01 * number
            np.testing.assert_allclose(drawn[label], np.transpose([EPSILONS[:3], expected]))
        assert ("random scores" in drawn) == (title == OPTIMAL)


def test_promises_stand_beside_each_other_at_the_epsilons_they_share():
    artifact = ARTIFACTS["humphries_fig2_guarantees"]
    first, *others = artifact.tables
    tables = {first: summary(first.split("/")[1])}
    tables |= {table: summary(table.split("/")[1], epsilons=[1.0, np.inf]) for table in others}
    table = load(artifact.tabulate)(tables, run_summary_of(artifact))
    figure = load(artifact.draw)(table, run_summary_of(artifact))
    assert set(table.loc[table["metric"] == "advantage", "epsilon"]) == {1.0, np.inf}
    assert set(table["guarantee"]) == {"replace-one, PLD", "add-remove, PLD", "as published"}
    for panel in figure.axes:
        assert [tick.get_text() for tick in panel.get_xticklabels()] == ["1", "∞"]
        assert {"replace-one, PLD", "add-remove, PLD", "as published", "random scores"} <= set(lines(panel))
        at_infinity = [place for place, _, _ in bars(panel) if place > 5]
        assert len(set(at_infinity)) == len(at_infinity) == 4, "side by side"


def test_the_dependence_index_is_the_auc_of_the_blind_baseline():
    table = tidy(ARTIFACTS["humphries_dependence"])
    assert (table.loc[~table["iid"], "index"] >= 0.75).all()
    some = table[(table["experiment"] == "adult_cluster") & ~table["iid"]]
    assert some["advantage"].tolist() == pytest.approx(HEIGHTS["average_threshold"])
    kinds = ("clusters", "shares", "sources")
    expected = [f"{kind}, ε = {epsilon}" for epsilon in ("0.1", "∞") for kind in kinds]
    assert titles(shown("humphries_dependence")) == expected


def test_points_of_dependence_have_intervals_in_both_directions_and_their_names_beside_them():
    figure = shown("humphries_dependence")
    named = [text.get_text().replace(" ", "_") for panel in figure.panels[:3] for text in panel.texts]
    assert sorted(named) == sorted(names_of(ARTIFACTS["humphries_dependence"]))
    table = tidy(ARTIFACTS["humphries_dependence"])
    some = table[(table["experiment"] == "student") & (table["epsilon"] == 0.1)]
    ends = np.vstack([segment for part in figure.panels[2].collections for segment in part.get_segments()])
    for row in some.itertuples():
        for end in ((row.index_low, row.advantage), (row.index_high, row.advantage), (row.index, row.advantage_low)):
            assert np.isclose(ends, end).all(axis=1).any()


def test_limits_are_told_with_what_attacks_reach_between_them():
    table = tidy(ARTIFACTS["humphries_limits"])
    row = table[(table["experiment"] == "adult_cluster") & (table["epsilon"] == "1")].iloc[0]
    assert (row["(epsilon, delta) bound"], row["exact upper bound"]) == ("0.463", "0.100"), "0.46212, rounded up"
    assert row["attack, IID"].startswith("0.020 [")
    assert row["attack, non-IID"].startswith("0.200 [")
    assert row["blind baseline"].startswith("0.500 [")
    assert row["TPR at 1 % FPR, exact upper bound"] == "0.050"
    assert row["TPR at 1 % FPR, IID"].startswith("0.006 [")
    assert row["TPR at 1 % FPR, non-IID"].startswith("0.060 [")
    too_few = table[(table["experiment"] == "adult_cluster") & (table["epsilon"] == "0.1")].iloc[0]
    assert too_few[["TPR at 1 % FPR, IID", "TPR at 1 % FPR, non-IID"]].isna().all(), "not measurable: no number"
    shares_at_zero = table[(table["experiment"] == "adult_gender") & (table["arm"] == "p0")]
    assert shares_at_zero["attack, IID"].iloc[0].startswith("0.120 ["), "p = 0.5 stands for the IID arm"
    assert "p50" not in set(table["arm"])
    in_order = list(table.loc[table["experiment"] == "adult_gender", "arm"].unique())
    assert in_order == ["p0", "p25", "p75", "p100"]
    assert table["replicates"].tolist() == table["replicates of blind"].tolist() == [4] * len(table)


def test_infinity_is_drawn_apart_and_side_by_side():
    average = shown("humphries_fig2").axes[0]
    places, lows, highs = bars(average).T
    assert ((places > 500) & (places < 2000)).all(), "around one decade beyond the largest epsilon"
    assert len(set(places)) == len(places) == 2
    assert lows == pytest.approx([0.38, 0.02])
    assert highs == pytest.approx([0.43, 0.07])


def test_accuracy_panels_show_members_and_nonmembers_of_both_arms():
    panel = shown("humphries_fig3").panels[1]
    curves = [line for line in panel.get_lines() if len(line.get_xdata()) == 3]
    heights = {tuple(np.round(line.get_ydata(), 6)): (line.get_linestyle(), line.get_color()) for line in curves}
    members, nonmembers = (np.array(ACCURACY[f"accuracy_{part}"][:3]) for part in ("members", "nonmembers"))
    assert heights == {
        tuple(members): ("-", drawing.BLUE),
        tuple(nonmembers): ("--", drawing.BLUE),
        tuple((members / 10).round(6)): ("-", drawing.ORANGE),
        tuple((nonmembers / 10).round(6)): ("--", drawing.ORANGE),
    }


@pytest.mark.parametrize("name", PAIRS)
def test_the_bound_is_the_formula_along_the_whole_axis(name):
    figure = shown(name)
    for panel, (_, _, attack) in zip(figure.panels, PAIRS[name], strict=True):
        assert ("(ε, δ) bound, IID" in lines(panel)) == (attack is not None)
        if attack is not None:
            epsilons, heights = lines(panel)["(ε, δ) bound, IID"].T
            np.testing.assert_allclose(heights, humphries_advantage(epsilons, 1e-5))
            assert (epsilons.min() < 0.1, epsilons.max() > 100) == (True, True)
            (line,) = (line for line in panel.get_lines() if line.get_label() == "(ε, δ) bound, IID")
            assert line.get_linestyle() == "--"


def test_the_bound_follows_the_delta_of_the_run():
    artifact = ARTIFACTS["humphries_fig7"]
    run_summary = run_summary_of(artifact)
    run_summary.experiments["student"] = replace(run_summary.experiments["student"], delta=0.25)
    table = epsilon_curves.tabulate({"summary/student": summary("student")}, run_summary)
    bound = table[table["metric"] == "bound"]
    np.testing.assert_allclose(bound["mean"], humphries_advantage(bound["epsilon"].to_numpy(), 0.25))


@pytest.mark.parametrize("name", PAIRS)
def test_the_legend_names_what_is_drawn(name):
    (legend,) = shown(name).figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    expected = {
        "non-IID",
        "IID",
        "random scores",
        "(ε, δ) bound, IID",
        "exact upper bound, IID",
        "blind baseline (no model)",
    }
    if any(attack is None for _, _, attack in PAIRS[name]):
        expected |= {"accuracy on members", "accuracy on non-members"}
    assert len(labels) == len(set(labels))
    assert set(labels) == expected


@pytest.mark.parametrize("synthetic", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OF_MODELS)
def test_synthetic_data_are_marked_and_real_data_are_not(name, synthetic):
    figure = shown(name, synthetic)
    assert badges(figure) == (["SYNTHETIC DATA"] if synthetic else [])
    assert len(figure.panels) == PANELS[name]
    assert caption(figure).count("Synthetic data" if synthetic else "Real data") == 1


@pytest.mark.parametrize(
    ("name", "epsilons"),
    [
        *(pytest.param(name, [1.0, np.inf], marks=pytest.mark.slow) for name in OF_MODELS),
        *(("humphries_fig3", epsilons) for epsilons in ([np.inf], [1.0], [0.01, 100.0])),
    ],
)
def test_any_grid_of_epsilons_can_be_drawn(name, epsilons):
    figure = picture(name, epsilons=epsilons)
    Figure.draw_without_rendering(figure)
    if name != "humphries_dependence":
        ticks = [tick.get_text() for tick in figure.panels[-1].get_xticklabels()]
        assert ticks == ["∞" if np.isinf(epsilon) else f"{epsilon:g}" for epsilon in epsilons]


@pytest.mark.parametrize("name", [*PAIRS, *SHARES])
def test_the_tidy_table_holds_what_is_drawn_and_no_more(name):
    table = tidy(ARTIFACTS[name])
    assert set(table["metric"]) <= {*epsilon_curves.METRICS, "bound", *ACCURACY}
    assert table["experiment"].isin(names_of(ARTIFACTS[name])).all()
    assert not table.duplicated(KEYS).any()


def test_equal_tables_are_equal_files(tmp_path):
    with drawing.style():
        for copy in ("a", "b"):
            drawing.save(picture("humphries_fig3"), *(tmp_path / f"{copy}.{ending}" for ending in ENDINGS))
    for ending in ENDINGS:
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
