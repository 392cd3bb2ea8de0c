"""Make the report. In: figures, tables and verdicts of a run, and what it left on the way. Out: one HTML file."""

from pathlib import Path

from _job import run

from dpmia.claims.judge import read_verdicts
from dpmia.common.files import whole_file
from dpmia.papers.artifact import Artifact
from dpmia.report.about import About
from dpmia.report.report import report


def main(snakemake):
    """Make the page on the run that `params` describe."""
    params = snakemake.params
    about = About(
        folder=Path(params.folder),
        logs=Path(params.logs),
        config=params.config,
        defaults=params.defaults,
        artifacts=params.artifacts,
        models=params.models,
        prepared=params.prepared,
        not_run=params.not_run,
        settings=params.settings,
        paper_settings=params.paper_settings,
        own=params.own,
        checks=[Artifact(**check) for check in params.checks],
        repository=Path(__file__).parent.parent,
    )
    verdicts = read_verdicts(snakemake.input.claims[0])
    with whole_file(Path(snakemake.output[0])) as part:
        part.write_text(report(about, verdicts), encoding="utf-8")


run(main, snakemake)
