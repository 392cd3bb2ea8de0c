"""Figures 4 and 5: members of two groups in another proportion than non-members, who are half and half."""

from __future__ import annotations

import itertools
import re

import pandas as pd

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries.epsilon_curves import (
    ORACLE,
    READING,
    Curve,
    accuracy_panel,
    advantage_panel,
    arms,
    blind_note,
    drawn,
)
from dpmia.papers.humphries.groups import ATTACKS, added, is_oracle, title_of
from dpmia.papers.humphries.names import EQUAL

#: Arms are named after the share of the group in percent.
SHARE = re.compile(r"p(\d+)")


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
    attacks = [*attacks, *added(table)]
    curves = _curves(table)
    figure, (*panels, accuracy) = drawing.panels(len(attacks) + 1, run_summary, height=2.1)
    for panel, attack in zip(panels, attacks, strict=True):
        control = EQUAL if is_oracle(table, attack) else None
        advantage_panel(panel, table, curves, attack, control=control)
        panel.set(title=title_of(attack))
        panel.sharey(panels[0])
    for panel in panels[1:]:
        panel.set_ylabel("")
        panel.tick_params(labelleft=False)
    accuracy_panel(accuracy, table, curves[:: max(1, len(curves) - 1)])
    drawing.finish(
        figure, f"{definition} {ORACLE} {READING} {blind_note(table)}", drawing.run_caption(run_summary, drawn(table))
    )
    return figure


def _curves(table: pd.DataFrame) -> list[Curve]:
    """Return a curve for each share that was run, rising; behind them one for each arm with another kind of name."""
    shares = {arm: SHARE.fullmatch(arm) for arm in arms(table)}
    labels = {arm: f"p = {int(share[1]) / 100:g}" for arm, share in shares.items() if share}
    rising = sorted(labels, key=lambda arm: int(arm[1:]))
    others = [arm for arm in shares if arm not in labels]
    colours = itertools.cycle(drawing.COLOURS)
    return [Curve(arm, labels.get(arm, arm.replace("_", " ")), next(colours)) for arm in (*rising, *others)]
