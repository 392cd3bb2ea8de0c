"""Curves: means with their intervals, and what is exact. The one way in which all figures draw them."""

from __future__ import annotations

from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes


def draw_means(
    axes: Axes,
    rows: pd.DataFrame,
    x: str,
    *,
    colour: Any,
    label: str | None = None,
    line: str = "-",
    marker: str = "o",
    hollow: bool = False,
    band: bool = False,
    steps: bool = False,
    replicates: int | None = None,
    **options: Any,
) -> None:
    """Draw means against a column, with their intervals as bars or as a band.

    Args:
        axes: where to draw.
        rows: with the columns mean, low, high; a missing mean breaks the line, a missing limit leaves no interval.
        x: column of the horizontal axis.
        colour: of line, markers and intervals.
        label: for the legend.
        line: style of the line; `none` for points only.
        marker: of the means.
        hollow: whether markers are white inside.
        band: whether intervals are a band, not bars.
        steps: whether each mean and its band hold until the next one.
        replicates: that the caption names; a mean of fewer (column replicates) is hollow, with their number beside it.
        **options: of `Axes.plot`.
    """
    if replicates is not None:
        _mark_few(axes, rows, x, replicates, colour, marker)
    rows = rows[[x, "mean", "low", "high"]].astype(float).sort_values(x, ignore_index=True)
    # Bars lie below the markers, so that hollow ones stay hollow.
    interval: dict[str, Any] = {"err_style": "bars", "err_kws": {"elinewidth": 0.9, "zorder": 1.9}}
    if band:
        interval = {"err_style": "band", "err_kws": {"linewidth": 0, "step": "post" if steps else None}}
    parts = (rows["mean"].isna() | rows[x].duplicated()).cumsum()
    for _, part in rows.dropna(subset="mean").groupby(parts):
        # Of the three values at a place, the median is the mean, and they range from one limit to the other.
        sns.lineplot(
            part.melt(x, ["mean", "low", "high"]),
            **{"x": x, "y": "value", "estimator": "median", "errorbar": ("pi", 100)},
            **interval,
            **{"ax": axes, "legend": False, "label": label, "color": colour, "linestyle": line, "marker": marker},
            **{"drawstyle": "steps-post" if steps else "default"},
            **{"markerfacecolor": "white" if hollow else colour, "markeredgecolor": colour, "markeredgewidth": 1},
            **options,
        )
        label = None


def _mark_few(axes: Axes, rows: pd.DataFrame, x: str, replicates: int, colour: Any, marker: str) -> None:
    """Mark the means of fewer replicates than a number."""
    for row in rows[(rows["replicates"] < replicates) & rows["mean"].notna()].to_dict("records"):
        place = (float(row[x]), float(row["mean"]))
        look = {"marker": marker, "markerfacecolor": "white", "markeredgecolor": colour, "zorder": 3}
        axes.plot(*place, linestyle="none", label="_few replicates", **look)
        axes.annotate(
            f"{row['replicates']:.0f}", place, (2.5, 2.5), textcoords="offset points", fontsize=6, color=colour
        )


def draw_curve(
    axes: Axes, rows: pd.DataFrame, x: str, y: str = "mean", *, colour: Any, label: str, line: Any = "-", **options: Any
) -> None:
    """Draw a column that has no intervals against another.

    Args:
        axes: where to draw.
        rows: with both columns.
        x: column of the horizontal axis.
        y: column of the vertical axis.
        colour: of the line.
        label: for the legend.
        line: style of the line.
        **options: of `Axes.plot`.
    """
    look = {"color": colour, "linestyle": line, "label": label}
    sns.lineplot(rows, x=x, y=y, estimator=None, ax=axes, legend=False, **look, **options)


def draw_ticks(
    axes: Axes, rows: pd.DataFrame, x: str, y: str = "mean", *, colour: Any, label: str, **options: Any
) -> None:
    """Draw a tick where a bound was computed; no line, as it would not be the bound in between.

    Arguments are those of `draw_curve`.
    """
    look = {"marker": "_", "markersize": 7, "markeredgewidth": 1.3, "markeredgecolor": colour}
    draw_curve(axes, rows, x, y, colour=colour, label=label, line="none", **look, **options)


def dodge(place: int, count: int, step: float) -> float:
    """Return by how much to shift one of `count` curves, `step` apart, so that their intervals do not overlap."""
    return step * (place - (count - 1) / 2)
