"""Check that batches fit into the training sets of an experiment. In: its splits. Out: the sizes of each arm."""

import json

from _job import run

from dpmia.files import whole_file
from dpmia.settings.batches import check_batches
from dpmia.splits.drawn_sizes import of_splits
from dpmia.splits.split import load_splits


def main(snakemake):
    """Check as `params.job` says, over all blocks."""
    job = snakemake.params.job
    splits = {key: split for file in snakemake.input for key, split in load_splits(file).items()}
    sizes = of_splits(splits, job["arms"])
    check_batches(sizes, job, f"experiment {snakemake.wildcards.experiment}")
    with whole_file(snakemake.output[0]) as path:
        path.write_text(json.dumps({arm: each._asdict() for arm, each in sizes.items()}))


run(main, snakemake)
