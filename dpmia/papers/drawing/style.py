"""Fonts, lines and colours of all figures: a theme of seaborn."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import matplotlib as mpl
import seaborn as sns
from cycler import cycler
from matplotlib.typing import RcKeyType

#: Inches of a figure in one column of a page of two, and across the page: figures are printed as they are drawn.
NARROW, WIDE = 3.35, 7.0

#: Lightness differs by 7 and more, so that they stay apart in grey; differences (CIE76) are 20 and more, also under
#: deuteranopia and protanopia; contrast on white is at least 3. a test holds all three.
BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY = "#15297f", "#ce7e05", "#144f35", "#942673", "#ab4a22", "#3281ac"

#: Colours of curves, in the order in which they are given.
COLOURS = (BLUE, ORANGE, SKY, PURPLE, VERMILION, GREEN)

#: Lines that stand beside measured curves: controls, and what holds for no curve alone.
GREY, LIGHT_GREY = "0.45", "0.7"

#: Of the badge of synthetic data.
RED = "#b00020"

#: Colours of rates, from 0 to 1: one hue, so that only lightness counts, and pale enough for black text.
SEQUENTIAL = sns.light_palette("#56b4e9", as_cmap=True)

#: Dashes as `seaborn.lineplot` takes them, in units of the line's width.
SOLID, DASHED, DOTTED, DASH_DOTTED = "", (3.7, 1.6), (1, 1.65), (6.4, 1.6, 1, 1.6)

#: The part of a colour map that is dark enough for thin lines on white.
DARK = 0.56

STYLE: dict[RcKeyType, Any] = {
    **sns.axes_style("ticks"),
    **sns.plotting_context("paper"),
    "axes.prop_cycle": cycler(color=COLOURS),
    "font.sans-serif": ["DejaVu Sans"],  # comes with Matplotlib: equal files on every machine
    "font.size": 7,
    "axes.labelsize": 7.5,
    "axes.titlesize": 7.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 4,
    "axes.labelpad": 2.5,
    "axes.linewidth": 0.7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.major.pad": 2.5,
    "ytick.major.pad": 2.5,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.6,
    "pdf.fonttype": 42,  # text stays text
    "svg.hashsalt": "dpmia",  # names inside the file are random otherwise
}


def style() -> AbstractContextManager[None]:
    """Return a context in which figures are drawn and saved, so that all look alike."""
    return mpl.rc_context(STYLE)


def rising(place: float) -> tuple[float, ...]:
    """Return a colour for a place from 0 to 1 of ordered curves: from dark blue to green, dark enough on white."""
    return sns.color_palette("viridis", as_cmap=True)(DARK * place)


def warm(place: float) -> tuple[float, ...]:
    """Return a colour for a place from 0 to 1 of other ordered curves: from dark blue to orange."""
    return sns.color_palette("plasma", as_cmap=True)((DARK + 0.06) * place)


def phased(place: int, count: int) -> tuple[float, Sequence[float]]:
    """Return dots for one of `count` lines, shifted so that of two that coincide both are seen."""
    return (2.0 * (2 * place >= count), (2, 2))
