"""Take published papers into the repository: `python -m dpmia.report.adopt results/real-night/published/*`.

The folder of each becomes `docs/measured/<paper>`, its verdicts take the place of those that reports on synthetic data
show, and what the README and `docs/measured/README.md` say about them, and the picture of all verdicts, are made anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from dpmia.claims.judge import decided, read_verdicts
from dpmia.common.errors import DataError, UserError
from dpmia.common.files import whole_file
from dpmia.common.formatting import MISSING, listed
from dpmia.common.reading.source import Source, made
from dpmia.formats.tables import write_table
from dpmia.papers import claims, drawing
from dpmia.papers.bibliography import BIBLIOGRAPHY
from dpmia.report import claim_summary, recorded, verdicts
from dpmia.report.published import CLAIMS, PROVENANCE, SHORT, digests
from dpmia.report.recorded import Recorded, source_of
from dpmia.report.tally import held, of_ours, of_papers, others
from dpmia.workflow.failures import refuse

#: What is recorded of a run, as `Recorded` says.
RUN = ("scale", "commit", "date")

#: Of the table of all papers.
COLUMNS = (
    "paper",
    "papers' claims reproduced",
    "their other verdicts",
    "ours reproduced",
    "our other verdicts",
    "decided, of those that the data can decide",
    *RUN,
)

#: In the order of the verdicts of a run.
PAPERS = tuple(claims.CLAIMS)

#: The lines of a page between which the verdicts stand.
BEGIN, END = "<!-- verdicts: written by dpmia.report.adopt -->", "<!-- end of verdicts -->"

#: The picture of all verdicts; its metadata name the file that it shows.
PICTURE, SHOWN = "docs/pictures/verdicts.png", "Description"


def adopt(published: Iterable[Path], repository: Path) -> list[Path]:
    """Take published papers into a repository; return their folders there.

    Raises:
        UserError: one is on synthetic data, its files are not those that were published, or it is in the repository
            already; or two are of one paper. Nothing is written.
    """
    taken: dict[str, tuple[Path, Recorded]] = {}
    for folder in published:
        paper, run = _checked(folder)
        if paper in taken:
            raise UserError(str(folder), f"{taken[paper][0]} is of the same paper", "Name one of them")
        if folder.resolve().is_relative_to((repository / "docs/measured").resolve()):
            raise UserError(str(folder), "it is in the repository already", "Name the folder that a run published")
        taken[paper] = folder, run
    package = repository / "dpmia/report"
    runs = recorded.runs(package / recorded.RUNS.name) | {paper: run for paper, (_, run) in taken.items()}
    judged = read_verdicts(package / recorded.VERDICTS.name)
    parts = [
        read_verdicts(taken[paper][0] / CLAIMS) if paper in taken else judged[judged["paper"] == paper]
        for paper in PAPERS
    ]
    if without := sorted({*judged["paper"]} - {*runs}):
        problem = f"it does not say which run the verdicts on {without[0]} are of"
        raise DataError(str(package / recorded.RUNS.name), problem, "Restore it from the repository")
    judged = pd.concat([part for part in parts if len(part)], ignore_index=True)
    there = {path.parent.name for path in (repository / "docs/measured").glob("*/README.md")}
    said = {
        "README.md": sentences(runs, judged),
        "docs/measured/README.md": overview(runs, judged, there | set(taken)),
    }
    pages = {name: with_verdicts(name, _page(repository, name).text(), text) for name, text in said.items()}
    with drawing.style():
        picture = verdicts.draw(judged, f"Real data: {source_of(runs)}.")

    folders = []
    for paper, (source, _) in taken.items():
        folder = repository / "docs/measured" / paper
        part = folder.with_name(f".{paper}.part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(source, part, ignore=shutil.ignore_patterns(".*"))
        shutil.rmtree(folder, ignore_errors=True)
        folders.append(part.rename(folder))
    write_table(package / recorded.VERDICTS.name, judged, digits=6)
    written = {f"dpmia/report/{recorded.RUNS.name}": _json({paper: run.plain() for paper, run in runs.items()})}
    for name, text in (pages | written).items():
        with whole_file(repository / name) as part:
            part.write_text(text, encoding="utf-8")
    with drawing.style():
        drawing.save(picture, repository / PICTURE, metadata={SHOWN: digest_of(repository)})
    return folders


def _page(repository: Path, name: str) -> Source:
    return Source(repository / name, name, "Restore it from the repository")


def digest_of(repository: Path) -> str:
    """Return the SHA-256 of the recorded verdicts of a repository."""
    return hashlib.sha256((repository / "dpmia/report" / recorded.VERDICTS.name).read_bytes()).hexdigest()


#: Why most claims on data that are not reproduced do not fail, for readers of the README.
UNCOUNTED = (
    "A claim that random scores meet, too, does not count as reproduced; those not run lack their data, or take models "
    "that are too large for a night on two cores."
)


def sentences(runs: Mapping[str, Recorded], judged: pd.DataFrame) -> str:
    """Return what the README says about the recorded verdicts."""
    text = " ".join(claim_summary.sentences(judged))
    of_one_run = len({run.source for run in runs.values()}) == 1
    source = source_of(runs) if of_one_run else f"scale {listed(sorted({run.scale for run in runs.values()}))}"
    more = "each claim, also those that we added, each figure and table"
    more += "" if of_one_run else ", with commit and date"
    links = f"[What the verdicts mean](docs/verdicts.md); [{more}](docs/measured/README.md)."
    return f"On real data ({source}): {text} {UNCOUNTED} {links}"


def overview(runs: Mapping[str, Recorded], judged: pd.DataFrame, published: Collection[str]) -> str:
    """Return what `docs/measured/README.md` says about them: a table with a row for each paper, and the picture.

    Args:
        runs: by paper.
        judged: the verdicts.
        published: the papers that have a page of their own.
    """
    lines = [_row(COLUMNS), _row(["---"] * len(COLUMNS))]
    for paper, rows in judged.groupby("paper", sort=False):
        run = runs[str(paper)]
        name = BIBLIOGRAPHY[str(paper)].short
        page = f"[{name}]({paper}/README.md)" if paper in published else name
        counts = [
            count
            for part in (of_papers(rows), of_ours(rows))
            for count in (held(part) if len(part) else MISSING, others(part))
        ]
        lines.append(_row([page, *counts, decided(rows), run.scale, run.commit, run.date]))
    return (
        "\n".join(lines)
        + f"\n\n![Verdicts on all claims, a row for each figure or table]({PICTURE.replace('docs', '..')})"
    )


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def with_verdicts(name: str, page: str, text: str) -> str:
    """Return a page with another text between `BEGIN` and `END`."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        problem = f"the lines {BEGIN} and {END} are missing"
        raise DataError(name, problem, "Add them where the verdicts are to stand")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def _checked(published: Path) -> tuple[str, Recorded]:
    """Return the paper of a published folder, and its run."""
    source = replace(made(published / PROVENANCE), absent="Name a folder that snakemake publish wrote")
    with source.faults("it is not what `snakemake publish` wrote"):
        provenance = source.json()
        if provenance["data"] != "real":
            raise UserError(str(published), "a run on synthetic data is no evidence", "Publish one with data=real")
        if digests(published) != provenance["files"]:
            changed = "files were changed after they were published"
            raise DataError(str(published), changed, "Delete it and publish again")
        run = Recorded.from_plain({**{key: provenance[key] for key in RUN}, "commit": provenance["commit"][:SHORT]})
        paper = str(provenance["paper"])
        BIBLIOGRAPHY[paper]
    return paper, run


def _json(data: object) -> str:
    return json.dumps(data, indent=1) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Take published papers into the repository that this file belongs to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "published", type=Path, nargs="*", help="folders below `published` of a run; without, pages are made anew"
    )
    try:
        print(*adopt(parser.parse_args(arguments).published, Path(__file__).parents[2]), sep="\n")
    except UserError as error:
        refuse(error)


if __name__ == "__main__":
    main()
