"""Tell what a run cost. In: the logs of its jobs. Out: processor time by rule, on the terminal."""

from pathlib import Path

from _job import run

from dpmia.workflow.costs import costs_table, outside_share


def main(snakemake):
    """Tell of the logs below `params.folder`."""
    root = Path(snakemake.params.folder)
    table = costs_table(sorted(root.rglob("*.log")), root)
    print(table.to_string(index=False, float_format="%.1f"))
    print(f"{outside_share(table):.1%} of {table[['startup', 'work']].sum().sum():.0f} CPU seconds outside the work")


run(main, snakemake)
