"""How all figures look. Drawing takes seaborn, which takes long to import: no other job does."""

from dpmia.papers.drawing.caption import caption, interval_facts, run_facts
from dpmia.papers.drawing.curves import dodge, draw_curve, draw_means, draw_ticks
from dpmia.papers.drawing.epsilon_axis import EpsilonScale
from dpmia.papers.drawing.figure import annotate, legend, note, panels, save, zero_line
from dpmia.papers.drawing.heatmap import draw_heatmap
from dpmia.papers.drawing.style import (
    BLUE,
    COLOURS,
    DASH_DOTTED,
    DASHED,
    DOTTED,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    SOLID,
    VERMILION,
    YELLOW,
    style,
)

__all__ = [
    "BLUE",
    "COLOURS",
    "DASHED",
    "DASH_DOTTED",
    "DOTTED",
    "GREEN",
    "GREY",
    "ORANGE",
    "PURPLE",
    "SKY",
    "SOLID",
    "VERMILION",
    "YELLOW",
    "EpsilonScale",
    "annotate",
    "caption",
    "dodge",
    "draw_curve",
    "draw_heatmap",
    "draw_means",
    "draw_ticks",
    "interval_facts",
    "legend",
    "note",
    "panels",
    "run_facts",
    "save",
    "style",
    "zero_line",
]
