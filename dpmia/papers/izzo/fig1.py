"""Figure 1: scale of Laplace noise against eta, for the algorithm of proposition 9. Exact."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.theory.bounds import laplace_epsilon
from dpmia.theory.mip import corollary_8_scale, epsilon_from_eta, total_variation_scale
from dpmia.theory.reciprocal_sum import ReciprocalSum

ETAS = np.linspace(0.005, 0.495, 99)

#: Numbers of records of the dotted lines; the paper's are lost, these are ours.
RECORDS = (24, 30, 36, 42)

#: Bound on the standard deviation of the output over halves, for every number of records from 8 up.
SIGMA = 1.0


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return columns route, records, sensitivity, eta, noise_scale.

    Routes: `mip` (corollary 8 at M = 2), `total_variation` (our smaller scale), both without records; `dp` (Laplace
    mechanism with the epsilon of theorem 4) and `dp_exact` (the noise at which the best attacker gains eta between
    outputs that differ by the sensitivity), one for each of `RECORDS`.
    """
    routes = [
        pd.DataFrame({"route": "mip", "eta": ETAS, "noise_scale": corollary_8_scale(ETAS, 2) * SIGMA}),
        pd.DataFrame({"route": "total_variation", "eta": ETAS, "noise_scale": total_variation_scale(ETAS) * SIGMA}),
    ]
    for records in RECORDS:
        sensitivity = ReciprocalSum(records).sensitivity
        for route, epsilons in (("dp", epsilon_from_eta(ETAS)), ("dp_exact", laplace_epsilon(2 * ETAS))):
            columns = {"route": route, "records": records, "sensitivity": sensitivity, "eta": ETAS}
            routes.append(pd.DataFrame(columns | {"noise_scale": sensitivity / epsilons}))
    table = pd.concat(routes, ignore_index=True)[["route", "records", "sensitivity", "eta", "noise_scale"]]
    return table.astype({"records": "Int64"})


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw one panel: a line for each route, for DP one for each number of records."""
    figure, (axes,) = drawing.panels(1, run_summary, width=drawing.WIDE, height=3.4)
    for records, rows in table[table["route"] == "dp"].groupby("records"):
        label = "DP, Laplace mechanism"
        drawing.draw_curve(axes, rows, "eta", "noise_scale", colour=drawing.VERMILION, label=label, line=":")
        end = rows.iloc[-1]
        place = (end["eta"], end["noise_scale"])
        drawing.annotate(axes, f"n = {records}", place, (5, 0), va="center", color=drawing.VERMILION)
    for _, rows in table[table["route"] == "dp_exact"].groupby("records"):
        look = {"colour": drawing.VERMILION, "line": "-.", "linewidth": 1}
        drawing.draw_curve(axes, rows, "eta", "noise_scale", label="DP, least noise for any data", **look)
    for route, line, label in (
        ("mip", "-", "MIP, corollary 8, M = 2"),
        ("total_variation", "--", "MIP, total variation (ours)"),
    ):
        rows = table[table["route"] == route]
        drawing.draw_curve(axes, rows, "eta", "noise_scale", colour=drawing.BLUE, label=label, line=line)
    axes.set(
        yscale="log", xlabel="η, gain of the best attacker over 1/2", ylabel="scale of Laplace noise", xlim=(0, 0.5)
    )
    drawing.finish(
        figure,
        "Exact. n records; the output has a standard deviation of at most 1 over halves of them, whatever n, and a "
        "sensitivity of about the square root of the number of halves. MIP: (6.16/η)², where 6.16 is printed in "
        "corollary 8 (the text beside the figure names theorem 7, whose 7.5 takes 1.48 times the noise), exponent and "
        "function of proposition 9 are reconstructed. DP: sensitivity / ln((1+2η)/(1-2η)), theorem 4, restored "
        "from its proof; dash-dotted: sensitivity / (-2 ln(1-2η)), the least Laplace noise that bounds the gain by η "
        "between any two outputs this far apart. "
        "n: our choice. Dashed: 1/(2η) is enough, by an argument that is not in the paper.",
    )
    return figure
