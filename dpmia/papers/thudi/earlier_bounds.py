"""Figures 9 and 10: the bound beside older ones. Exact."""

from __future__ import annotations

import numpy as np
import pandas as pd
import seaborn as sns

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.theory.precision_bounds import (
    erlingsson_accuracy,
    precision_bound,
    sablayrolles_precision,
)

#: The caption speaks of all epsilon > 0; its plot is lost, its axis is our choice.
EPSILONS = np.linspace(0.01, 5, 500)
FEW_EPSILONS = (0.1, 1.0, 2.0)
PRIORS = np.linspace(0.001, 0.999, 999)

OURS, ERLINGSSON, SABLAYROLLES = "theorem 3.3 = Humphries et al.", "Erlingsson et al.", "Sablayrolles et al."


def tabulate_fig9(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns bound, epsilon, accuracy at prior 1/2 without delta, cut at 1."""
    curves = {
        SABLAYROLLES: sablayrolles_precision(EPSILONS, 0.5),
        ERLINGSSON: erlingsson_accuracy(EPSILONS),
        OURS: precision_bound(EPSILONS, 0.5),
    }
    return pd.concat(
        pd.DataFrame({"bound": name, "epsilon": EPSILONS, "accuracy": values.clip(max=1)})
        for name, values in curves.items()
    ).reset_index(drop=True)


def draw_fig9(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel with a curve for each bound."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.4)
    dashes = {SABLAYROLLES: drawing.DOTTED, ERLINGSSON: drawing.DASH_DOTTED, OURS: drawing.SOLID}
    look = {"hue": "bound", "style": "bound", "palette": drawing.COLOURS[:3], "dashes": dashes}
    sns.lineplot(table, x="epsilon", y="accuracy", estimator=None, ax=axes, **look)
    axes.set(xlabel="ε", ylabel="bound on accuracy", xlim=(0, 5), ylim=(0.48, 1.02))
    drawing.finish(figure, "Exact. Sampling rate 1/2, δ = 0; a bound above 1 is drawn as 1.")
    return figure


def tabulate_fig10(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns bound, epsilon, prior, precision without delta, cut at 1."""
    curves = {
        (name, epsilon): bound(epsilon, PRIORS).clip(max=1)
        for epsilon in FEW_EPSILONS
        for name, bound in (
            ("theorem 3.3", precision_bound),
            (SABLAYROLLES, sablayrolles_precision),
        )
    }
    return pd.concat(
        pd.DataFrame({"bound": name, "epsilon": epsilon, "prior": PRIORS, "precision": values})
        for (name, epsilon), values in curves.items()
    ).reset_index(drop=True)


def draw_fig10(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel: both bounds in one colour for each epsilon."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.NARROW, height=2.8)
    colours = dict(zip(FEW_EPSILONS, drawing.COLOURS, strict=False))
    for (epsilon, name), rows in table.groupby(["epsilon", "bound"], sort=False):
        look = {"colour": colours[epsilon], "line": "--" if name == SABLAYROLLES else "-"}
        drawing.draw_curve(axes, rows, "prior", "precision", label=f"{name}, ε = {epsilon:g}", **look)
    axes.set(xlabel="sampling rate p", ylabel="bound on precision", xlim=(0, 1), ylim=(0, 1.02))
    drawing.finish(figure, "Exact. δ = 0; a bound above 1 is drawn as 1.")
    return figure
