"""Figure 7: students of two schools."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.papers.artifact import Facts
from dpmia.papers.humphries.fig3 import two_panels


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw two panels: optimal threshold, accuracy."""
    return two_panels(table, facts, "gabriel_pereira")
