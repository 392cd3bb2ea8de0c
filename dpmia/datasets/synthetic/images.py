"""Synthetic images in their publishers' files; `<data set>.toml` has their numbers and looks."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
from scipy.io import savemat

from dpmia.common.files import whole_file
from dpmia.datasets.published import cifar10, cifar100, mnist, svhn
from dpmia.datasets.synthetic.painter import Appearance, Painter
from dpmia.datasets.synthetic.sampler import mark, read_toml

#: MATLAB files begin with a text of this length. That of scipy has the time, which would be other bytes each time.
_MATLAB_HEADER = 116


def write_mnist(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write the four IDX files, uncompressed."""
    painter, rows = _painter(name, seed, scale)
    for (pixels, labels), records in zip(mnist.PARTS, rows, strict=True):
        images, classes = painter.paint(records)
        _write_idx(folder / pixels, images[:, 0])
        _write_idx(folder / labels, classes.astype(np.uint8))
    mark(folder, seed)


def write_cifar10(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write five training batches and the test batch."""
    painter, (batch_size, test) = _painter(name, seed, scale)
    *training, last = cifar10.FILES
    for number, file in enumerate(training, start=1):
        title = f"training batch {number} of {len(training)}"
        _write_batch(folder / file, *painter.paint(batch_size), title, b"labels")
    _write_batch(folder / last, *painter.paint(test), "testing batch 1 of 1", b"labels")
    mark(folder, seed)


def write_cifar100(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write the two parts with fine labels; the coarse ones, which nothing reads, are not written."""
    painter, rows = _painter(name, seed, scale)
    for file, part, records in zip(cifar100.FILES, ("training", "testing"), rows, strict=True):
        _write_batch(folder / file, *painter.paint(records), f"{part} batch 1 of 1", b"fine_labels")
    mark(folder, seed)


def write_svhn(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write the three MATLAB files of version 5, in which 10 is the label of the digit 0."""
    painter, rows = _painter(name, seed, scale)
    for file, records in zip(svhn.FILES, rows, strict=True):
        images, digits = painter.paint(records)
        labels = np.where(digits == 0, 10, digits).astype(np.uint8)
        with whole_file(folder / file) as part:
            savemat(part, {"X": images.transpose(2, 3, 1, 0), "y": labels[:, None]})
            with part.open("r+b") as written:
                written.write(b"MATLAB 5.0 MAT-file, synthetic".ljust(_MATLAB_HEADER))
    mark(folder, seed)


def _painter(name: str, seed: int, scale: str) -> tuple[Painter, list[int]]:
    """Return the painter of a data set, and the number of images of each part."""
    numbers = read_toml(name)
    return Painter(Appearance(**numbers["look"]), seed), numbers["rows"][scale]


def _write_idx(path: Path, values: np.ndarray) -> None:
    """Write unsigned bytes after what IDX puts before them: type 8, number of dimensions, lengths of 4 bytes each."""
    head = bytes((0, 0, 8, values.ndim)) + np.array(values.shape, dtype=">u4").tobytes()
    with whole_file(path) as part:
        part.write_bytes(head + values.tobytes())


def _write_batch(path: Path, images: np.ndarray, labels: np.ndarray, title: str, key: bytes) -> None:
    """Write one pickled batch of CIFAR-10 or CIFAR-100: a dictionary with keys of bytes, as Python 2 wrote.

    Args:
        path: where to.
        images: uint8, shape (records, 3, 32, 32).
        labels: class numbers, shape (records,).
        title: what the batch calls itself.
        key: what the batch calls its labels.
    """
    batch = {
        b"batch_label": title.encode(),
        key: labels.tolist(),
        b"data": images.reshape(len(images), -1),
        b"filenames": [b"made_up_%06d.png" % number for number in range(len(images))],
    }
    with whole_file(path) as part:
        part.write_bytes(pickle.dumps(batch, protocol=3))
