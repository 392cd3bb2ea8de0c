"""Count what an experiment is made of. In: prepared data set, splits of one block. Out: a table, one row an arm."""

from _job import run

from dpmia.datasets.dataset import Dataset
from dpmia.formats.tables import write_table
from dpmia.splits.sizes import sizes_table
from dpmia.splits.split import load_splits


def main(snakemake):
    """Count the records of the experiment in the wildcards."""
    dataset = Dataset.load(snakemake.input.dataset)
    splits = load_splits(snakemake.input.splits, dataset)
    write_table(snakemake.output[0], sizes_table(snakemake.wildcards.experiment, dataset, splits))


run(main, snakemake)
