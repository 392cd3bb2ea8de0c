"""Figure 2b: membership advantage on regression models of an attacker who knows the members' errors only."""

from __future__ import annotations

import pandas as pd

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.yeom import regression_curves
from dpmia.theory.overfitting import unknown_sigma_advantage


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the advantage of the attack that takes sigma_S as its boundary, and the formula as `theory`."""
    return regression_curves.membership(tables, "threshold_sigma_s", unknown_sigma_advantage)


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.6)
    theory = r"erf$(1/\sqrt{2})$ - erf$(\sigma_S/\sqrt{2}\sigma_D)$"
    regression_curves.membership_panel(axes, table, drawing.COLOURS, theory)
    drawing.finish(
        figure,
        f"The formula is for normal errors. {regression_curves.AXIS}",
        regression_curves.study_caption(table, run_summary),
    )
    return figure
