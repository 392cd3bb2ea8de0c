"""Compare the most exposed records over seeds. In: signals, losses of reference models. Out: a small table."""

from pathlib import Path

from _job import run

from dpmia.files import whole_file
from dpmia.measure_exposure import exposure_table


def main(snakemake):
    """Measure the experiment in the wildcards."""
    inputs = snakemake.input
    table = exposure_table(
        snakemake.wildcards.experiment, inputs.targets, snakemake.params.seed, references=inputs.references
    )
    with whole_file(Path(snakemake.output[0])) as part:
        table.to_csv(part, index=False)


run(main, snakemake)
