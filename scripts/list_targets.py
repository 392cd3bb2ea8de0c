"""List the targets. Out: a line for each target, on the terminal."""

from _job import run

from dpmia.common.formatting import text_table


def main(snakemake):
    """Print `params.targets`: name -> description."""
    print(text_table(snakemake.params.targets.items(), align="left"))


run(main, snakemake)
