"""List attacks, data sets, membership experiments and models, and where they come from. Out: lines on the terminal."""

from _job import run

from dpmia.common.formatting import text_table


def main(snakemake):
    """Print `params.parts`: kind of part -> name -> origin."""
    rows = [(kind, name, origin) for kind, parts in snakemake.params.parts.items() for name, origin in parts.items()]
    print(text_table(rows, align="left"))


run(main, snakemake)
