"""What figures 2 to 9 share: advantage and accuracy against epsilon, with bands, the bound, and the IID arm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.settings.arms import IID_SUFFIX
from dpmia.theory.bounds import advantage_bound

NON_IID, IID, CONTROL = drawing.COLOURS[0], drawing.COLOURS[1], "0.55"

#: What readers must know where an oracle stands beside the bound.
ORACLE = (
    "The bound holds for attacks. The optimal threshold is an oracle, which looks at the answers: "
    "it may pass the bound by as much as random scores reach under the same rule."
)

#: The arm of what holds for all arms.
ANY_ARM = "any"

#: Metrics that the panels show; the tidy table of a figure holds nothing else.
METRICS = ("advantage", "auc", "tpr_at_1pct_fpr", "tpr_at_0.1pct_fpr", "resolution")


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return the summaries of all experiments of a figure, with the bound at each epsilon.

    Args:
        tables: experiment -> summary table (`dpmia.measure.summary_table`).
        facts: of the run.

    Returns:
        The summary's rows, and as metric `bound` the advantage that (epsilon, delta) allows for independent
        records, along the axis of epsilon.
    """
    rows = pd.concat(tables.values(), ignore_index=True)
    rows = rows[rows["metric"].isin(METRICS) | rows["metric"].str.startswith("accuracy_")]
    return pd.concat([rows, *(_bound(rows, name, fact) for name, fact in facts.experiments.items())])


def _bound(rows: pd.DataFrame, experiment: str, fact: dict[str, Any]) -> pd.DataFrame:
    """Return the bound from a little below the smallest epsilon to a little above the largest finite one."""
    finite = rows.loc[(rows["experiment"] == experiment) & np.isfinite(rows["epsilon"]), "epsilon"]
    if finite.empty:
        return rows.iloc[:0]
    epsilons = np.geomspace(finite.min() / 1.5, finite.max() * 1.5, 200)
    return pd.DataFrame(
        {
            "experiment": experiment,
            "arm": ANY_ARM,
            "iid": True,
            "epsilon": epsilons,
            "attack": "any",
            "oracle": False,
            "metric": "bound",
            "mean": advantage_bound(epsilons, fact["delta"], fact["relation"]),
        }
    )


def advantage_panel(axes: Axes, table: pd.DataFrame, arm: str, attack: str, control: str | None = None) -> None:
    """Draw the advantage of one attack in an arm and its IID arm, the bound, and the line at 0.

    Args:
        axes: where to draw.
        table: of `tabulate`, one experiment.
        arm: name of the non-IID arm.
        attack: name of the attack.
        control: an attack with random scores under the same decision rule; drawn for the IID arm.
    """
    chosen = table[table["metric"] == "advantage"]
    scale = drawing.EpsilonScale(chosen["epsilon"])
    for name, label, colour in ((arm, "non-IID", NON_IID), (arm + IID_SUFFIX, "IID", IID)):
        rows = chosen[(chosen["arm"] == name) & (chosen["attack"] == attack)]
        drawing.band(axes, scale, rows, colour, label=label)
    if control is not None:
        rows = chosen[(chosen["arm"] == arm + IID_SUFFIX) & (chosen["attack"] == control)]
        drawing.band(axes, scale, rows, CONTROL, label="random scores", line=":")
    bound = table[table["metric"] == "bound"]
    axes.plot(bound["epsilon"], bound["mean"], "--", color="black", label="bound for IID")
    axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    scale.label(axes)
    axes.set(ylabel="membership advantage", ylim=(-0.12, 1.05))


def accuracy_panel(axes: Axes, table: pd.DataFrame, arm: str) -> None:
    """Draw accuracy on members (solid), non-members (dashed) and validation records (dotted).

    Args:
        axes: where to draw.
        table: of `tabulate`, one experiment.
        arm: name of the non-IID arm.
    """
    chosen = table[table["metric"].str.startswith("accuracy_")]
    scale = drawing.EpsilonScale(chosen["epsilon"])
    lines = {"members": "-", "nonmembers": "--", "validation": ":"}
    there = [part for part in lines if (chosen["metric"] == f"accuracy_{part}").any()]
    for name, label, colour in ((arm, "non-IID", NON_IID), (arm + IID_SUFFIX, "IID", IID)):
        for part in there:
            rows = chosen[(chosen["arm"] == name) & (chosen["metric"] == f"accuracy_{part}")]
            drawing.band(axes, scale, rows, colour, label=label, line=lines[part])
    scale.label(axes)
    axes.set(title="accuracy", ylabel="accuracy", ylim=(-0.02, 1.05))
    for part in there:
        words = part.replace("nonmembers", "non-members")
        axes.plot([], [], lines[part], color="0.4", label=f"accuracy on {words}")
