"""Cluster the records of a data set. In: the prepared data set. Out: the group of every record."""

from _job import run

from dpmia.datasets.dataset import Dataset
from dpmia.jobs.drawing import ClusterJob
from dpmia.splits.block import save_clusters
from dpmia.splits.clusters import clusters


def main(snakemake):
    """Cluster as `params.job` says."""
    job = ClusterJob.from_plain(snakemake.params.job)
    dataset = Dataset.load(snakemake.input.dataset)
    groups = clusters(dataset.x, dataset.y, count=job.count, pairing=job.pairing, seed=job.seed, restarts=job.restarts)
    save_clusters(snakemake.output[0], groups)


run(main, snakemake)
