"""Measure the blind baseline of one block. In: prepared data set, signals. Out: a tidy table."""

from _job import run

from dpmia.datasets.dataset import Dataset
from dpmia.evaluation.blind_baseline import blind_rows
from dpmia.formats.rows import write_rows
from dpmia.jobs.attacking import BlindJob


def main(snakemake):
    """Measure as `params.job` says."""
    dataset = Dataset.load(snakemake.input.dataset)
    experiment, job = snakemake.wildcards.experiment, BlindJob.from_plain(snakemake.params.job)
    rows = blind_rows(experiment, dataset, snakemake.input.targets, job, snakemake.params.seed)
    write_rows(snakemake.output[0], rows)


run(main, snakemake)
