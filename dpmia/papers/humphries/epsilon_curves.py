"""What figures 2 to 9 share: advantage and accuracy against epsilon, with bands, the bound, and the IID arm."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dpmia.common.arms import IID_SUFFIX
from dpmia.common.formatting import listed
from dpmia.formats.rows import BLIND, MissingRowsError
from dpmia.jobs.describing import ExperimentDescription
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.theory.bounds import advantage_bound

#: What readers must know where an oracle stands beside the bound.
ORACLE = (
    "The bound (dashed) applies to attacks that do not see the membership labels, on independent records. The optimal "
    "threshold is an oracle, which sees them: it may exceed the bound by as much as random scores reach under the same "
    "rule."
)

#: What the other lines of these figures are.
BASELINE = (
    "in bands of their intervals: the blind baseline, a classifier of members that sees only the records and is "
    "supervised on other records of both groups."
)
BLIND_LINE = f"Short dashes in the colour of their arm, {BASELINE}"
READING = f"Black ticks: the exact upper bound of the trained mechanism, where it was computed. {BLIND_LINE}"

#: The arm of what holds for all arms.
ANY_ARM = "any"

#: Metrics that the panels show; the tidy table of a figure holds nothing else.
METRICS = (
    *("advantage", "advantage_excess", "advantage_ceiling", "auc", "auc_excess"),
    *("tpr_at_1pct_fpr", "tpr_at_0.1pct_fpr", "resolution"),
)


def common_epsilons(tables: Iterable[pd.DataFrame]) -> list[float]:
    """Return the epsilons that all tables have, rising.

    Raises:
        MissingRowsError: there are none.
    """
    of_each = [set(table["epsilon"]) for table in tables]
    common = sorted(set.intersection(*of_each)) if of_each else []
    if not common:
        raise MissingRowsError("the experiments have no epsilon in common")
    return common


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the summaries of all experiments of a figure, with the bound at each epsilon.

    Args:
        tables: experiment -> summary table (`dpmia.evaluation.summary.summary_table`).
        run_summary: of the run.

    Returns:
        The summary's rows, and as metric `bound` the advantage that (epsilon, delta) allows for independent
        records, along the axis of epsilon.
    """
    rows = pd.concat(tables.values(), ignore_index=True)
    rows = rows[rows["metric"].isin(METRICS) | rows["metric"].str.startswith("accuracy_")]
    bounds = [bound_curve(rows, name, description) for name, description in run_summary.experiments.items()]
    return pd.concat([rows, *bounds], ignore_index=True)


def bound_curve(rows: pd.DataFrame, experiment: str, description: ExperimentDescription) -> pd.DataFrame:
    """Return the bound from a little below the smallest epsilon to a little above the largest finite one.

    Args:
        rows: of the summaries.
        experiment: whose.
        description: of the experiment.
    """
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
            "mean": advantage_bound(epsilons, description.delta, description.relation),
        }
    )


@dataclass(frozen=True)
class Curve:
    """One arm as it is drawn."""

    arm: str
    label: str
    colour: str
    line: str = "-"


def arms(table: pd.DataFrame) -> list[str]:
    """Return the arms of a table without IID arms, in their order in the table."""
    names = [arm for arm in table["arm"].unique() if arm != ANY_ARM]
    return [arm for arm in names if not (arm.endswith(IID_SUFFIX) and arm.removesuffix(IID_SUFFIX) in names)]


def pairs(names: list[str]) -> list[Curve]:
    """Return each arm and its IID arm; of a single arm, labels leave its name out."""
    kinds = {"": "non-IID", IID_SUFFIX: "IID"}
    colours = itertools.cycle(drawing.COLOURS)
    return [
        Curve(arm + suffix, kind if len(names) == 1 else f"{arm.replace('_', ' ')}, {kind}", next(colours))
        for arm, (suffix, kind) in itertools.product(names, kinds.items())
    ]


def advantage_panel(
    axes: Axes,
    table: pd.DataFrame,
    curves: list[Curve],
    attack: str,
    control: str | None = None,
    ceiling_colour: str = "black",
    beside: tuple[int, int] | None = None,
) -> None:
    """Draw the advantage of one attack, the bound, and the line at 0.

    Args:
        axes: where to draw.
        table: of `tabulate`, one experiment.
        curves: the arms.
        attack: name of the attack.
        control: arm for which random scores under the rule of an oracle are drawn; None for an attack that is none.
        ceiling_colour: of the exact upper bound (ceiling), which is that of the last arm.
        beside: place of the first curve at infinity, and number of curves there; None where the panel has no others.
    """
    chosen = table[table["metric"] == "advantage"]
    scale = drawing.EpsilonScale(chosen["epsilon"])
    first, count = beside or (0, len(curves) + (control is not None))
    for place, curve in enumerate(curves, start=first):
        rows = chosen[(chosen["arm"] == curve.arm) & (chosen["attack"] == attack)]
        scale.draw(axes, rows, curve.colour, curve.label, curve.line, beside=(place, count))
    if control is not None:
        rows = chosen[(chosen["arm"] == control) & (chosen["attack"] == "random")]
        scale.draw(axes, rows, drawing.GREY, "random scores", ":", beside=(count - 1, count))
    draw_blind(axes, chosen, curves)
    bound = table[table["metric"] == "bound"]
    drawing.draw_curve(axes, bound, "epsilon", colour="black", label="(ε, δ) bound, IID", line="--")
    ceiling = table[(table["metric"] == "advantage_ceiling") & (table["arm"] == curves[-1].arm)]
    drawing.draw_ticks(axes, ceiling, "epsilon", colour=ceiling_colour, label="exact upper bound, IID")
    drawing.zero_line(axes)
    scale.label(axes)
    axes.set(
        ylabel="membership advantage", ylim=(max(-0.6, min(-0.12, 1.1 * chosen[["mean", "low"]].min(axis=None))), 1.05)
    )


def draw_blind(axes: Axes, chosen: pd.DataFrame, curves: list[Curve]) -> None:
    """Draw the blind baseline of each non-IID arm across all epsilons, with its interval."""
    blind = chosen[(chosen["attack"] == BLIND) & ~chosen["iid"]]
    for place, curve in enumerate(curves):
        rows = blind[blind["arm"] == curve.arm]
        if rows.empty:
            continue
        mean, low, high = rows.iloc[0][["mean", "low", "high"]].astype(float)
        axes.axhspan(low, high, color=curve.colour, alpha=0.1, linewidth=0, zorder=0.5)
        line = drawing.phased(place, len(curves))
        axes.axhline(mean, color=curve.colour, linestyle=line, linewidth=1, zorder=4)
    if len(blind):
        axes.plot([], [], color="0.3", linestyle=(0, (2, 2)), linewidth=1, label="blind baseline (no model)")


def drawn(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that a figure draws: of advantages and accuracies, not of true positive rates."""
    return table[(table["metric"] == "advantage") | table["metric"].str.startswith("accuracy_")]


def blind_note(table: pd.DataFrame) -> str:
    """Return a sentence on how many replicates the blind baseline is the mean of."""
    counts = sorted(table.loc[(table["attack"] == BLIND) & (table["metric"] == "advantage"), "replicates"].unique())
    if not counts:
        return ""
    return f"The blind baseline is the mean of {listed(f'{count:.0f}' for count in counts)} replicates."


def zoom(axes: Axes, table: pd.DataFrame, attacks: list[str]) -> None:
    """Set the vertical axis of a strip to what the bounds allow at the smallest epsilons, and IID arms reach at any.

    Args:
        axes: of the strip.
        table: of `tabulate`, one experiment.
        attacks: of all strips, which have the same axis.
    """
    advantage = table[(table["metric"] == "advantage") & np.isfinite(table["epsilon"])]
    finite = sorted(advantage["epsilon"].unique())
    ceiling = table[(table["metric"] == "advantage_ceiling") & table["epsilon"].isin(finite[:2])]
    bound = table[(table["metric"] == "bound") & (table["epsilon"] <= min(finite, default=0))]
    shown = advantage[advantage["iid"] & advantage["attack"].isin([*attacks, "random"])]
    heights = [rows["mean"].max() for rows in (ceiling, bound, shown) if len(rows)]
    top = min(0.3, 1.3 * max([0.04, *heights]))
    axes.set(ylim=(-0.4 * top, top), ylabel="zoom")


def accuracy_panel(axes: Axes, table: pd.DataFrame, curves: list[Curve]) -> None:
    """Draw accuracy on members (solid), non-members (dashed) and validation records (dotted, diamonds).

    Args:
        axes: where to draw.
        table: of `tabulate`, one experiment.
        curves: the arms.
    """
    chosen = table[table["metric"].str.startswith("accuracy_")]
    scale = drawing.EpsilonScale(chosen["epsilon"])
    looks = {"members": ("-", "o"), "nonmembers": ("--", "o"), "validation": (":", "D")}
    there = [part for part in looks if (chosen["metric"] == f"accuracy_{part}").any()]
    shown = list(itertools.product(curves, there))
    for place, (curve, part) in enumerate(shown):
        rows = chosen[(chosen["arm"] == curve.arm) & (chosen["metric"] == f"accuracy_{part}")]
        line, marker = looks[part]
        scale.draw(axes, rows, curve.colour, curve.label, line, beside=(place, len(shown)), marker=marker)
    scale.label(axes)
    axes.set(title="accuracy", ylabel="accuracy", ylim=(-0.02, 1.05))
    for part in there:
        records = part.replace("nonmembers", "non-members")
        line, marker = looks[part]
        look: dict[str, Any] = {
            "linestyle": line,
            "marker": marker,
            "markerfacecolor": "0.3" if line == "-" else "white",
        }
        axes.plot([], [], color="0.3", label=f"accuracy on {records}", **look)
