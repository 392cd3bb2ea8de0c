"""Train models without one record each. In: prepared data set, signals of the targets. Out: losses of every model."""

from _job import run

import torch

from dpmia.datasets.dataset import Dataset
from dpmia.formats.losses import save_losses
from dpmia.formats.signals import load_model
from dpmia.jobs.training import LeaveOneOutJob
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.roles.leave_one_out import train_leave_one_out


def main(snakemake):
    """Train as `params.job` says."""
    torch.set_num_threads(snakemake.threads)
    dataset, job = Dataset.load(snakemake.input.dataset), LeaveOneOutJob.from_plain(snakemake.params.job)
    target = load_model(snakemake.input.targets, job.arm, job.replicate)
    with Checkpoints(snakemake.output[0], snakemake.params.code) as checkpoints:
        losses = train_leave_one_out(dataset, target, job, snakemake.params.seed, checkpoints)
        save_losses(snakemake.output[0], [losses], dataset.provenance)


run(main, snakemake)
