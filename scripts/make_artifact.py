"""Make one figure or table. In: tidy tables of its experiments. Out: PDF, PNG and CSV, or CSV and Markdown."""

from pathlib import Path

from _job import run

from dpmia.common.files import whole_file
from dpmia.common.registry import load
from dpmia.formats.tables import read_table, write_table
from dpmia.papers import drawing
from dpmia.papers.artifact import Artifact, Facts
from dpmia.papers.tables import markdown


def main(snakemake):
    """Make the artifact `params.artifact`."""
    artifact, facts = Artifact(**snakemake.params.artifact), Facts(**snakemake.params.facts)
    tables = dict(zip(snakemake.params.tables, map(read_table, snakemake.input), strict=True))
    table = load(artifact.tabulate)(tables, facts)
    if artifact.draw:
        with drawing.style():
            drawing.save(load(artifact.draw)(table, facts), snakemake.output.pdf, snakemake.output.png)
    else:
        with whole_file(Path(snakemake.output.md)) as part:
            part.write_text(markdown(table, artifact.caption, facts), encoding="utf-8")
    write_table(snakemake.output.csv, table)


run(main, snakemake)
