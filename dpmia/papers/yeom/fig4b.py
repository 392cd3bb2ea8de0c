"""Figure 4b: generalisation error of colluding and honest training, and what collusion costs."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.yeom import networks


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return differences of accuracies by data set and size.

    Metric `generalisation_error` is the accuracy on members minus that on new records, of colluding and of honest
    networks; `accuracy_cost` the accuracy on new records of honest networks minus that of colluding ones. Their
    limits are those of both accuracies taken together, so they hold more than 95 %.
    """
    rows = networks.by_size(tables)
    accuracies = {
        part: rows[rows["metric"] == f"accuracy_{part}"].drop(columns=["attack", "metric"])
        for part in ("members", "nonmembers")
    }
    error = _difference(accuracies["members"], accuracies["nonmembers"], ["dataset", "colluding", "s"])
    tested = accuracies["nonmembers"]
    honest, colluding = (tested[tested["colluding"] == kind] for kind in (False, True))
    cost = _difference(honest.drop(columns="colluding"), colluding, ["dataset", "s"])
    return pd.concat(
        [error.assign(metric="generalisation_error"), cost.assign(metric="accuracy_cost")], ignore_index=True
    )


def _difference(more: pd.DataFrame, less: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the difference of two means with limits that hold wherever both of theirs do."""
    both = more.merge(less, on=keys, suffixes=("_more", "_less"), validate="1:1")
    return both[[*keys, *(["colluding"] if "colluding" not in keys else [])]].assign(
        mean=both["mean_more"] - both["mean_less"],
        low=both["low_more"] - both["high_less"],
        high=both["high_more"] - both["low_less"],
        replicates=both[["replicates_more", "replicates_less"]].min(axis=1),
    )


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw one panel: colluding networks with full marks, honest ones with hollow marks."""
    figure, (axes,) = drawing.panels(1, facts, width=5.0)
    errors = table[table["metric"] == "generalisation_error"]
    for dataset in networks.STYLES:
        for colluding in (True, False):
            rows = errors[(errors["dataset"] == dataset) & (errors["colluding"] == colluding)]
            if not rows.empty:
                label = dataset if colluding else f"{dataset}, honest"
                networks.curve(axes, rows, dataset, line="-" if colluding else "--", label=label)
    networks.size_axis(axes, errors["s"])
    axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    axes.set(ylabel="generalisation error", ylim=(-0.05, 1.05))
    drawing.legend(figure)
    drawing.caption(
        figure,
        f"Accuracy on members minus accuracy on new records. {networks.training_facts(facts)} Those of a difference "
        "hold wherever the intervals of both accuracies do.",
    )
    return figure
