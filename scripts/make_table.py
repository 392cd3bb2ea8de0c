"""Make one table. In: tidy tables of its experiments. Out: CSV and Markdown."""

from pathlib import Path

import pandas as pd
from _job import run

from dpmia.files import whole_file
from dpmia.papers.artifact import Artifact, Facts
from dpmia.papers.tables import markdown
from dpmia.registry import load


def main(snakemake):
    """Make the table `params.artifact`."""
    artifact, facts = Artifact(**snakemake.params.artifact), Facts(**snakemake.params.facts)
    tables = dict(zip(artifact.experiments, map(pd.read_csv, snakemake.input), strict=True))
    table = load(artifact.tabulate)(tables, facts)
    csv, md = map(Path, snakemake.output)
    with whole_file(csv) as part:
        table.to_csv(part, index=False)
    with whole_file(md) as part:
        part.write_text(markdown(table, artifact.caption, facts), encoding="utf-8")


run(main, snakemake)
