"""Write synthetic raw files of one data set in its publisher's format. Out: the files and a marker that says so."""

from pathlib import Path

from _job import run

from dpmia.common.plugins import errors_of_file
from dpmia.common.registry import load


def main(snakemake):
    """Write the files by `params.writer` from `params.seed`, as many records as `params.scale` needs."""
    params = snakemake.params
    write = load(params.writer)
    with errors_of_file(params.writer, "write_synthetic", every=True):
        write(params.dataset, Path(snakemake.output.marker).parent, params.seed, params.scale)


run(main, snakemake)
