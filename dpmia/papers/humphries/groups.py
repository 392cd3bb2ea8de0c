"""Figures 2, 3 and 6 to 9: members from one group, non-members from another, beside the same records shuffled."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries.epsilon_curves import (
    ORACLE,
    READING,
    accuracy_panel,
    advantage_panel,
    arms,
    blind_note,
    drawn,
    pair,
    zoom,
)

#: Words for arms whose name is none.
TITLES = {"cleveland": "Cleveland", "hungary": "Hungary", "switzerland": "Switzerland", "va": "VA Long Beach"}

#: Attack -> title of its panel.
ATTACKS = {
    "average_threshold": "average threshold",
    "optimal_threshold": "optimal threshold (oracle)",
    "shadow": "shadow models",
}
ORACLES = ("optimal_threshold",)


def draw_four(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw accuracy, and a panel for each of `ATTACKS` that the experiment holds, for one arm and its IID arm."""
    held = set(table["attack"])
    return _draw(table, run_summary, [attack for attack in ATTACKS if attack in held])


def draw_two(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw two panels for one arm and its IID arm: optimal threshold, accuracy."""
    return _draw(table, run_summary, ["optimal_threshold"])


def draw_arms(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw the optimal threshold, one panel for each arm beside its IID arm."""
    names = arms(table)
    figure, axes = drawing.panels(len(names), run_summary, sharey=True)
    for panel, arm in zip(axes, names, strict=True):
        _attack_panel(panel, table, arm, "optimal_threshold")
        panel.set_title(TITLES.get(arm, arm))
        panel.label_outer()
    return _finished(figure, table, run_summary, "Optimal threshold, one panel for each group that members come from.")


def _draw(table: pd.DataFrame, run_summary: RunSummary, attacks: list[str]) -> drawing.CaptionedFigure:
    count = len(attacks)
    figure, axes = drawing.zoomed_panels(count + 1, count, run_summary)
    panels, accuracy, strips = axes[:count], axes[count], axes[count + 1 :]
    (arm,) = arms(table)
    for panel, strip, attack in zip(panels, strips, attacks, strict=True):
        for axis in (panel, strip):
            _attack_panel(axis, table, arm, attack)
        zoom(strip, table, attacks)
        panel.set(title=ATTACKS[attack], xlabel="")
        panel.tick_params(labelbottom=False)
    for axis in (*panels[1:], *strips[1:]):
        axis.set_ylabel("")
        axis.tick_params(labelleft=False)
    accuracy_panel(accuracy, table, pair(arm))
    return _finished(figure, table, run_summary, "Strips below the panels enlarge what is small on their axes.")


def _attack_panel(axes: Axes, table: pd.DataFrame, arm: str, attack: str) -> None:
    curves = pair(arm)
    advantage_panel(axes, table, curves, attack, control=curves[1].arm if attack in ORACLES else None)


def _finished(
    figure: drawing.CaptionedFigure, table: pd.DataFrame, run_summary: RunSummary, note: str
) -> drawing.CaptionedFigure:
    drawing.finish(
        figure, f"{note} {ORACLE} {READING} {blind_note(table)}", drawing.run_caption(run_summary, drawn(table))
    )
    return figure
