"""List the targets. Out: a line for each target, on the terminal."""

from _job import run


def main(snakemake):
    """Print `params.targets`: name -> description."""
    targets = snakemake.params.targets
    width = max(map(len, targets))
    print("\n".join(f"{name.ljust(width)}  {description}" for name, description in targets.items()))


run(main, snakemake)
