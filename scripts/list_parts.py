"""List attacks, data sets, membership experiments and models, and where they come from. Out: lines on the terminal."""

from _job import run


def main(snakemake):
    """Print `params.parts`: kind of part -> name -> origin."""
    rows = [(kind, name, origin) for kind, parts in snakemake.params.parts.items() for name, origin in parts.items()]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for kind, name, origin in rows:
        print(f"{kind.ljust(widths[0])}  {name.ljust(widths[1])}  {origin}")


run(main, snakemake)
