"""Figure 1: three bounds against epsilon."""

from __future__ import annotations

import numpy as np
import pandas as pd
import seaborn as sns

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.theory.bounds import erlingsson_advantage, humphries_advantage, yeom_advantage

DELTA = 1e-5
EPSILONS = np.geomspace(0.01, 10, 301)


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns bound, epsilon, delta, advantage; every bound is cut at 1, where it says nothing any more."""
    bounds = {
        "Yeom et al.": (yeom_advantage, 0.0),
        "Erlingsson et al.": (erlingsson_advantage, DELTA),
        "Humphries et al.": (humphries_advantage, DELTA),
    }
    return pd.concat(
        pd.DataFrame(
            {"bound": name, "epsilon": EPSILONS, "delta": delta, "advantage": bound(EPSILONS, delta).clip(max=1)}
        )
        for name, (bound, delta) in bounds.items()
    ).reset_index(drop=True)


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel with a curve for each bound."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.3)
    dashes = [drawing.DOTTED, drawing.DASH_DOTTED, drawing.SOLID]
    look = {"hue": "bound", "style": "bound", "palette": drawing.COLOURS[:3], "dashes": dashes}
    sns.lineplot(table, x="epsilon", y="advantage", estimator=None, ax=axes, **look)
    axes.set(xscale="log", xlabel="ε", ylabel="bound on membership advantage", ylim=(0, 1.02))
    drawing.finish(figure, "Exact. Yeom et al. bound pure differential privacy (δ = 0); the others at δ = 1e-5.")
    return figure
