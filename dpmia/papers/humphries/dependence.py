"""Dependence index, known before training, against the advantage of an attack on the trained models."""

from __future__ import annotations

import itertools
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from dpmia.common.epsilon import format_epsilon
from dpmia.formats.rows import BLIND
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries.epsilon_curves import common_epsilons
from dpmia.papers.humphries.shares import independent

#: Attack whose advantage is shown: no oracle.
ATTACK = "average_threshold"

#: Kind of dependence -> experiments of its panels.
KINDS = {
    "clusters": (
        *("adult_cluster", "adult_cluster_reverse", "adult_cluster_nearest", "compas_cluster"),
        "compas_cluster_nearest",
    ),
    "shares": ("adult_gender", "adult_education"),
    "sources": ("heart", "student", "texas", "census_adult"),
}
MARKERS = "osD^v"


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return one row for each arm and epsilon: the dependence index and the advantage of the average threshold.

    The index is the AUC of the blind baseline: how well a classifier separates members from non-members by x and y. It
    needs no model, so it can be known before one is trained.

    Returns:
        Columns experiment, arm, iid, epsilon, index, index_low, index_high, advantage, advantage_low, advantage_high,
        interval (of the advantage).
    """
    rows = pd.concat(tables.values(), ignore_index=True)
    key = ["experiment", "arm", "iid", "epsilon"]
    parts = {
        "index": rows[(rows["attack"] == BLIND) & (rows["metric"] == "auc")],
        "advantage": rows[(rows["attack"] == ATTACK) & (rows["metric"] == "advantage")],
    }
    named = [
        part.set_index(key)[["mean", "low", "high"]].set_axis([name, f"{name}_low", f"{name}_high"], axis=1)
        for name, part in parts.items()
    ]
    named.append(parts["advantage"].set_index(key)[["interval"]])
    return named[0].join(named[1:], how="inner").reset_index()


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw a row of panels for the smallest epsilon of all experiments and one for the largest, a panel for each kind
    of dependence and a point for each arm.
    """
    epsilons = common_epsilons(rows for _, rows in table.groupby("experiment"))
    chosen = [epsilons[0], epsilons[-1]] if len(epsilons) > 1 else epsilons
    kinds = {kind: [name for name in names if (table["experiment"] == name).any()] for kind, names in KINDS.items()}
    kinds = {kind: names for kind, names in kinds.items() if names}
    count = len(chosen) * len(kinds)
    lowest = table.loc[table["epsilon"].isin(chosen), ["advantage", "advantage_low"]].min(axis=None)
    figure, axes = drawing.panels(count, run_summary, height=2.1, rows=len(chosen), sharey=True)
    for panel, (epsilon, (kind, names)) in zip(axes, itertools.product(chosen, kinds.items()), strict=True):
        for place, name in enumerate(names):
            rows = table[(table["experiment"] == name) & (table["epsilon"] == epsilon)]
            _points(panel, rows, drawing.COLOURS[place], MARKERS[place])
            look: dict[str, Any] = {"transform": panel.transAxes, "va": "top", "color": drawing.COLOURS[place]}
            panel.text(0.03, 0.97 - 0.085 * place, name.replace("_", " "), **look)
        drawing.zero_line(panel)
        panel.axvline(0.5, color="0.7", linewidth=0.7, zorder=0)
        panel.set(title=f"{kind}, ε = {format_epsilon(epsilon)}", xlabel="dependence index", xlim=(0.43, 1.03))
        panel.set(ylabel="membership advantage", ylim=(min(-0.12, lowest - 0.05), 1.05))
        panel.label_outer()
    for label, fill in (("non-IID arm", drawing.GREY), ("IID arm", "white")):
        axes[0].plot([], [], "o", color=drawing.GREY, markerfacecolor=fill, label=label)
    drawing.finish(
        figure,
        "Average threshold. Index: AUC of a blind baseline, a classifier of members that sees only x and y and is "
        "supervised on other records of both groups; 0.5 is guessing. Filled markers: non-IID arms; hollow markers: "
        "IID arms, and members in the proportions of non-members. Bars in both directions: 95 % intervals.",
        drawing.run_caption(run_summary, table),
    )
    return figure


def _points(axes: Axes, rows: pd.DataFrame, colour: str, marker: str) -> None:
    """Draw a point for each arm of an experiment, with its intervals in both directions."""
    for row, alike in zip(rows.to_dict("records"), independent(rows), strict=True):
        index, height = row["index"], row["advantage"]
        look: dict[str, Any] = {
            "xerr": [[index - row["index_low"]], [row["index_high"] - index]],
            "yerr": [[height - row["advantage_low"]], [row["advantage_high"] - height]],
            "markerfacecolor": "white" if alike else colour,
        }
        axes.errorbar(index, height, color=colour, marker=marker, markersize=4.5, linewidth=0.8, **look)
