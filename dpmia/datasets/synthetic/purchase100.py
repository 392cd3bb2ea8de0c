"""Synthetic customers of a hundred kinds: tastes decide what they buy, and each strays from the tastes of its kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpmia.common.files import whole_file
from dpmia.datasets.published import purchase100
from dpmia.datasets.synthetic.draws import pick_alike
from dpmia.datasets.synthetic.sampler import mark

#: Scale -> records.
ROWS = {"smoke": 2_000, "laptop": 20_000, "night": 197_324, "paper": 197_324}

# A network of 512, 256, 128 and 64 units that fits all of its 2500, 5000 or 10000 training records reaches 51, 67
# and 76 percent on others; Ye et al. 2022 print 52.5, 65.4 and 75.5 (table 1, Ia, IIa, III).

#: Number of tastes that decide on all items.
TASTES = 20
#: Mean and spread of the items' log-odds: one record holds a quarter of them.
POPULARITY = (-1.6, 1.2)
#: How much a customer is of its kind, from and to: the least typical are the hardest to classify.
TYPICAL = (0.5, 1.5)
#: Strength of a customer's own tastes, where those of its kind have 1.
STRAYING = 0.65
#: Concentration of the sizes of the kinds: the largest is some five times the smallest.
EVENNESS = 8

_CHUNK = 5_000


def write_files(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write the one file: no header, a class from 1 to 100 and 600 digits in each row."""
    rng = np.random.default_rng(seed)
    popularity = rng.normal(*POPULARITY, purchase100.ITEMS)
    appeal = rng.normal(0, TASTES**-0.5, (TASTES, purchase100.ITEMS))
    kinds = rng.normal(size=(len(purchase100.CLASSES), TASTES))
    sizes = rng.dirichlet(np.full(len(kinds), EVENNESS))
    labels = pick_alike(rng, sizes, ROWS[scale])
    with whole_file(folder / purchase100.FILE) as part, part.open("wb") as lines:
        for first in range(0, len(labels), _CHUNK):
            here = labels[first : first + _CHUNK]
            tastes = rng.uniform(*TYPICAL, (len(here), 1)) * kinds[here] + STRAYING * rng.normal(
                size=(len(here), TASTES)
            )
            odds = np.exp((popularity + tastes @ appeal).astype(np.float32))
            bought = rng.random(odds.shape, dtype=np.float32) * (1 + odds) < odds
            lines.writelines(_lines(here, bought))
    mark(folder, seed)


def _lines(labels: np.ndarray, bought: np.ndarray) -> list[bytes]:
    """Return the rows of the file: the class as it counts them, from 1, and a digit after each comma."""
    fields = np.full((len(labels), 2 * bought.shape[1]), ord(","), dtype=np.uint8)
    fields[:, 1::2] = ord("0") + bought
    return [b"%d%s\n" % (label + 1, row.tobytes()) for label, row in zip(labels.tolist(), fields, strict=True)]
