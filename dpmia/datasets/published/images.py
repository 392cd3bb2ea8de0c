"""Images and their classes, whatever files they came in, and the data set that is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpmia.common.errors import ConfigError
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.raw import origin
from dpmia.formats.provenance import Provenance


@dataclass(frozen=True)
class Images:
    """Images and their classes, of one file or of several below each other.

    Attributes:
        pixels: uint8, shape (records, channels, height, width).
        labels: int64, shape (records,), class numbers from 0.
        provenance: as `origin.provenance` returns it; empty before the files are put together.
    """

    pixels: np.ndarray
    labels: np.ndarray
    provenance: Provenance


def joined(folder: Path, parts: Sequence[tuple[Sequence[str], Images]]) -> Images:
    """Return the images of several parts below each other, in their order.

    Args:
        folder: raw folder of the data set.
        parts: names of the files of each part, and what they hold; a single part is not copied.
    """
    provenance = origin.provenance(folder, [(name, len(images.labels)) for names, images in parts for name in names])
    pixels = [images.pixels for _, images in parts]
    labels = [images.labels for _, images in parts]
    return Images(pixels[0] if len(parts) == 1 else np.concatenate(pixels), np.concatenate(labels), provenance)


def encoded(name: str, raw: Images, classes: tuple[str, ...], attributes: Sequence[str], pool: int) -> Dataset:
    """Make the data set: flat rows of pixels, uint8, in the order channel, row, column.

    Args:
        name: the data set's name in the settings.
        raw: what was read.
        classes: names of the classes, by number.
        attributes: none: images have no columns to group by.
        pool: side of the squares of pixels that are averaged into one; 1 leaves the images as they are.

    Raises:
        ConfigError: attributes are requested, or squares that do not fill an image.
    """
    if attributes:
        problem = f"{', '.join(map(repr, attributes))} does not exist: images have no attributes"
        raise ConfigError(f"attributes of {name}", problem, "Remove the key")
    pixels = pooled(raw.pixels, pool) if pool != 1 else raw.pixels
    channels, height, width = pixels.shape[1:]
    return Dataset(
        name=name,
        x=pixels.reshape(len(pixels), -1),
        y=raw.labels,
        features=tuple(f"{c}:{h}:{w}" for c in range(channels) for h in range(height) for w in range(width)),
        classes=classes,
        provenance=raw.provenance,
        image=(channels, height, width),
    )


def pooled(pixels: np.ndarray, side: int) -> np.ndarray:
    """Return images with each square of pixels averaged into one, rounded to the nearest whole number, halves up.

    Args:
        pixels: uint8, shape (records, channels, height, width).
        side: of a square, in pixels; a divisor of height and width.

    Raises:
        ConfigError: squares of this side do not fill the images.
    """
    records, channels, height, width = pixels.shape
    if side < 1 or height % side or width % side:
        fitting = [n for n in range(1, min(height, width) + 1) if height % n == 0 and width % n == 0]
        raise ConfigError(
            "pool", f"{side} does not divide images of {height} x {width} pixels", f"Use one of {fitting}"
        )
    squares = pixels.reshape(records, channels, height // side, side, width // side, side)
    sums = squares.sum(axis=(3, 5), dtype=np.uint32)
    return ((2 * sums + side**2) // (2 * side**2)).astype(np.uint8)
