"""Figure 4a: advantage of the attacker who colludes with the trainer, against the size of the network."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.yeom import networks

METRICS = ("advantage", "precision", "recall")


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return advantage, precision and recall of the colluding attacker by data set and size."""
    rows = networks.by_size(tables)
    chosen = rows["colluding"] & (rows["attack"] == "collusion") & rows["metric"].isin(METRICS)
    return rows[chosen].drop(columns=["colluding", "attack"]).reset_index(drop=True)


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw one panel with a curve for each data set."""
    figure, (axes,) = drawing.panels(1, facts, width=5.0)
    rows = table[table["metric"] == "advantage"]
    for dataset in networks.STYLES:
        if (rows["dataset"] == dataset).any():
            networks.draw_networks(axes, rows[rows["dataset"] == dataset], dataset)
    networks.size_axis(axes, rows["s"])
    drawing.zero_line(axes)
    axes.set(ylabel="membership advantage", ylim=(-0.05, 1.05))
    drawing.legend(figure)
    keys = " or ".join(str(keys) for keys in sorted({fact["keys"] for fact in facts.experiments.values()}))
    drawing.caption(
        figure, f"Attacker and trainer share keys: {keys}, in the paper 3. {networks.training_facts(facts, table)}"
    )
    return figure
