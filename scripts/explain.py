"""Print what runs jobs again. In: Snakemake's records of what was made. Out: a line for each file and setting."""

from collections import Counter, defaultdict
from pathlib import Path

from _job import run

from dpmia.workflow.changes import DIGEST, records
from dpmia.workflow.digest import edited_files


def main(snakemake):
    """Compare the records in `params.metadata` with the code of today; `params.changed` holds changed settings."""
    lines = defaultdict(Counter)
    for _, record in records(Path(snakemake.params.metadata)):
        for digest in (value[1:-1] for value in record["params"] if DIGEST.fullmatch(value)):
            for edited in edited_files(digest, snakemake.params.code):
                lines[f"{edited} was edited"][record["rule"]] += 1
    for change, rule in snakemake.params.changed:
        lines[f"Settings changed, {change}"][rule] += 1
    for line, rules in sorted(lines.items()):
        print(f"{line}: {', '.join(f'{rule} ({count} files)' for rule, count in sorted(rules.items()))}")
    if not lines:
        print("No code and no parameter of a file here changed since it was made. A dry run shows changed inputs.")


run(main, snakemake)
