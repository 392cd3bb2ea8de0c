"""The artifacts of the papers, drawn from made-up tables whose numbers are known."""

import inspect
import itertools

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib.figure import Figure
from test_settings import OWN_CONFIG, OWN_FILES, ROOT

from dpmia.papers import drawing
from dpmia.papers.artifact import Artifact, Facts
from dpmia.papers.catalogue import PAPERS
from dpmia.papers.humphries import bounds, epsilon_curves, fig6, table2
from dpmia.papers.tables import markdown
from dpmia.registry import load
from dpmia.settings import jobs
from dpmia.settings.resolve import SCALES, make_plan
from dpmia.tables import KEYS
from dpmia.theory.bounds import erlingsson_advantage, humphries_advantage

ARTIFACTS = {artifact.name: artifact for artifacts in PAPERS.values() for artifact in artifacts}
EXPERIMENTS = make_plan(OWN_CONFIG, ROOT).experiments
EPSILONS = [0.1, 1.0, 100.0, np.inf]
#: attack -> its mean advantage in the non-IID arm at the four epsilons; the IID arm has a tenth of it.
HEIGHTS = {
    "average_threshold": [0.1, 0.2, 0.3, 0.4],
    "optimal_threshold": [0.2, 0.4, 0.6, 0.8],
    "random": [0.03, 0.03, 0.03, 0.03],
}
ACCURACY = {"accuracy_members": [0.6, 0.7, 0.8, 0.9], "accuracy_nonmembers": [0.5, 0.55, 0.6, 0.65]}


def facts_of(artifact, stand_in=True):
    return Facts(stand_in, "laptop", {name: jobs.facts(EXPERIMENTS[name]) for name in artifact.experiments})


def summary(experiment, epsilons=EPSILONS):
    """Return a summary table of an experiment with the heights above, shifted a little from arm to arm."""
    rows = []
    for (number, arm), iid, (place, epsilon) in itertools.product(
        enumerate(EXPERIMENTS[experiment].arms), [False, True], enumerate(epsilons)
    ):
        values = {(attack, "advantage"): heights[place] for attack, heights in HEIGHTS.items()}
        values |= {("model", metric): heights[place] for metric, heights in ACCURACY.items()}
        values |= {("model", "loss_members"): 3.0, ("optimal_threshold", "tpr"): 0.7}  # in no figure
        for (attack, metric), height in values.items():
            mean = (height + 0.01 * number) / (10 if iid else 1)
            key = [
                experiment,
                arm + "-iid" * iid,
                iid,
                epsilon,
                attack,
                attack in ("optimal_threshold", "random"),
                metric,
            ]
            rows.append([*key, mean, mean - 0.02, mean + 0.03, 4])
    return pd.DataFrame(rows, columns=[*KEYS, "mean", "low", "high", "replicates"])


def sizes(experiment, population=7):
    """Return the table of sizes that an experiment has by the paper."""
    rows = []
    for (name, arm), (_, _, *printed) in table2.PRINTED.items():
        for suffix in ("", "-iid") if name == experiment else ():
            rows.append([name, arm + suffix, *printed[:4], printed[4] or population, 0])
    return pd.DataFrame(rows, columns=["experiment", "arm", *table2.COLUMNS[2:], "validation"])


def tidy(artifact, stand_in=True, **options):
    make = {"summary": summary, "sizes": sizes}[artifact.stage]
    tables = {name: make(name, **options) for name in artifact.experiments}
    return load(artifact.tabulate)(tables, facts_of(artifact, stand_in))


def picture(name, stand_in=True, **options):
    artifact = ARTIFACTS[name]
    return load(artifact.draw)(tidy(artifact, stand_in, **options), facts_of(artifact, stand_in))


def lines(axes):
    """Return what is drawn with a label: label -> points."""
    return {line.get_label(): line.get_xydata() for line in axes.get_lines() if not line.get_label().startswith("_")}


FIGURES = [name for name, artifact in ARTIFACTS.items() if artifact.draw]
OF_MODELS = [name for name in FIGURES if ARTIFACTS[name].experiments]

# The catalogue


def test_names_are_unique_and_begin_with_their_paper():
    names = [artifact.name for artifacts in PAPERS.values() for artifact in artifacts]
    assert len(names) == len(set(names))
    for paper, artifacts in PAPERS.items():
        assert all(artifact.name.startswith(f"{paper}_") for artifact in artifacts)


@pytest.mark.parametrize("artifact", ARTIFACTS.values(), ids=ARTIFACTS)
def test_the_functions_of_an_artifact_exist_and_take_what_they_are_given(artifact):
    assert list(inspect.signature(load(artifact.tabulate)).parameters) == ["tables", "facts"]
    if artifact.draw:
        assert list(inspect.signature(load(artifact.draw)).parameters) == ["table", "facts"]
    assert artifact.stage in ("summary", "sizes")
    assert artifact.caption.endswith(".")


@pytest.mark.parametrize("artifact", ARTIFACTS.values(), ids=ARTIFACTS)
def test_the_experiments_of_an_artifact_exist_and_are_of_its_paper(artifact):
    paper_of = {name: file["paper"] for file in OWN_FILES for name in file["experiments"]}
    assert {paper_of[name] for name in artifact.experiments} <= {artifact.name.partition("_")[0]}


def test_every_experiment_is_shown_somewhere():
    assert {name for artifact in ARTIFACTS.values() for name in artifact.experiments} == set(EXPERIMENTS)


@pytest.mark.parametrize("scale", SCALES)
def test_what_figures_show_is_run_at_every_scale(scale):
    experiments = make_plan(OWN_CONFIG | {"scale": scale}, ROOT).experiments
    for experiment in experiments.values():
        assert set(HEIGHTS) <= set(experiment.attacks)
        assert experiment.iid_arms
    assert set(fig6.HOSPITALS) == set(experiments["heart"].arms)
    for name, arm in table2.PRINTED:
        assert arm in experiments[name].arms


@pytest.mark.parametrize(("kind", "draw"), [("figure", None), ("table", "a:b"), ("picture", "a:b")])
def test_a_figure_is_drawn_and_a_table_is_not(kind, draw):
    with pytest.raises(ValueError, match="x_1: kind"):
        Artifact("x_1", kind, "Caption.", "a:b", draw)


def test_the_paper_is_that_of_the_experiment_files():
    assert {file["paper"] for file in OWN_FILES} == set(PAPERS)
    for path in (ROOT / "experiments").glob("*.yaml"):
        assert yaml.safe_load(path.read_text(encoding="utf-8"))["paper"] == path.stem


# Figure 1


def test_figure_1_is_the_formulas():
    table = bounds.tabulate({}, Facts(True, "laptop"))
    found = {name: rows.set_index("epsilon")["advantage"] for name, rows in table.groupby("bound")}
    for name, formula in {
        "Humphries et al.": lambda e: humphries_advantage(e, 1e-5),
        "Erlingsson et al.": lambda e: erlingsson_advantage(e, 1e-5),
        "Yeom et al.": lambda e: np.minimum(np.expm1(e), 1),
    }.items():
        np.testing.assert_allclose(found[name], formula(found[name].index.to_numpy()))
    assert table["epsilon"].agg(["min", "max"]).tolist() == pytest.approx([0.01, 10])  # the paper's axis
    assert table.groupby("bound")["delta"].first().to_dict() == {
        **{"Humphries et al.": 1e-5, "Erlingsson et al.": 1e-5},
        "Yeom et al.": 0,
    }


def test_figure_1_shows_three_curves_and_is_no_stand_in():
    figure = picture("humphries_fig1")
    (axes,) = figure.axes
    table = bounds.tabulate({}, Facts(True, "laptop"))
    assert len(lines(axes)) == 3
    for name, points in lines(axes).items():
        np.testing.assert_allclose(points, table.loc[table["bound"] == name, ["epsilon", "advantage"]])
    assert (axes.get_xscale(), axes.get_xlabel(), axes.get_ylabel()) == ("log", "ε", "bound on membership advantage")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(lines(axes))
    assert [text.get_text() for text in axes.texts] == []


# Figures of trained models

PANELS = {
    "humphries_fig2": [
        ("average threshold", "cluster", "average_threshold"),
        ("optimal threshold (oracle)", "cluster", "optimal_threshold"),
        ("accuracy", "cluster", None),
    ],
    "humphries_fig3": [
        ("optimal threshold (oracle)", "cluster", "optimal_threshold"),
        ("accuracy", "cluster", None),
    ],
    "humphries_fig6": [
        ("Cleveland", "cleveland", "optimal_threshold"),
        ("Hungary", "hungary", "optimal_threshold"),
        ("Switzerland", "switzerland", "optimal_threshold"),
        ("VA Long Beach", "va", "optimal_threshold"),
    ],
    "humphries_fig7": [
        ("optimal threshold (oracle)", "gabriel_pereira", "optimal_threshold"),
        ("accuracy", "gabriel_pereira", None),
    ],
}


def test_all_figures_of_models_are_tested_here():
    assert sorted(PANELS) == sorted(OF_MODELS)


@pytest.mark.parametrize("name", OF_MODELS)
def test_panels_show_the_numbers_of_their_arm_and_attack(name):
    figure, artifact = picture(name), ARTIFACTS[name]
    assert [panel.get_title() for panel in figure.axes] == [title for title, _, _ in PANELS[name]]
    for panel, (_, arm, attack) in zip(figure.axes, PANELS[name], strict=True):
        shift = 0.01 * list(EXPERIMENTS[artifact.experiments[0]].arms).index(arm)
        assert panel.get_xlabel() == "ε"
        assert [tick.get_text() for tick in panel.get_xticklabels()] == ["0.1", "1", "100", "∞"]
        if attack is None:
            assert panel.get_ylabel() == "accuracy"
            continue
        drawn = lines(panel)
        finite = EPSILONS[:3]
        expected = np.array(HEIGHTS[attack][:3]) + shift
        np.testing.assert_allclose(drawn["non-IID"], np.transpose([finite, expected]))
        np.testing.assert_allclose(drawn["IID"], np.transpose([finite, expected / 10]))
        control = attack == "optimal_threshold"
        assert ("random scores" in drawn) == control, "an oracle stands beside its control, an attack does not"
        if control:
            np.testing.assert_allclose(drawn["random scores"][:, 1], (0.03 + shift) / 10)
        assert panel.get_ylim()[0] < 0 < 1 < panel.get_ylim()[1]


def at_infinity(panel):
    """Return the heights of the points with bars at infinity."""
    points = [
        line.get_xydata() for line in panel.get_lines() if line.get_linestyle() == "None" and line.get_marker() == "o"
    ]
    return sorted(float(y) for x, y in np.concatenate(points) if x == 1000)


def test_infinity_is_drawn_apart():
    average = picture("humphries_fig2").axes[0]
    assert at_infinity(average) == pytest.approx([0.04, 0.4])


def test_accuracy_panels_show_members_and_nonmembers_of_both_arms():
    panel = picture("humphries_fig3").axes[1]
    curves = [line for line in panel.get_lines() if len(line.get_xdata()) == 3]
    heights = {tuple(np.round(line.get_ydata(), 6)): (line.get_linestyle(), line.get_color()) for line in curves}
    members, nonmembers = (np.array(ACCURACY[f"accuracy_{part}"][:3]) for part in ("members", "nonmembers"))
    assert heights == {
        tuple(members): ("-", epsilon_curves.NON_IID),
        tuple(nonmembers): ("--", epsilon_curves.NON_IID),
        tuple((members / 10).round(6)): ("-", epsilon_curves.IID),
        tuple((nonmembers / 10).round(6)): ("--", epsilon_curves.IID),
    }


@pytest.mark.parametrize("name", OF_MODELS)
def test_the_bound_is_the_formula_along_the_whole_axis(name):
    figure = picture(name)
    for panel, (_, _, attack) in zip(figure.axes, PANELS[name], strict=True):
        assert ("bound for IID" in lines(panel)) == (attack is not None)
        if attack is not None:
            epsilons, heights = lines(panel)["bound for IID"].T
            np.testing.assert_allclose(heights, humphries_advantage(epsilons, 1e-5))
            assert (epsilons.min() < 0.1, epsilons.max() > 100) == (True, True)
            (line,) = (line for line in panel.get_lines() if line.get_label() == "bound for IID")
            assert line.get_linestyle() == "--"


def test_the_bound_follows_the_delta_of_the_run():
    artifact = ARTIFACTS["humphries_fig7"]
    facts = facts_of(artifact)
    facts.experiments["student"]["delta"] = 0.25
    table = epsilon_curves.tabulate({"student": summary("student")}, facts)
    bound = table[table["metric"] == "bound"]
    np.testing.assert_allclose(bound["mean"], humphries_advantage(bound["epsilon"].to_numpy(), 0.25))


@pytest.mark.parametrize("name", OF_MODELS)
def test_the_legend_names_what_is_drawn(name):
    (legend,) = picture(name).figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    expected = {"non-IID", "IID", "random scores", "bound for IID"}
    if any(attack is None for _, _, attack in PANELS[name]):
        expected |= {"accuracy on members", "accuracy on non-members"}
    assert len(labels) == len(set(labels))
    assert set(labels) == expected


@pytest.mark.parametrize("name", OF_MODELS)
def test_stand_in_data_are_marked_and_real_data_are_not(name):
    for stand_in in (True, False):
        figure = picture(name, stand_in)
        marks = [[text.get_text() for text in panel.texts] for panel in figure.axes]
        assert marks == [["STAND-IN DATA"] if stand_in else []] * len(PANELS[name])
        assert figure.get_supxlabel().replace("\n", " ").count("Stand-in data" if stand_in else "Real data") == 1


@pytest.mark.parametrize(
    ("name", "epsilons"),
    [
        *((name, [1.0, np.inf]) for name in OF_MODELS),
        *(("humphries_fig3", epsilons) for epsilons in ([np.inf], [1.0], [0.01, 1000.0])),
    ],
)
def test_any_grid_of_epsilons_can_be_drawn(name, epsilons):
    figure = picture(name, epsilons=epsilons)
    Figure.draw_without_rendering(figure)
    ticks = [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    assert ticks == ["∞" if np.isinf(epsilon) else f"{epsilon:g}" for epsilon in epsilons]


@pytest.mark.parametrize("name", OF_MODELS)
def test_the_tidy_table_holds_what_is_drawn_and_no_more(name):
    table = tidy(ARTIFACTS[name])
    assert set(table["metric"]) == {"advantage", "bound", *ACCURACY}
    assert table["experiment"].isin(ARTIFACTS[name].experiments).all()
    assert not table.duplicated(KEYS).any()


def test_equal_tables_are_equal_files(tmp_path):
    with drawing.style():
        for copy in ("a", "b"):
            drawing.save(picture("humphries_fig3"), tmp_path / f"{copy}.pdf", tmp_path / f"{copy}.png")
    for ending in ("pdf", "png"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


@pytest.mark.parametrize("name", OF_MODELS)
def test_drawing_does_not_change_the_table(name):
    artifact = ARTIFACTS[name]
    table = tidy(artifact)
    before = table.copy()
    load(artifact.draw)(table, facts_of(artifact))
    pd.testing.assert_frame_equal(table, before)


# Table II


def test_table_2_sets_our_sizes_beside_the_printed_ones():
    table = tidy(ARTIFACTS["humphries_table2"]).set_index("experiment")
    assert len(table) == 7
    # Humphries et al. 2023, table II.
    printed = {
        "adult cluster": [104, 2, 10_000, 10_000, 15_132],
        "compas cluster": [15, 2, 2_000, 2_000, pd.NA],
        "heart Cleveland": [22, 2, 303, 617, pd.NA],
        "heart Hungary": [22, 2, 294, 626, pd.NA],
        "heart Switzerland": [22, 2, 123, 797, pd.NA],
        "heart VA Long Beach": [22, 2, 200, 720, pd.NA],
        "students Gabriel Pereira": [42, 2, 423, 226, pd.NA],
    }
    assert list(table.index) == list(printed)
    for name, numbers in printed.items():
        row = table.loc[name]
        assert row[[f"paper_{column}" for column in table2.COLUMNS[2:]]].tolist() == numbers
        ours = [*numbers[:4], 15_132 if name == "adult cluster" else 7]
        assert row[table2.COLUMNS[2:]].tolist() == ours


def test_table_2_shows_our_sizes_where_they_differ():
    artifact = ARTIFACTS["humphries_table2"]
    tables = {name: sizes(name) for name in artifact.experiments}
    tables["adult_cluster"]["population"] = 15_135
    table = table2.tabulate(tables, facts_of(artifact)).set_index("experiment")
    assert table.loc["adult cluster", ["population", "paper_population"]].tolist() == [15_135, 15_132]


def test_table_2_in_markdown_says_stand_in_and_shows_dashes():
    artifact = ARTIFACTS["humphries_table2"]
    for stand_in in (True, False):
        text = markdown(tidy(artifact, stand_in), artifact.caption, facts_of(artifact, stand_in))
        assert text.startswith(artifact.caption)
        assert ("Stand-in data" in text) == stand_in
        assert "| heart Cleveland" in text
        (row,) = (line for line in text.splitlines() if "compas cluster" in line)
        assert row.strip("| ").split()[-2:] == ["|", "-"]
