"""Figure 4b: generalisation error of colluding and honest training, and what collusion costs."""

from __future__ import annotations

import itertools

import pandas as pd

from dpmia.evaluation.summary import mean_table
from dpmia.formats.rows import EFFECTS
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.yeom import networks


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return differences of accuracies by data set and size, with 95 % intervals.

    Metric `generalisation_error` is the accuracy on members minus that on new records, of colluding and of honest
    networks; `accuracy_cost` the accuracy on new records of honest networks minus that of colluding ones. Differences
    are taken in each replicate, since accuracies on both kinds of records rise and fall together.
    """
    rows = networks.by_size(tables)
    # What groups of shared records change in a difference is the difference of what they change.
    columns = ["value", *(name for name in EFFECTS if name in rows)]
    by_metric = dict(list(rows.groupby("metric")))
    members, new = (
        by_metric[metric].set_index(["dataset", "colluding", "s", "replicate"])[columns]
        for metric in ("accuracy_members", "accuracy_nonmembers")
    )
    error = members - new
    honest, colluding = (new[new.index.get_level_values("colluding") == kind] for kind in (False, True))
    cost = (honest.droplevel("colluding") - colluding.droplevel("colluding")).dropna(subset="value")
    means = [
        _means(error, "generalisation_error", ["dataset", "colluding", "s"]),
        _means(cost, "accuracy_cost", ["dataset", "s"]),
    ]
    return pd.concat(means, ignore_index=True)


def _means(values: pd.DataFrame, metric: str, keys: list[str]) -> pd.DataFrame:
    return mean_table(values.assign(metric=metric).groupby(level=keys), keys).assign(metric=metric)


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel: colluding networks with filled markers, honest ones with hollow markers."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.5)
    errors = table[table["metric"] == "generalisation_error"]
    curves = list(itertools.product(networks.STYLES, (True, False)))
    for place, (dataset, colluding) in enumerate(curves):
        rows = errors[(errors["dataset"] == dataset) & (errors["colluding"] == colluding)]
        rows = networks.beside(rows, place, len(curves))
        label = dataset if colluding else f"{dataset}, honest"
        networks.draw_networks(axes, rows, dataset, line="-" if colluding else "--", label=label)
    networks.size_axis(axes, errors["s"])
    drawing.zero_line(axes)
    axes.set(ylabel="generalisation error", ylim=(min(-0.05, 1.1 * errors[["mean", "low"]].min(axis=None)), 1.05))
    drawing.finish(
        figure,
        "Accuracy on members minus accuracy on new records, in each replicate. Filled markers: colluding networks; "
        "hollow markers: honest ones.",
        networks.training_caption(run_summary, table),
    )
    return figure
