"""Report an audit. In: what its experiments measured, outputs of their models. Out: a page, and its numbers as JSON."""

import json
from pathlib import Path

from _job import run

from dpmia.audit.gather import gather
from dpmia.audit.page import mark, page
from dpmia.common.files import whole_file
from dpmia.jobs.auditing import AuditJob


def main(snakemake):
    """Gather what `params.job` names, and write both files."""
    audit = gather(AuditJob.from_plain(snakemake.params.job))
    for path, text in (
        (snakemake.output.json, json.dumps(audit.plain(), indent=1, allow_nan=False)),
        (snakemake.output.html, page(audit)),
    ):
        with whole_file(Path(path)) as part:
            part.write_text(text, encoding="utf-8")
    if warning := mark(audit.run):
        print(warning)
    for experiment in audit.experiments.values():
        for section in experiment.in_plain_words:
            print("\n  ".join([f"{section.model}:", *section.paragraphs]))


run(main, snakemake)
