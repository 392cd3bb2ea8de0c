"""CIFAR-10: 60 000 colour photographs of 32 x 32 pixels in 10 classes (Krizhevsky 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dpmia.datasets.dataset import Dataset
from dpmia.datasets.published import images
from dpmia.datasets.published.images import Images
from dpmia.datasets.raw import image_files

#: The five batches of the training part, then the test part.
FILES = (*(f"data_batch_{number}" for number in range(1, 6)), "test_batch")
CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")


def read(folder: Path) -> Images:
    """Parse the six files: the training images in the publisher's order, then the test images.

    Raises:
        DataError: a file is absent, damaged or of another format.
    """
    return images.joined(
        folder, [((name,), image_files.batch(folder / name, "labels", len(CLASSES))) for name in FILES]
    )


def encode(raw: Images, attributes: Sequence[str] = (), pool: int = 1) -> Dataset:
    """Return 3 x 1024 pixels, or fewer where `pool` is 2, 4, 8 or 16: the side of the squares that are averaged."""
    return images.encoded("cifar10", raw, CLASSES, attributes, pool)
