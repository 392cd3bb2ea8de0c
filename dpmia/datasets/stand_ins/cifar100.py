"""Made-up pictures in the place of CIFAR-100: a hundred classes of which small networks understand next to nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dpmia.datasets import cifar100
from dpmia.datasets.stand_ins import cifar10
from dpmia.datasets.stand_ins.pictures import Painter
from dpmia.datasets.stand_ins.sampling import mark

#: Scale -> pictures of the training and of the test part.
ROWS = {"smoke": (1_500, 500), "laptop": (8_000, 4_000), "paper": (50_000, 10_000)}

#: A network of 32 and 64 filters that fits 2500 of these, at half their height and width, reaches 15 percent on others;
#: Ye et al. 2022 print 14.9 for the real ones.
LOOK = replace(cifar10.LOOK, classes=(1,) * len(cifar100.CLASSES), styles=4, variety=0.8, cover=1.7)


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write the two pickled parts, with fine labels; the coarse ones, which nothing reads, are left out."""
    painter = Painter(LOOK, seed)
    for name, title, rows in zip(cifar100.FILES, ("training", "testing"), ROWS[scale], strict=True):
        pictures, labels = painter.paint(rows)
        cifar10.write_batch(folder / name, pictures, f"{title} batch 1 of 1", b"fine_labels", labels)
    mark(folder, seed)
