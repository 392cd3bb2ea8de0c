"""Dependence index, known before training, against the advantage of an attack on the trained models."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.common.epsilon import format_epsilon
from dpmia.formats.rows import BLIND
from dpmia.papers import drawing
from dpmia.papers.artifact import Facts

#: Attack whose advantage is shown: no oracle.
ATTACK = "average_threshold"


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
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


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw one panel for the smallest epsilon of all experiments and one for the largest: a point for each arm."""
    epsilons = sorted(set.intersection(*(set(rows) for _, rows in table.groupby("experiment")["epsilon"])))
    chosen = [epsilons[0], epsilons[-1]] if len(epsilons) > 1 else epsilons
    figure, axes = drawing.panels(len(chosen), facts, width=5.4, height=4.2)
    names = list(table["experiment"].unique())
    markers = "osD^vP*X<>hd8"
    for panel, epsilon in zip(axes, chosen, strict=True):
        for place, name in enumerate(names):
            rows = table[(table["experiment"] == name) & (table["epsilon"] == epsilon)]
            colour = drawing.COLOURS[place % len(drawing.COLOURS)]
            for iid in (False, True):
                some = rows[rows["iid"] == iid]
                drawing.draw_means(
                    panel,
                    some.rename(columns={"advantage": "mean", "advantage_low": "low", "advantage_high": "high"}),
                    "index",
                    line="none",
                    marker=markers[place % len(markers)],
                    colour=colour,
                    hollow=iid,
                    markersize=6,
                    label=name.replace("_", " ") if not iid else None,
                )
        drawing.zero_line(panel)
        panel.axvline(0.5, color="0.7", linewidth=0.8, zorder=0)
        panel.set(
            title=f"average threshold, ε = {format_epsilon(epsilon)}",
            xlabel="dependence index (AUC of the blind baseline)",
            ylabel="",
        )
        panel.set(xlim=(0.45, 1.02), ylim=(min(-0.12, 1.1 * table["advantage"].min()), 1.05))
    axes[0].set_ylabel("membership advantage")
    drawing.legend(figure)
    drawing.caption(
        figure,
        "Index: AUC of a blind baseline, a classifier of members that sees only x and y and is supervised on other "
        "records of both groups; 0.5 is guessing. "
        f"Full marks: non-IID arms; empty marks: their IID arms. {drawing.run_facts(facts, table)}",
    )
    return figure
