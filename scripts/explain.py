"""Tell which edits of code run jobs again. In: Snakemake's records of what was made. Out: a line for each file."""

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

from _job import run

from dpmia.digest import edited_files


def main(snakemake):
    """Tell of the records in `params.metadata`, by what stood behind their digests."""
    found = defaultdict(Counter)
    for file in Path(snakemake.params.metadata).glob("*"):
        record = json.loads(file.read_text(encoding="utf-8"))
        for digest in (value[1:-1] for value in record["params"] if re.fullmatch("'[0-9a-f]{16}'", value)):
            for edited in edited_files(digest, snakemake.params.code):
                found[edited][record["rule"]] += 1
    for edited, rules in sorted(found.items()):
        print(f"{edited} was edited: {', '.join(f'{rule} ({count} files)' for rule, count in sorted(rules.items()))}")
    if not found:
        print("No code that made anything here was edited since.")


run(main, snakemake)
