"""Verdicts as a picture: one column for each paper, one coloured cell for each claim."""

from __future__ import annotations

import textwrap

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from dpmia.claims.judge import (
    MET_AT_RANDOM,
    NOT_REPRODUCED,
    NOT_RUN,
    OTHER_NETWORK,
    REPRODUCED,
    SETTINGS_LOST,
    SYNTHETIC,
    TOO_FEW_RECORDS,
    UNDECIDED,
    VERDICTS,
)
from dpmia.report.tally import held, of_ours, of_papers

#: Pale enough for black signs.
GREEN, VERMILION, PURPLE, YELLOW, SKY = "#029e73", "#d55e00", "#cc78bc", "#ece133", "#56b4e9"
PALE = "#f7f3c2"

#: Verdict -> colour in the picture, a sign, so that colour alone does not distinguish them, and its badge on pages.
STYLES = {
    REPRODUCED: (GREEN, "✓", "good"),
    NOT_REPRODUCED: (VERMILION, "✗", "bad"),
    UNDECIDED: (YELLOW, "?", "open"),
    TOO_FEW_RECORDS: (PALE, "<", "open"),
    MET_AT_RANDOM: (SKY, "○", "open"),
    OTHER_NETWORK: (PURPLE, "≠", "open"),
    SETTINGS_LOST: ("0.7", "…", "none"),
    NOT_RUN: ("0.86", "–", "none"),
    SYNTHETIC: ("white", "S", "synthetic"),
}
#: Inches of a column and of a cell.
WIDTH, HEIGHT = 2.9, 0.2
#: Of the small text, in an inch.
CHARACTERS = 17
#: Edges of cells.
EDGE = "0.4"


def draw(verdicts: pd.DataFrame, source: str) -> Figure:
    """Draw the verdicts of all papers, in the order of the table.

    Args:
        verdicts: what `dpmia.claims.judge.judge_all` returns.
        source: what they are about, in a sentence.
    """
    papers = list(verdicts.groupby("paper", sort=False))
    longest = max(len(rows) for _, rows in papers)
    figure = Figure(figsize=(WIDTH * len(papers), HEIGHT * longest + 1.3), layout="constrained")
    for axes, (paper, rows) in zip(figure.subplots(1, len(papers), squeeze=False)[0], papers, strict=True):
        _column(axes, str(paper), rows, longest)
    there = [verdict for verdict in VERDICTS if verdict in set(verdicts["verdict"])]
    handles = [
        Patch(
            facecolor=STYLES[verdict][0], edgecolor=EDGE,
            label=f"{STYLES[verdict][1]} {verdict} ({(verdicts['verdict'] == verdict).sum()})",
        )
        for verdict in there
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    footnote = textwrap.fill(f"{source} Claims with * are not in the paper.", int(CHARACTERS * WIDTH * len(papers)))
    figure.supxlabel(footnote, fontsize=7, color="0.35", x=0.01, ha="left")
    return figure


def _column(axes: Axes, paper: str, rows: pd.DataFrame, length: int) -> None:
    """Draw the claims of one paper below each other, as a heatmap of one column with the names at its right."""
    cells = rows["verdict"].map(list(STYLES).index).to_frame()
    names = [row.id.removeprefix(f"{paper}-") + "*" * row.ours for row in rows.itertuples()]
    sns.heatmap(
        cells,
        **{"vmin": 0, "vmax": len(STYLES) - 1, "cmap": ListedColormap([colour for colour, *_ in STYLES.values()])},
        **{"annot": rows["verdict"].map(lambda verdict: STYLES[verdict][1]).to_frame(), "fmt": ""},
        **{"annot_kws": {"color": "black"}, "linewidths": 0.6, "linecolor": EDGE, "clip_on": False},
        **{"cbar": False, "square": True, "xticklabels": False, "yticklabels": names, "ax": axes},
    )
    axes.yaxis.tick_right()
    axes.tick_params(length=0, labelrotation=0)
    axes.set(ylim=(length, 0), xlabel="", ylabel="", anchor="NW")
    ours = f", ours {held(own)}" if len(own := of_ours(rows)) else ""
    axes.set_title(f"{paper}: {held(of_papers(rows))} reproduced{ours}", loc="left")
