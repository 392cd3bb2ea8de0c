"""Print what a run will take. Out: lines on the terminal."""

from _job import run


def main(snakemake):
    """Print `params.table`."""
    params = snakemake.params
    print(params.table)
    print(
        f"\nThis is missing in {params.folder}. Targets share jobs: together they take less than the sum of the lines."
    )
    print("Rates were measured on this machine. Sizes of data sets are the published ones, or those of your files.")


run(main, snakemake)
