"""Figure 5: by how much the loss of each member misses the thresholds of two attacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from dpmia.common.formatting import format_interval
from dpmia.formats.rows import MissingRowsError
from dpmia.metrics.intervals import clopper_pearson
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.ye.names import PAPER, PURCHASE
from dpmia.papers.ye.note import run_note

#: Whose members are shown.
CONFIGURATION = PURCHASE["IIa"]

#: Our choice: as in table 2. The paper does not say.
ALPHA = 0.3

#: Panel -> attack on the horizontal and on the vertical axis.
PANELS = {"a": ("P", "S"), "b": ("D", "R")}

#: Share of members above the diagonal, and its limits.
ABOVE = ["above", "above_low", "above_high"]

COLUMNS = ["panel", "across", "up", *ABOVE, "record", "x", "y"]


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the table of the figure; see `margins`."""
    return margins(tables)


def margins(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return loss minus threshold by two attacks for each member of the first target model.

    Args:
        tables: one table named `per_record/<experiment>` (see `dpmia.evaluation.per_record.per_record_table`).

    Returns:
        Columns `COLUMNS`: `across` and `up` are the attacks, `x` and `y` the margins in nats; `above` is the share of
        the panel's members above the diagonal, with its limits. No row where an attack has no threshold because no loss
        would be rare enough.

    Raises:
        MissingRowsError: an attack did not run, no threshold was set for `ALPHA`, or the configuration has no
            per-record results.
    """
    (rows,) = tables.values()
    rows = rows[(rows["arm"] == CONFIGURATION.arm) & (rows["alpha"] == ALPHA) & (rows["membership"] == "member")]
    rows = rows[rows["target"] == rows["target"].min()]
    differences = rows.assign(margin=rows["loss"] - rows["threshold"]).pivot(
        index="record", columns="attack", values="margin"
    )
    if missing := {PAPER[letter] for pair in PANELS.values() for letter in pair} - set(differences):
        raise MissingRowsError(
            f"no thresholds at alpha = {ALPHA} of {', '.join(sorted(missing))} for {CONFIGURATION.label} in "
            f"{sorted(tables)}"
        )
    parts = []
    for panel, (across, up) in PANELS.items():
        both = pd.DataFrame({"x": differences[PAPER[across]], "y": differences[PAPER[up]]})
        both = both[np.isfinite(both).all(axis=1)].reset_index()
        parts.append(both.assign(panel=panel, across=across, up=up, **_above(both)))
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def _above(both: pd.DataFrame) -> dict[str, float]:
    """Return the share of members above the diagonal, with its 95 % limits over records."""
    if both.empty:
        return dict.fromkeys(ABOVE, np.nan)
    above = int((both["y"] > both["x"]).sum())
    return dict(zip(ABOVE, (above / len(both), *map(float, clopper_pearson(above, len(both)))), strict=True))


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw a scatter of the members for each pair of attacks, with the diagonal and the distributions at the edges."""
    figure, axes = drawing.panels(len(PANELS), run_summary, height=3.3)
    for axis, (panel, (across, up)), colour in zip(axes, PANELS.items(), drawing.COLOURS, strict=False):
        rows = table[table["panel"] == panel]
        sns.scatterplot(rows, x="x", y="y", s=5, color=colour, alpha=0.5, linewidth=0, ax=axis)
        ends = [rows[["x", "y"]].min().min(), rows[["x", "y"]].max().max()]
        axis.plot(ends, ends, "--", color="black", linewidth=0.8)
        drawing.zero_line(axis)
        axis.axvline(0, color="0.7", linewidth=0.7, zorder=0)
        share = "none"
        if len(rows):
            mean, low, high = 100 * rows.iloc[0][ABOVE]
            share = f"{format_interval(mean, low, high, digits=0)} %"
        axis.set_title(f"{up} against {across}: {share} above the diagonal")
        axis.set(xlabel=f"loss - threshold of attack {across}", ylabel=f"loss - threshold of attack {up}")
        _edges(axis, rows, colour)
    drawing.finish(
        figure,
        f"Members of one target model, thresholds for a false positive rate of {ALPHA:g}. An attack predicts "
        '"member" below 0; above the diagonal the attack on the horizontal axis is nearer to doing so. At the edges: '
        "histograms of both margins. In brackets: 95 % limits of the share, over records (Clopper-Pearson).",
        run_note(run_summary, [CONFIGURATION]),
    )
    return figure


def _edges(axes: Axes, rows: pd.DataFrame, colour: str) -> None:
    """Draw the distribution along each axis at its inner edge."""
    look: dict[str, Any] = {"bins": 50, "color": colour, "alpha": 0.35, "linewidth": 0}
    below = axes.inset_axes((0, 0, 1, 0.12), zorder=-1, sharex=axes)
    below.hist(rows["x"], **look)
    beside = axes.inset_axes((0, 0, 0.12, 1), zorder=-1, sharey=axes)
    beside.hist(rows["y"], orientation="horizontal", **look)
    for edge in (below, beside):
        edge.set_axis_off()
