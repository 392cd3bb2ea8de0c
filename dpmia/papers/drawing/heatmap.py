"""Heatmaps of rates. The one way in which all figures draw them."""

from __future__ import annotations

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from dpmia.papers.drawing.style import SEQUENTIAL


def draw_heatmap(axes: Axes, rates: pd.DataFrame, texts: pd.DataFrame) -> None:
    """Draw a cell for each rate that is there, from pale (0) to dark (1), with a text in it.

    Args:
        axes: where to draw.
        rates: in [0, 1]; rows from above, columns from the left; no cell where one is missing.
        texts: of the cells, in the order of `rates`.
    """
    sns.heatmap(
        rates.astype(float),
        **{"vmin": 0, "vmax": 1, "cmap": SEQUENTIAL, "cbar": False, "square": True, "linewidths": 1},
        **{"annot": texts, "fmt": "", "annot_kws": {"fontsize": 7, "color": "black"}, "ax": axes},
    )
    axes.tick_params(length=0, labelrotation=0)
    axes.set(xlabel="", ylabel="")
    sns.despine(ax=axes, left=True, bottom=True)
