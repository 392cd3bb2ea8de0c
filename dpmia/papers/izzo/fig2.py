"""Figure 2: error of a learned covariance matrix against eta, with MIP and with full-batch DP-SGD."""

from __future__ import annotations

import itertools
import math

import pandas as pd
from matplotlib.axes import Axes

from dpmia.common.formatting import format_setting, format_significant
from dpmia.formats.table_names import experiment_of
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.privacy.upper_bounds import advantage_ceiling, gaussian_trade_off

STUDY = "studies/izzo_fig2"
KEYS = ["method", "calibration", "radius", "moment", "eta", "epsilon"]
OPTIONS = ["records", "dimension", "steps", "learning_rate", "splits", "delta"]

#: Ranges of eta that the three panels show: all etas up to the first, between the two, from the second on.
CUTS = (0.1, 0.25)


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return the mean relative error of every way to learn with its standard error.

    Columns: method, calibration, radius, moment, eta, epsilon; noise_scale and clip_norm (means over runs);
    relative_error, standard_error, runs; exact_eta, of DP-SGD only, what the best attacker on the mechanism itself
    gains, where `eta` is by theorem 4; the options of the study.
    """
    groups = tables[STUDY].groupby([*KEYS, *OPTIONS], dropna=False, sort=False)
    table = groups.agg(
        noise_scale=("noise_scale", "mean"),
        clip_norm=("clip_norm", "mean"),
        relative_error=("relative_error", "mean"),
        standard_error=("relative_error", "sem"),
        runs=("run", "nunique"),
    ).reset_index()
    table["exact_eta"] = [
        exact_eta(row.noise_scale, row.steps) if row.method == "dp" else math.nan for row in table.itertuples()
    ]
    numbers = ["noise_scale", "clip_norm", "relative_error", "standard_error", "runs", "exact_eta"]
    return table[[*KEYS, *numbers, *OPTIONS]]


def exact_eta(noise_multiplier: float, steps: int) -> float:
    """Return the gain of the best attacker on full-batch DP-SGD in which one record is replaced by another."""
    return advantage_ceiling(gaussian_trade_off(2 * math.sqrt(steps) / noise_multiplier)) / 2


def draw(table: pd.DataFrame, run_summary: RunSummary) -> drawing.CaptionedFigure:
    """Draw three panels, each with the etas of one range."""
    figure, panels = drawing.panels(3, run_summary, height=2.7, sharey=True)
    error, spread = table["relative_error"], table["standard_error"]
    table = table.assign(mean=error, low=error - spread, high=error + spread)
    exact = table.assign(eta=table["exact_eta"])
    low, high = CUTS
    for axes, (start, end) in zip(panels, [(0, low), (low, high), (high, 0.5)], strict=True):
        _panel(axes, table[table["eta"].between(start, end)], table)
        shown = exact[exact["eta"].between(start, end)]
        _line(axes, shown, drawing.PURPLE, "DP-SGD at its exact η", "-.", marker="D")
        margin = 0.03 * (end - start)  # for markers that lie on the cuts
        axes.set(title=f"η from {start:g} to {end:g}", ylabel="relative error", xlabel="η")
        axes.set_xlim(start - margin, end + margin)
        axes.label_outer()
    panels[0].set_yscale("log")  # of all panels, as they share it
    drawing.finish(figure, _outcome(table), _caption(table, run_summary))
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, table: pd.DataFrame) -> None:
    """Draw the ways to learn that depend on eta, and as lines across those that do not."""
    printed = rows[(rows["calibration"] == "corollary_8") & (rows["radius"] == "laplace")]
    colours = (drawing.ORANGE, drawing.GREEN, "0.35", drawing.SKY)
    for (moment, part), colour in zip(printed.groupby("moment"), itertools.cycle(colours), strict=False):
        _line(axes, part, colour, f"MIP, corollary 8, M = {moment:g}")
    _line(axes, rows[rows["method"] == "dp"], drawing.VERMILION, "DP-SGD", marker="s")
    ours = rows[rows["calibration"] == "total_variation"]
    _line(axes, ours[ours["moment"] == ours["moment"].min()], drawing.BLUE, "MIP, total variation (ours)", "--")
    for method, line, label in (("clipped", ":", "DP-SGD, no noise"), ("plain", "-.", "no privacy")):
        for error in table.loc[table["method"] == method, "relative_error"]:
            axes.axhline(error, color=drawing.GREY, linestyle=line, linewidth=1, label=label)


def _line(axes: Axes, rows: pd.DataFrame, colour: str, label: str, line: str = "-", marker: str = "o") -> None:
    """Draw means against eta with a band of one standard error."""
    drawing.draw_means(axes, rows, "eta", colour=colour, label=label, line=line, marker=marker, band=True)


def _outcome(table: pd.DataFrame) -> str:
    """Say which of the two has the smaller error, at how many values of eta; the paper finds MIP."""
    of_paper = table[(table["calibration"] == "corollary_8") & (table["radius"] == "laplace")]
    mip = of_paper.groupby("eta")["relative_error"].min()
    dp = table[table["method"] == "dp"].groupby("eta")["relative_error"].min().reindex(mip.index)
    smaller = f"The best MIP of corollary 8 has a smaller error than DP-SGD at {int((mip < dp).sum())} of {len(mip)} η"
    return f"{smaller} here; the paper finds it above a value of η that is lost in the source."


def _caption(table: pd.DataFrame, run_summary: RunSummary) -> str:
    """Return what was run, what is reconstructed, and what the lines that are not in the paper say."""
    first = table.iloc[0]
    ours = table.loc[table["calibration"] == "total_variation", "moment"]
    dashed = f" Dashed: scale 1/(2η), proved by us, M = {ours.min():g}, Gamma radius." if len(ours) else ""
    return (
        "η: gain of the best attacker over 1/2. Synthetic Gaussian data by the paper's design; half of the records "
        f"are used; means and standard errors over runs. {_sizes(first, run_summary)} n, d, the true matrix, the list "
        "of M, the rate and the axes are lost in the source: our choice, not tuned, at every scale. Objective, error, "
        "exponent 1 + 2/M, theorem 4 and the Laplace radius of MIP are reconstructed. The Laplace radius does not have "
        "the density of theorem 7; the radius that has it (rows `gamma` of the table) is larger by about the number of "
        "parameters. "
        "DP-SGD: full batch, clipped at the median gradient norm, ε from η by theorem 4, δ = "
        f"{format_significant(first['delta'])}, replace-one, PLD; where it meets the dotted line its error comes "
        'from clipping, not from noise. "DP-SGD at its exact η": the same models at the exact upper bound on the gain '
        f"for this mechanism.{dashed}"
    )


def _sizes(first: pd.Series, run_summary: RunSummary) -> str:
    """Return the sizes of the study, here and at the paper's scale."""
    keys = {
        **{"records": "n = {}", "dimension": "d = {}", "steps": "{} steps", "learning_rate": "rate {}"},
        **{"splits": "moments from {} halves", "runs": "{} runs"},
    }
    here = {item: format_setting(first[key]) for key, item in keys.items()}
    paper = run_summary.studies.get(experiment_of(STUDY))
    return drawing.here_and_paper(here, paper and {item: format_setting(paper[key]) for key, item in keys.items()})
