"""SVHN: 630 420 house numbers, 32 x 32 colour pixels around one digit (Netzer et al. 2011), with the extra part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dpmia.datasets.dataset import Dataset
from dpmia.datasets.published import images
from dpmia.datasets.published.images import Images
from dpmia.datasets.raw import image_files

#: The training part, the larger and easier extra part (together 604 388 images, "SVHN extended"), the test part.
FILES = ("train_32x32.mat", "extra_32x32.mat", "test_32x32.mat")
CLASSES = tuple("0123456789")


def read(folder: Path) -> Images:
    """Parse the three files: training, extra and test images, each in the publisher's order.

    Raises:
        DataError: a file is absent, damaged or of another format.
    """
    return images.joined(folder, [((name,), image_files.matlab(folder / name, len(CLASSES))) for name in FILES])


def encode(raw: Images, attributes: Sequence[str] = (), pool: int = 1) -> Dataset:
    """Return 3 x 1024 pixels, or fewer where `pool` is 2, 4, 8 or 16: the side of the squares that are averaged."""
    return images.encoded("svhn", raw, CLASSES, attributes, pool)
