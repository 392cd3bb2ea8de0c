"""What a figure shows, read back from Matplotlib."""

import numpy as np


def lines(axes, beside=None):
    """Return label -> points of what is drawn with a label, its own or that of its colour in a legend of seaborn.

    The legend may be that of the axes `beside`.
    """
    drawn = [line for line in axes.get_lines() if len(line.get_xdata())]
    curves = {line.get_label(): line.get_xydata() for line in drawn if not line.get_label().startswith("_")}
    nameless = {line.get_color(): line.get_xydata() for line in drawn if line.get_label().startswith("_")}
    for entry in (beside or axes).get_lines():
        if not len(entry.get_xdata()) and entry.get_color() in nameless:
            curves.setdefault(entry.get_label(), nameless[entry.get_color()])
    return curves


def bars(axes):
    """Return the intervals that are drawn as bars: rows of place, lower and upper end."""
    drawn = [part.get_segments() for part in axes.collections if hasattr(part, "get_segments")]
    ends = [np.ravel(segment) for segments in drawn for segment in segments if len(segment)]
    return np.array([[x, low, high] for x, low, _, high in ends if np.isfinite([low, high]).all()])


def caption(figure):
    """Return what stands beside a figure, in one line."""
    return " ".join(figure.caption)


def titles(figure):
    """Return the titles of the panels, without letters and line breaks."""
    shown = [" ".join(panel.get_title(loc="left").split()) for panel in figure.panels]
    return [title.partition(") ")[2] if title.startswith("(") else title for title in shown]


def badges(figure):
    """Return the texts above the panels."""
    return [text.get_text() for text in figure.texts]
