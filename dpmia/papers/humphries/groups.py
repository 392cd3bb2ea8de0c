"""Figures 2, 3 and 6 to 9: members from one group, non-members from another, beside the same records shuffled."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.humphries.epsilon_curves import ORACLE, accuracy_panel, advantage_panel, arms, pair

#: Words for arms whose name is none.
TITLES = {"cleveland": "Cleveland", "hungary": "Hungary", "switzerland": "Switzerland", "va": "VA Long Beach"}


def draw_four(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw four panels for one arm and its IID arm: average threshold, optimal threshold, shadow models, accuracy."""
    figure, (average, optimal, shadow, accuracy) = drawing.panels(4, facts)
    (arm,) = arms(table)
    curves = pair(arm)
    advantage_panel(average, table, curves, "average_threshold")
    average.set_title("average threshold")
    advantage_panel(optimal, table, curves, "optimal_threshold", control=curves[1].arm)
    optimal.set_title("optimal threshold (oracle)")
    advantage_panel(shadow, table, curves, "shadow")
    shadow.set_title("shadow models")
    for panel in (optimal, shadow):
        panel.set_ylabel("")
    accuracy_panel(accuracy, table, curves)
    return _finished(figure, table, facts)


def draw_two(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw two panels for one arm and its IID arm: optimal threshold, accuracy."""
    figure, (optimal, accuracy) = drawing.panels(2, facts)
    (arm,) = arms(table)
    curves = pair(arm)
    advantage_panel(optimal, table, curves, "optimal_threshold", control=curves[1].arm)
    optimal.set_title("optimal threshold (oracle)")
    accuracy_panel(accuracy, table, curves)
    return _finished(figure, table, facts)


def draw_arms(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw the optimal threshold, one panel for each arm beside its IID arm."""
    names = arms(table)
    figure, axes = drawing.panels(len(names), facts)
    for panel, arm in zip(axes, names, strict=True):
        curves = pair(arm)
        advantage_panel(panel, table, curves, "optimal_threshold", control=curves[1].arm)
        panel.set_title(TITLES.get(arm, arm))
    for panel in axes[1:]:
        panel.set_ylabel("")
    return _finished(figure, table, facts, "Optimal threshold. ")


def _finished(figure: Figure, table: pd.DataFrame, facts: Facts, words: str = "") -> Figure:
    drawing.legend(figure)
    drawing.caption(figure, f"{words}{ORACLE} {drawing.run_facts(facts, table)}")
    return figure
