"""Verdicts as a picture: a panel for each paper, a row for each figure or table, a coloured cell for each claim."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

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
#: Inches of the side of a cell, of the names of figures and tables, and of a title at least.
CELL, NAMES, TITLE = 0.25, 1.05, 2.1
#: Of the small text, in an inch.
CHARACTERS = 17
#: Edges of the legend's boxes.
EDGE = "0.4"


def draw(verdicts: pd.DataFrame, source: str) -> Figure:
    """Draw the verdicts of all papers, in the order of the table.

    Args:
        verdicts: what `dpmia.claims.judge.judge_all` returns.
        source: what they are about, in a sentence.
    """
    papers = [(str(paper), rows, _cells(rows)) for paper, rows in verdicts.groupby("paper", sort=False)]
    longest = max(len(cells) for _, _, cells in papers)
    widths = [max(NAMES + CELL * cells.shape[1], TITLE) for _, _, cells in papers]
    figure = Figure(figsize=(sum(widths), CELL * longest + 1.4), layout="constrained")
    panels = figure.subplots(1, len(papers), squeeze=False, width_ratios=widths)[0]
    for axes, (paper, rows, cells), width in zip(panels, papers, widths, strict=True):
        _panel(axes, paper, rows, cells, longest, (width - NAMES) / CELL)
    there = [verdict for verdict in VERDICTS if verdict in set(verdicts["verdict"])]
    handles = [
        Patch(
            facecolor=STYLES[verdict][0], edgecolor=EDGE,
            label=f"{STYLES[verdict][1]} {verdict} ({(verdicts['verdict'] == verdict).sum()})",
        )
        for verdict in there
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), max(1, int(sum(widths) / 1.7))))
    footnote = textwrap.fill(f"{source} Claims with * are not in the paper.", int(CHARACTERS * sum(widths)))
    figure.supxlabel(footnote, fontsize=7, color="0.35", x=0.01, ha="left")
    return figure


def _cells(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts of a paper, a row for each figure or table, with a star behind those on claims of ours."""
    marked = rows.assign(cell=rows["verdict"] + rows["ours"].map({True: "*", False: ""}))
    marked["place"] = marked.groupby("artifact").cumcount()
    return marked.pivot(index="artifact", columns="place", values="cell").loc[list(dict.fromkeys(rows["artifact"]))]


def _panel(axes: Axes, paper: str, rows: pd.DataFrame, cells: pd.DataFrame, height: int, width: float) -> None:
    """Draw the claims of one paper as a heatmap, in a panel of so many cells."""
    verdicts = cells.replace(r"\*$", "", regex=True)
    signs = verdicts.map(lambda verdict: STYLES[verdict][1], na_action="ignore")
    stars = cells.map(lambda cell: "*" if cell.endswith("*") else "", na_action="ignore")
    sns.heatmap(
        verdicts.map(list(STYLES).index, na_action="ignore").astype(float),
        **{"vmin": 0, "vmax": len(STYLES) - 1, "cmap": ListedColormap([colour for colour, *_ in STYLES.values()])},
        **{"annot": signs + stars, "fmt": "", "mask": cells.isna()},
        **{"annot_kws": {"color": "black"}, "linewidths": 1.5, "linecolor": "white", "clip_on": False},
        **{"cbar": False, "square": True, "xticklabels": False, "yticklabels": _titles(paper, cells.index), "ax": axes},
    )
    axes.tick_params(length=0, labelrotation=0)
    axes.set(xlim=(0, width), ylim=(height, 0), xlabel="", ylabel="", anchor="NW")
    ours = f", ours {held(own)}" if len(own := of_ours(rows)) else ""
    axes.set_title(f"{paper} reproduced:\n{held(of_papers(rows))}{ours}", loc="left")


def _titles(paper: str, artifacts: Iterable[str]) -> list[str]:
    """Return the names of figures and tables as readers see them: `figure 2 reverse` of `humphries_fig2_reverse`."""
    names = (re.sub(r"^fig(?=\d)", "figure ", name.removeprefix(f"{paper}_")) for name in artifacts)
    return [re.sub(r"^table(?=\d)", "table ", name).replace("_", " ") for name in names]
