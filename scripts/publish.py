"""Publish a run. In: its figures, tables and verdicts. Out: a folder for a repository, with the commit in it."""

import sys
from pathlib import Path

from _job import run

from dpmia.claims.judge import read_verdicts
from dpmia.report.about import about
from dpmia.report.published import publish
from dpmia.report.run import commit


def main(snakemake):
    """Write the run that `params` describe to the folder of the output."""
    checkout = Path(__file__).parent.parent
    publish(
        about(snakemake.params.about, checkout),
        read_verdicts(snakemake.input.claims[0]),
        commit(checkout),
        Path(snakemake.output[0]),
    )
    print(f"Published: {snakemake.output[0]}", file=sys.stderr)


run(main, snakemake)
