"""All bounds of the five papers against epsilon: advantage, accuracy, precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.theory.bounds import (
    auc_bound,
    erlingsson_advantage,
    humphries_advantage,
    laplace_advantage,
    yeom_advantage,
)
from dpmia.theory.mip import eta_from_epsilon
from dpmia.theory.precision_bounds import precision_bound, sablayrolles_precision

EPSILONS = np.geomspace(0.01, 10, 301)

#: P(1) of the third panel.
PRIORS = (0.1, 0.5)

MEASURES = ("advantage", "accuracy", "precision")

HUMPHRIES, IZZO, THUDI, YE = "Humphries et al.", "Izzo et al.", "Thudi et al.", "AUC (measure of Ye et al.)"
LAPLACE = "Laplace noise, exact"


def _advantages() -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """Return every paper's bound on TPR - FPR at prior 1/2."""
    return {
        "Yeom et al.": yeom_advantage,
        "Erlingsson et al.": erlingsson_advantage,
        HUMPHRIES: humphries_advantage,
        IZZO: lambda epsilon: 2 * eta_from_epsilon(epsilon),
        THUDI: lambda epsilon: 2 * precision_bound(epsilon, 0.5) - 1,
    }


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns measure, bound, prior, epsilon, value; pure differential privacy; values are cut at 1."""
    curves = []
    for name, advantage in _advantages().items():
        values = advantage(EPSILONS)
        curves += [("advantage", name, 0.5, values), ("accuracy", name, 0.5, (1 + values) / 2)]
    exact = laplace_advantage(EPSILONS)
    curves += [("advantage", LAPLACE, 0.5, exact), ("accuracy", LAPLACE, 0.5, (1 + exact) / 2)]
    curves.append(("accuracy", YE, 0.5, auc_bound(EPSILONS)))
    for prior in PRIORS:
        curves += [
            ("precision", "Sablayrolles et al.", prior, sablayrolles_precision(EPSILONS, prior)),
            ("precision", THUDI, prior, precision_bound(EPSILONS, prior)),
        ]
    return pd.concat(
        [
            pd.DataFrame({"measure": measure, "bound": name, "prior": prior, "epsilon": EPSILONS, "value": values})
            for measure, name, prior, values in curves
        ],
        ignore_index=True,
    ).assign(value=lambda table: table["value"].clip(upper=1))


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel for each measure. Bounds that are equal lie on each other, the wide one below."""
    looks: dict[str, dict[str, Any]] = {
        "Yeom et al.": {"colour": drawing.ORANGE, "line": ":"},
        "Erlingsson et al.": {"colour": drawing.SKY, "line": "-."},
        HUMPHRIES: {"colour": drawing.BLUE, "linewidth": 4.5, "alpha": 0.35},
        IZZO: {"colour": drawing.VERMILION},
        THUDI: {"colour": drawing.GREEN, "line": (0, (4, 3))},
        YE: {"colour": "0.15", "line": (0, (1, 4)), "linewidth": 2.4},
        "Sablayrolles et al.": {"colour": drawing.PURPLE, "line": ":"},
        LAPLACE: {"colour": "0.15", "line": "-.", "linewidth": 1},
    }
    figure, panels = drawing.panels(3, run_summary, height=2.5, sharey=True)
    for axes, measure in zip(panels, MEASURES, strict=True):
        shown = table[table["measure"] == measure]
        for (name, prior), rows in shown.groupby(["bound", "prior"], sort=False):
            drawing.draw_curve(axes, rows, "epsilon", "value", label=name, **looks[name])
            if measure == "precision" and name == THUDI:
                start = rows.iloc[0]
                drawing.annotate(axes, f"P = {prior:g}", (start["epsilon"], start["value"]), (2, 6))
        axes.set(xscale="log", xlabel="ε", ylabel="bound", title=measure, ylim=(0, 1.03))
        axes.label_outer()
    drawing.finish(
        figure,
        "Exact; AUC is drawn on the axis of accuracy. Pure differential privacy (δ = 0), independent records. Left and "
        "middle: half of the queried records are members (P = 1/2); accuracy = (1 + advantage) / 2 = 1/2 + η. Right: P "
        "is the probability that a record is a member. Curves are cut at 1, where they are vacuous. Yeom, Erlingsson, "
        "Humphries, Izzo: one record replaced; Thudi: added or removed. Ye et al. give no bound; dotted: the largest "
        "AUC that the region of error rates of ε allows (ours). The formulas hold for all mechanisms; "
        "dash-dotted: the exact upper bound of one mechanism. Theorem 4 of Izzo et al. is restored from its proof.",
    )
    return figure
