"""Make one figure or table. In: tidy tables of its experiments.

Out: of a figure PDF, PNG, its caption as Markdown, and CSV; of a table CSV and Markdown.
"""

from pathlib import Path

from _job import run

from dpmia.common.files import whole_file
from dpmia.common.registry import load
from dpmia.formats.tables import read_table, write_table
from dpmia.papers import captions
from dpmia.papers.artifact import Artifact, Facts
from dpmia.papers.tables import markdown


def main(snakemake):
    """Make the artifact `params.artifact`."""
    artifact, facts = Artifact(**snakemake.params.artifact), Facts(**snakemake.params.facts)
    tables = dict(zip(snakemake.params.tables, map(read_table, snakemake.input), strict=True))
    table = load(artifact.tabulate)(tables, facts)
    if artifact.draw:
        from dpmia.papers import drawing  # here: most tables need no seaborn, which takes a second to import

        with drawing.style():
            figure = load(artifact.draw)(table, facts)
            drawing.save(figure, snakemake.output.pdf, snakemake.output.png)
        text = captions.markdown(artifact.caption, figure.caption)
    else:
        text = markdown(table, artifact.caption, facts)
    with whole_file(Path(snakemake.output.md)) as part:
        part.write_text(text, encoding="utf-8")
    write_table(snakemake.output.csv, table, digits=6)


run(main, snakemake)
