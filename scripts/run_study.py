"""Run one study. In: a prepared data set, if it takes one. Out: a tidy table."""

from _job import run

from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.formats.tables import write_table


def main(snakemake):
    """Run the function `params.study`."""
    dataset = Dataset.load(snakemake.input[0]) if snakemake.input else None
    table = load(snakemake.params.study)(seed=snakemake.params.seed, dataset=dataset, **snakemake.params.options)
    table.insert(0, "experiment", snakemake.wildcards.study)
    write_table(snakemake.output[0], table)


run(main, snakemake)
