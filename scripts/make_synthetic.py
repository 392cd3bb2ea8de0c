"""Write synthetic raw files of one data set in its publisher's format. Out: the files and a marker that says so."""

from pathlib import Path

from _job import run

from dpmia.common.registry import load


def main(snakemake):
    """Write the files by `params.writer` from `params.seed`, as many records as `params.scale` needs."""
    params = snakemake.params
    load(params.writer)(params.dataset, Path(snakemake.output.marker).parent, params.seed, params.scale)


run(main, snakemake)
