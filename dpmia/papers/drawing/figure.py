"""A figure around its panels: the badge of synthetic data, letters, one legend, the caption beside it, the files."""

from __future__ import annotations

import io
import string
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.transforms import ScaledTranslation

from dpmia.common.files import whole_file
from dpmia.papers.artifact import RunSummary
from dpmia.papers.drawing.style import RED, WIDE

#: What stands above every figure of synthetic data.
SYNTHETIC = "SYNTHETIC DATA"

#: Inches of the line of the badge.
BADGE = 0.21

#: Characters of a title in one inch.
CHARACTERS = 17


class CaptionedFigure(Figure):
    """A figure whose caption is text beside it: no text in pixels can be searched, copied or read aloud.

    Attributes:
        caption: its paragraphs.
        panels: in the order of their letters.
        above: inches above the panels, for the badge and the legend.
    """

    def __init__(self, width: float, height: float, *, synthetic: bool) -> None:
        """Make an empty figure; `height` is that of its panels, in inches."""
        self.caption: tuple[str, ...] = ()
        self.panels: list[Axes] = []
        self.above = BADGE if synthetic else 0.0
        super().__init__(figsize=(width, height + self.above), layout="constrained")
        self._make_room(0)
        if synthetic:
            corner = self.transFigure + ScaledTranslation(-0.06, -0.05, self.dpi_scale_trans)
            badge = self.text(
                1, 1, SYNTHETIC, transform=corner, ha="right", va="top", color="white", fontsize=6.5,
                fontweight="bold", bbox={"boxstyle": "square,pad=0.25", "facecolor": RED, "linewidth": 0},
            )  # fmt: skip
            badge.set_in_layout(False)

    def _repr_png_(self) -> bytes:
        """Return the picture for a notebook, which draws figures by itself only after an import of pyplot."""
        content = io.BytesIO()
        self.savefig(content, format="png", dpi=150)
        return content.getvalue()

    def _make_room(self, inches: float) -> None:
        """Make the figure higher by some inches above its panels."""
        width, height = self.get_size_inches()
        self.above += inches
        self.set_size_inches(width, height + inches)
        engine = self.get_layout_engine()
        assert isinstance(engine, ConstrainedLayoutEngine)
        engine.set(rect=(0, 0, 1, 1 - self.above / (height + inches)))

    def draw_legend(self) -> None:
        """Draw one legend above the panels, instead of those of the panels, with each label once, row by row."""
        handles: dict[str, Artist] = {}
        for panel in self.axes:
            for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
                handles.setdefault(label, handle)
            if (own := panel.get_legend()) is not None:
                own.remove()
        labels, count = list(handles), len(handles)
        for columns in range(min(count, 6), 0, -1):
            # Matplotlib fills a legend column by column.
            order = [place for column in range(columns) for place in range(column, count, columns)]
            legend = self.legend(
                [handles[labels[place]] for place in order], [labels[place] for place in order],
                loc="upper center", ncols=columns, handlelength=2.4, columnspacing=1.2, labelspacing=0.3,
                borderpad=0.1, borderaxespad=0.4,
            )  # fmt: skip
            box = legend.get_window_extent()
            if box.width <= self.bbox.width or columns == 1:
                below = self.above
                self._make_room(box.height / self.dpi + 0.08)
                legend.set_bbox_to_anchor((0.5, 1 - below / self.get_size_inches()[1]), self.transFigure)
                legend.set_in_layout(False)
                return
            legend.remove()

    def letter_panels(self) -> None:
        """Letter the panels from (a), if there are several, and wrap their titles to their width."""
        for place, panel in enumerate(self.panels):
            title = panel.get_title(loc="left") or panel.get_title(loc="center")
            panel.set_title("", loc="center")
            if len(self.panels) > 1:
                title = f"({string.ascii_lowercase[place]}) {title}".strip()
            spec = panel.get_subplotspec()
            share = _share(spec) if spec is not None else 1.0
            width = max(8, int(self.get_size_inches()[0] * share * CHARACTERS))
            panel.set_title("\n".join(textwrap.wrap(title, width)), loc="left")


def _share(spec: SubplotSpec) -> float:
    """Return the share of the figure's width that a panel has."""
    return len(spec.colspan) / spec.get_gridspec().ncols


def panels(
    count: int,
    run_summary: RunSummary,
    width: float = WIDE,
    height: float = 2.0,
    rows: int = 1,
    sharey: bool | Literal["row"] = False,
) -> tuple[CaptionedFigure, list[Axes]]:
    """Return a figure with `count` panels, marked if its data are synthetic.

    Args:
        count: of panels, row by row.
        run_summary: of the run.
        width: of the figure, in inches: `NARROW` or `WIDE`.
        height: of a row of panels, in inches; legend and badge come on top.
        rows: of panels.
        sharey: whether panels share the vertical axis (`row`: with those beside them); only those at the left then
            show its labels.
    """
    figure = CaptionedFigure(width, height * rows, synthetic=run_summary.synthetic)
    figure.panels = list(figure.subplots(rows, count // rows, squeeze=False, sharey=sharey).flat)
    sns.despine(figure)
    return figure, figure.panels


def zoomed_panels(count: int, zoomed: int, run_summary: RunSummary) -> tuple[CaptionedFigure, list[Axes]]:
    """Return a wide figure of a row of panels, and below the first ones strips for what is small on their axes.

    Args:
        count: of panels; those without a strip reach down to the bottom.
        zoomed: how many of them have a strip.
        run_summary: of the run.

    Returns:
        The figure, and its panels followed by the strips, which have the axes of epsilon.
    """
    figure = CaptionedFigure(WIDE, 2.6, synthetic=run_summary.synthetic)
    grid = figure.add_gridspec(2, count, height_ratios=(2.2, 1))
    above: list[Axes] = []
    strips: list[Axes] = []
    for place in range(zoomed):
        shared = {"sharey": above[0]} if above else {}
        above.append(figure.add_subplot(grid[0, place], **shared))
        below = {"sharey": strips[0]} if strips else {}
        strips.append(figure.add_subplot(grid[1, place], sharex=above[-1], **below))
    figure.panels = [*above, *(figure.add_subplot(grid[:, place]) for place in range(zoomed, count))]
    sns.despine(figure)
    return figure, [*figure.panels, *strips]


def finish(figure: CaptionedFigure, *caption: str) -> None:
    """Letter the panels, draw one legend above them, and keep the caption, which stands beside the figure.

    Args:
        figure: with all that it shows.
        caption: its paragraphs; empty ones are left out.
    """
    figure.letter_panels()
    figure.draw_legend()
    figure.caption = tuple(" ".join(paragraph.split()) for paragraph in caption if paragraph.strip())


def zero_line(axes: Axes, height: float = 0.0) -> None:
    """Draw a thin line at 0, where an attack gains nothing, or at another height."""
    axes.axhline(height, color="0.7", linewidth=0.7, zorder=0)


def annotate(axes: Axes, text: str, place: tuple[float, float], offset: tuple[float, float], **options: Any) -> None:
    """Write a small text beside a place of the data, `offset` points away."""
    axes.annotate(text, place, offset, textcoords="offset points", **{"fontsize": 7, **options})


def note(axes: Axes, text: str) -> None:
    """Write in an empty panel why it is empty."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color="0.45")


#: What files of each format say without this differs from one run, or version of matplotlib, to the next.
_UNDATED: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None},
    ".svg": {"Date": None},
    ".png": {"Software": None},
}


def save(figure: Figure, *paths: Path | str, metadata: Mapping[str, str] | None = None) -> None:
    """Write the figure in the format of each path's ending, with its metadata; equal figures give equal files.

    Its panels are laid out once, for all formats, and stay where they are.
    """
    if (layout := figure.get_layout_engine()) is not None:
        layout.execute(figure)
        figure.set_layout_engine(None)
    for path in paths:
        with whole_file(path) as part:
            figure.savefig(part, dpi=200, metadata={**_UNDATED[Path(path).suffix], **(metadata or {})})
