"""Train the target models of one block. In: prepared data set, splits. Out: signals of every model."""

from _job import run

import torch

from dpmia.datasets.dataset import Dataset
from dpmia.formats.signals import save_signals
from dpmia.jobs.training import TrainJob
from dpmia.splits.split import load_splits
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.roles.targets import train_block


def main(snakemake):
    """Train as `params.job` says."""
    torch.set_num_threads(snakemake.threads)
    job = TrainJob.from_plain(snakemake.params.job)
    dataset = Dataset.load(snakemake.input.dataset)
    splits = load_splits(snakemake.input.splits, dataset)
    with Checkpoints(snakemake.output[0], snakemake.params.code) as checkpoints:
        signals = train_block(dataset, splits, job, snakemake.params.seed, checkpoints)
        save_signals(snakemake.output[0], signals, dataset.provenance)


run(main, snakemake)
