"""Fonts, lines and colours of all figures: a theme of seaborn."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import matplotlib as mpl
import seaborn as sns
from cycler import cycler
from matplotlib.typing import RcKeyType

#: Seaborn's palette for colour-blind readers, without its pale and brown colours.
BLUE, ORANGE, GREEN, VERMILION, PURPLE, *_, YELLOW, SKY = sns.color_palette("colorblind").as_hex()

#: Colours of curves, in the order in which they are given.
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY)

#: Lines that stand beside measured curves: controls, and what holds for no curve alone.
GREY, LIGHT_GREY = "0.45", "0.7"

#: Colours of rates, from 0 to 1: one hue, so that only lightness counts, and pale enough for black text.
SEQUENTIAL = sns.light_palette(SKY, as_cmap=True)

#: Dashes as `seaborn.lineplot` takes them, in units of the line's width.
SOLID, DASHED, DOTTED, DASH_DOTTED = "", (3.7, 1.6), (1, 1.65), (6.4, 1.6, 1, 1.6)

STYLE: dict[RcKeyType, Any] = {
    **sns.axes_style("ticks"),
    **sns.plotting_context("paper", font_scale=0.92),
    "axes.prop_cycle": cycler(color=COLOURS),
    "font.sans-serif": ["DejaVu Sans"],  # comes with Matplotlib: equal files on every machine
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
    "pdf.fonttype": 42,  # text stays text
}


def style() -> AbstractContextManager[None]:
    """Return a context in which figures are drawn and saved, so that all look alike."""
    return mpl.rc_context(STYLE)
