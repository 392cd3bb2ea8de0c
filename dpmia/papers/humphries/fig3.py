"""Figure 3: COMPAS clusters."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.humphries.epsilon_curves import ORACLE, accuracy_panel, advantage_panel


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw two panels: optimal threshold, accuracy."""
    return two_panels(table, facts, "cluster")


def two_panels(table: pd.DataFrame, facts: Facts, arm: str) -> Figure:
    """Draw the optimal threshold and the accuracy of one arm beside its IID arm."""
    figure, (optimal, accuracy) = drawing.panels(2, facts)
    advantage_panel(optimal, table, arm, "optimal_threshold", control="random")
    optimal.set_title("optimal threshold (oracle)")
    accuracy_panel(accuracy, table, arm)
    drawing.legend(figure)
    drawing.caption(figure, f"{ORACLE} {drawing.run_facts(facts)}")
    return figure
