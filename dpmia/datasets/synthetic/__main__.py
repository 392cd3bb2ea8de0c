"""Write the synthetic files of one data set: `python -m dpmia.datasets.synthetic adult some/folder`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import get_args

from dpmia.common.errors import PlaceError
from dpmia.common.registry import load
from dpmia.datasets.synthetic import sampler
from dpmia.settings.base import Scale
from dpmia.settings.names import SYNTHETIC

#: Tables in this folder, and data sets that have nothing but code.
NAMES = sorted({*SYNTHETIC, *(file.stem for file in Path(__file__).parent.glob("*.toml"))})


def main(arguments: list[str] | None = None) -> None:
    """Write the files that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m dpmia.datasets.synthetic", description=__doc__)
    parser.add_argument("name", choices=NAMES, help="the data set")
    parser.add_argument("folder", type=Path, help="where to")
    parser.add_argument("--seed", type=_seed, default=1, help="of all records (default: 1)")
    parser.add_argument("--scale", choices=get_args(Scale), default="laptop", help="default: laptop")
    chosen = parser.parse_args(arguments)
    write_files = load(SYNTHETIC[chosen.name]) if chosen.name in SYNTHETIC else sampler.write_files
    try:
        write_files(chosen.name, chosen.folder, chosen.seed, chosen.scale)
    except OSError as error:
        sys.exit(f"Error: {PlaceError.of(error) or error}")


def _seed(text: str) -> int:
    seed = int(text)
    if seed < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than 0")
    return seed


if __name__ == "__main__":
    main()
