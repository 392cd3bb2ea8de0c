"""Compare the most exposed records over seeds. In: signals, losses of reference models. Out: a small table."""

from _job import run

from dpmia.evaluation.exposure import exposure_rows
from dpmia.formats.rows import write_rows
from dpmia.formats.stages import EXPOSURE


def main(snakemake):
    """Measure the experiment in the wildcards."""
    inputs = snakemake.input
    rows = exposure_rows(
        snakemake.wildcards.experiment, inputs.targets, snakemake.params.seed, references=inputs.references
    )
    write_rows(snakemake.output[0], rows, EXPOSURE)


run(main, snakemake)
