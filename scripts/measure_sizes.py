"""Count what an experiment is made of. In: prepared data set, splits of one block. Out: a table, one row an arm."""

from pathlib import Path

from _job import run

from dpmia.common.files import whole_file
from dpmia.datasets.table import Dataset
from dpmia.splits.sizes import sizes_table
from dpmia.splits.split import load_splits


def main(snakemake):
    """Count the records of the experiment in the wildcards."""
    dataset = Dataset.load(snakemake.input.dataset)
    splits = load_splits(snakemake.input.splits, dataset.fingerprint)
    with whole_file(Path(snakemake.output[0])) as part:
        sizes_table(snakemake.wildcards.experiment, dataset, splits).to_csv(part, index=False)


run(main, snakemake)
