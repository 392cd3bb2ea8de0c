"""The axis of epsilon, on which infinity has a place."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dpmia.common.epsilon import format_epsilon
from dpmia.papers.drawing.curves import dodge, draw_means


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

    def draw(
        self,
        axes: Axes,
        rows: pd.DataFrame,
        colour: str,
        label: str | None,
        line: str = "-",
        beside: tuple[int, int] = (0, 1),
        marker: str = "o",
    ) -> None:
        """Draw means with their intervals: a band where epsilon is finite, bars at infinity and at a single epsilon.

        Args:
            axes: where to draw.
            rows: with the columns epsilon, mean, low, high.
            colour: of the line and, paler, of the band.
            label: for the legend.
            line: style of the line; other lines than solid ones have hollow markers.
            beside: place of this curve among all that have a point at infinity, and their number.
            marker: of the means.
        """
        look: dict[str, Any] = {"colour": colour, "line": line, "hollow": line != "-", "marker": marker}
        finite, infinite = rows[np.isfinite(rows["epsilon"])], rows[np.isinf(rows["epsilon"])]
        # Side by side where there is no line: at infinity, and at a single epsilon.
        shift = 10 ** dodge(*beside, step=min(0.2, 0.7 / beside[1]))
        alone = len(self.finite) == 1
        finite = finite.assign(epsilon=finite["epsilon"] * (shift if alone else 1))
        draw_means(axes, finite, "epsilon", label=label, band=len(finite) > 1, **look)
        placed = infinite.assign(epsilon=self.place(infinite["epsilon"]) * shift)
        draw_means(axes, placed, "epsilon", label=None if finite["mean"].notna().any() else label, **look)

    def label(self, axes: Axes) -> None:
        """Set ticks at the epsilons that were run, `∞` for infinity, set off by a thin line."""
        axes.set_xscale("log")
        axes.set_xlabel("ε")
        if not self.finite and not self.infinite:
            return
        places = [*self.finite, *([self.beyond] if self.infinite else [])]
        shown = [*self.finite, *([math.inf] if self.infinite else [])]
        axes.set_xticks(places, list(map(_tick, shown)))
        axes.set_xticks([], minor=True)
        axes.set_xlim(places[0] / (3 if len(self.finite) == 1 else 2.2), places[-1] * 3)
        if self.infinite and self.finite:
            axes.axvline(math.sqrt(self.finite[-1] * self.beyond), color="0.85", linewidth=0.7, zorder=0)


def _tick(epsilon: float) -> str:
    """Return the label of a tick: short for 1000, 10000, ..., as panels are narrow."""
    exponent = math.log10(epsilon)
    if exponent >= 3 and exponent.is_integer():
        return rf"$\mathdefault{{10^{{{exponent:.0f}}}}}$"
    return format_epsilon(epsilon)
