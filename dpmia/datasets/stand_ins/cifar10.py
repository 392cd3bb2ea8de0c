"""Made-up pictures in the place of CIFAR-10: ten classes that small networks learn by heart sooner than by rule."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np

from dpmia.datasets import cifar10
from dpmia.datasets.stand_ins.pictures import Look, Painter
from dpmia.datasets.stand_ins.sampling import mark
from dpmia.files import whole_file

#: Scale -> pictures of each training batch and of the test part.
ROWS = {"smoke": (300, 500), "laptop": (1_600, 4_000), "paper": (10_000, 10_000)}

#: A network of 32 and 64 filters that fits 2500 of these, at half their height and width, reaches 50 percent on others;
#: Ye et al. 2022 print 40.9 for AlexNet and the real ones.
LOOK = Look(
    classes=(1,) * len(cifar10.CLASSES),
    channels=3,
    side=32,
    styles=50,
    variety=0.85,
    cover=2,
    noise=0.4,
    blend=0.3,
    contrast=28,
)


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write five training batches and the test batch: pickled dictionaries with keys of bytes, as Python 2 wrote."""
    painter = Painter(LOOK, seed)
    each, test = ROWS[scale]
    *training, last = cifar10.FILES
    titles = {name: f"training batch {number} of {len(training)}" for number, name in enumerate(training, start=1)}
    for name, title in {**titles, last: "testing batch 1 of 1"}.items():
        pictures, labels = painter.paint(test if name == last else each)
        write_batch(folder / name, pictures, title, b"labels", labels)
    mark(folder, seed)


def write_batch(path: Path, pictures: np.ndarray, title: str, key: bytes, labels: np.ndarray) -> None:
    """Write one pickled batch of CIFAR-10 or CIFAR-100.

    Args:
        path: where to.
        pictures: uint8, shape (records, 3, 32, 32).
        title: what the batch calls itself.
        key: what the batch calls its labels.
        labels: class numbers, shape (records,).
    """
    batch = {
        b"batch_label": title.encode(),
        key: labels.tolist(),
        b"data": pictures.reshape(len(pictures), -1),
        b"filenames": [b"made_up_%06d.png" % number for number in range(len(pictures))],
    }
    with whole_file(path) as part:
        part.write_bytes(pickle.dumps(batch, protocol=3))
