"""Make one figure or table. In: tidy tables of its experiments.

Out: of a figure PDF, SVG, PNG, its caption as Markdown, and CSV; of a table CSV and Markdown.
"""

from pathlib import Path

from _job import run

from dpmia.common.files import whole_file
from dpmia.common.registry import load
from dpmia.formats.tables import read_table, write_table
from dpmia.papers import captions
from dpmia.papers.artifact import Facts
from dpmia.papers.tables import markdown


def main(snakemake):
    """Make the artifact that `params` describe as `dpmia.papers.artifact.Artifact` does."""
    caption, draw, facts = snakemake.params.caption, snakemake.params.draw, Facts(**snakemake.params.facts)
    tables = dict(zip(snakemake.params.tables, map(read_table, snakemake.input), strict=True))
    table = load(snakemake.params.tabulate)(tables, facts)
    if draw:
        from dpmia.papers import drawing  # here: most tables need no seaborn, which takes a second to import

        with drawing.style():
            figure = load(draw)(table, facts)
            drawing.save(figure, snakemake.output.pdf, snakemake.output.svg, snakemake.output.png)
        text = captions.markdown(caption, figure.caption)
    else:
        text = markdown(table, caption, facts)
    with whole_file(Path(snakemake.output.md)) as part:
        part.write_text(text, encoding="utf-8")
    write_table(snakemake.output.csv, table, digits=6)


run(main, snakemake)
