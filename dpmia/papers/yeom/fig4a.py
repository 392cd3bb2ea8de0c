"""Figure 4a: advantage of the attacker who colludes with the trainer, against the size of the network."""

from __future__ import annotations

import pandas as pd

from dpmia.common.formatting import listed
from dpmia.common.optional import needed
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.yeom import networks

METRICS = ("advantage", "precision", "recall")


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return advantage, precision and recall of the colluding attacker by data set and size."""
    rows = networks.by_size(tables)
    chosen = rows["colluding"] & (rows["attack"] == "collusion") & rows["metric"].isin(METRICS)
    return rows[chosen].drop(columns=["colluding", "attack"]).reset_index(drop=True)


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel with a curve for each data set."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.3)
    rows = table[table["metric"] == "advantage"]
    for place, dataset in enumerate(networks.STYLES):
        curve = rows[rows["dataset"] == dataset]
        if len(curve):
            networks.draw_networks(axes, networks.beside(curve, place, len(networks.STYLES)), dataset)
    networks.size_axis(axes, rows["s"])
    drawing.zero_line(axes)
    axes.set(ylabel="membership advantage", ylim=(min(-0.05, 1.1 * rows[["mean", "low"]].min(axis=None)), 1.05))
    drawing.finish(figure, _keys(run_summary), networks.training_caption(run_summary, table))
    return figure


def _keys(run_summary: RunSummary) -> str:
    """Say how many keys attacker and trainer share, here and in the paper."""
    here = {needed(description.keys) for description in run_summary.experiments.values()}
    paper = {needed(description.keys) for description in run_summary.paper.values()} or here
    keys = f"k = {listed(map(str, sorted(here)))} shared keys"
    return f"{keys}, as in the paper." if here == paper else f"{keys}; in the paper {listed(map(str, paper))}."
