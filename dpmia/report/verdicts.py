"""Verdicts as a picture: one column for each paper, one coloured cell for each claim."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from dpmia.claims.judge import NOT_REPRODUCED, NOT_RUN, REPRODUCED, SYNTHETIC, UNDECIDED, VERDICTS, Run
from dpmia.papers import drawing

#: Verdict -> colour (Okabe and Ito) and a sign, so that colour alone does not distinguish them.
STYLES = {
    REPRODUCED: (drawing.COLOURS[2], "✓"),
    NOT_REPRODUCED: (drawing.COLOURS[4], "✗"),
    UNDECIDED: ("#F0E442", "?"),
    NOT_RUN: ("0.86", "–"),
    SYNTHETIC: ("white", "S"),
}
#: Inches of a column and of a cell.
WIDTH, HEIGHT = 2.9, 0.2
#: Part of a column that a cell takes; its name stands beside it.
CELL = 0.09


def draw(verdicts: pd.DataFrame, run: Run) -> Figure:
    """Draw the verdicts of all papers, in the order of the table.

    Args:
        verdicts: what `dpmia.claims.judge.judge_all` returns.
        run: what they are about.
    """
    papers = list(verdicts.groupby("paper", sort=False))
    longest = max(len(rows) for _, rows in papers)
    figure = Figure(figsize=(WIDTH * len(papers), HEIGHT * longest + 1.3), layout="constrained")
    for axes, (paper, rows) in zip(figure.subplots(1, len(papers), squeeze=False)[0], papers, strict=True):
        _column(axes, str(paper), rows, longest)
    there = [verdict for verdict in VERDICTS if verdict in set(verdicts["verdict"])]
    handles = [
        Patch(
            facecolor=STYLES[verdict][0], edgecolor="0.4",
            label=f"{STYLES[verdict][1]} {verdict} ({(verdicts['verdict'] == verdict).sum()})",
        )
        for verdict in there
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    source = "Synthetic data: claims about data are not judged." if run.synthetic else "Real data."
    drawing.caption(figure, f"{source} Scale {run.scale}. Claims with * are not in the paper.")
    return figure


def _column(axes: Axes, paper: str, rows: pd.DataFrame, length: int) -> None:
    """Draw the claims of one paper below each other."""
    for place, row in enumerate(rows.itertuples()):
        colour, sign = STYLES[row.verdict]
        axes.add_patch(Rectangle((0, place + 0.06), CELL, 0.88, facecolor=colour, edgecolor="0.4", linewidth=0.6))
        axes.text(CELL / 2, place + 0.5, sign, ha="center", va="center", fontsize=9)
        name = row.id.removeprefix(f"{paper}-") + ("*" if row.ours else "")
        axes.text(CELL + 0.03, place + 0.5, name, ha="left", va="center", fontsize=8)
    reproduced, judged = (int(rows["verdict"].isin(which).sum()) for which in ([REPRODUCED], list(VERDICTS[:3])))
    counts = f"{reproduced} of {judged} judged hold" if judged else "none judged"
    axes.set_title(f"{paper}: {counts}", loc="left")
    axes.set(xlim=(0, 1), ylim=(length, 0))
    axes.axis("off")
