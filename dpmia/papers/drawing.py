"""How all figures look: panels, bands, the epsilon axis, captions, and the mark of synthetic data."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.typing import RcKeyType

from dpmia.common.epsilon import format_epsilon
from dpmia.common.files import whole_file
from dpmia.papers.artifact import Facts

#: Okabe and Ito's colours, distinguishable for colour-blind readers: blue, orange, green, purple, vermilion, sky.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")

OPTIMISERS = {"adam": "Adam", "sgd": "SGD"}

#: Inches that one entry of a legend needs.
LEGEND_COLUMN = 1.6

STYLE: dict[RcKeyType, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "font.size": 9,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
    "pdf.fonttype": 42,  # text stays text
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


def style() -> AbstractContextManager[None]:
    """Return a context in which figures are drawn and saved, so that all look alike."""
    return mpl.rc_context(STYLE)


def panels(count: int, facts: Facts, width: float = 3.3, height: float = 3.4) -> tuple[Figure, list[Axes]]:
    """Return a figure with `count` panels side by side, marked if its data are synthetic."""
    figure = Figure(figsize=(width * count, height), layout="constrained")
    axes = list(figure.subplots(1, count, squeeze=False)[0])
    if facts.synthetic:
        for panel in axes:
            panel.text(
                0.5, 0.5, "SYNTHETIC DATA", transform=panel.transAxes, fontsize=17, fontweight="bold", rotation=28,
                ha="center", va="center", color="0.87", zorder=-5,
            )  # fmt: skip
    return figure, axes


class EpsilonScale:
    """A logarithmic axis for epsilon with infinity as one more place at its right end."""

    def __init__(self, epsilons: Iterable[float]) -> None:
        """Place all of `epsilons`; infinity, if there, one decade beyond the largest finite one."""
        values = sorted(set(map(float, epsilons)))
        self.finite = [value for value in values if math.isfinite(value)]
        self.infinite = len(self.finite) < len(values)
        self.beyond = (self.finite[-1] if self.finite else 1.0) * 10

    def place(self, epsilons: pd.Series) -> np.ndarray:
        """Return where to draw each epsilon."""
        values = epsilons.to_numpy(dtype=float)
        return np.where(np.isinf(values), self.beyond, values)

    def label(self, axes: Axes) -> None:
        """Set ticks at the epsilons that were run, `∞` for infinity, set off by a thin line."""
        axes.set_xscale("log")
        places = [*self.finite, *([self.beyond] if self.infinite else [])]
        shown = [*self.finite, *([math.inf] if self.infinite else [])]
        axes.set_xticks(places, list(map(format_epsilon, shown)))
        axes.set_xticks([], minor=True)
        axes.set_xlim(places[0] / 1.6, places[-1] * 1.6)
        if self.infinite and self.finite:
            axes.axvline(math.sqrt(self.finite[-1] * self.beyond), color="0.85", linewidth=0.8, zorder=0)
        axes.set_xlabel("ε")


def band(axes: Axes, scale: EpsilonScale, rows: pd.DataFrame, colour: str, label: str, line: str = "-") -> None:
    """Draw means with their intervals against epsilon: a band where epsilon is finite, a bar at infinity.

    Args:
        axes: where to draw.
        scale: of the epsilon axis.
        rows: with the columns epsilon, mean, low, high.
        colour: of the line and, paler, of the band.
        label: for the legend.
        line: style of the line.
    """
    rows = rows.sort_values("epsilon")
    finite, infinite = rows[np.isfinite(rows["epsilon"])], rows[np.isinf(rows["epsilon"])]
    marker: dict[str, Any] = {"marker": "o", "color": colour, "markerfacecolor": colour if line == "-" else "white"}
    axes.plot(finite["epsilon"], finite["mean"], line, label=label, **marker)
    axes.fill_between(finite["epsilon"], finite["low"], finite["high"], color=colour, alpha=0.2, linewidth=0)
    apart = infinite if len(finite) > 1 else rows  # a band needs two points, a bar one
    spread = [apart["mean"] - apart["low"], apart["high"] - apart["mean"]]
    axes.errorbar(scale.place(apart["epsilon"]), apart["mean"], yerr=spread, linestyle="none", capsize=3, **marker)


def legend(figure: Figure) -> None:
    """Give the figure one legend above its panels, with each label once."""
    handles: dict[str, Artist] = {}
    for panel in figure.axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    most = min(len(handles), int(figure.get_size_inches()[0] / LEGEND_COLUMN))
    for columns in range(most, 0, -1):
        found = figure.legend(
            list(handles.values()), list(handles), loc="outside upper center", ncols=columns, handlelength=2.6
        )
        if found.get_window_extent().width <= figure.bbox.width or columns == 1:
            return
        found.remove()


def _accountant(fact: dict) -> str:
    name, _, rest = fact["accountant"].partition("_")
    return f"{name.upper()} {rest.replace('_', ' ')}".strip()


def _clipping(fact: dict) -> str:
    return f"clip norm {fact['clip_norm']:g}" + ("" if fact["clipped_to"] is None else " (without privacy, too)")


def _models(fact: dict) -> str:
    parts = [fact["model"], fact["sizes"], fact["passes"]]
    parts += [
        f"{fact['replicates']} replicates",
        f"{fact['references']} reference models" if fact["references"] else "",
    ]
    return ", ".join(filter(None, parts))


def _privacy(fact: dict) -> str:
    return (
        f"DP-{OPTIMISERS[fact['optimiser']]}, {fact['sampling']} batches, {_clipping(fact)}, "
        f"δ = {fact['delta']:g}, {fact['relation'].replace('_', '-')}, {_accountant(fact)} accountant."
    )


def run_facts(facts: Facts) -> str:
    """Return in a few sentences how the models of a figure were trained and what the bands are."""
    alike: dict[str, list[str]] = {}
    for fact in facts.experiments.values():
        alike.setdefault(_models(fact), []).append(fact["dataset"])
    models = "; ".join(f"of {', '.join(dict.fromkeys(datasets))}: {how}" for how, datasets in alike.items())
    privacy = " ".join(dict.fromkeys(map(_privacy, facts.experiments.values())))
    ending = "Bands and bars: 95 % t intervals of the mean."
    return f"{facts.source}, scale {facts.scale}. Models {models}. {privacy} {ending} {facts.skipped}".strip()


def caption(figure: Figure, text: str) -> None:
    """Write `text` below the panels, wrapped to the figure's width."""
    width = int(figure.get_size_inches()[0] * 17)
    figure.supxlabel(textwrap.fill(text, width), fontsize=7, color="0.35", x=0.01, ha="left")


def save(figure: Figure, *paths: Path | str) -> None:
    """Write the figure in the format of each path's ending; equal figures give equal files."""
    for path in paths:
        with whole_file(path) as part:
            metadata = {"CreationDate": None} if str(path).endswith(".pdf") else {"Software": None}
            figure.savefig(part, dpi=160, metadata=metadata)
