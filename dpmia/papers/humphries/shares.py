"""Figures 4 and 5: members of two groups in another proportion than non-members, who are half and half."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.humphries.epsilon_curves import ORACLE, Curve, accuracy_panel, advantage_panel

#: Arms by the share of the group, and that of equal proportions, which is as good as an IID arm.
SHARES = {"p0": "p = 0", "p25": "p = 0.25", "p50": "p = 0.5", "p75": "p = 0.75", "p100": "p = 1"}
EQUAL = "p50"
CURVES = [Curve(arm, label, colour) for (arm, label), colour in zip(SHARES.items(), drawing.COLOURS, strict=False)]
EXTREMES = [CURVES[0], CURVES[-1]]


def draw_gender(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw four panels: average threshold, optimal threshold, shadow models, and the accuracy of the extreme arms."""
    figure, (average, optimal, shadow, accuracy) = drawing.panels(4, facts)
    curves = _curves(table)
    advantage_panel(average, table, curves, "average_threshold")
    average.set_title("average threshold")
    advantage_panel(optimal, table, curves, "optimal_threshold", control=EQUAL)
    optimal.set_title("optimal threshold (oracle)")
    advantage_panel(shadow, table, curves, "shadow")
    shadow.set_title("shadow models")
    for panel in (optimal, shadow):
        panel.set_ylabel("")
    accuracy_panel(accuracy, table, EXTREMES)
    return _finished(figure, table, facts, "p: share of men among the members; of non-members half are men.")


def draw_education(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw two panels: optimal threshold, and the accuracy of the extreme arms."""
    figure, (optimal, accuracy) = drawing.panels(2, facts)
    advantage_panel(optimal, table, _curves(table), "optimal_threshold", control=EQUAL)
    optimal.set_title("optimal threshold (oracle)")
    accuracy_panel(accuracy, table, EXTREMES)
    words = "p: share of people with little education among the members; of non-members half."
    return _finished(figure, table, facts, words)


def _curves(table: pd.DataFrame) -> list[Curve]:
    """Return the curves of those shares that were run."""
    arms = set(table["arm"])
    return [curve for curve in CURVES if curve.arm in arms]


def _finished(figure: Figure, table: pd.DataFrame, facts: Facts, words: str) -> Figure:
    drawing.legend(figure)
    drawing.caption(figure, f"{words} {ORACLE} {drawing.run_facts(facts, table)}")
    return figure
