"""Synthetic raw files of a data set, as `scripts/make_synthetic.py` writes them."""

from __future__ import annotations

from pathlib import Path

from dpmia.common.registry import load
from dpmia.settings.names import SYNTHETIC


def write_synthetic(name: str, folder: Path, seed: int = 0, scale: str = "smoke") -> None:
    """Write the files of one data set."""
    load(SYNTHETIC[name])(name, folder, seed, scale)
