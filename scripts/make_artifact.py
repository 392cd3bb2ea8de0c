"""Make one figure or table. In: tidy tables of its experiments.

Out: of a figure PDF, SVG, PNG, its caption as Markdown, and CSV; of a table CSV and Markdown.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from _job import run

from dpmia.common.errors import DataError, MemoryShortError, UserError
from dpmia.common.files import whole_file
from dpmia.common.registry import load
from dpmia.formats.rows import MissingRowsError
from dpmia.formats.tables import read_table, write_table
from dpmia.papers import captions
from dpmia.papers.artifact import RunSummary
from dpmia.papers.tables import markdown


def main(snakemake):
    """Make the artifact that `params` describe as `dpmia.papers.artifact.Artifact` does."""
    caption, draw, run_summary = (
        snakemake.params.caption,
        snakemake.params.draw,
        RunSummary.from_plain(snakemake.params.run_summary),
    )
    tables = dict(zip(snakemake.params.tables, map(read_table, snakemake.input), strict=True))
    with missing_rows(snakemake):
        table = load(snakemake.params.tabulate)(tables, run_summary)
    if draw:
        from dpmia.papers import drawing  # here: most tables need no seaborn, which takes a second to import

        with drawing.style():
            with missing_rows(snakemake):
                figure = load(draw)(table, run_summary)
            drawing.save(figure, snakemake.output.pdf, snakemake.output.svg, snakemake.output.png)
        text = captions.markdown(caption, figure.caption)
    else:
        text = markdown(table, caption, run_summary)
    with whole_file(Path(snakemake.output.md)) as part:
        part.write_text(text, encoding="utf-8")
    write_table(snakemake.output.csv, table, digits=6)


@contextmanager
def missing_rows(snakemake) -> Iterator[None]:
    """Turn an error over tables without the rows that an artifact needs into a message that names them.

    Each table was whole when it was written: what it lacks was cut off since. The traceback stands in the log, as the
    fault may be ours.
    """
    try:
        yield
    except (UserError, OSError):
        raise
    except MissingRowsError as error:
        remedy = "Choose settings that have them. If rows were deleted, delete these files and start again"
        raise DataError(", ".join(snakemake.input), str(error), remedy) from error
    except Exception as error:
        if MemoryShortError.of(error) or not snakemake.input:
            raise
        logging.exception("%s cannot be made", snakemake.rule)
        remedy = (
            f"If nothing was deleted from them, this is a fault of dpmia: {snakemake.log[0]} says where. If rows were, "
            "delete these files and start again: what makes them runs once more"
        )
        problem = f"nothing can be made of what they hold ({type(error).__name__}: {error})"
        raise DataError(", ".join(snakemake.input), problem, remedy) from error


run(main, snakemake)
