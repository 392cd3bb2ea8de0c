"""Make the report. In: figures, tables and verdicts of a run, and what it left on the way. Out: one HTML file."""

from pathlib import Path

from _job import run

from dpmia.claims.judge import read_verdicts
from dpmia.common.files import whole_file
from dpmia.report.report import report
from dpmia.report.reported_run import ReportedRun
from dpmia.workflow.commit import commit
from dpmia.workflow.root import workflow_root


def main(snakemake):
    """Make the page on the run that `params` describe."""
    reported = ReportedRun.from_plain(snakemake.params.reported)
    verdicts = read_verdicts(snakemake.input.claims[0])
    with whole_file(Path(snakemake.output[0])) as part:
        part.write_text(report(reported, verdicts, commit(workflow_root())), encoding="utf-8")


run(main, snakemake)
