"""Figure 11: ROC of LiRA against private models, by sampling rate."""

from __future__ import annotations

import itertools
import string

import pandas as pd
from matplotlib.figure import Figure

from dpmia.metrics.precision import ROC_RATES
from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.thudi import frames, names
from dpmia.theory.bounds import tpr_bound

#: Of the paper's panels (see `frames.shown`).
PAPER_EPSILONS = (3.0, 5.0, 7.0)

#: Rows of panels.
EXPERIMENTS = (names.CIFAR10, names.MNIST)

_METRICS = {f"tpr@{rate:g}": rate for rate in ROC_RATES}
ATTACK, BOUND, CEILING = "attack", "bound", "ceiling"


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return the mean TPR over replicates at each of the false positive rates.

    Args:
        tables: named `replicates/<experiment>` (see `dpmia.papers.thudi.names`).
        facts: of the run.

    Returns:
        Columns experiment, curve, epsilon, rate, fpr, mean, low, high, replicates, interval. Curves are `attack`;
        `bound`, the largest TPR by (epsilon, delta); and `ceiling`, that of the trained mechanisms, the largest of all
        rates. Of attacks no row below the resolution of the data: one replicate with too few non-members for a false
        positive rate is enough to leave it out.

    Raises:
        ValueError: LiRA ran against no model of the figure.
    """
    every = frames.rows_of(tables, EXPERIMENTS)
    rows = every[(every["attack"] == names.LIRA) & every["metric"].isin(_METRICS)]
    rows = rows[frames.shown(rows["epsilon"], PAPER_EPSILONS)]
    if rows.empty:
        raise ValueError(f"no attack {names.LIRA!r} at epsilon {PAPER_EPSILONS} in {sorted(tables)}")
    rows = rows.assign(fpr=rows["metric"].map(_METRICS))
    key = ["experiment", "epsilon", "rate", "fpr"]
    shown = rows.groupby(key)["value"].transform(lambda values: values.notna().all())
    found = [frames.means(rows[shown].sort_values(key), key).assign(curve=ATTACK)]
    for (experiment, epsilon), _ in rows.groupby(["experiment", "epsilon"], sort=False):
        here = every[(every["experiment"] == experiment) & (every["epsilon"] == epsilon)]
        delta = facts.experiments[experiment]["delta"]
        ceilings = [frames.ceilings(here, f"tpr_ceiling@{rate:g}")["ceiling"].max() for rate in ROC_RATES]
        for curve, tprs in ((BOUND, tpr_bound(ROC_RATES, epsilon, delta)), (CEILING, ceilings)):
            about = {"experiment": experiment, "curve": curve, "epsilon": epsilon, "fpr": ROC_RATES, "mean": tprs}
            found.append(pd.DataFrame(about))
    table = pd.concat(found, ignore_index=True)
    return table[["experiment", "curve", *key[1:], "mean", "low", "high", "replicates", "interval"]]


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw a panel for each data set and epsilon, with a curve for each sampling rate."""
    epsilons = sorted(table["epsilon"].unique())
    # A row for each data set; side by side where there is one epsilon only.
    height, columns = (len(EXPERIMENTS), len(epsilons)) if len(epsilons) > 1 else (1, len(EXPERIMENTS))
    figure, axes = drawing.panels(height * columns, facts, height=2.4 * height + 1.0, rows=height, sharey=True)
    panels = itertools.product(EXPERIMENTS, epsilons)
    for axis, letter, (experiment, epsilon) in zip(axes, string.ascii_lowercase, panels, strict=False):
        axis.set(title=f"({letter}) {names.DATASETS[experiment]}, ε = {epsilon:g}", xscale="log")
        axis.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(ROC_RATES[0], 1), ylim=(0, 1.02))
        axis.label_outer()
        rows = table[(table["experiment"] == experiment) & (table["epsilon"] == epsilon)]
        if frames.note_missing(axis, rows):
            continue
        for rate, curve in rows[rows["curve"] == ATTACK].groupby("rate"):
            colour = frames.rate_colour(rate)
            drawing.draw_means(axis, curve, "fpr", colour=colour, label=f"p = {rate:g}", marker="none", band=True)
        for limit, line, label in ((BOUND, "--", "(ε, δ) formula"), (CEILING, "-.", "exact upper bound, any p")):
            shown = rows[rows["curve"] == limit]
            drawing.draw_curve(axis, shown, "fpr", colour="black", label=label, line=line, linewidth=1)
        axis.plot(ROC_RATES, ROC_RATES, ":", color=drawing.GREY, linewidth=1, label="guessing")
    drawing.legend(figure)
    drawing.caption(
        figure,
        f"{names.LIRA_NOTE} Shadow models at p = .5. "
        "A false positive rate below 1 / number of non-members cannot be shown. The exact "
        "upper bound holds for any attack on the trained mechanisms, at any p. "
        f"{frames.other_epsilons(PAPER_EPSILONS, table)}{drawing.run_facts(facts, table)}",
    )
    return figure
