"""Figure 11: ROC of LiRA against private models, by sampling rate."""

from __future__ import annotations

import itertools

import pandas as pd
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.thudi import frames, names
from dpmia.precision import ROC_RATES

EPSILONS = (3.0, 5.0, 7.0)

#: Letter -> experiment and epsilon.
PANELS = dict(zip("abcdef", itertools.product((names.CIFAR10, names.MNIST), EPSILONS), strict=True))

_METRICS = {f"tpr@{rate:g}": rate for rate in ROC_RATES}


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return the mean TPR over replicates at each of the false positive rates.

    Args:
        tables: named `replicates/<experiment>` (see `dpmia.papers.thudi.names`).
        facts: of the run.

    Returns:
        Columns experiment, epsilon, rate, fpr, mean, low, high, replicates. No row below the resolution of the data:
        one replicate with too few non-members for a false positive rate is enough to leave it out.

    Raises:
        ValueError: LiRA ran against no model of the figure.
    """
    rows = frames.rows_of(tables, {experiment for experiment, _ in PANELS.values()})
    rows = rows[(rows["attack"] == names.LIRA) & rows["metric"].isin(_METRICS) & rows["epsilon"].isin(EPSILONS)]
    if rows.empty:
        raise ValueError(f"no attack {names.LIRA!r} at epsilon {EPSILONS} in {sorted(tables)}")
    rows = rows.assign(fpr=rows["metric"].map(_METRICS))
    key = ["experiment", "epsilon", "rate", "fpr"]
    told = rows.groupby(key)["value"].transform(lambda values: values.notna().all())
    return frames.means(rows[told].sort_values(key), key)


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw six panels: one for each data set and epsilon, with a curve for each sampling rate."""
    figure, axes = frames.grid(2, 3, facts)
    for axis, (letter, (experiment, epsilon)) in zip(axes, PANELS.items(), strict=True):
        axis.set(title=f"({letter}) {names.DATASETS[experiment]}, ε = {epsilon:g}", xscale="log")
        axis.set(xlabel="false positive rate", xlim=(ROC_RATES[0], 1), ylim=(0, 1.02))
        rows = table[(table["experiment"] == experiment) & (table["epsilon"] == epsilon)]
        if frames.note_missing(axis, rows):
            continue
        for rate, curve in rows.groupby("rate"):
            colour = frames.rate_colour(rate)
            axis.plot(curve["fpr"], curve["mean"], color=colour, label=f"p = {rate:g}")
            axis.fill_between(curve["fpr"], curve["low"], curve["high"], color=colour, alpha=0.15, linewidth=0)
        axis.plot(ROC_RATES, ROC_RATES, "--", color="black", linewidth=1, label="guessing")
    for axis in axes[::3]:
        axis.set_ylabel("true positive rate")
    drawing.legend(figure)
    drawing.caption(
        figure,
        "LiRA, shadow models at p = .5. A false positive rate below 1 / number of non-members cannot be shown. "
        f"{frames.missing_epsilons(EPSILONS, table)}{drawing.run_facts(facts)}",
    )
    return figure
