"""Synthetic warfarin patients: what is no sum in `iwpc.toml`, and the scaled form of Yeom et al."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpmia.datasets.published.regression import standardised
from dpmia.datasets.synthetic.sampler import Records, mark, read_toml, write_table


def write_files(name: str, folder: Path, seed: int, scale: str) -> None:
    """Write `iwpc-scaled.csv`: numbers with up to four decimals; as many patients as in the real file at any scale."""
    (file,) = read_toml("iwpc")["file"]
    computed = {
        "kg": lambda _, records: np.exp(records["log kg"]),
        "mg": lambda _, records: np.maximum(records["root"], 0) ** 2,
        "age": lambda _, records: _scaled(records["decade"]),
        "height": lambda _, records: _scaled(records["rounded cm"]),
        "weight": lambda _, records: _scaled(records["rounded kg"]),
        "dose": lambda _, records: _scaled(np.sqrt(records["rounded mg"])),
    }
    write_table(folder, file, Records(file, np.random.default_rng(seed), computed))
    mark(folder, seed)


def _scaled(values: np.ndarray) -> np.ndarray:
    return np.round(standardised(values), 4)
