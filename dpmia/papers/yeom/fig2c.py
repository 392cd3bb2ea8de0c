"""Figure 2c: membership advantage on convolutional networks of an attacker who knows the mean training loss."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.yeom import networks
from dpmia.theory.overfitting import unknown_sigma_advantage

THEORY = "theory"


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns dataset, s, the mean losses, their ratio (new records over members), and the advantage.

    The curve has `theory` as its data set: the formula for normal errors at the same ratio, although these are
    cross-entropies.
    """
    rows = networks.by_size(tables)
    rows = rows[~rows["colluding"]]
    table = rows[(rows["attack"] == "average_threshold") & (rows["metric"] == "advantage")]
    table = table[["dataset", "s", "mean", "low", "high", "replicates", "interval"]]
    for part in ("members", "nonmembers"):
        losses = rows[rows["metric"] == f"loss_{part}"].rename(columns={"mean": f"loss_{part}"})
        table = table.merge(losses[["dataset", "s", f"loss_{part}"]], on=["dataset", "s"], validate="1:1")
    table = table.assign(ratio=table["loss_nonmembers"] / table["loss_members"])
    ratios = np.geomspace(1, max(2.0, 1.3 * table["ratio"].max()), 200)
    curve = pd.DataFrame({"dataset": THEORY, "ratio": ratios, "mean": unknown_sigma_advantage(ratios)})
    return pd.concat([table, curve], ignore_index=True)


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel; the largest network of each data set has its size beside it: the smallest lie on each other."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.6)
    for place, (dataset, (colour, *_)) in enumerate(networks.STYLES.items()):
        rows = table[table["dataset"] == dataset]
        if rows.empty:
            continue
        networks.draw_networks(axes, rows, dataset, x="ratio", line="none")
        largest = rows.loc[rows["s"].idxmax()]
        # Above, below, and at the left of the point.
        offset, side = (((4, 4), "left"), ((4, -10), "left"), ((-4, 4), "right"))[place]
        where = largest["ratio"], largest["mean"]
        drawing.annotate(axes, f"{largest['s']:.0f}", where, offset, color=colour, ha=side)
    curve = table[table["dataset"] == THEORY]
    drawing.draw_curve(axes, curve, "ratio", colour="black", label="formula for normal errors", line=":")
    drawing.zero_line(axes)
    axes.set(
        xscale="log",
        xlabel="mean test loss / mean training loss",
        ylabel="membership advantage",
        ylim=(min(-0.05, 1.1 * table[["mean", "low"]].min(axis=None)), 1.0),
    )
    drawing.finish(
        figure,
        "Threshold: the mean training loss. Numbers: the largest size s. The formula of figure 2b, which is "
        "for normal errors, at the ratio of cross-entropies.",
        networks.training_caption(run_summary, table),
    )
    return figure
