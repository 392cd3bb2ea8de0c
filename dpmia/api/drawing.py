"""Pictures of what the Python interface returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpmia.api.results import AttackResult
from dpmia.common.errors import ArgumentError, MissingExtraError
from dpmia.metrics.ranking import roc

try:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dpmia.audit.scores import roc_curve
    from dpmia.papers import drawing
    from dpmia.papers.artifact import RunSummary
except ModuleNotFoundError as error:
    raise MissingExtraError.of(error, "plot", "figures") from None

if TYPE_CHECKING:
    from dpmia.api.bounding import UpperBound

#: Where the axes of a bound begin that no measurement stands beside.
SMALLEST_RATE = 1e-4


def roc_figure(results: Mapping[str, AttackResult], bound: UpperBound | None = None) -> Figure:
    """Draw ROC curves of attacks on one model with their 95 % bands, and a bound above them.

    Raises:
        ArgumentError: a single non-member shows no false positive rate below 1.
    """
    if next(iter(results.values())).resolution >= 1:
        problem = "a single non-member shows no false positive rate below 1"
        raise ArgumentError("plot", problem, "Attack the model with more non-members")
    with drawing.style():
        figure, (panel,) = drawing.panels(1, RunSummary(False, "", without_data=True), width=drawing.NARROW, height=2.8)
        for place, result in enumerate(results.values()):
            members = int(result.is_member.sum())
            false, true, _ = roc(result.scores, result.is_member)
            curve = roc_curve([(false, true)], [members], [len(result.is_member) - members])
            rows = pd.DataFrame(curve.plain()).rename(columns={"tpr": "mean"})
            colour = drawing.COLOURS[place % len(drawing.COLOURS)]
            label = result.name + (" (oracle)" if result.oracle else "")
            drawing.draw_means(panel, rows, "fpr", colour=colour, label=label, marker="none", band=True, steps=True)
        _finish(figure, panel, next(iter(results.values())).resolution, bound)
    return figure


def bound_figure(bound: UpperBound) -> Figure:
    """Draw the largest true positive rate at each false positive rate."""
    with drawing.style():
        figure, (panel,) = drawing.panels(1, RunSummary(False, "", without_data=True), width=drawing.NARROW, height=2.8)
        _finish(figure, panel, SMALLEST_RATE, bound)
    return figure


def _finish(figure: drawing.CaptionedFigure, panel: Axes, smallest: float, bound: UpperBound | None) -> None:
    if bound is not None:
        fpr = np.geomspace(smallest, 1, 200)
        rows = pd.DataFrame({"fpr": fpr, "mean": bound.tpr(fpr)})
        drawing.draw_curve(panel, rows, "fpr", colour="black", label="exact upper bound", line="--")
    ends = pd.DataFrame({"fpr": [smallest, 1.0], "mean": [smallest, 1.0]})
    drawing.draw_curve(panel, ends, "fpr", colour=drawing.GREY, label="guessing", line=":")
    panel.set(xscale="log", yscale="log", xlim=(smallest, 1), ylim=(smallest, 1))
    panel.set(xlabel="false positive rate", ylabel="true positive rate")
    drawing.finish(figure)
