"""Judge what the papers claim. In: whatever tables a run has by now. Out: verdicts as CSV, Markdown and a picture."""

from pathlib import Path

from _job import run

from dpmia.claims import picture, tell
from dpmia.claims.judge import Run, judge_all
from dpmia.files import whole_file
from dpmia.papers import drawing
from dpmia.papers.claims import claims


def main(snakemake):
    """Judge the run that `params` describe, and write beside its tables."""
    folder, name = Path(snakemake.params.folder), snakemake.params.name
    about = Run(folder, snakemake.params.stand_in, snakemake.params.scale, snakemake.params.not_run)
    verdicts = judge_all(claims(), about)
    with whole_file(folder / f"{name}.csv") as part:
        verdicts.to_csv(part, index=False)
    with whole_file(folder / f"{name}.md") as part:
        part.write_text(tell.markdown(verdicts, about), encoding="utf-8")
    with drawing.style():
        drawing.save(picture.draw(verdicts, about), folder / f"{name}.pdf", folder / f"{name}.png")
    print(f"{tell.summary(verdicts)}: {folder}/{name}.md")


run(main, snakemake)
