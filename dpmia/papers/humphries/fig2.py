"""Figure 2: adult clusters. Its panel for the shadow-model attack is not there yet."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.humphries.epsilon_curves import ORACLE, accuracy_panel, advantage_panel


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw three panels: average threshold, optimal threshold, accuracy."""
    figure, (average, optimal, accuracy) = drawing.panels(3, facts)
    advantage_panel(average, table, "cluster", "average_threshold")
    average.set_title("average threshold")
    advantage_panel(optimal, table, "cluster", "optimal_threshold", control="random")
    optimal.set_title("optimal threshold (oracle)")
    accuracy_panel(accuracy, table, "cluster")
    drawing.legend(figure)
    drawing.caption(figure, f"{ORACLE} {drawing.run_facts(facts)}")
    return figure
