"""Synthetic images in classes: smooth random patterns that are shifted, blended, covered and blurred by noise.

How hard a class is to learn, and so how far a network's training and test accuracy lie apart, follows from the
numbers in `Look`: a pattern of its own for each of many styles makes a class take many examples; a cover of its own
for each image, as smooth as the patterns, lets a network memorize the training images instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.ndimage import zoom

from dpmia.datasets.synthetic.draws import pick_alike

#: Images that are made at a time: few enough to stay in a processor's cache.
_CHUNK = 250


@dataclass(frozen=True)
class Appearance:
    """What the images of a data set look like: `[look]` in its TOML file.

    Attributes:
        classes: frequency of each class.
        channels: 1 for grey, 3 for colour.
        side: height and width, in pixels.
        styles: number of patterns in each class.
        variety: how much of a pattern is its style's and not its class's, from 0 to 1.
        cover: strength of the pattern that each image has of its own, where a class's is 1.
        noise: strength of the noise of each pixel.
        blend: largest share of an image of another class that shines through; below .5, so that labels are right.
        shift: how far a pattern may be moved, in pixels.
        knots: height and width of the grid of random numbers that patterns are interpolated from.
        level: grey level, of 255, where all patterns are 0.
        contrast: grey levels for a strength of 1.
    """

    classes: Sequence[float]
    channels: int
    side: int
    styles: int
    variety: float
    cover: float
    noise: float
    blend: float
    contrast: float
    level: float = 128.0
    shift: int = 4
    knots: int = 6


class Painter:
    """Draws images of one look; their patterns come from a seed alone, whatever the number of images."""

    def __init__(self, look: Appearance, seed: int) -> None:
        """Draw the patterns of all classes and styles."""
        self._look = look
        self._rng = np.random.default_rng(seed)
        whole = look.side + look.shift
        shape = (len(look.classes), look.styles, look.channels)
        shared = _patterns(self._rng, (shape[0], 1, shape[2]), look.knots, whole)
        styles = _patterns(self._rng, shape, look.knots, whole)
        blended = np.sqrt(1 - look.variety**2) * shared + look.variety * styles
        # Axes: class, style, down, right, channel, row, column.
        self._windows = sliding_window_view(blended, (look.side, look.side), axis=(3, 4)).transpose(0, 1, 3, 4, 2, 5, 6)

    def paint(self, records: int) -> tuple[np.ndarray, np.ndarray]:
        """Return images, uint8 of shape (records, channels, height, width), and their classes, int64."""
        look = self._look
        labels = pick_alike(self._rng, look.classes, records)
        images = np.empty((records, look.channels, look.side, look.side), dtype=np.uint8)
        for rows in _slices(records):
            images[rows] = self._drawn(labels[rows])
        return images, labels

    def _drawn(self, labels: np.ndarray) -> np.ndarray:
        look, rng, count = self._look, self._rng, len(labels)
        others = (labels + rng.integers(1, len(look.classes), count)) % len(look.classes)
        share = np.float32(look.blend) * rng.random((count, 1, 1, 1), dtype=np.float32)
        drawn = (1 - share) * self._seen(labels)
        drawn += share * self._seen(others)
        drawn += look.cover * _patterns(rng, (count, look.channels), look.knots, look.side)
        drawn += look.noise * rng.standard_normal(drawn.shape, dtype=np.float32)
        return np.clip(np.rint(look.level + look.contrast * drawn), 0, 255).astype(np.uint8)

    def _seen(self, labels: np.ndarray) -> np.ndarray:
        """Return one pattern of each class, of any style, moved anywhere."""
        styles = self._rng.integers(self._look.styles, size=len(labels))
        down, right = self._rng.integers(self._look.shift + 1, size=(2, len(labels)))
        return self._windows[labels, styles, down, right]


def _patterns(rng: np.random.Generator, shape: tuple[int, ...], knots: int, side: int) -> np.ndarray:
    """Return smooth random patterns, float32 of shape (*shape, side, side), with mean 0 and variance near 1."""
    corner = [zoom(unit, side / knots, order=3, mode="nearest", grid_mode=True) for unit in np.eye(knots)]
    weights = np.stack(corner, axis=1).astype(np.float32)
    weights /= np.sqrt((weights**2).sum(axis=1).mean())
    return weights @ rng.standard_normal((*shape, knots, knots), dtype=np.float32) @ weights.T


def _slices(records: int) -> Iterator[slice]:
    for first in range(0, records, _CHUNK):
        yield slice(first, min(first + _CHUNK, records))
