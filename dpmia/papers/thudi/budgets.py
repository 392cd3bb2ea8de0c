"""Figures 5 and 6: test accuracy by sampling rate with the epsilon that a fixed bound on precision allows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dpmia.common.formatting import format_bound
from dpmia.common.optional import needed
from dpmia.formats.rows import NO_ATTACK, MissingRowsError
from dpmia.jobs.describing import PrecisionBudget
from dpmia.metrics.precision import ACCEPTANCE
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.thudi.frames import ceilings, means, note_missing, of_run, rate_ticks, rows_of
from dpmia.papers.thudi.names import BUDGETS, RATES, arm_of
from dpmia.theory.precision_bounds import epsilon_for_bound, precision_bound

#: The three bounds are those of these epsilons at a sampling rate of 1/2.
TARGET_EPSILONS = (3.0, 2.0, 1.0)
DELTA = 1e-5

#: Experiments cut the epsilons of `budgets` by at most this, downwards, so that they keep the bound.
ROUNDING = 2e-3

#: How far apart curves stand at one sampling rate, so that their intervals do not overlap.
DODGE = 0.012

#: Accuracy of guessing one of ten classes.
CHANCE = 0.1

BEST, FINAL = "accuracy_validation_best", "accuracy_validation"


def target_bounds() -> np.ndarray:
    """Return the three bounds on precision, about .953, .881 and .731."""
    return precision_bound(TARGET_EPSILONS, 0.5, DELTA, ACCEPTANCE)


def budgets() -> pd.DataFrame:
    """Return the epsilon of every bound and arm: columns bound, arm, rate, epsilon; NaN where it cannot be met."""
    return pd.DataFrame(
        [
            [bound, arm_of(rate), rate, float(epsilon_for_bound(bound, rate, DELTA, ACCEPTANCE))]
            for bound in target_bounds()
            for rate in RATES
        ],
        columns=["bound", "arm", "rate", "epsilon"],
    )


def tabulate_best(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return figure 5's table: see `_tabulate`; the best test accuracy of any epoch."""
    return _tabulate(tables, run_summary, BEST)


def tabulate_final(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return figure 6's table: see `_tabulate`; the test accuracy after the last epoch."""
    return _tabulate(tables, run_summary, FINAL)


def draw_best(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw figure 5."""
    return _draw(table, run_summary, "best test accuracy", "Best of all epochs, chosen on the test records themselves.")


def draw_final(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw figure 6."""
    return _draw(table, run_summary, "final test accuracy", "After the last epoch.")


def _tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary, metric: str) -> pd.DataFrame:
    """Return columns experiment, bound, rate, epsilon, ceiling, feasible, mean, low, high, replicates.

    A row for every bound and arm of the experiment's `precision_budgets` that was trained, and one without numbers
    where no epsilon keeps the bound. `ceiling` is the exact upper bound of the trained mechanism's precision.
    """
    every = rows_of(tables, BUDGETS)
    rows = every[(every["attack"] == NO_ATTACK) & (every["metric"] == metric)]
    parts = []
    for experiment, trained in rows.groupby("experiment", sort=False):
        for cell in run_summary.experiments[experiment].precision_budgets or ():
            point = {"experiment": experiment, "bound": cell.bound, "rate": cell.rate, "epsilon": cell.epsilon}
            if cell.epsilon is None:
                parts.append(pd.DataFrame([point | {"epsilon": np.nan, "feasible": False}]))
                continue
            of_cell = trained[_of_cell(trained, cell)]
            if len(of_cell):
                exact = ceilings(
                    every[(every["experiment"] == experiment) & _of_cell(every, cell)], "precision_ceiling"
                )
                point |= {"ceiling": exact["ceiling"].max(), "feasible": True}
                parts.append(means(of_cell.assign(**point), [*point]))
    if not any(table["feasible"].any() for table in parts):
        raise MissingRowsError(f"no rows with metric {metric!r} and an epsilon of the budgets in {sorted(tables)}")
    return pd.concat(parts, ignore_index=True)


def _of_cell(rows: pd.DataFrame, cell: PrecisionBudget) -> pd.Series:
    """Return which rows are of models of an arm with an epsilon."""
    return (rows["arm"] == cell.arm) & np.isclose(rows["epsilon"], needed(cell.epsilon), rtol=0, atol=1e-9)


def _draw(table: pd.DataFrame, run_summary: RunSummary, label: str, what: str) -> drawing.CaptionedFigure:
    run = of_run(BUDGETS, run_summary)
    figure, axes = drawing.panels(len(run), run_summary, height=2.1, sharey=True)
    for panel, experiment in zip(axes, run, strict=True):
        rows = table[table["experiment"] == experiment]
        panel.set(title=BUDGETS[experiment], xlabel="sampling rate p", ylabel=label)
        panel.set(xlim=(0, 1), xticks=rate_ticks(rows), ylim=(-0.08, 1.02))
        panel.label_outer()
        if not note_missing(panel, rows):
            _panel(panel, rows)
    drawing.finish(
        figure,
        f"{what} ε is what theorem 3.3 (corrected, P(S|x) at least {ACCEPTANCE:g}) allows at each p. Crosses below the "
        f"axis: a bound that is not above p cannot be met by any ε. Accuracies are shares; the paper's are in percent. "
        f"{_format_ceilings(table)}",
        drawing.run_caption(run_summary, table),
    )
    return figure


def _format_ceilings(table: pd.DataFrame) -> str:
    """Format the exact upper bounds of the mechanisms, for which the axes have no place."""
    ranges = table.dropna(subset=["ceiling"]).groupby("bound", sort=False)["ceiling"].agg(["min", "max"])
    parts = [
        f"{format_bound(low, 2)} to {format_bound(high, 2)} under {bound:.3f}"
        for bound, (low, high) in ranges.iterrows()
    ]
    return f"Exact upper bounds on precision of these mechanisms: {', '.join(parts)}." if parts else ""


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    for place, (bound, curve) in enumerate(rows.groupby("bound", sort=False)):
        colour = drawing.COLOURS[place % len(drawing.COLOURS)]
        met = curve[curve["feasible"]]
        met = met.assign(rate=met["rate"] + drawing.dodge(place, rows["bound"].nunique(), DODGE))
        drawing.draw_means(axes, met, "rate", colour=colour, label=f"bound {bound:.3f}", marker="osD"[place % 3])
        never = curve.loc[~curve["feasible"], "rate"]
        if len(never):
            # Below the axis of accuracies, beside each other: they are none.
            beside = never + drawing.dodge(place, rows["bound"].nunique(), 2.5 * DODGE)
            axes.plot(beside, np.full(len(never), -0.05), "x", color=colour, label="_cannot be met")
    axes.axhline(CHANCE, color=drawing.GREY, linestyle=":", linewidth=1, label=f"chance, {CHANCE:g}")
    drawing.zero_line(axes)
    if not rows["feasible"].all():
        axes.plot([], [], "x", color=drawing.GREY, label="cannot be met")
