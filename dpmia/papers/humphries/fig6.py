"""Figure 6: four hospitals."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.humphries.epsilon_curves import ORACLE, advantage_panel

HOSPITALS = {"cleveland": "Cleveland", "hungary": "Hungary", "switzerland": "Switzerland", "va": "VA Long Beach"}


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw the optimal threshold in four panels, one for each hospital that members come from."""
    figure, axes = drawing.panels(4, facts)
    for panel, (arm, name) in zip(axes, HOSPITALS.items(), strict=True):
        advantage_panel(panel, table, arm, "optimal_threshold", control="random")
        panel.set_title(name)
    drawing.legend(figure)
    for panel in axes[1:]:
        panel.set_ylabel("")
    drawing.caption(figure, f"Optimal threshold. {ORACLE} {drawing.run_facts(facts)}")
    return figure
