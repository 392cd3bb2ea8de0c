"""Fetch one raw file from the mirror or its publisher. Out: the file, only when its bytes are right."""

from pathlib import Path

from _job import run

from dpmia.datasets.fetch import fetch
from dpmia.datasets.sources import RawFile


def main(snakemake):
    """Fetch `params.raw`."""
    mirror = Path(snakemake.resources.data_mirror) if snakemake.resources.data_mirror else None
    fetch(RawFile(**snakemake.params.raw), Path(snakemake.output[0]), mirror)


run(main, snakemake)
