"""Print how much of each paper is done. In: the files that a run has by now. Out: lines on the terminal."""

from pathlib import Path

from _job import run

from dpmia.workflow.status import status


def main(snakemake):
    """Count the files that `params` name."""
    print(status(Path(snakemake.params.folder), snakemake.params.papers))


run(main, snakemake)
