"""Files of images as their publishers pack them: IDX, pickled batches, MATLAB, and PNG in an archive."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import numpy as np
from PIL import Image
from scipy.io import loadmat, whosmat

from dpmia.common.errors import DataError
from dpmia.common.reading.archives import members
from dpmia.common.reading.source import GZIP_RATIO, Source
from dpmia.datasets.published.images import Images
from dpmia.datasets.raw import origin
from dpmia.datasets.raw.pickles import unpickled
from dpmia.formats.provenance import Provenance

#: Side of the square colour images of CIFAR and SVHN, in pixels.
SIDE = 32

_AGAIN = "Delete the file and fetch it again."
_UNSIGNED_BYTES = 8
_CHUNK = 1 << 20
#: Most bytes of one packed image.
LARGEST_PNG = 1 << 20


def paired(pixels: Path, labels: Path, classes: int) -> Images:
    """Read two IDX files: grey images of shape (records, height, width), and their labels."""
    images, numbers = idx(pixels, 3)[:, None], idx(labels, 1).astype(np.int64)
    _check_labels(labels, numbers, classes)
    return _checked(pixels, images, numbers, classes)


def idx(path: Path, dimensions: int) -> np.ndarray:
    """Read an IDX file of unsigned bytes.

    Args:
        path: the file, plain or gzipped.
        dimensions: how many it must have.

    Returns:
        uint8, of the shape that the file says.

    Raises:
        DataError: the file is absent or of another format, or has not as many bytes as it says.
    """
    magic = bytes((0, 0, _UNSIGNED_BYTES, dimensions))
    source = origin.source(path)
    with source.opened() as stream, source.faults("the file cannot be read"):
        begin, lengths = stream.read(4), stream.read(4 * dimensions)
        if begin != magic or len(lengths) < 4 * dimensions:
            problem = f"the file begins with {begin.hex(' ')}, not with {magic.hex(' ')} and {dimensions} lengths"
            raise DataError(path.name, problem, _AGAIN)
        shape = tuple(map(int, np.frombuffer(lengths, dtype=">u4")))
        content = stream.read(min(math.prod(shape), GZIP_RATIO * source.size()))
        follow = len(content) + sum(map(len, iter(lambda: stream.read(_CHUNK), b"")))
    if follow != math.prod(shape):
        problem = f"{follow} bytes follow the lengths; shape {shape} needs {math.prod(shape)}"
        raise DataError(path.name, problem, _AGAIN)
    return np.frombuffer(content, dtype=np.uint8).reshape(shape)


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
    fields = {key.decode("ascii", "replace") if isinstance(key, bytes) else key: value for key, value in loaded.items()}
    pixels = fields.get("data")
    if not isinstance(pixels, np.ndarray) or pixels.dtype != np.uint8 or pixels.shape[1:] != (3 * SIDE**2,):
        shown = f"{pixels.dtype} of shape {pixels.shape}" if isinstance(pixels, np.ndarray) else repr(pixels)[:40]
        problem = f"{shown} is not uint8 of shape (records, {3 * SIDE**2})"
        raise DataError(f"{path.name}, key 'data'", problem, _AGAIN)
    numbers = fields.get(labels)
    if not isinstance(numbers, list) or not all(type(number) is int and abs(number) < 2**63 for number in numbers):
        raise DataError(f"{path.name}, key {labels!r}", f"{repr(numbers)[:40]} is not a list of integers", _AGAIN)
    return _checked(path, pixels.reshape(-1, 3, SIDE, SIDE), np.array(numbers, dtype=np.int64), classes)


def matlab(path: Path, classes: int) -> Images:
    """Read one file of SVHN: `X` of shape (height, width, channels, records), `y` from 1, the last class meaning 0.

    Args:
        path: the file.
        classes: number of classes; the label of this number means 0.

    Raises:
        DataError: the file is absent, damaged or of another format.
    """
    file = origin.source(path)
    variables = _variables(file)
    for key, shape, axes in (("X", (SIDE, SIDE, 3), 4), ("y", (), 2)):
        value = variables.get(key)
        if not isinstance(value, np.ndarray):
            raise file.error("the variable is missing", f", variable {key}")
        if value.dtype != np.uint8 or value.ndim != axes or value.shape[: len(shape)] != shape:
            problem = f"{value.dtype} of shape {value.shape} is not uint8 of {axes} axes, of shape {(*shape, '...')}"
            raise file.error(problem, f", variable {key}")
    pixels, labels = variables["X"], variables["y"]
    labels = labels.ravel().astype(np.int64)
    if len(labels) and not 1 <= labels.min() <= labels.max() <= classes:
        problem = f"labels {labels.min()} to {labels.max()} are not all from 1 to {classes}"
        raise DataError(f"{path.name}, variable y", problem, _AGAIN)
    return _checked(path, np.ascontiguousarray(pixels.transpose(3, 2, 0, 1)), labels % classes, classes)


def packed(path: Path, classes: Sequence[str]) -> Images:
    """Read PNG images from a tar archive in which each class has a folder; nothing is unpacked.

    Args:
        path: the archive, plain or gzipped.
        classes: names of the folders, in sorted order: a class's number is its place.

    Returns:
        The images in the archive's order.

    Raises:
        DataError: the file is absent, no such archive, or holds an image of another format or class.
    """
    file, numbers = origin.source(path), {name: number for number, name in enumerate(classes)}
    pixels, labels = [], []
    for name, content in members(file, LARGEST_PNG):
        folder = PurePosixPath(name).parent.name
        if folder not in numbers:
            raise DataError(f"{path.name}, {name}", f"the class {folder!r} is unknown", _AGAIN)
        pixels.append(_png(file, name, content))
        labels.append(numbers[folder])
    images = np.stack(pixels) if pixels else np.empty((0, 3, SIDE, SIDE), dtype=np.uint8)
    return _checked(path, images, np.array(labels, dtype=np.int64), len(classes))


def _png(file: Source, member: str, content: bytes) -> np.ndarray:
    """Return one image as (channels, height, width); its size is looked at before its pixels are decoded."""
    where, valid = f", {member}", f"a PNG image of {SIDE} x {SIDE} pixels, RGB"
    with file.faults(f"not readable as {valid}", where), Image.open(io.BytesIO(content), formats=["PNG"]) as image:
        if image.size != (SIDE, SIDE) or image.mode != "RGB":
            problem = f"{image.size[0]} x {image.size[1]} pixels, {image.mode}, are not {valid}"
            raise file.error(problem, where)
        return np.asarray(image).transpose(2, 0, 1)


def _variables(file: Source) -> dict:
    """Return the variables `X` and `y` of a MATLAB file, unless it claims more than it may hold."""
    with file.opened() as stream:
        content = stream if stream.seekable() else io.BytesIO(stream.read())
        with file.faults("not readable as MATLAB file of version 5"):
            claimed = sum(8 * math.prod(shape) for name, shape, _ in whosmat(content) if name in ("X", "y"))
            if claimed > 8 * file.limits.bytes:
                raise file.error(f"it claims {claimed // 8} numbers")
            content.seek(0)
            return loadmat(content, variable_names=["X", "y"])


def _checked(path: Path, pixels: np.ndarray, labels: np.ndarray, classes: int) -> Images:
    """Return the images of one file, which must be some and have a class each."""
    if not len(pixels) or len(pixels) != len(labels):
        raise DataError(path.name, f"{len(pixels)} images do not fit {len(labels)} labels", _AGAIN)
    _check_labels(path, labels, classes)
    return Images(pixels, labels, Provenance())


def _check_labels(path: Path, labels: np.ndarray, classes: int) -> None:
    if len(labels) and not 0 <= labels.min() <= labels.max() < classes:
        problem = f"labels {labels.min()} to {labels.max()} are not all from 0 to {classes - 1}"
        raise DataError(path.name, problem, _AGAIN)
