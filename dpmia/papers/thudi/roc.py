"""Figure 11: ROC of LiRA against private models, by sampling rate."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dpmia.formats.rows import MissingRowsError
from dpmia.metrics.precision import ROC_RATES
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.thudi import frames, names
from dpmia.theory.bounds import tpr_bound

#: Of the paper's panels (see `frames.shown`).
PAPER_EPSILONS = (3.0, 5.0, 7.0)

#: Rows of panels.
EXPERIMENTS = (names.CIFAR10, names.MNIST)

_METRICS = {f"tpr@{rate:g}": rate for rate in ROC_RATES}
ATTACK, BOUND, CEILING = "attack", "bound", "ceiling"

#: Of the curves of a panel, so that colour is not the only difference.
LINES = ("-", (0, (5, 1)), (0, (3, 1)), "-.", (0, (1, 1)))

#: False positive rates along which the bound is drawn.
GRID = np.geomspace(ROC_RATES[0], 1, 200)


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the mean TPR over replicates at each of the false positive rates.

    Args:
        tables: named `replicates/<experiment>` (see `dpmia.papers.thudi.names`).
        run_summary: of the run.

    Returns:
        Columns experiment, curve, epsilon, rate, fpr, mean, low, high, replicates, interval. Curves are `attack`;
        `bound`, the largest TPR by (epsilon, delta); and `ceiling`, that of the trained mechanisms, the largest of all
        rates. Of attacks no row below the resolution of the data: one replicate with too few non-members for a false
        positive rate is enough to leave it out.

    Raises:
        MissingRowsError: LiRA ran against no model of the figure.
    """
    every = frames.rows_of(tables, EXPERIMENTS)
    rows = every[(every["attack"] == names.LIRA) & every["metric"].isin(_METRICS)]
    rows = rows[frames.shown(rows["epsilon"], PAPER_EPSILONS)]
    if rows.empty:
        raise MissingRowsError(f"no attack {names.LIRA!r} at epsilon {PAPER_EPSILONS} in {sorted(tables)}")
    rows = rows.assign(fpr=rows["metric"].map(_METRICS))
    key = ["experiment", "epsilon", "rate", "fpr"]
    shown = rows.groupby(key)["value"].transform(lambda values: values.notna().all())
    curves = [frames.means(rows[shown].sort_values(key), key).assign(curve=ATTACK)]
    for (experiment, epsilon), _ in rows.groupby(["experiment", "epsilon"], sort=False):
        here = every[(every["experiment"] == experiment) & (every["epsilon"] == epsilon)]
        delta = run_summary.experiments[experiment].delta
        ceilings = [frames.ceilings(here, f"tpr_ceiling@{rate:g}")["ceiling"].max() for rate in ROC_RATES]
        for curve, rates, tprs in ((BOUND, GRID, tpr_bound(GRID, epsilon, delta)), (CEILING, ROC_RATES, ceilings)):
            columns = {"experiment": experiment, "curve": curve, "epsilon": epsilon, "fpr": rates, "mean": tprs}
            curves.append(pd.DataFrame(columns))
    table = pd.concat(curves, ignore_index=True)
    table = table[table["mean"].notna()]  # no ceiling where the non-members of no model can show the rate
    return table[["experiment", "curve", *key[1:], "mean", "low", "high", "replicates", "interval"]]


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw a panel for each data set and epsilon, with a curve for each sampling rate."""
    epsilons = sorted(table["epsilon"].unique())
    # A row for each data set; side by side where there is one epsilon only.
    run = frames.of_run(EXPERIMENTS, run_summary)
    height, columns = (len(run), len(epsilons)) if len(epsilons) > 1 else (1, len(run))
    figure, axes = drawing.panels(height * columns, run_summary, height=1.9, rows=height, sharey=True)
    panels = itertools.product(run, epsilons)
    for axis, (experiment, epsilon) in zip(axes, panels, strict=True):
        axis.set(title=f"{names.DATASETS[experiment]}, ε = {epsilon:g}", xscale="log")
        axis.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(ROC_RATES[0], 1), ylim=(0, 1.02))
        axis.label_outer()
        rows = table[(table["experiment"] == experiment) & (table["epsilon"] == epsilon)]
        if not frames.note_missing(axis, rows):
            _panel(axis, rows)
    drawing.finish(
        figure,
        f"{names.LIRA_NOTE} Shadow models at p = .5. Bands of the smallest and the largest p only. A false positive "
        "rate below 1 / number of non-members cannot be shown. The exact upper bound (ticks, where it was computed) "
        "holds for any attack on the trained mechanisms, at any p, at the false positive rate to be expected of new "
        "non-members: (k + 1) / (n + 1) where k of n measured ones pass. "
        f"{frames.other_epsilons(PAPER_EPSILONS, table)}",
        drawing.run_caption(run_summary, table),
    )
    return figure


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    curves = list(rows[rows["curve"] == ATTACK].groupby("rate"))
    for place, (rate, curve) in enumerate(curves):
        if place not in (0, len(curves) - 1):
            curve = curve.assign(low=curve["mean"], high=curve["mean"])
        look: dict[str, Any] = {"colour": frames.rate_colour(rate), "line": LINES[place % len(LINES)], "marker": "none"}
        drawing.draw_means(axes, curve, "fpr", label=f"p = {rate:g}", band=True, linewidth=1, **look)
    bound, ceiling = (rows[rows["curve"] == limit] for limit in (BOUND, CEILING))
    drawing.draw_curve(axes, bound, "fpr", colour="black", label="(ε, δ) bound", line="--", linewidth=1)
    drawing.draw_ticks(axes, ceiling, "fpr", colour="black", label="exact upper bound, any p")
    axes.plot(GRID, GRID, ":", color=drawing.GREY, linewidth=1, label="guessing")
