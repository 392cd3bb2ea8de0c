"""Figure 4b: generalisation error of colluding and honest training, and what collusion costs."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.metrics.intervals import mean_interval
from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.yeom import networks


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return differences of accuracies by data set and size, with 95 % t intervals over replicates.

    Metric `generalisation_error` is the accuracy on members minus that on new records, of colluding and of honest
    networks; `accuracy_cost` the accuracy on new records of honest networks minus that of colluding ones. Differences
    are taken in each replicate, since accuracies on both kinds of records rise and fall together.
    """
    rows = networks.by_size(tables)
    rows = rows[rows["metric"].isin(("accuracy_members", "accuracy_nonmembers"))]
    accuracy = rows.pivot(index=["dataset", "colluding", "s", "replicate"], columns="metric", values="value")
    error = accuracy["accuracy_members"] - accuracy["accuracy_nonmembers"]
    new = accuracy["accuracy_nonmembers"].unstack("colluding").reindex(columns=[False, True])
    cost = (new[False] - new[True]).dropna()
    return pd.concat(
        [
            _over_replicates(error, ["dataset", "colluding", "s"]).assign(metric="generalisation_error"),
            _over_replicates(cost, ["dataset", "s"]).assign(metric="accuracy_cost"),
        ],
        ignore_index=True,
    )


def _over_replicates(values: pd.Series, keys: list[str]) -> pd.DataFrame:
    """Return mean, low, high and replicates of the values that share their keys."""
    found = [(key, mean_interval(group.to_numpy())) for key, group in values.groupby(level=keys)]
    rows = [[*key, interval.mean, interval.low, interval.high, interval.count] for key, interval in found]
    return pd.DataFrame(rows, columns=[*keys, "mean", "low", "high", "replicates"])


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
        f"Accuracy on members minus accuracy on new records, in each replicate. {networks.training_facts(facts)}",
    )
    return figure
