"""Figure 2a: membership advantage on regression models of an attacker who knows both standard deviations."""

from __future__ import annotations

import pandas as pd

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.yeom import regression_curves
from dpmia.theory.overfitting import gaussian_advantage


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the advantage of the threshold attack for each model, and theorem 3 as adversary `theory`."""
    return regression_curves.membership(tables, "threshold", gaussian_advantage)


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.6)
    regression_curves.membership_panel(axes, table, drawing.COLOURS, "theorem 3")
    drawing.finish(figure, regression_curves.AXIS, regression_curves.study_caption(table, run_summary))
    return figure
