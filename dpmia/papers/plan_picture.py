"""The picture of a plan for private training (`dpmia.privacy.planner`)."""

from __future__ import annotations

import pandas as pd

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary

#: Column of a plan -> title and vertical axis of its panel.
PANELS = {
    "epsilon": ("privacy budget", "ε"),
    "noise_multiplier": ("noise", "noise multiplier σ"),
    "exact_precision": ("what it allows", "precision"),
}


def draw(table: pd.DataFrame) -> drawing.CaptionedFigure:
    """Draw epsilon, noise multiplier and the exact bound on precision against the sampling rate.

    Args:
        table: of `dpmia.privacy.planner.plan`. Rates that are excluded are left out; where the bound cannot be met is
            shaded.
    """
    figure, axes = drawing.panels(len(PANELS), RunSummary(False, "", without_data=True), height=2.1)
    bound = float(table["bound"].iloc[0])
    end = min(1.4 * bound, 1)
    trained = table[table["noise_multiplier"].notna()]
    for axis, (column, (title, label)) in zip(axes, PANELS.items(), strict=True):
        drawing.draw_curve(
            axis, trained, "rate", column, colour=drawing.BLUE, label="exact, with this noise", marker="o"
        )
        axis.axvspan(bound, 1, color="0.93", zorder=0, label="cannot be met")
        axis.set(title=title, xlabel="sampling rate p", ylabel=label, xlim=(0, end))
    for axis in axes[:2]:
        axis.set_ylim(bottom=0)
    last = axes[2]
    for heights, look in (
        ((bound, bound), {"colour": "black", "label": "target bound", "line": "--"}),
        ((0, 1), {"colour": drawing.GREY, "label": "every record predicted a member", "line": ":"}),
    ):
        drawing.draw_curve(last, pd.DataFrame({"rate": (0, 1), "mean": heights}), "rate", **look)
    last.set_ylim(0, end)
    drawing.finish(figure)
    return figure
