"""Run one study. In: a prepared data set, if it takes one. Out: a tidy table."""

from pathlib import Path

from _job import run

from dpmia.common.files import whole_file
from dpmia.common.registry import load
from dpmia.datasets.table import Dataset


def main(snakemake):
    """Run the function `params.study`."""
    dataset = Dataset.load(snakemake.input[0]) if snakemake.input else None
    table = load(snakemake.params.study)(seed=snakemake.params.seed, dataset=dataset, **snakemake.params.options)
    with whole_file(Path(snakemake.output[0])) as part:
        table.to_csv(part, index=False)


run(main, snakemake)
