"""A figure around its panels: the mark of synthetic data, one legend, the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpmia.common.files import whole_file
from dpmia.papers.artifact import Facts

#: Inches that one entry of a legend needs.
LEGEND_COLUMN = 1.6


def panels(
    count: int, facts: Facts, width: float = 3.3, height: float = 3.4, rows: int = 1, sharey: bool = False
) -> tuple[Figure, list[Axes]]:
    """Return a figure with `count` panels, marked if its data are synthetic.

    Args:
        count: of panels, row by row.
        facts: of the run.
        width: of one panel, in inches.
        height: of the figure, in inches.
        rows: of panels.
        sharey: whether panels share the vertical axis; only those at the left then show its labels.
    """
    columns = count // rows
    figure = Figure(figsize=(width * columns, height), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False, sharey=sharey).flat)
    if facts.synthetic:
        for panel in axes:
            panel.text(
                0.5, 0.5, "SYNTHETIC DATA", transform=panel.transAxes, fontsize=17, fontweight="bold", rotation=28,
                ha="center", va="center", color="0.87", zorder=-5,
            )  # fmt: skip
    sns.despine(figure)
    return figure, axes


def zero_line(axes: Axes, height: float = 0.0) -> None:
    """Draw a thin line at 0, where an attack gains nothing, or at another height."""
    axes.axhline(height, color="0.7", linewidth=0.8, zorder=0)


def annotate(axes: Axes, text: str, place: tuple[float, float], offset: tuple[float, float], **options: Any) -> None:
    """Write a small text beside a place of the data, `offset` points away."""
    axes.annotate(text, place, offset, textcoords="offset points", fontsize="small", **options)


def note(axes: Axes, text: str) -> None:
    """Write in an empty panel why it is empty."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color="0.45")


def legend(figure: Figure) -> None:
    """Give the figure one legend above its panels, instead of those of the panels, with each label once."""
    handles: dict[str, Artist] = {}
    for panel in figure.axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
        if (own := panel.get_legend()) is not None:
            own.remove()
    most = min(len(handles), int(figure.get_size_inches()[0] / LEGEND_COLUMN))
    for columns in range(most, 0, -1):
        found = figure.legend(
            list(handles.values()), list(handles), loc="outside upper center", ncols=columns, handlelength=2.6
        )
        if found.get_window_extent().width <= figure.bbox.width or columns == 1:
            return
        found.remove()


def save(figure: Figure, *paths: Path | str) -> None:
    """Write the figure in the format of each path's ending; equal figures give equal files."""
    for path in paths:
        with whole_file(path) as part:
            metadata = {"CreationDate": None} if str(path).endswith(".pdf") else {"Software": None}
            figure.savefig(part, dpi=160, metadata=metadata)
