"""Publish what a run made of a paper. In: its tables and figures. Out: a folder for a repository."""

import shutil
import sys
from pathlib import Path

from _job import run

from dpmia.claims.judge import JudgedRun, judge_all
from dpmia.papers.claims import claims
from dpmia.report.published import publish
from dpmia.report.reported_run import reported_run
from dpmia.workflow.commit import named_commit


def main(snakemake):
    """Judge the claims of the paper, and write all of it to the folder of the output."""
    checkout, paper = Path(__file__).parent.parent, snakemake.wildcards.paper
    run, commit = reported_run(snakemake.params.reported, checkout), named_commit(checkout)
    judged = JudgedRun(run.folder, **snakemake.params.judged, only=list(snakemake.input.tables))
    verdicts = judge_all({paper: claims()[paper]}, judged)
    folder = Path(snakemake.output[0])
    if folder.exists():  # what was published last; Snakemake restores it if this fails
        shutil.rmtree(folder)
    publish(paper, run, verdicts, map(Path, snakemake.input.tables), commit, folder)
    print(f"Published: {snakemake.output[0]}", file=sys.stderr)


run(main, snakemake)
