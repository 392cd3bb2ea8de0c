"""Cluster the records of a data set. In: the prepared data set. Out: the group of every record."""

from _job import run

import numpy as np

from dpmia.common.files import whole_file
from dpmia.datasets.table import Dataset
from dpmia.jobs.drawing import ClusterJob
from dpmia.splits.clusters import clusters


def main(snakemake):
    """Cluster as `params.job` says."""
    job = ClusterJob.from_plain(snakemake.params.job)
    dataset = Dataset.load(snakemake.input.dataset)
    groups = clusters(dataset.x, dataset.y, count=job.count, pairing=job.pairing, seed=job.seed, restarts=job.restarts)
    with whole_file(snakemake.output[0]) as part:
        np.savez_compressed(part, groups=groups)


run(main, snakemake)
