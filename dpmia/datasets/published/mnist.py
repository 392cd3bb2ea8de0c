"""MNIST: 70 000 handwritten digits, 28 x 28 grey pixels (LeCun, Cortes, Burges)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dpmia.datasets.dataset import Dataset
from dpmia.datasets.published import images
from dpmia.datasets.published.images import Images
from dpmia.datasets.raw import image_files

#: Images and labels of the training part, then of the test part: two IDX files each, plain or gzipped.
PARTS = (
    ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
)
CLASSES = tuple("0123456789")


def read(folder: Path) -> Images:
    """Parse the four files: the training images in the publisher's order, then the test images.

    Raises:
        DataError: a file is absent, damaged or of another format.
    """
    return images.joined(
        folder,
        [
            ((pixels, labels), image_files.paired(folder / pixels, folder / labels, len(CLASSES)))
            for pixels, labels in PARTS
        ],
    )


def encode(raw: Images, attributes: Sequence[str] = (), pool: int = 1) -> Dataset:
    """Return 784 grey pixels, or fewer where `pool` is 2, 4, 7 or 14: the side of the squares that are averaged."""
    return images.encoded("mnist", raw, CLASSES, attributes, pool)
