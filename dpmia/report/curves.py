"""How one model of each experiment was trained: sparklines of its training curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup

from dpmia.common.formatting import MISSING, format_count, format_significant
from dpmia.formats.model_card import ModelCard
from dpmia.formats.signals import CURVE, load_followed

#: Size of a sparkline, in the units of the picture.
WIDTH, HEIGHT = 120, 28

#: Columns of a curve that are drawn.
DRAWN = ("loss", "accuracy", "clipped", "epsilon")


@dataclass(frozen=True)
class Followed:
    """A model whose training was followed: its card, and its curve (see `dpmia.formats.signals.CURVE`)."""

    card: ModelCard
    curve: np.ndarray


def rows(files: Mapping[str, Iterable[str]]) -> list[list[str | Markup]]:
    """Return a row for one model of each experiment: experiment, model, steps, and a cell for each of `DRAWN`.

    Args:
        files: experiment -> files of models. The private model with the largest epsilon is shown, or the first model
            where none is private; experiments without curves are skipped.
    """
    lines = []
    for experiment, paths in files.items():
        followed = _chosen(paths)
        if followed is not None:
            card, curve = followed.card, dict(zip(CURVE, followed.curve.T, strict=True))
            cells = [_cell(curve["step"], curve[name], name) for name in DRAWN]
            lines.append([experiment, f"{card.arm}, ε = {card.epsilon}", format_count(curve["step"][-1]), *cells])
    return lines


def _chosen(paths: Iterable[str]) -> Followed | None:
    """Return the model to show; those of the first file of signals that holds the largest epsilon count."""
    chosen = None
    for path in map(Path, paths):
        if path.is_file() and "signals" in path.parts:
            for card, curve in load_followed(path):
                if chosen is None or _rank(card) > _rank(chosen.card):
                    chosen = Followed(card, curve)
    return chosen


def _rank(card: ModelCard) -> float:
    return -1.0 if card.accounting is None else card.accounting.epsilon


def _cell(steps: np.ndarray, values: np.ndarray, name: str) -> str | Markup:
    """Return a sparkline with the first and the last value; one value alone; a dash where nothing was measured."""
    finite = np.isfinite(values)
    if not finite.any():
        return MISSING
    x, y = steps[finite], values[finite]
    if len(y) == 1:
        return format_significant(y[0], 3)
    text = f"{format_significant(y[0], 3)} → {format_significant(y[-1], 3)}"
    low, high = min(y.min(), 0.0), y.max()
    places = np.column_stack([WIDTH * x / steps[-1], HEIGHT * (1 - (y - low) / ((high - low) or 1))])
    coordinates = " ".join(f"{across:.1f},{down:.1f}" for across, down in places)
    picture = (
        '<svg class="spark" viewBox="-2 -2 {} {}" role="img" aria-label="{}"><polyline points="{}"/>'
        '<circle cx="{:.1f}" cy="{:.1f}" r="2"/></svg>'
    )
    drawn = Markup(picture).format(WIDTH + 4, HEIGHT + 4, f"{name}: {text}", coordinates, *places[-1])
    return drawn + Markup('<br><span class="small">{}</span>').format(text)
