"""One epsilon, three promises: both neighbouring relations, and the noise of the published code."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpmia.common.arms import IID_SUFFIX
from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.humphries.epsilon_curves import METRICS, Curve, advantage_panel, arms
from dpmia.papers.humphries.epsilon_curves import tabulate as with_bounds


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return the advantages under each promise, in a column `promise`, with the bound of replace-one.

    Only epsilons that all of the experiments were run with.
    """
    rows = with_bounds(tables, facts)
    shared = set.intersection(*(set(table["epsilon"]) for table in tables.values()))
    rows = rows[rows["metric"].isin(METRICS) & rows["epsilon"].isin(shared) | (rows["metric"] == "bound")]
    promises = {name: _promise(fact) for name, fact in facts.experiments.items()}
    return rows.assign(promise=rows["experiment"].map(promises))


def _promise(fact: dict) -> str:
    if fact["accountant"] == "rdp_as_published":
        return "as published"
    return f"{fact['relation'].replace('_', '-')}, {fact['accountant'].upper()}"


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw the optimal threshold in the non-IID arm and in its IID arm, a curve for each promise."""
    figure, axes = drawing.panels(2, facts)
    first = table["experiment"].iloc[0]
    (arm,) = arms(table[table["experiment"] == first])
    for panel, name, title in zip(axes, (arm, arm + IID_SUFFIX), ("non-IID", "IID"), strict=True):
        bound = table[(table["metric"] == "bound") & (table["experiment"] == first)]
        for (promise, rows), colour in zip(table.groupby("promise", sort=False), drawing.COLOURS, strict=False):
            rows = pd.concat([rows[rows["metric"] != "bound"], bound])
            advantage_panel(panel, rows, [Curve(name, promise, colour)], "optimal_threshold", ceiling_colour=colour)
        panel.set_title(f"optimal threshold (oracle), {title}")
    axes[1].set_ylabel("")
    drawing.legend(figure)
    drawing.caption(
        figure,
        "The bound is that of replace-one; ceilings have the colours of their promises. As published: shuffled batches "
        "judged as if they were sampled, with half the noise that replace-one asks for; no theorem covers it. "
        f"{drawing.run_facts(facts)}",
    )
    return figure
