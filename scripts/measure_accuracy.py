"""Measure accuracy and mean loss of all models of an experiment. In: signals. Out: a tidy table."""

from _job import run

from dpmia.evaluation.accuracy import accuracy_rows
from dpmia.formats.rows import write_rows
from dpmia.formats.signals import load_all


def main(snakemake):
    """Measure the models of the experiment in the wildcards."""
    rows = accuracy_rows(snakemake.wildcards.experiment, load_all(snakemake.input), snakemake.params.details)
    write_rows(snakemake.output[0], rows)


run(main, snakemake)
