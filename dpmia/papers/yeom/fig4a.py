"""Figure 4a: advantage of the attacker who colludes with the trainer, against the size of the network."""

from __future__ import annotations

import pandas as pd

from dpmia.common.formatting import listed
from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.yeom import networks

METRICS = ("advantage", "precision", "recall")


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return advantage, precision and recall of the colluding attacker by data set and size."""
    rows = networks.by_size(tables)
    chosen = rows["colluding"] & (rows["attack"] == "collusion") & rows["metric"].isin(METRICS)
    return rows[chosen].drop(columns=["colluding", "attack"]).reset_index(drop=True)


def draw(table: pd.DataFrame, facts: Facts) -> drawing.CaptionedFigure:
    """Draw one panel with a curve for each data set."""
    figure, (axes,) = drawing.panels(1, facts, width=drawing.NARROW, height=2.3)
    rows = table[table["metric"] == "advantage"]
    for place, dataset in enumerate(networks.STYLES):
        curve = rows[rows["dataset"] == dataset]
        if len(curve):
            networks.draw_networks(axes, networks.beside(curve, place, len(networks.STYLES)), dataset)
    networks.size_axis(axes, rows["s"])
    drawing.zero_line(axes)
    axes.set(ylabel="membership advantage", ylim=(-0.05, 1.05))
    drawing.finish(figure, _keys(facts), networks.training_facts(facts, table))
    return figure


def _keys(facts: Facts) -> str:
    """Say how many keys attacker and trainer share, here and in the paper."""
    here = {fact["keys"] for fact in facts.experiments.values()}
    paper = {facts.paper[name]["keys"] for name in facts.experiments if name in facts.paper} or here
    keys = f"k = {listed(map(str, sorted(here)))} shared keys"
    return f"{keys}, as in the paper." if here == paper else f"{keys}; in the paper {listed(map(str, paper))}."
