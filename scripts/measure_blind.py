"""Measure the blind baseline of one block. In: prepared data set, splits, signals. Out: a tidy table."""

from pathlib import Path

from _job import run

from dpmia.datasets.table import Dataset
from dpmia.files import whole_file
from dpmia.measure_blind import blind_table
from dpmia.splits.split import load_splits


def main(snakemake):
    """Measure as `params.job` says."""
    dataset = Dataset.load(snakemake.input.dataset)
    splits = load_splits(snakemake.input.splits, dataset.fingerprint)
    experiment, job = snakemake.wildcards.experiment, snakemake.params.job
    table = blind_table(experiment, dataset, splits, snakemake.input.targets, job, snakemake.params.seed)
    with whole_file(Path(snakemake.output[0])) as part:
        table.to_csv(part, index=False)


run(main, snakemake)
