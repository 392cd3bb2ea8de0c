"""What all figures share, read back from matplotlib."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawn import bars, lines
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from dpmia.metrics.intervals import BOTH, EQUAL, EXACT, TOO_FEW
from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.drawing import EpsilonScale
from dpmia.papers.drawing.caption import format_batches

INF = float("inf")
NO_ROWS = pd.DataFrame({"interval": []})
FACT = {
    **{"dataset": "heart", "model": "mlp 256-256", "sizes": "90 members", "references": None, "pairing": None},
    **{
        "passes": "20 epochs, batch 32",
        "optimiser": "adam",
        "sampling": "poisson",
        "sampling_without_privacy": "shuffle",
        "clip_norm": 1.5,
        "clipped_to": None,
        "replicates": 4,
    },
    **{"relation": "replace_one", "delta": 1e-5, "accountant": "pld"},
}


def facts(synthetic=True, experiments=("heart",)):
    return Facts(synthetic, "laptop", dict.fromkeys(experiments, FACT))


def rows(epsilons, mean=0.5):
    return pd.DataFrame({"epsilon": epsilons, "mean": mean, "low": mean - 0.1, "high": mean + 0.2})


@pytest.fixture
def axes():
    return Figure().subplots()


# The axis of epsilon


def test_infinity_stands_one_decade_beyond_the_largest_epsilon(axes):
    scale = EpsilonScale([INF, 0.1, 100, 1, 1, 0.1])
    assert scale.place(pd.Series([0.1, INF, 100])).tolist() == [0.1, 1000, 100]
    scale.label(axes)
    assert axes.get_xscale() == "log"
    assert axes.get_xticks().tolist() == [0.1, 1, 100, 1000]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.1", "1", "100", "∞"]
    assert axes.get_xticks(minor=True).tolist() == []
    assert axes.get_xlabel() == "ε"
    low, high = axes.get_xlim()
    assert low < 0.1
    assert high > 1000
    (line,) = axes.get_lines()
    assert 100 < line.get_xdata()[0] < 1000, "a thin line sets infinity off"


def test_without_infinity_there_is_no_place_for_it(axes):
    EpsilonScale([0.1, 10]).label(axes)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.1", "10"]
    assert len(axes.get_lines()) == 0


def test_infinity_may_stand_alone(axes):
    scale = EpsilonScale([INF])
    scale.label(axes)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["∞"]
    assert axes.get_xticks().tolist() == scale.place(pd.Series([INF])).tolist()


# Means with their intervals


def test_a_band_has_the_given_means_and_limits_and_a_bar_at_infinity(axes):
    table = rows([100, 0.1, 1, INF], np.array([0.3, 0.1, 0.2, 0.9]))
    EpsilonScale(table["epsilon"]).draw(axes, table, drawing.BLUE, "non-IID")
    np.testing.assert_allclose(lines(axes)["non-IID"], [[0.1, 0.1], [1, 0.2], [100, 0.3]])
    filled = axes.collections[0]
    corners = filled.get_paths()[0].vertices
    for epsilon, mean in [(0.1, 0.1), (1, 0.2), (100, 0.3)]:
        heights = corners[np.isclose(corners[:, 0], epsilon), 1]
        assert (heights.min(), heights.max()) == pytest.approx((mean - 0.1, mean + 0.2))
    np.testing.assert_allclose(bars(axes), [[1000, 0.8, 1.1]])
    colours = {to_hex(axes.get_lines()[0].get_color()), to_hex(filled.get_facecolor()[0])}
    assert colours == {drawing.BLUE}


def test_a_single_epsilon_has_a_bar_instead_of_a_band(axes):
    table = rows([1, INF], np.array([0.3, 0.9]))
    EpsilonScale(table["epsilon"]).draw(axes, table, "k", "a")
    np.testing.assert_allclose(bars(axes), [[1, 0.2, 0.5], [10, 0.8, 1.1]])


def test_one_replicate_is_drawn_without_an_interval(axes):
    table = rows([0.1, 1, INF]).assign(low=np.nan, high=np.nan)
    EpsilonScale(table["epsilon"]).draw(axes, table, "k", "a")
    np.testing.assert_allclose(lines(axes)["a"], [[0.1, 0.5], [1, 0.5]])
    assert len(bars(axes)) == 0
    Figure.draw_without_rendering(axes.figure)


def test_curves_stand_side_by_side_at_infinity(axes):
    table = rows([1, 10, INF])
    for place in range(3):
        EpsilonScale(table["epsilon"]).draw(axes, table, drawing.COLOURS[place], str(place), beside=(place, 3))
    places = bars(axes)[:, 0]
    assert (np.diff(places) > 5).all()
    assert places[1] == pytest.approx(100)


def test_a_missing_mean_breaks_the_line_and_leaves_the_label_once(axes):
    table = rows([1.0, 2.0, 3.0, 4.0, 5.0], np.array([0.1, 0.2, np.nan, 0.4, 0.5]))
    drawing.draw_means(axes, table, "epsilon", colour="k", label="a")
    joined = [line.get_xdata().tolist() for line in axes.get_lines() if line.get_linestyle() == "-"]
    assert joined == [[1, 2], [4, 5]]
    assert list(lines(axes)) == ["a"]
    np.testing.assert_allclose(bars(axes)[:, 0], [1, 2, 4, 5])


def test_a_bound_is_a_tick_at_each_place_and_no_line(axes):
    drawing.draw_ticks(axes, rows([0.1, 1.0, 10.0]), "epsilon", colour="k", label="bound")
    (ticks,) = axes.get_lines()
    assert (ticks.get_linestyle(), ticks.get_marker(), ticks.get_label()) == ("None", "_", "bound")
    np.testing.assert_allclose(ticks.get_xdata(), [0.1, 1, 10])


def test_two_means_at_one_place_stay_two(axes):
    table = pd.DataFrame({"x": [1.0, 1.0], "mean": [0.2, 0.8], "low": [0.1, 0.7], "high": [0.3, 0.9]})
    drawing.draw_means(axes, table, "x", colour="k", line="none")
    np.testing.assert_allclose(bars(axes), [[1, 0.1, 0.3], [1, 0.7, 0.9]])


def test_steps_hold_until_the_next_mean(axes):
    table = rows([1.0, 2.0])
    drawing.draw_means(axes, table, "epsilon", colour="k", band=True, steps=True)
    assert axes.get_lines()[0].get_drawstyle() == "steps-post"
    drawing.draw_means(axes, table, "epsilon", colour="k", band=True)
    assert axes.get_lines()[1].get_drawstyle() == "default"


def test_drawing_leaves_no_figure_in_pyplot_and_sets_no_fonts_beyond_its_context():
    before = {**mpl.rcParams, "backend": "agg"}  # which is chosen when it is first needed
    draw()
    with drawing.style():
        Figure.draw_without_rendering(draw())
    assert plt.get_fignums() == []
    assert {**mpl.rcParams, "backend": "agg"} == before


# The figure around the panels


def marks(figure):
    return [text.get_text() for panel in figure.axes for text in panel.texts]


def test_synthetic_data_are_marked_in_every_panel_and_real_data_in_none():
    for count in (1, 3):
        figure, axes = drawing.panels(count, facts(synthetic=True))
        assert len(figure.axes) == len(axes) == count
        assert marks(figure) == ["SYNTHETIC DATA"] * count
        assert marks(drawing.panels(count, facts(synthetic=False))[0]) == []


def test_what_is_made_of_no_data_is_not_marked():
    assert marks(drawing.panels(1, facts(synthetic=False, experiments=()))[0]) == []


def test_the_mark_lies_under_the_lines():
    _, (axes,) = drawing.panels(1, facts())
    (line,) = axes.plot([1, 2], [1, 2])
    assert axes.texts[0].get_zorder() < line.get_zorder()


def test_the_caption_says_how_models_were_trained_and_what_the_bands_are():
    text = drawing.run_facts(facts(), pd.DataFrame({"interval": [BOTH, EQUAL, None, EXACT]}))
    for words in (
        *("Synthetic data, scale laptop", "20 epochs", "batch 32", "4 replicates", "DP-Adam"),
        *("clip norm 1.5", "δ = 1e-05", "replace-one", "PLD accountant", "95 % intervals over replicates and records."),
    ):
        assert words in text
    none = drawing.run_facts(facts(synthetic=False), pd.DataFrame({"interval": [TOO_FEW]}))
    assert none.startswith("Real data, scale laptop")
    assert "No intervals: fewer than 3 replicates" in none
    assert "Models of heart: mlp 256-256, 90 members, 20 epochs" in text
    assert "Poisson batches (shuffled epochs without privacy), clip norm 1.5, δ" in text
    assert "reference models" not in text
    assert "clusters" not in text
    paired = Facts(True, "laptop", {"adult": FACT | {"pairing": "farthest"}})
    assert "4 replicates, clusters of different classes paired farthest." in drawing.run_facts(paired, NO_ROWS)
    clipped = Facts(True, "laptop", {"heart": FACT | {"clipped_to": 1.5}})
    assert "clip norm 1.5 (without privacy, too)" in drawing.run_facts(clipped, NO_ROWS)


@pytest.mark.parametrize(
    ("private", "other", "text"),
    [
        ("poisson", "shuffle", "Poisson batches (shuffled epochs without privacy)"),
        ("poisson", "poisson", "Poisson batches (without privacy, too)"),
        ("shuffle", "shuffle", "shuffled epochs (without privacy, too)"),
    ],
)
def test_the_caption_states_the_sampler_of_models_with_and_without_privacy(private, other, text):
    assert format_batches({"sampling": private, "sampling_without_privacy": other}) == text


def test_data_sets_on_which_models_are_trained_alike_are_told_together():
    experiments = {
        "heart": FACT,
        "heart_reverse": FACT,
        "adult": FACT | {"dataset": "adult"},
        "texas": FACT | {"dataset": "texas", "sizes": "", "references": 20},
    }
    text = drawing.run_facts(Facts(True, "laptop", experiments), NO_ROWS)
    assert "Models of heart, adult: mlp 256-256, 90 members, 20 epochs, batch 32, 4 replicates; of texas: " in text
    assert "; of texas: mlp 256-256, 20 epochs, batch 32, 4 replicates, 20 reference models. DP-Adam" in text
    assert text.count("DP-Adam") == 1


def test_a_caption_is_wrapped_and_kept_whole():
    figure, _ = drawing.panels(1, facts())
    drawing.caption(figure, "many words " * 30)
    assert figure.get_supxlabel().count("\n") > 2
    assert figure.get_supxlabel().split() == ["many", "words"] * 30


def test_the_legend_names_each_label_once():
    figure, (one, other) = drawing.panels(2, facts())
    for panel in (one, other):
        panel.plot([1], [1], label="IID")
    other.plot([1], [1], label="non-IID")
    drawing.legend(figure)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["IID", "non-IID"]


@pytest.mark.parametrize("words", [1, 4, 9])
def test_the_legend_is_no_wider_than_the_figure(words):
    figure, (axes,) = drawing.panels(1, facts(), width=6.0)
    for number in range(6):
        axes.plot([1], [1], label=f"{'words ' * words}{number}")
    drawing.legend(figure)
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 6
    assert legend.get_window_extent().width <= figure.bbox.width


def test_a_legend_that_no_column_fits_has_one():
    figure, (axes,) = drawing.panels(1, facts(), width=2.0)
    axes.plot([1], [1], label="words " * 30)
    drawing.legend(figure)
    assert len(figure.legends) == 1


def draw(height=0.5):
    figure, (axes,) = drawing.panels(1, facts())
    table = rows([0.1, 1, INF], height)
    EpsilonScale(table["epsilon"]).draw(axes, table, drawing.BLUE, "non-IID")
    drawing.legend(figure)
    return figure


def test_equal_figures_are_equal_files_at_any_time_and_others_are_not(tmp_path, monkeypatch):
    with drawing.style():
        for time, (name, height) in enumerate([("a", 0.5), ("b", 0.5), ("c", 0.6)]):
            monkeypatch.setenv("SOURCE_DATE_EPOCH", str(time))  # matplotlib's clock for the date of a file
            drawing.save(draw(height), tmp_path / name / "x.pdf", tmp_path / name / "x.png")
    for file in ("x.pdf", "x.png"):
        one, same, other = ((tmp_path / name / file).read_bytes() for name in "abc")
        assert one == same != other
    assert (tmp_path / "a/x.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "a/x.png").read_bytes().startswith(b"\x89PNG")


def test_the_style_ends_with_its_context():
    before = mpl.rcParams["legend.frameon"]
    with drawing.style():
        assert mpl.rcParams["legend.frameon"] is False
    assert mpl.rcParams["legend.frameon"] == before


def test_colours_are_told_apart():
    assert len(set(drawing.COLOURS)) == len(drawing.COLOURS)


# Heatmaps


def test_cells_get_darker_with_the_rate_under_readable_text_and_below_the_mark():
    figure, (axes,) = drawing.panels(1, facts())
    rates = pd.DataFrame({"a": [0.0, 0.25], "b": [0.5, 1.0]})
    drawing.draw_heatmap(axes, rates, rates.astype(str))
    figure.draw_without_rendering()
    (cells,) = axes.collections
    weights = [0.2126, 0.7152, 0.0722]
    assert (np.diff((cells.get_facecolor()[:, :3] @ weights)[np.argsort(cells.get_array().ravel())]) < 0).all()
    (mark,) = (text for text in axes.texts if text.get_text() == "SYNTHETIC DATA")
    numbers = [text for text in axes.texts if text is not mark]
    assert sorted(text.get_text() for text in numbers) == ["0.0", "0.25", "0.5", "1.0"]
    assert cells.get_zorder() < mark.get_zorder() < min(text.get_zorder() for text in numbers)
    # Of black on the darkest: WCAG asks for 4.5.
    assert {text.get_color() for text in numbers} == {"black"}
    linear = np.where((rgb := cells.get_facecolor()[:, :3]) <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    assert ((linear @ weights).min() + 0.05) / 0.05 > 4.5
