"""Figures 2, 3 and 6 to 9: members from one group, non-members from another, beside the same records shuffled."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS
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
    pairs,
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
#: What has no panel of its own.
BASELINES = (BLIND, BLIND_WITH_LOSS, "random")


def draw_four(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw accuracy, and a panel for each of `ATTACKS` that the experiment holds, for each arm and its IID arm."""
    held = set(table["attack"])
    return _draw(table, run_summary, [attack for attack in ATTACKS if attack in held])


def draw_two(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw two panels for each arm and its IID arm: optimal threshold, accuracy."""
    return _draw(table, run_summary, ["optimal_threshold"])


def draw_arms(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw the optimal threshold, one panel for each arm beside its IID arm."""
    names = arms(table)
    figure, axes = drawing.panels(len(names), run_summary, sharey=True)
    for panel, arm in zip(axes, names, strict=True):
        _attack_panel(panel, table, [arm], "optimal_threshold")
        panel.set_title(TITLES.get(arm, arm))
        panel.label_outer()
    return _finished(figure, table, run_summary, "Optimal threshold, one panel for each group that members come from.")


def _draw(table: pd.DataFrame, run_summary: RunSummary, attacks: list[str]) -> drawing.CaptionedFigure:
    attacks = [*attacks, *added(table)]
    count = len(attacks)
    figure, axes = drawing.zoomed_panels(count + 1, count, run_summary)
    panels, accuracy, strips = axes[:count], axes[count], axes[count + 1 :]
    names = arms(table)
    for panel, strip, attack in zip(panels, strips, attacks, strict=True):
        for axis in (panel, strip):
            _attack_panel(axis, table, names, attack)
        zoom(strip, table, attacks)
        panel.set(title=title_of(attack), xlabel="")
        panel.tick_params(labelbottom=False)
    for axis in (*panels[1:], *strips[1:]):
        axis.set_ylabel("")
        axis.tick_params(labelleft=False)
    accuracy_panel(accuracy, table, pairs(names))
    return _finished(figure, table, run_summary, "Strips below the panels enlarge what is small on their axes.")


def added(table: pd.DataFrame) -> list[str]:
    """Return the attacks of an experiment that are none of the paper's, nor baselines: each has a panel, too."""
    held = table.loc[table["metric"] == "advantage", "attack"].unique()
    return [attack for attack in held if attack not in (*ATTACKS, *BASELINES)]


def title_of(attack: str) -> str:
    """Return the title of an attack's panel."""
    return ATTACKS.get(attack, attack.replace("_", " "))


def is_oracle(table: pd.DataFrame, attack: str) -> bool:
    """Return whether an attack sees the membership labels: random scores under its rule are drawn beside it."""
    return bool(table.loc[table["attack"] == attack, "oracle"].any())


def _attack_panel(axes: Axes, table: pd.DataFrame, names: list[str], attack: str) -> None:
    curves = pairs(names)
    advantage_panel(axes, table, curves, attack, control=curves[1].arm if is_oracle(table, attack) else None)


def _finished(
    figure: drawing.CaptionedFigure, table: pd.DataFrame, run_summary: RunSummary, note: str
) -> drawing.CaptionedFigure:
    drawing.finish(
        figure, f"{note} {ORACLE} {READING} {blind_note(table)}", drawing.run_caption(run_summary, drawn(table))
    )
    return figure
