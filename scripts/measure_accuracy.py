"""Measure accuracy and mean loss of all models of an experiment. In: signals. Out: a tidy table."""

from pathlib import Path

from _job import run

from dpmia.files import whole_file
from dpmia.measure_accuracy import accuracy_table


def main(snakemake):
    """Measure the models of the experiment in the wildcards."""
    with whole_file(Path(snakemake.output[0])) as part:
        table = accuracy_table(snakemake.wildcards.experiment, snakemake.input, snakemake.params.details)
        table.to_csv(part, index=False)


run(main, snakemake)
