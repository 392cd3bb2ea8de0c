"""Print the CPU time of a run. In: the logs of its jobs. Out: CPU time per rule, on the terminal."""

from pathlib import Path

from _job import run

from dpmia.common.formatting import format_duration, format_percent, text_table
from dpmia.workflow.costs import SHOWN, costs_table, outside_share, shown_costs


def main(snakemake):
    """Print the table of the logs below `params.folder`."""
    root = Path(snakemake.params.folder)
    table = costs_table(sorted(root.rglob("*.log")), root)
    if table.empty:
        print(f"No job of this run has ended: {root} holds no times yet")
        return
    print(text_table(shown_costs(table), SHOWN))
    whole = format_duration(table[["startup", "work"]].sum().sum())
    print(f"{format_percent(outside_share(table))} of {whole} of CPU time is outside the work")


run(main, snakemake)
