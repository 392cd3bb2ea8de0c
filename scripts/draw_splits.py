"""Draw the splits of one block, and check that batches fit. In: data set, clusters if any. Out: index arrays."""

from _job import run

from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.jobs.drawing import BatchLimits, SplitJob
from dpmia.splits.batches import check_batches
from dpmia.splits.block import draw_block, load_clusters
from dpmia.splits.drawn_sizes import of_splits
from dpmia.splits.split import save_splits


def main(snakemake):
    """Draw as `params.job` says."""
    dataset, job = Dataset.load(snakemake.input.dataset), SplitJob.from_plain(snakemake.params.job)
    clusters = load_clusters(snakemake.input.clusters, dataset)
    splits = draw_block(dataset, clusters, load(job.draw), job.arms, job.replicates, snakemake.params.seed)
    batched = {arm: job.arms[arm] for arm in job.batch_sizes}
    limits = BatchLimits(batched, job.batch_sizes)
    check_batches(of_splits(splits, batched, len(dataset)), limits, f"experiment {snakemake.wildcards.experiment}")
    save_splits(snakemake.output[0], splits, dataset.fingerprint)


run(main, snakemake)
