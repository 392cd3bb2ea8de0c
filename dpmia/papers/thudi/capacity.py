"""Figure 7: how many deletion requests a model can ignore, against the expected size of its training set. Exact."""

from __future__ import annotations

import numpy as np
import pandas as pd
import seaborn as sns

from dpmia.common.formatting import format_count
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.theory.unlearning import deletion_capacity, deletion_capacity_as_printed

BOUND, RECORDS, EPSILON = 0.8, 10_000, 1.0
SIZES = np.linspace(0.5, 200, 400)

#: Where the line of linear growth meets the printed curve: our choice, the paper does not give its slope.
MEETING_SIZE = 100.0

PRINTED, CORRECTED, LINEAR = "corollary 5.2 as printed", "corollary 5.2, sign corrected", "linear"


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns curve, size (expected number of records trained on), capacity."""
    slope = deletion_capacity_as_printed(BOUND, EPSILON, MEETING_SIZE / RECORDS) / MEETING_SIZE
    curves = {
        PRINTED: deletion_capacity_as_printed(BOUND, EPSILON, SIZES / RECORDS),
        CORRECTED: deletion_capacity(BOUND, EPSILON, SIZES / RECORDS),
        LINEAR: slope * SIZES,
    }
    return pd.concat(
        pd.DataFrame({"curve": name, "size": SIZES, "capacity": capacity}) for name, capacity in curves.items()
    ).reset_index(drop=True)


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw the curves twice: as the paper does, and on a logarithmic axis, where they can be distinguished."""
    figure, axes = drawing.panels(2, run_summary, height=2.1)
    dashes = {PRINTED: drawing.SOLID, CORRECTED: drawing.DASHED, LINEAR: drawing.DOTTED}
    palette = {PRINTED: drawing.BLUE, CORRECTED: drawing.VERMILION, LINEAR: drawing.GREY}
    look = {"hue": "curve", "style": "curve", "palette": palette, "dashes": dashes}
    for panel, scale in zip(axes, ("linear", "log"), strict=True):
        sns.lineplot(table, x="size", y="capacity", estimator=None, ax=panel, **look)
        panel.set(yscale=scale, xlabel="expected training set size c", ylabel="deletion capacity m")
    axes[0].set_title("as in the paper")
    axes[1].set_title("logarithmic axis")
    axes[1].set_ylabel("")
    drawing.finish(
        figure,
        f"Exact. Bound {BOUND:g} on the chance that no deleted record was trained on, {format_count(RECORDS)} records, "
        f"ε = {EPSILON:g}, δ = 0. The printed formula has e⁻ᵋ where one minus the bound on precision has eᵋ: "
        "the corrected curve is the one to rely on. The line meets the printed curve at "
        f"c = {MEETING_SIZE:g} (our choice).",
    )
    return figure
