"""Figure 4: what LiRA gains over the baseline, against the sampling rate, beside what a random ranking gains."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpmia.papers import drawing
from dpmia.papers.artifact import Facts
from dpmia.papers.thudi import frames, names

PANELS = names.panels(tuple(names.DATASETS), names.LIRA)
ATTACK, CONTROL = "LiRA", "random ranking"

_MODEL = ["experiment", "rate", "epsilon", "replicate"]


def tabulate(tables: dict[str, pd.DataFrame], facts: Facts) -> pd.DataFrame:
    """Return the gain in positive accuracy of the best of forty quantiles, over all epsilons and replicates.

    Args:
        tables: named `replicates/<experiment>` (see `dpmia.papers.thudi.names`).
        facts: of the run.

    Returns:
        Columns experiment, curve (`LiRA`, `random ranking`), rate, mean, low, high, replicates (models
        averaged: epsilons times replicates).

    Raises:
        ValueError: LiRA ran against no private model of the paper's epsilons.
    """
    rows = frames.rows_of(tables, names.DATASETS)
    rows = rows[(rows["attack"] == names.LIRA) & np.isin(rows["epsilon"], names.EPSILONS)]
    wide = rows.pivot(index=_MODEL, columns="metric", values="value").reset_index()
    if wide.empty:
        raise ValueError(f"no attack {names.LIRA!r} at epsilon {names.EPSILONS} in {sorted(tables)}")
    gains = [
        wide[_MODEL].assign(curve=curve, value=wide[metric] - wide["precision_baseline"])
        for curve, metric in ((ATTACK, "precision_best"), (CONTROL, "precision_control"))
    ]
    return frames.means(pd.concat(gains), ["experiment", "curve", "rate"])


def draw(table: pd.DataFrame, facts: Facts) -> Figure:
    """Draw one panel for each data set."""
    figure, axes = drawing.panels(len(PANELS), facts)
    top = float(np.nanmax([table["high"].max(), table["mean"].max()]))
    for axis, panel in zip(axes, PANELS, strict=True):
        rows = table[table["experiment"] == panel.experiment]
        axis.set(title=panel.title, xlabel="sampling rate p", xlim=(0, 1), xticks=names.RATES, ylim=(0, 1.1 * top))
        if frames.note_missing(axis, rows):
            continue
        for curve, line, colour in ((ATTACK, "-", drawing.COLOURS[0]), (CONTROL, ":", "0.45")):
            shown = rows[rows["curve"] == curve].sort_values("rate")
            axis.plot(shown["rate"], shown["mean"], line, marker="o", color=colour, label=curve)
            if curve == ATTACK:
                axis.fill_between(shown["rate"], shown["low"], shown["high"], color=colour, alpha=0.2, linewidth=0)
    axes[0].set_ylabel("gain over the baseline")
    drawing.legend(figure)
    drawing.caption(
        figure,
        f"{frames.ORACLE} Mean over all finite ε of the paper that were run and all replicates; models of one "
        f"replicate share their split, so the bands are too narrow. {drawing.run_facts(facts)}",
    )
    return figure
