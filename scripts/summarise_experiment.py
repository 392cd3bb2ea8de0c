"""Gather the metrics of an experiment. In: tidy tables, splits. Out: all in one, and means with 95 % intervals."""

from _job import run

from dpmia.evaluation.summary import replicates_table, summary_table
from dpmia.formats.rows import MEASURED
from dpmia.formats.tables import read_parts, write_table
from dpmia.splits.overlap import arms_sharing_records
from dpmia.splits.split import load_splits


def main(snakemake):
    """Gather and average all tables of the input."""
    splits = {key: split for path in snakemake.input.splits for key, split in load_splits(path).items()}
    rows = replicates_table(read_parts(snakemake.input.metrics, MEASURED), arms_sharing_records(splits))
    for table, output in ((rows, snakemake.output.replicates), (summary_table(rows), snakemake.output.summary)):
        write_table(output, table)


run(main, snakemake)
