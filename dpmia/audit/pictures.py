"""The pictures of an audit page: risk and accuracy against epsilon, and ROC curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpmia.audit.choices import best, select
from dpmia.audit.content import AuditContent
from dpmia.audit.entries import Cell, Entry
from dpmia.audit.scores import RocCurve
from dpmia.common.epsilon import format_epsilon
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.report.page import Picture, picture

#: Arms whose ROC curves share a panel; more of them are hard to distinguish.
CURVES = len(drawing.COLOURS)

#: Panels in one row of ROC curves.
PANELS = 3


def risk_picture(audit: AuditContent, name: str) -> Picture | None:
    """Return AUC and accuracy of an experiment against epsilon; None where there is one epsilon only."""
    entries = select(audit.results, experiment=name)
    if len({entry.epsilon for entry in entries}) < 2:
        return None
    return _saved(_risk, audit, name, f"AUC of the strongest attack, and accuracy, against epsilon: {name}")


def roc_picture(audit: AuditContent, name: str) -> Picture | None:
    """Return the ROC curves of the strongest attack in each arm of an experiment.

    None where nothing was attacked, or a single non-member shows no false positive rate below 1.
    """
    ends = [of_arm.curve.fpr[0] for of_arm in audit.roc if of_arm.experiment == name]
    if min(ends, default=1) == 1:
        return None
    return _saved(_roc, audit, name, f"ROC curves on logarithmic axes: {name}")


def _saved(draw: Callable[[AuditContent, str], Figure], audit: AuditContent, name: str, alt: str) -> Picture:
    with TemporaryDirectory() as folder, drawing.style():
        path = Path(folder) / "picture.png"
        drawing.save(draw(audit, name), path)
        return picture(path, alt)


def _risk(audit: AuditContent, name: str) -> Figure:
    figure, (risk, use) = drawing.panels(2, _run_summary(audit), height=2.4)
    results = select(audit.results, experiment=name)
    scale = drawing.EpsilonScale(float(entry.epsilon) for entry in results)
    epsilons = list(dict.fromkeys(entry.epsilon for entry in results))
    arms = _arms(results)
    for place, ((arm, label, iid), colour) in enumerate(arms):
        look: dict[str, Any] = {
            "colour": colour,
            "label": label,
            "line": "--" if iid else "-",
            "beside": (place, len(arms)),
        }
        strongest = [best(select(results, arm=arm, epsilon=epsilon)) for epsilon in epsilons]
        scale.draw(risk, _points([(entry.epsilon, entry.auc) for entry in strongest if entry is not None]), **look)
        models = [model for model in audit.accuracy if model.experiment == name and model.arm == arm]
        scale.draw(use, _points([(model.epsilon, model.nonmembers) for model in models]), **look)
        majority = float(np.mean([model.majority for model in models if model.majority is not None] or [np.nan]))
        use.axhline(majority, color=colour, linewidth=0.8, linestyle=":", zorder=0)
    drawing.zero_line(risk, 0.5)
    risk.set(title="strongest attack", ylabel="AUC")
    use.set(title="accuracy on non-members", ylabel="accuracy")
    for panel in (risk, use):
        scale.label(panel)
        if _stated(audit, name):
            panel.set_xlabel("ε (stated by the user)")
    drawing.finish(figure)
    return figure


def _roc(audit: AuditContent, name: str) -> Figure:
    results = select(audit.results, experiment=name)
    curves = {
        (of_arm.arm, of_arm.epsilon, of_arm.attack): of_arm.curve for of_arm in audit.roc if of_arm.experiment == name
    }
    epsilons = sorted({epsilon for _, epsilon, _ in curves}, key=float, reverse=True)[:PANELS]
    figure, panels = drawing.panels(len(epsilons), _run_summary(audit), height=2.6)
    smallest = min(curve.fpr[0] for curve in curves.values())
    for panel, epsilon in zip(panels, epsilons, strict=True):
        for (arm, label, iid), colour in _arms(results):
            # Of attacks that the report runs again: others have no curve.
            again = [entry for entry in results if (arm, epsilon, entry.attack) in curves]
            if (strongest := best(select(again, arm=arm, epsilon=epsilon))) is not None:
                curve = curves[arm, epsilon, strongest.attack]
                _curve(panel, curve, colour, label, "--" if iid else "-")
        ends = [smallest, 1]
        panel.plot(ends, ends, ":", color=drawing.GREY, linewidth=1, label="guessing")
        panel.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel="false positive rate", ylabel="")
        stated = " (stated by the user)" if epsilon != "inf" and _stated(audit, name) else ""
        shown = f"ε = {format_epsilon(float(epsilon))}{stated}"
        panel.set_title(shown if len(epsilons) > 1 or epsilon != "inf" else "")
    panels[0].set_ylabel("true positive rate")
    drawing.finish(figure)
    return figure


def _curve(panel: Axes, curve: RocCurve, colour: str, label: str, line: str) -> None:
    """Draw a curve with its band, as steps: between two rates of the data the lower one holds."""
    rows = pd.DataFrame(curve.plain()).rename(columns={"tpr": "mean"})
    drawing.draw_means(panel, rows, "fpr", colour=colour, label=label, line=line, marker="none", band=True, steps=True)


def _arms(results: Sequence[Entry]) -> list[tuple[tuple[str, str, bool], str]]:
    """Return the arms that are drawn, the most at risk where there are too many, each with its colour."""
    arms = list(dict.fromkeys((entry.arm, entry.label, entry.iid) for entry in results))
    if len(arms) > CURVES:
        at_risk = {arm: 0.0 if (worst := best(select(results, arm=arm[0]))) is None else worst.auc.mean for arm in arms}
        arms = sorted(sorted(arms, key=at_risk.__getitem__, reverse=True)[:CURVES], key=arms.index)
    return [(arm, drawing.COLOURS[place]) for place, arm in enumerate(arms)]


def _stated(audit: AuditContent, name: str) -> bool:
    """Return whether the epsilons of an experiment are what the user states of a program."""
    return audit.experiments[name].description.stated


def _run_summary(audit: AuditContent) -> RunSummary:
    return RunSummary(audit.run.synthetic, audit.run.scale)


def _points(cells: Sequence[tuple[str, Cell | None]]) -> pd.DataFrame:
    """Return the means at each epsilon with their limits, which are the mean where there are none."""
    rows = [
        {"epsilon": float(epsilon), "mean": cell.mean, "low": cell.low, "high": cell.high}
        for epsilon, cell in cells
        if cell is not None
    ]
    frame = pd.DataFrame(rows, columns=["epsilon", "mean", "low", "high"]).astype(float)
    return frame.assign(low=frame["low"].fillna(frame["mean"]), high=frame["high"].fillna(frame["mean"]))
