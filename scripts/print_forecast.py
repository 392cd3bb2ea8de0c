"""Print what a run will take. Out: lines on the terminal."""

from _job import run


def main(snakemake):
    """Print `params.table`."""
    params = snakemake.params
    print(params.table)
    print(f"\nThis is missing in {params.folder}; what is there counts, up to date or not.")
    print("Targets share jobs: together they take less than the sum of the lines.")
    rates = "were measured on this machine" if params.measured else "are those of another machine"
    print(f"Rates {rates}. Sizes of data sets are the published ones, or those of your files.")


run(main, snakemake)
