"""Average an experiment over its replicates. In: tidy tables. Out: means with 95 % intervals."""

from pathlib import Path

from _job import run

from dpmia.files import whole_file
from dpmia.measure import read_table, summary_table


def main(snakemake):
    """Average all tables of the input."""
    with whole_file(Path(snakemake.output[0])) as part:
        summary_table(map(read_table, snakemake.input)).to_csv(part, index=False)


run(main, snakemake)
