"""Publish what a run made of a paper. In: its tables and figures. Out: a folder for a repository."""

import shutil
import sys
from pathlib import Path

from _job import run

from dpmia.claims.judge import JudgedRun, judge_all
from dpmia.papers.claims import claims
from dpmia.report.published import publish
from dpmia.report.reported_run import ReportedRun
from dpmia.workflow.commit import named_commit
from dpmia.workflow.root import workflow_root


def main(snakemake):
    """Judge the claims of the paper, and write all of it to the folder of the output."""
    paper, commit = snakemake.wildcards.paper, named_commit(workflow_root())
    verdicts = judge_all({paper: claims()[paper]}, JudgedRun.from_plain(snakemake.params.judge))
    folder = Path(snakemake.output[0])
    if folder.exists():  # what was published last; Snakemake restores it if this fails
        shutil.rmtree(folder)
    reported = ReportedRun.from_plain(snakemake.params.reported)
    publish(paper, reported, verdicts, map(Path, snakemake.input.tables), commit, folder)
    print(f"Published: {snakemake.output[0]}", file=sys.stderr)


run(main, snakemake)
