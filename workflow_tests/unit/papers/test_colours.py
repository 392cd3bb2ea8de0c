"""Colours of curves: for readers who see fewer of them, and in grey print."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from dpmia.papers import drawing

#: Machado et al. 2009, of linear RGB.
VISIONS = {
    "normal": np.eye(3),
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
}
RGB_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear_rgb(colours):
    rgb = np.array([to_rgb(colour) for colour in colours])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(colours):
    """Return the contrast on white by WCAG."""
    return 1.05 / (linear_rgb(colours) @ RGB_TO_XYZ[1] + 0.05)


def lab(rgb):
    xyz = np.clip(rgb, 0, 1) @ RGB_TO_XYZ.T / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


@pytest.mark.parametrize("vision", VISIONS)
def test_colours_of_curves_differ_for_every_reader_and_in_grey(vision):
    seen = lab(linear_rgb(drawing.COLOURS) @ np.transpose(VISIONS[vision]))
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) >= 20
    in_grey = np.sort(lab(linear_rgb(drawing.COLOURS))[:, 0])
    assert np.diff(in_grey).min() >= 6


def test_thin_lines_have_a_contrast_of_three_on_white():
    ordered = [colour(place) for colour in (drawing.rising, drawing.warm) for place in np.linspace(0, 1, 7)]
    assert contrast([*drawing.COLOURS, drawing.GREY, *(to_hex(colour) for colour in ordered)]).min() >= 3
    for colour in (drawing.rising, drawing.warm):
        assert (np.diff(lab(linear_rgb([colour(place) for place in np.linspace(0, 1, 7)]))[:, 0]) > 3).all()
