"""Figures 4 and 5: members of two groups in another proportion than non-members, who are half and half."""

from __future__ import annotations

import pandas as pd

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries.epsilon_curves import (
    ORACLE,
    READING,
    Curve,
    accuracy_panel,
    advantage_panel,
    blind_note,
    drawn,
)
from dpmia.papers.humphries.groups import ATTACKS, ORACLES

#: Arms by the share of the group, and that of equal proportions, which is as good as an IID arm.
SHARES = {"p0": "p = 0", "p25": "p = 0.25", "p50": "p = 0.5", "p75": "p = 0.75", "p100": "p = 1"}
EQUAL = "p50"
CURVES = [Curve(arm, label, colour) for (arm, label), colour in zip(SHARES.items(), drawing.COLOURS, strict=False)]
EXTREMES = [CURVES[0], CURVES[-1]]


def independent(rows: pd.DataFrame) -> pd.Series:
    """Return where members and non-members of an arm are alike, as an IID arm's: there, and at equal proportions."""
    return rows["iid"] | (rows["arm"] == EQUAL)


def draw_gender(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw four panels: average threshold, optimal threshold, shadow models, and the accuracy of the extreme arms."""
    definition = "p = share of men among the members (1/2 among non-members)."
    return _draw(table, run_summary, list(ATTACKS), definition)


def draw_education(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw two panels: optimal threshold, and the accuracy of the extreme arms."""
    definition = "p = share of people with little education among the members (1/2 among non-members)."
    return _draw(table, run_summary, ["optimal_threshold"], definition)


def _draw(table: pd.DataFrame, run_summary: RunSummary, attacks: list[str], definition: str) -> drawing.CaptionedFigure:
    figure, (*panels, accuracy) = drawing.panels(len(attacks) + 1, run_summary, height=2.1)
    for panel, attack in zip(panels, attacks, strict=True):
        control = EQUAL if attack in ORACLES else None
        advantage_panel(panel, table, _curves(table), attack, control=control)
        panel.set(title=ATTACKS[attack])
        panel.sharey(panels[0])
    for panel in panels[1:]:
        panel.set_ylabel("")
        panel.tick_params(labelleft=False)
    accuracy_panel(accuracy, table, EXTREMES)
    drawing.finish(
        figure, f"{definition} {ORACLE} {READING} {blind_note(table)}", drawing.run_caption(run_summary, drawn(table))
    )
    return figure


def _curves(table: pd.DataFrame) -> list[Curve]:
    """Return the curves of those shares that were run."""
    arms = set(table["arm"])
    return [curve for curve in CURVES if curve.arm in arms]
