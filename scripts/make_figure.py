"""Make one figure. In: tidy tables of its experiments. Out: PDF, PNG, and the tidy table it shows."""

from pathlib import Path

from _job import run

from dpmia.files import whole_file
from dpmia.measure import read_table
from dpmia.papers.artifact import Artifact, Facts
from dpmia.papers.drawing import save
from dpmia.registry import load


def main(snakemake):
    """Make the figure `params.artifact`."""
    artifact, facts = Artifact(**snakemake.params.artifact), Facts(**snakemake.params.facts)
    tables = dict(zip(artifact.experiments, map(read_table, snakemake.input), strict=True))
    table = load(artifact.tabulate)(tables, facts)
    pdf, png, csv = snakemake.output
    save(load(artifact.draw)(table, facts), pdf, png)
    with whole_file(Path(csv)) as part:
        table.to_csv(part, index=False)


run(main, snakemake)
