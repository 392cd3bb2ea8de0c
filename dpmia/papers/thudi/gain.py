"""Figure 4: gain of LiRA over the baseline against the sampling rate, beside that of a random ranking.

Above both: the gain that theorem 3.3 and the exact upper bound of the trained mechanisms allow.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pandas as pd

from dpmia.formats.rows import EFFECTS, MissingRowsError
from dpmia.metrics.precision import ACCEPTANCE
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.thudi import frames, names
from dpmia.theory.precision_bounds import precision_bound

PANELS = names.panels(tuple(names.DATASETS), names.LIRA)
ATTACK, CONTROL, BOUND, CEILING = "LiRA", "random ranking", "theorem 3.3", "exact upper bound"

#: The axis is linear up to here, where the curves are, and logarithmic above, where the limits are.
LINEAR = 0.1
TICKS = (-0.1, -0.05, 0, 0.05, 0.1, 0.2, 0.5, 1)

_MODEL = ["experiment", "rate", "epsilon", "replicate"]


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the gain in precision of the best of forty quantiles, over all epsilons and replicates.

    Args:
        tables: named `replicates/<experiment>` (see `dpmia.papers.thudi.names`).
        run_summary: of the run.

    Returns:
        Columns experiment, curve (`LiRA`, `random ranking`, and the limits `theorem 3.3`, `exact upper bound`), rate,
        mean, low, high, replicates, interval, ...: means over replicates of the mean over epsilons. Limits are means
        over the same epsilons.
    """
    every = frames.rows_of(tables, names.DATASETS)
    rows = every[(every["attack"] == names.LIRA) & frames.shown(every["epsilon"], names.EPSILONS)]
    if rows.empty:
        raise MissingRowsError(f"no attack {names.LIRA!r} on private models in {sorted(tables)}")
    # What shared records change in the gain is what they change in the precision: the baseline is a number of records.
    effects = [name for name in EFFECTS if name in rows]
    baseline = rows[rows["metric"] == "precision_baseline"].set_index(_MODEL)["value"]
    gains = pd.concat(
        of_curve.assign(curve=curve, value=of_curve["value"] - baseline).reset_index()
        for curve, metric in ((ATTACK, "precision_best"), (CONTROL, "precision_control"))
        for of_curve in [rows[rows["metric"] == metric].set_index(_MODEL)]
    )
    # Models of one replicate share their split: their mean counts once.
    by = ["experiment", "curve", "rate"]
    gains = gains.groupby([*by, "replicate"], sort=False, as_index=False)[["value", *effects]].mean()
    limits = [
        part
        for experiment, of_one in every.groupby("experiment", sort=False)
        for part in _limits(of_one, run_summary.experiments[experiment].delta)
    ]
    return pd.concat([frames.means(gains, by), *limits], ignore_index=True)


def _limits(rows: pd.DataFrame, delta: float) -> Iterator[pd.DataFrame]:
    """Yield the gain over the sampling rate that both bounds allow, mean over the epsilons of LiRA's curve.

    The exact upper bound is known at the rates of the models, theorem 3.3 at all.
    """
    ceilings = frames.ceilings(rows[frames.shown(rows["epsilon"], names.EPSILONS)], "precision_ceiling")
    models = itertools.product(ceilings["epsilon"].unique(), frames.CURVE_RATES)
    along = pd.DataFrame(models, columns=["epsilon", "rate"])
    bounds = precision_bound(along["epsilon"], along["rate"], delta, ACCEPTANCE)
    for curve, limits in ((BOUND, along.assign(limit=bounds)), (CEILING, ceilings.assign(limit=ceilings["ceiling"]))):
        gains = limits.assign(mean=limits["limit"] - limits["rate"])
        gain = gains.groupby("rate", as_index=False)["mean"].mean()
        yield gain.assign(experiment=rows["experiment"].iloc[0], curve=curve)


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel for each data set."""
    run = frames.of_run(names.DATASETS, run_summary)
    panels = [panel for panel in PANELS if panel.experiment in run]
    figure, axes = drawing.panels(len(panels), run_summary, height=2.1, sharey=True)
    lowest = min(0, 1.1 * table[["mean", "low"]].min(axis=None))
    ticks = [tick for tick in TICKS if tick >= lowest]
    for axis, panel in zip(axes, panels, strict=True):
        rows = table[table["experiment"] == panel.experiment]
        axis.set(
            title=panel.title,
            xlabel="sampling rate p",
            xlim=(0, 1),
            xticks=frames.rate_ticks(rows[rows["curve"] == ATTACK]),
        )
        axis.set_yscale("symlog", linthresh=LINEAR, linscale=1.5)
        axis.set(ylabel="gain over the baseline", ylim=(lowest, 1), yticks=ticks, yticklabels=map(str, ticks))
        axis.set_yticks([], minor=True)
        axis.label_outer()
        if frames.note_missing(axis, rows):
            continue
        curves = dict(list(rows.groupby("curve")))
        drawing.draw_means(axis, curves[ATTACK], "rate", colour=drawing.BLUE, label=ATTACK, band=True)
        control = {"line": ":", "marker": "o", "markeredgecolor": drawing.GREY}
        drawing.draw_curve(axis, curves[CONTROL], "rate", colour=drawing.GREY, label=CONTROL, **control)
        drawing.draw_curve(axis, curves[BOUND], "rate", colour="black", label=BOUND, line="--")
        drawing.draw_ticks(axis, curves[CEILING], "rate", colour="black", label=CEILING)
        drawing.zero_line(axis, LINEAR)
    drawing.finish(
        figure,
        f"{names.LIRA_NOTE} {frames.ORACLE} {frames.BESIDE_ORACLE}"
        "Mean over all finite ε that were run and all replicates. Black: the gain that the bounds allow, mean over "
        f"the same ε. The vertical axis is linear up to {LINEAR:g} (thin line) and logarithmic above; the paper's is "
        "linear.",
        drawing.run_caption(run_summary, table[table["curve"] == ATTACK]),
    )
    return figure
