"""Made-up pictures in the place of SVHN: ten classes, harder than MNIST's and easier than CIFAR-10's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.io import savemat

from dpmia.datasets import svhn
from dpmia.datasets.stand_ins import cifar10
from dpmia.datasets.stand_ins.pictures import Painter
from dpmia.datasets.stand_ins.sampling import mark
from dpmia.files import whole_file

#: Scale -> pictures of the training, the extra and the test part.
ROWS = {"smoke": (900, 600, 500), "laptop": (4_000, 4_000, 4_000), "paper": (73_257, 531_131, 26_032)}

#: A network of 32 and 64 filters that fits 2500 of these, at half their height and width, reaches 83 percent on others.
#: Low digits are more frequent, as at real doors.
LOOK = replace(
    cifar10.LOOK,
    classes=(4948, 13861, 10585, 8497, 7458, 6882, 5727, 5595, 5045, 4659),
    styles=20,
    variety=0.7,
    cover=1.5,
)
#: MATLAB files begin with a text of this length. That of scipy tells the time, which would be other bytes each time.
_HEADER = 116


def write_files(folder: Path, seed: int, scale: str) -> None:
    """Write the three MATLAB files of version 5, in which 10 is the label of the digit 0."""
    painter = Painter(LOOK, seed)
    for name, rows in zip(svhn.FILES, ROWS[scale], strict=True):
        pictures, digits = painter.paint(rows)
        labels = np.where(digits == 0, 10, digits).astype(np.uint8)
        with whole_file(folder / name) as part:
            savemat(part, {"X": pictures.transpose(2, 3, 1, 0), "y": labels[:, None]})
            with part.open("r+b") as written:
                written.write(b"MATLAB 5.0 MAT-file, made up".ljust(_HEADER))
    mark(folder, seed)
