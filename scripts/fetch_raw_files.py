"""Fetch raw files from the mirror or their publisher. Out: the files, each only when its bytes are right."""

from pathlib import Path

from _job import run

from dpmia.datasets.raw.fetch import fetch
from dpmia.datasets.raw.sources import RawFile


def main(snakemake):
    """Fetch `params.files` into the folder of the outputs."""
    mirror = Path(snakemake.resources.data_mirror) if snakemake.resources.data_mirror else None
    files = [RawFile.from_plain(fields) for fields in snakemake.params.files]
    fetch(files, Path(snakemake.output[0]).parent, mirror, download=bool(snakemake.resources.download))


run(main, snakemake)
