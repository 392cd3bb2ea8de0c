"""Try by attack whether the engines keep the epsilon that they state. In: nothing. Out: a table."""

from _job import run

import torch

from dpmia.formats.tables import write_table
from dpmia.validation import engines_keep_epsilon


def main(snakemake):
    """Try all engines."""
    torch.set_num_threads(snakemake.threads)
    write_table(snakemake.output[0], engines_keep_epsilon.run(snakemake.params.engines, snakemake.params.seed))


run(main, snakemake)
