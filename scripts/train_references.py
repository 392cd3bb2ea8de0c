"""Train reference models of one block. In: prepared data set, splits of all targets. Out: losses of every model."""

from _job import run

import torch

from dpmia.datasets.dataset import Dataset
from dpmia.formats.losses import save_losses
from dpmia.jobs.training import ReferenceJob
from dpmia.splits.block import load_clusters
from dpmia.splits.split import load_splits
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.roles.references import train_references


def main(snakemake):
    """Train as `params.job` says."""
    torch.set_num_threads(snakemake.threads)
    job = ReferenceJob.from_plain(snakemake.params.job)
    dataset = Dataset.load(snakemake.input.dataset)
    clusters = load_clusters(snakemake.input.clusters, dataset)
    targets = {key: split for file in snakemake.input.splits for key, split in load_splits(file, dataset).items()}
    with Checkpoints(snakemake.output[0], snakemake.params.code) as checkpoints:
        losses = train_references(dataset, clusters, targets, job, snakemake.params.seed, checkpoints)
        save_losses(snakemake.output[0], losses, dataset.provenance)


run(main, snakemake)
