"""Figure 8: a private step whose precision tends to 1, while accuracy stays near chance. Exact."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpmia.common.formatting import format_bound, format_significant
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.privacy.upper_bounds import advantage_ceiling, gaussian_trade_off
from dpmia.theory.bounds import humphries_advantage
from dpmia.theory.logistic_example import NOISE, acceptance, accuracy, precision
from dpmia.theory.precision_bounds import precision_bound

EPSILON, DELTA, PRIOR = 1.0, 1e-5, 0.5

#: What each panel shows, and the thresholds of its axis relative to the first weight.
THRESHOLDS = {"precision": np.linspace(-100, 100, 2001), "accuracy": np.linspace(-10, 10, 2001)}


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns measure, threshold, value, acceptance (of the record when it was in), bound (theorem 3.3)."""
    measures = {"precision": precision, "accuracy": accuracy}
    panels = []
    for name, thresholds in THRESHOLDS.items():
        accepted = acceptance(thresholds)
        rows = {"measure": name, "threshold": thresholds, "value": measures[name](thresholds), "acceptance": accepted}
        if name == "precision":
            # Far to the left the acceptance is below the smallest number; nothing is bounded long before.
            rows["bound"] = precision_bound(EPSILON, PRIOR, DELTA, np.maximum(accepted, DELTA))
        panels.append(pd.DataFrame(rows))
    return pd.concat(panels, ignore_index=True)


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw precision with its bound, and accuracy, each against the threshold on the weight."""
    figure, axes = drawing.panels(2, run_summary, height=2.1)
    for panel, (name, rows) in zip(axes, table.groupby("measure", sort=False), strict=True):
        label = "the threshold attack"
        drawing.draw_curve(panel, rows, "threshold", "value", colour=drawing.BLUE, label=label)
        if rows["bound"].notna().any():
            label = "theorem 3.3, corrected"
            drawing.draw_curve(panel, rows, "threshold", "bound", colour="black", label=label, line="--")
        panel.set(title=name, xlabel="threshold on the weight minus $10^6$", ylabel=name)
    exact = (1 + advantage_ceiling(gaussian_trade_off(1 / NOISE))) / 2
    axes[1].axhline(exact, color="black", linestyle="-.", linewidth=1, label="exact upper bound")
    axes[0].set_ylim(0.48, 1.02)
    axes[1].set_ylim(0.495, 0.555)
    formula = (1 + float(humphries_advantage(EPSILON, DELTA))) / 2
    best = table[table["measure"] == "accuracy"].nlargest(1, "value").iloc[0]
    place = (best["threshold"], best["value"])
    text = f"{best['value']:.3f} at {best['threshold']:.1f}"
    arrow = {"arrowstyle": "-", "linewidth": 0.6, "color": "0.3"}
    drawing.annotate(axes[1], text, place, (0, -34), ha="center", va="center", arrowprops=arrow)
    drawing.finish(
        figure,
        f"Exact. One full-batch step with noise {NOISE:g}: ε = {EPSILON:g} and δ = {format_significant(DELTA)} by "
        "the improved conversion from Rényi DP. The bound at each threshold is that of attacks that accept as often; "
        f"it says nothing where they accept less often than δ. Accuracy: (ε, δ) allows {format_bound(formula)}, the "
        f"step itself {exact:.3f}, which the attack reaches; in (a) the attack is the exact upper bound "
        "everywhere.",
    )
    return figure
