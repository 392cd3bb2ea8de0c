"""What all figures share, read back from matplotlib."""

import itertools
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from described import HEART
from drawn import badges, bars, lines, titles
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.drawing import EpsilonScale

INF = float("inf")
NO_ROWS = pd.DataFrame({"interval": []})


def run_summary(synthetic=True, experiments=("heart",)):
    return RunSummary(synthetic, "laptop", dict.fromkeys(experiments, HEART))


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


def test_large_powers_of_ten_are_short_as_panels_are_narrow(axes):
    EpsilonScale([100, 1000, 2000, 1e4, INF]).label(axes)
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["100", r"$\mathdefault{10^{3}}$", "2000", r"$\mathdefault{10^{4}}$", "∞"]


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


def test_synthetic_data_have_a_badge_above_the_panels_and_real_data_have_none():
    for count in (1, 3):
        figure, axes = drawing.panels(count, run_summary(synthetic=True))
        assert len(figure.axes) == len(axes) == count
        assert badges(figure) == ["SYNTHETIC DATA"]
        assert badges(drawing.panels(count, run_summary(synthetic=False))[0]) == []


def test_the_badge_lies_above_the_axes_at_the_right_and_beside_no_legend():
    figure, axes = drawing.panels(2, run_summary(), width=drawing.NARROW)
    for place in range(5):
        axes[0].plot([1], [1], label=f"a curve with many words {place}")
    drawing.finish(figure)
    figure.draw_without_rendering()
    badge = figure.texts[0].get_window_extent()
    assert figure.bbox.height >= badge.ymax
    assert badge.xmax == pytest.approx(figure.bbox.width, abs=0.15 * figure.dpi)
    (legend,) = figure.legends
    assert legend.get_window_extent().ymax <= badge.ymin + 2
    assert max(panel.get_tightbbox().ymax for panel in axes) <= legend.get_window_extent().ymin + 1


def test_a_figure_is_as_high_as_its_panels_its_legend_and_its_badge():
    def height(synthetic, labels):
        figure, (axes,) = drawing.panels(1, run_summary(synthetic), width=drawing.NARROW, height=2.0)
        for label in labels:
            axes.plot([1], [1], label=label)
        drawing.finish(figure)
        assert figure.get_size_inches()[0] == drawing.NARROW
        return figure.get_size_inches()[1]

    alone, marked = (height(synthetic, ()) for synthetic in (False, True))
    assert alone == 2.0 < marked
    one, many = (height(False, [f"{'words ' * 6}{place}" for place in range(count)]) for count in (1, 6))
    assert alone < one < many < one + 1


def test_panels_are_lettered_where_there_are_several_and_titles_fit_their_width():
    with drawing.style():
        figure, axes = drawing.panels(4, run_summary())
        for panel in axes:
            panel.set_title("a title that is much longer than a panel of four is wide")
        drawing.finish(figure)
        figure.draw_without_rendering()
    shown = [panel.get_title(loc="left") for panel in axes]
    assert [title[:4] for title in shown] == ["(a) ", "(b) ", "(c) ", "(d) "]
    assert titles(figure) == ["a title that is much longer than a panel of four is wide"] * 4
    for panel, beside in itertools.pairwise(axes):
        assert panel._left_title.get_window_extent().xmax < beside.get_window_extent().xmin
    single, (panel,) = drawing.panels(1, run_summary())
    panel.set_title("alone")
    drawing.finish(single)
    assert panel.get_title(loc="left") == "alone"


def test_strips_stand_below_their_panels_on_their_axis_of_epsilon():
    figure, axes = drawing.zoomed_panels(3, 2, run_summary())
    assert figure.panels == axes[:3]
    for panel, strip in zip(axes[:2], axes[3:], strict=True):
        assert panel.get_shared_x_axes().joined(panel, strip)
        assert not panel.get_shared_y_axes().joined(panel, strip)
    assert axes[0].get_shared_y_axes().joined(axes[0], axes[1])
    figure.draw_without_rendering()
    assert axes[3].get_window_extent().ymax < axes[0].get_window_extent().ymin
    assert axes[2].get_window_extent().ymin < axes[0].get_window_extent().ymin


def test_the_legend_names_each_label_once():
    figure, (one, other) = drawing.panels(2, run_summary())
    for panel in (one, other):
        panel.plot([1], [1], label="IID")
    other.plot([1], [1], label="non-IID")
    drawing.finish(figure)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["IID", "non-IID"]


def test_the_legend_is_read_row_by_row():
    figure, (axes,) = drawing.panels(1, run_summary(), width=drawing.NARROW)
    labels = [f"a curve of p = {place}" for place in range(5)]
    for label in labels:
        axes.plot([1], [1], label=label)
    drawing.finish(figure)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    places = {text.get_text(): text.get_window_extent() for text in legend.get_texts()}
    assert sorted(places, key=lambda label: (-round(places[label].y0), places[label].x0)) == labels
    assert len({round(place.y0) for place in places.values()}) > 1


@pytest.mark.parametrize("length", [1, 4, 9])
def test_the_legend_is_no_wider_than_the_figure(length):
    figure, (axes,) = drawing.panels(1, run_summary(), width=drawing.WIDE)
    for number in range(6):
        axes.plot([1], [1], label=f"{'words ' * length}{number}")
    drawing.finish(figure)
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 6
    assert legend.get_window_extent().width <= figure.bbox.width


def test_a_legend_that_no_column_fits_has_one():
    figure, (axes,) = drawing.panels(1, run_summary(), width=2.0)
    axes.plot([1], [1], label="words " * 30)
    drawing.finish(figure)
    assert len(figure.legends) == 1


def draw(height=0.5):
    figure, (axes,) = drawing.panels(1, run_summary())
    table = rows([0.1, 1, INF], height)
    EpsilonScale(table["epsilon"]).draw(axes, table, drawing.BLUE, "non-IID")
    drawing.finish(figure)
    return figure


def test_equal_figures_are_equal_files_at_any_time_and_others_are_not(tmp_path, monkeypatch):
    with drawing.style():
        for time, (name, height) in enumerate([("a", 0.5), ("b", 0.5), ("c", 0.6)]):
            monkeypatch.setenv("SOURCE_DATE_EPOCH", str(time))  # matplotlib's clock for the date of a file
            drawing.save(draw(height), *(tmp_path / name / f"x.{ending}" for ending in ("pdf", "svg", "png")))
    for file in ("x.pdf", "x.svg", "x.png"):
        one, same, other = ((tmp_path / name / file).read_bytes() for name in "abc")
        assert one == same != other
    assert (tmp_path / "a/x.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "a/x.png").read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(tmp_path / "a/x.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_the_style_ends_with_its_context():
    before = mpl.rcParams["legend.frameon"]
    with drawing.style():
        assert mpl.rcParams["legend.frameon"] is False
    assert mpl.rcParams["legend.frameon"] == before


# Few replicates, ends of epsilon


def test_points_of_fewer_replicates_are_hollow_and_numbered(axes):
    table = rows([1.0, 2.0, 3.0]).assign(replicates=[5, 1, 5])
    drawing.draw_means(axes, table, "epsilon", colour="k", label="a", replicates=5)
    (few,) = (line for line in axes.get_lines() if line.get_label() == "_few replicates")
    assert (few.get_xdata().tolist(), few.get_markerfacecolor()) == ([2.0], "white")
    assert [text.get_text() for text in axes.texts] == ["1"]


def test_coinciding_dots_of_two_lines_are_both_seen():
    first, last = drawing.phased(0, 5), drawing.phased(4, 5)
    assert first[1] == last[1] == (2, 2)
    assert abs(first[0] - last[0]) == 2


# Heatmaps


def test_cells_get_darker_with_the_rate_under_readable_text():
    figure, (axes,) = drawing.panels(1, run_summary())
    rates = pd.DataFrame({"a": [0.0, 0.25], "b": [0.5, 1.0]})
    drawing.draw_heatmap(axes, rates, rates.astype(str))
    figure.draw_without_rendering()
    (cells,) = axes.collections
    weights = [0.2126, 0.7152, 0.0722]
    assert (np.diff((cells.get_facecolor()[:, :3] @ weights)[np.argsort(cells.get_array().ravel())]) < 0).all()
    numbers = list(axes.texts)
    assert sorted(text.get_text() for text in numbers) == ["0.0", "0.25", "0.5", "1.0"]
    assert cells.get_zorder() < min(text.get_zorder() for text in numbers)
    # Of black on the darkest: WCAG asks for 4.5.
    assert {text.get_color() for text in numbers} == {"black"}
    linear = np.where((rgb := cells.get_facecolor()[:, :3]) <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    assert ((linear @ weights).min() + 0.05) / 0.05 > 4.5
