"""Ours: attacks with reference models and by quantile regression, at each epsilon the best, beside the exact bounds."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS, KEYS
from dpmia.metrics.intervals import Estimate
from dpmia.metrics.ranges import possible_range
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries.epsilon_curves import arms, bound_curve, pairs
from dpmia.papers.humphries.names import ALIKE, ONLINE
from dpmia.papers.humphries.shares import independent

#: Experiment -> its name in titles.
DATASETS = {"adult_cluster_strong": "Adult", "student_strong": "students"}

#: Metric of attacks -> the metric of the model that bounds it on independent records, and the name of its panels.
METRICS = {
    "advantage": ("advantage_ceiling", "membership advantage"),
    "tpr_at_1pct_fpr": ("tpr_ceiling_at_1pct_fpr", "TPR at 1 % FPR"),
}

#: The axis of TPRs is linear up to here, the rate of guessing, and logarithmic above.
GUESSING = 0.01


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return both metrics of all attacks, without oracles, and their bounds; at each epsilon of an arm one is `best`.

    The bound that (epsilon, delta) alone gives is the metric `bound`, along the axis of epsilon.

    Attacks of `ONLINE` are left out where the number of reference models that hold a record depends on its group, and
    members are of other groups than non-members.

    Args:
        tables: `summary/<experiment>`.
        run_summary: of the run.

    Returns:
        Columns of the summary, and `best`: whether the mean is the largest of all attacks. Limits are widened so that
        those of all attacks hold together, so that they hold for the best one, too.
    """
    rows = pd.concat(tables.values(), ignore_index=True)
    rows = rows[~rows["oracle"] & ~rows["attack"].isin((BLIND, BLIND_WITH_LOSS))].dropna(subset="mean")
    rows = rows[independent(rows) | rows["experiment"].isin(ALIKE) | ~rows["attack"].isin(ONLINE)]
    bounds = rows["metric"].isin([bound for bound, _ in METRICS.values()])
    drawn = [bound_curve(rows, name, description) for name, description in run_summary.experiments.items()]
    parts = [part.assign(best=False) for part in (rows[bounds], *drawn)]
    of_attacks = rows[rows["metric"].isin(METRICS)]
    for _, of_one in of_attacks.groupby(["experiment", "arm", "epsilon", "metric"], sort=False):
        parts.append(_held_together(of_one).assign(best=of_one.index == of_one["mean"].idxmax()))
    return pd.concat(parts).sort_values(KEYS, ignore_index=True)


def _held_together(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of one model and metric with limits that hold together; those without limits stay without."""
    level = 1 - 0.05 / len(rows)
    limits = [Estimate.of_row(row).limits(possible_range(row.metric), level) for row in rows.itertuples()]
    return rows.assign(low=[low for low, _ in limits], high=[high for _, high in limits])


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw a row of two panels for each experiment: advantage, and TPR at 1 % FPR."""
    names = [name for name in DATASETS if name in set(table["experiment"])]
    figure, axes = drawing.panels(2 * len(names), run_summary, height=1.9, rows=len(names))
    places = [(name, metric) for name in names for metric in METRICS]
    for axis, (name, metric) in zip(axes, places, strict=True):
        of_metric = table[table["experiment"] == name]
        _panel(axis, of_metric[of_metric["metric"].isin([metric, METRICS[metric][0], "bound"])], metric)
        axis.set_title(f"{DATASETS[name]}: {METRICS[metric][1]}")
    attacks = sorted(set(table.loc[table["metric"].isin(METRICS), "attack"]))
    drawing.finish(
        figure,
        f"Best of {', '.join(attacks).replace('_', ' ')}, at each ε the one with the largest mean (named in the CSV), "
        "which is biased upwards; limits hold for all attacks together, by Bonferroni. Without online LiRA and RMIA "
        "on non-IID records of Adult: more reference models hold a record of the smaller cluster, which alone "
        "separates members. All targets of one ε share their reference models, whose chance the limits do not show. "
        "Without a blind baseline, which figures 2 and 7 have. Bounds hold for IID records; exact ones of a TPR are "
        "taken at the FPR that a threshold from so many non-members holds on new records. TPRs: linear up to 0.01, "
        "logarithmic above.",
        drawing.run_caption(run_summary, table),
    )
    return figure


def _panel(axis: Any, rows: pd.DataFrame, metric: str) -> None:
    axis.set(ylabel=METRICS[metric][1])
    bound, rows = rows[rows["metric"] == "bound"], rows[rows["metric"] != "bound"]
    if rows.empty:
        drawing.note(axis, "fewer than 100 non-members")
        return
    scale = drawing.EpsilonScale(rows["epsilon"])
    best = rows[rows["best"]]
    curves = pairs(arms(rows))
    for place, curve in enumerate(curves):
        shown = best[best["arm"] == curve.arm]
        scale.draw(axis, shown, curve.colour, f"best attack, {curve.label}", beside=(place, len(curves)))
    ceiling = rows[(rows["metric"] == METRICS[metric][0]) & (rows["arm"] == curves[-1].arm)]
    drawing.draw_ticks(axis, ceiling, "epsilon", colour="black", label="exact upper bound, IID")
    if metric == "advantage":
        drawing.draw_curve(axis, bound, "epsilon", colour="black", label="(ε, δ) bound, IID", line="--")
    scale.label(axis)
    drawing.zero_line(axis)
    if metric == "advantage":
        axis.set(ylim=(min(-0.12, 1.1 * best[["mean", "low"]].min(axis=None)), 1.05))
        return
    axis.set_yscale("symlog", linthresh=GUESSING, linscale=0.5)
    ticks = (0, 0.01, 0.1, 1)
    axis.set(ylim=(0, 1.2), yticks=ticks, yticklabels=map(str, ticks))
