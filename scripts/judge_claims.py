"""Judge what the papers claim. In: the tables of a run. Out: verdicts as CSV, Markdown and a picture."""

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
    judged_run, name = JudgedRun.from_plain(snakemake.params.run), snakemake.params.name
    folder, judged = judged_run.folder, judge_all(claims(), judged_run)
    write_table(folder / f"{name}.csv", judged, digits=6)
    with whole_file(folder / f"{name}.md") as part:
        part.write_text(render.markdown(judged, judged_run), encoding="utf-8")
    with drawing.style():
        drawing.save(verdicts.draw(judged, judged_run.source), folder / f"{name}.pdf", folder / f"{name}.png")
    print(f"{render.summary(judged)}: {folder}/{name}.md")


run(main, snakemake)
