"""Train the shadow models of one block. In: prepared data set, splits. Out: signals of every model."""

from _job import run

import torch

from dpmia.datasets.dataset import Dataset
from dpmia.formats.signals import save_signals
from dpmia.jobs.drawing import BatchLimits
from dpmia.jobs.training import ShadowJob
from dpmia.splits.batches import check_batches
from dpmia.splits.drawn_sizes import of_splits
from dpmia.splits.split import load_splits
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.roles.shadows import train_shadows


def main(snakemake):
    """Train as `params.job` says."""
    torch.set_num_threads(snakemake.threads)
    dataset = Dataset.load(snakemake.input.dataset)
    splits = load_splits(snakemake.input.splits, dataset)
    job = ShadowJob.from_plain(snakemake.params.job)
    batch_sizes = {arm: recipe.batch_size for arm, recipe in job.recipes.items()}
    where = f"experiment {snakemake.wildcards.experiment}"
    sizes = of_splits(splits, job.arms, len(dataset))
    check_batches(sizes, BatchLimits(job.arms, batch_sizes, shadows=job.count), where)
    with Checkpoints(snakemake.output[0], snakemake.params.code) as checkpoints:
        signals = train_shadows(dataset, splits, job, snakemake.params.seed, checkpoints)
        save_signals(snakemake.output[0], signals, dataset.provenance)


run(main, snakemake)
