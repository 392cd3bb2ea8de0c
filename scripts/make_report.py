"""Make the report. In: figures, tables and verdicts of a run, and what it left on the way. Out: one HTML file."""

from pathlib import Path

from _job import run

from dpmia.claims.judge import read_verdicts
from dpmia.common.files import whole_file
from dpmia.report.report import report
from dpmia.report.reported_run import reported_run


def main(snakemake):
    """Make the page on the run that `params` describe."""
    run_of = reported_run(snakemake.params.reported, Path(__file__).parent.parent)
    verdicts = read_verdicts(snakemake.input.claims[0])
    with whole_file(Path(snakemake.output[0])) as part:
        part.write_text(report(run_of, verdicts), encoding="utf-8")


run(main, snakemake)
