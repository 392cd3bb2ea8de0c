"""Figures 1 and 2: the bound by sampling rate, and what lowering the rate does beside lowering epsilon. Exact."""

from __future__ import annotations

import numpy as np
import pandas as pd
import seaborn as sns
from scipy.optimize import brentq

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.theory.precision_bounds import precision_bound

EPSILONS = (0.1, 1.0, 2.0, 5.0)
PRIORS = np.linspace(0.001, 0.9, 900)
STEPS = np.linspace(0.01, 1, 991)

#: Figure 2: the terms that epsilon = t and sampling rate = t put into the bound.
TERMS = {"epsilon": lambda t: np.exp(-t), "sampling rate": lambda t: (1 - t) / t}


def crossing() -> float:
    """Return the t at which both terms of figure 2 are equal."""
    return float(brentq(lambda t: TERMS["sampling rate"](t) - TERMS["epsilon"](t), 0.1, 1))


def tabulate_fig1(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns epsilon, prior, bound (theorem 3.3 without delta)."""
    return pd.concat(
        pd.DataFrame({"epsilon": epsilon, "prior": PRIORS, "bound": precision_bound(epsilon, PRIORS)})
        for epsilon in EPSILONS
    ).reset_index(drop=True)


def draw_fig1(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel with a curve for each epsilon, above the line of predicting every record a member."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.4)
    curves = table.assign(epsilon=table["epsilon"].map("ε = {:g}".format))
    palette = drawing.COLOURS[: curves["epsilon"].nunique()]
    sns.lineplot(curves, x="prior", y="bound", hue="epsilon", palette=palette, estimator=None, ax=axes)
    axes.plot([0, 0.9], [0, 0.9], ":", color=drawing.GREY, label="every record predicted a member")
    axes.set(xlabel="sampling rate p", ylabel="bound on precision", xlim=(0, 0.92), ylim=(0, 1.02))
    drawing.finish(figure, "Exact. Theorem 3.3 at δ = 0.")
    return figure


def tabulate_fig2(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns lowered, t, term."""
    return pd.concat(
        pd.DataFrame({"lowered": lowered, "t": STEPS, "term": term(STEPS)}) for lowered, term in TERMS.items()
    ).reset_index(drop=True)


def draw_fig2(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw both terms against t, and a thin line where they meet."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.4)
    names = {"epsilon": "ε = t: $e^{-t}$", "sampling rate": "p = t: (1 - t) / t"}
    curves = table.assign(lowered=table["lowered"].map(names))
    sns.lineplot(curves, x="t", y="term", hue="lowered", palette=drawing.COLOURS[:2], estimator=None, ax=axes)
    meet = crossing()
    axes.vlines(meet, 0, 2, color="0.8", linewidth=0.8, zorder=0)
    drawing.annotate(axes, f"t = {meet:.3f}", (meet, 1.7), (4, 0), color=drawing.GREY)
    axes.set(xlabel="t", ylabel="term in the bound (larger = safer)", xlim=(0, 1), ylim=(0, 5))
    drawing.finish(
        figure,
        "Exact, δ = 0. The bound is 1 / (1 + e⁻ᵋ (1 - p) / p): lowering ε helps by a bounded factor, lowering "
        "p without limit.",
    )
    return figure
