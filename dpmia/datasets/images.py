"""Images as their publishers pack them: IDX, pickled batches, MATLAB and PNG files, read without trust in them."""

from __future__ import annotations

import io
import math
import pickle
import tarfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import numpy as np
from PIL import Image
from scipy.io import loadmat

from dpmia.datasets import origin
from dpmia.datasets.table import Dataset
from dpmia.errors import ConfigError, DataError

#: Side of the square colour images of CIFAR and SVHN, in pixels.
SIDE = 32

_AGAIN = "Delete the file and fetch it again."
_UNSIGNED_BYTES = 8


@dataclass(frozen=True)
class Images:
    """Images and their classes, of one file or of several below each other.

    Attributes:
        pixels: uint8, shape (records, channels, height, width).
        labels: int64, shape (records,), class numbers from 0.
        provenance: as `origin.provenance` tells it; empty before the files are put together.
    """

    pixels: np.ndarray
    labels: np.ndarray
    provenance: dict[str, Any]


def joined(folder: Path, parts: Sequence[tuple[Sequence[str], Images]]) -> Images:
    """Return the images of several parts below each other, in their order.

    Args:
        folder: raw folder of the data set.
        parts: names of the files of each part, and what they hold; a single part is not copied.
    """
    told = origin.provenance(folder, [(name, len(images.labels)) for names, images in parts for name in names])
    pixels = [images.pixels for _, images in parts]
    labels = [images.labels for _, images in parts]
    return Images(pixels[0] if len(parts) == 1 else np.concatenate(pixels), np.concatenate(labels), told)


def encoded(name: str, raw: Images, classes: tuple[str, ...], attributes: Sequence[str], pool: int) -> Dataset:
    """Make the data set: flat rows of pixels, uint8, in the order channel, row, column.

    Args:
        name: the data set's name in the settings.
        raw: what was read.
        classes: names of the classes, by number.
        attributes: none: images have no columns to group by.
        pool: side of the squares of pixels that are averaged into one; 1 leaves the images as they are.

    Raises:
        ConfigError: attributes are asked for, or squares that do not fill an image.
    """
    if attributes:
        raise ConfigError(f"attributes of {name}", ", ".join(map(repr, attributes)), "none: images have none")
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
        raise ConfigError("pool", str(side), f"one of {fitting} for images of {height} x {width} pixels")
    squares = pixels.reshape(records, channels, height // side, side, width // side, side)
    sums = squares.sum(axis=(3, 5), dtype=np.uint32)
    return ((2 * sums + side**2) // (2 * side**2)).astype(np.uint8)


def idx(path: Path, dimensions: int) -> np.ndarray:
    """Read an IDX file of unsigned bytes.

    Args:
        path: the file, plain or gzipped.
        dimensions: how many it must have.

    Returns:
        uint8, of the shape that the file says.

    Raises:
        DataError: the file is absent or of another kind, or has not as many bytes as it says.
    """
    content = _content(path)
    head = 4 + 4 * dimensions
    magic = bytes((0, 0, _UNSIGNED_BYTES, dimensions))
    if content[:4] != magic or len(content) < head:
        expected = f"{magic.hex(' ')} and {dimensions} lengths"
        raise DataError(path.name, f"a file that begins with {content[:4].hex(' ')}", expected, _AGAIN)
    shape = tuple(map(int, np.frombuffer(content, dtype=">u4", count=dimensions, offset=4)))
    if len(content) - head != math.prod(shape):
        expected = f"{math.prod(shape)} of them, for a shape of {shape}"
        raise DataError(path.name, f"{len(content) - head} bytes after the lengths", expected, _AGAIN)
    return np.frombuffer(content, dtype=np.uint8, offset=head).reshape(shape)


def batch(path: Path, labels: str, classes: int) -> Images:
    """Read one pickled batch of CIFAR-10 or CIFAR-100.

    Args:
        path: the file.
        labels: key of the labels in the pickled dictionary.
        classes: number of classes.

    Raises:
        DataError: the file is absent or damaged, holds anything but numpy arrays and plain values, or no such batch.
    """
    loaded = unpickled(path)
    found = {key.decode("ascii", "replace") if isinstance(key, bytes) else key: value for key, value in loaded.items()}
    pixels = found.get("data")
    if not isinstance(pixels, np.ndarray) or pixels.dtype != np.uint8 or pixels.shape[1:] != (3 * SIDE**2,):
        shown = f"{pixels.dtype} of shape {pixels.shape}" if isinstance(pixels, np.ndarray) else repr(pixels)[:40]
        raise DataError(f"{path.name}, key 'data'", shown, f"uint8 of shape (records, {3 * SIDE**2})", _AGAIN)
    numbers = found.get(labels)
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        raise DataError(f"{path.name}, key {labels!r}", repr(numbers)[:40], "a list of whole numbers", _AGAIN)
    return _checked(path, pixels.reshape(-1, 3, SIDE, SIDE), np.array(numbers, dtype=np.int64), classes)


def unpickled(path: Path) -> dict:
    """Return the dictionary in a pickle that holds numpy arrays of whole numbers and plain values, nothing else.

    Texts of Python 2 come as bytes.

    Raises:
        DataError: the file is absent or damaged, names any other type or function, or holds no dictionary.
    """
    with origin.opened(path) as content:
        try:
            loaded = _Unpickler(content, encoding="bytes").load()
        except _RefusedError as error:
            raise DataError(path.name, str(error), "numpy arrays and plain values", "Do not open this file.") from None
        except Exception as error:  # any can come out of a damaged pickle, says the documentation of pickle
            raise DataError(path.name, f"a damaged pickle ({error})", "a whole one", _AGAIN) from None
    if not isinstance(loaded, dict):
        raise DataError(path.name, f"a pickled {type(loaded).__name__}", "a pickled dictionary", _AGAIN)
    return loaded


class _RefusedError(Exception):
    """A pickle names what it must not."""


def _empty(kind: type, shape: tuple, dtype: bytes) -> np.ndarray:
    """Stand for numpy's private function of this purpose: the array that the pickled state then fills."""
    if kind is not np.ndarray:
        raise _RefusedError(f"an array of type {kind!r}")
    return np.ndarray((0,), dtype=np.uint8)


def _number(code: bytes | str, align: bool = False, copy: bool = False) -> np.dtype:
    kind = np.dtype(code.decode("ascii") if isinstance(code, bytes) else code, align=align, copy=copy)
    if kind.kind not in "bui":
        raise _RefusedError(f"an array of {kind}")
    return kind


class _Unpickler(pickle.Unpickler):
    """Knows what pickled arrays of whole numbers name, under the modules of numpy 1 and 2, and no other names."""

    _KNOWN: dict[tuple[str, str], Callable] = {
        ("numpy.core.multiarray", "_reconstruct"): _empty,
        ("numpy._core.multiarray", "_reconstruct"): _empty,
        ("numpy", "dtype"): _number,
        ("numpy", "ndarray"): np.ndarray,
    }

    def find_class(self, module: str, name: str) -> Callable:
        """Return what a pickle names, if it may."""
        if (module, name) not in self._KNOWN:
            raise _RefusedError(f"the name {module}.{name}")
        return self._KNOWN[module, name]


def matlab(path: Path, classes: int) -> Images:
    """Read one file of SVHN: `X` of shape (height, width, channels, records), `y` from 1, the last class meaning 0.

    Args:
        path: the file.
        classes: number of classes; the label of this number means 0.

    Raises:
        DataError: the file is absent, damaged or of another kind.
    """
    with origin.opened(path) as content:
        try:
            found = loadmat(content, variable_names=["X", "y"])
        except (ValueError, TypeError, NotImplementedError, OSError, EOFError, KeyError, zlib.error) as error:
            raise DataError(path.name, f"no readable MATLAB file ({error})", "one of version 5", _AGAIN) from None
    pixels, labels = found.get("X"), found.get("y")
    for key, value, shape in (("X", pixels, (SIDE, SIDE, 3)), ("y", labels, ())):
        if value is None or value.dtype.kind != "u" or value.ndim < 2 or value.shape[: len(shape)] != shape:
            shown = "nothing" if value is None else f"{value.dtype} of shape {value.shape}"
            raise DataError(f"{path.name}, variable {key}", shown, f"unsigned bytes of shape {(*shape, '...')}", _AGAIN)
    labels = labels.ravel().astype(np.int64)
    if len(labels) and not 1 <= labels.min() <= labels.max() <= classes:
        raise DataError(f"{path.name}, variable y", f"{labels.min()} to {labels.max()}", f"1 to {classes}", _AGAIN)
    return _checked(path, np.ascontiguousarray(pixels.transpose(3, 2, 0, 1)), labels % classes, classes)


def packed(path: Path, classes: Sequence[str]) -> Images:
    """Read PNG images from a tar archive in which each class has a folder; nothing is unpacked.

    Args:
        path: the archive, plain or gzipped.
        classes: names of the folders, in sorted order: a class's number is its place.

    Returns:
        The images in the archive's order.

    Raises:
        DataError: the file is absent, no such archive, or holds an image of another kind or class.
    """
    numbers = {name: number for number, name in enumerate(classes)}
    pixels, labels = [], []
    with origin.opened(path) as content:
        try:
            with tarfile.open(fileobj=content, mode="r|") as archive:
                for member in archive:
                    if not member.isfile():
                        continue
                    folder = PurePosixPath(member.name).parent.name
                    if folder not in numbers:
                        raise DataError(f"{path.name}, {member.name}", f"the class {folder!r}", "a known one", _AGAIN)
                    pixels.append(_png(path, member.name, archive.extractfile(member)))
                    labels.append(numbers[folder])
        except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
            raise DataError(path.name, f"no readable tar archive ({error})", "a whole one", _AGAIN) from None
    images = np.stack(pixels) if pixels else np.empty((0, 3, SIDE, SIDE), dtype=np.uint8)
    return _checked(path, images, np.array(labels, dtype=np.int64), len(classes))


def _png(path: Path, member: str, content: BinaryIO) -> np.ndarray:
    """Return one image as (channels, height, width); its size is looked at before its pixels are decoded."""
    where, expected = f"{path.name}, {member}", f"a PNG image of {SIDE} x {SIDE} pixels, RGB"
    try:
        with Image.open(io.BytesIO(content.read()), formats=["PNG"]) as image:
            if image.size != (SIDE, SIDE) or image.mode != "RGB":
                raise DataError(where, f"{image.size[0]} x {image.size[1]} pixels, {image.mode}", expected, _AGAIN)
            return np.asarray(image).transpose(2, 0, 1)
    except (OSError, SyntaxError, ValueError) as error:
        raise DataError(where, f"no readable image ({error})", expected, _AGAIN) from None


def _checked(path: Path, pixels: np.ndarray, labels: np.ndarray, classes: int) -> Images:
    """Return the images of one file, which must be some and have a class each."""
    if not len(pixels) or len(pixels) != len(labels):
        raise DataError(path.name, f"{len(pixels)} images and {len(labels)} labels", "one label for each image", _AGAIN)
    if not 0 <= labels.min() <= labels.max() < classes:
        raise DataError(path.name, f"labels {labels.min()} to {labels.max()}", f"0 to {classes - 1}", _AGAIN)
    return Images(pixels, labels, {})


def paired(pixels: Path, labels: Path, classes: int) -> Images:
    """Read two IDX files: grey images of shape (records, height, width), and their labels."""
    return _checked(pixels, idx(pixels, 3)[:, None], idx(labels, 1).astype(np.int64), classes)


def _content(path: Path) -> bytes:
    with origin.opened(path) as content:
        try:
            return content.read()
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(path.name, f"a damaged gzip file ({error})", "a whole one", _AGAIN) from None
