"""Distil the target models of one block. In: prepared data set, signals of the targets. Out: losses of every model."""

from _job import run

import torch

from dpmia.datasets.dataset import Dataset
from dpmia.formats.losses import save_losses
from dpmia.formats.signals import load_signals
from dpmia.jobs.training import DistilJob
from dpmia.splits.block import load_clusters
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.roles.distilled import train_distilled


def main(snakemake):
    """Train as `params.job` says."""
    torch.set_num_threads(snakemake.threads)
    job = DistilJob.from_plain(snakemake.params.job)
    dataset = Dataset.load(snakemake.input.dataset)
    clusters = load_clusters(snakemake.input.clusters, dataset)
    targets = list(load_signals(snakemake.input.targets, len(dataset)))
    with Checkpoints(snakemake.output[0], snakemake.params.code) as checkpoints:
        losses = train_distilled(dataset, clusters, targets, job, snakemake.params.seed, checkpoints)
        save_losses(snakemake.output[0], losses, dataset.provenance)


run(main, snakemake)
