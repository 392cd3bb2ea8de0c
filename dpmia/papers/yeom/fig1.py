"""Figure 1: attribute advantage against influence."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.theory.overfitting import binary_attribute_advantage, most_telling_influence

#: The paper does not say which ratios it shows.
RATIOS = (2, 5, 10, 50)
INFLUENCES = np.linspace(0, 20, 401)


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns ratio, influence (in units of sigma_S), advantage, peak; the peak is a row of its own."""
    rows = []
    for ratio in RATIOS:
        top = float(most_telling_influence(ratio))
        influences = np.append(INFLUENCES, top)
        advantages = binary_attribute_advantage(influences, 1.0, ratio)
        rows.append(
            pd.DataFrame(
                {"ratio": ratio, "influence": influences, "advantage": advantages, "peak": influences == top}
            ).sort_values("influence")
        )
    return pd.concat(rows, ignore_index=True)


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel with a curve for each ratio and a dot on its peak."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.4)
    for (ratio, rows), colour in zip(
        table.groupby("ratio", sort=False), itertools.cycle(drawing.COLOURS), strict=False
    ):
        label = rf"$\sigma_D/\sigma_S$ = {ratio}"
        drawing.draw_curve(axes, rows, "influence", "advantage", colour=colour, label=label)
        peak = rows[rows["peak"]]
        axes.plot(peak["influence"], peak["advantage"], "o", color=colour)
    drawing.zero_line(axes, 0.5)
    axes.set(xlabel=r"influence $\tau/\sigma_S$", ylabel="attribute advantage", xlim=(0, 20), ylim=(0, 0.53))
    drawing.finish(
        figure,
        "Exact: a target of two equally frequent values, normal errors. Dots: the influence of the largest advantage. "
        "Grey: the limit 1/2. The ratios are our choice.",
    )
    return figure
