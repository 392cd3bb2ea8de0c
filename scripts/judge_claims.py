"""Judge what the papers claim. In: the tables of a run. Out: verdicts as CSV, Markdown and a picture."""

from pathlib import Path

from _job import run

from dpmia.claims import render
from dpmia.claims.judge import JudgedRun, judge_all
from dpmia.common.files import whole_file
from dpmia.formats.tables import write_table
from dpmia.papers import drawing
from dpmia.papers.claims import claims
from dpmia.report import verdicts


def main(snakemake):
    """Judge the run that `params` describe, and write beside its tables."""
    params = snakemake.params
    folder, name = Path(params.folder), params.name
    fields = ("synthetic", "scale", "not_run", "trained", "other_networks", "times", "only")
    judged_run = JudgedRun(folder, **{field: getattr(params, field) for field in fields})
    judged = judge_all(claims(), judged_run)
    write_table(folder / f"{name}.csv", judged, digits=6)
    with whole_file(folder / f"{name}.md") as part:
        part.write_text(render.markdown(judged, judged_run), encoding="utf-8")
    with drawing.style():
        drawing.save(verdicts.draw(judged, judged_run.source), folder / f"{name}.pdf", folder / f"{name}.png")
    print(f"{render.summary(judged)}: {folder}/{name}.md")


run(main, snakemake)
