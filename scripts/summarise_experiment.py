"""Gather the metrics of an experiment. In: tidy tables. Out: all in one, and means with 95 % intervals."""

from pathlib import Path

from _job import run

from dpmia.common.files import whole_file
from dpmia.evaluation.summary import replicates_table, summary_table
from dpmia.formats.tables import read_table


def main(snakemake):
    """Gather and average all tables of the input."""
    rows = replicates_table(map(read_table, snakemake.input))
    for table, output in ((rows, snakemake.output.replicates), (summary_table(rows), snakemake.output.summary)):
        with whole_file(Path(output)) as part:
            table.to_csv(part, index=False)


run(main, snakemake)
