"""A run as a repository keeps it: tables as CSV, a page and a picture for each paper, and which commit made them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from dpmia import __version__
from dpmia.claims import render
from dpmia.claims.judge import REPRODUCED
from dpmia.common.errors import UnnamedRunError
from dpmia.papers.artifact import Artifact
from dpmia.papers.bibliography import ABOUT
from dpmia.papers.catalogue import PAPERS
from dpmia.report import answer
from dpmia.report.about import About
from dpmia.report.cards import count_verdicts
from dpmia.report.formatting import title_of

#: What lists all other files, and says what made them.
PROVENANCE = "provenance.json"


def publish(about: About, verdicts: pd.DataFrame, commit: str, folder: Path) -> None:
    """Write a run to a folder that is not there yet.

    Figures and tables without data are left out: they are the same in every run.

    Args:
        about: the run.
        verdicts: what `dpmia.claims.judge.judge_all` returns.
        commit: hash of the commit that made the run, as `dpmia.report.run.commit` returns it.
        folder: where to write it.

    Raises:
        UnnamedRunError: the run is not made by a commit alone.
    """
    if not commit.isalnum():
        raise UnnamedRunError("the checkout", f"its commit is {commit}", "Commit every change, then run it again")
    folder.mkdir(parents=True)
    for ending in ("csv", "png"):
        shutil.copy(about.folder / f"claims.{ending}", folder / f"claims.{ending}")
    made = {paper: [each for each in artifacts if _is_shown(each, about)] for paper, artifacts in PAPERS.items()}
    for paper, artifacts in made.items():
        for each in artifacts:
            shutil.copy(about.artifacts[each.name]["csv"], folder)
        picture = _picture(paper, artifacts)
        if picture:
            shutil.copy(about.artifacts[picture]["png"], folder)
        of_paper = verdicts[verdicts["paper"] == paper]
        if len(of_paper):
            page = "\n\n".join(_page(paper, artifacts, picture, of_paper, about, commit))
            (folder / f"{paper}.md").write_text(page + "\n", encoding="utf-8")
    (folder / "README.md").write_text("\n\n".join(_overview(verdicts, about, commit)) + "\n", encoding="utf-8")
    provenance = {
        "commit": commit,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": __version__,
        "data": about.config["data"],
        "scale": about.config["scale"],
        "command": f"snakemake --cores all{about.options}",
        "not_run": dict(sorted(about.not_run.items())),
        "files": digests(folder),
    }
    (folder / PROVENANCE).write_text(json.dumps(provenance, indent=1) + "\n", encoding="utf-8")


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a folder but `PROVENANCE`, by name."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.name != PROVENANCE
    }


def _is_shown(artifact: Artifact, about: About) -> bool:
    """Return whether an artifact rests on data, and was made."""
    files = about.artifacts.get(artifact.name, {})
    return bool(artifact.tables) and bool(files) and all(Path(file).is_file() for file in files.values())


def _picture(paper: str, artifacts: Iterable[Artifact]) -> str:
    """Return the figure that stands for a paper, another one where it was not made; empty where there is none."""
    figures = [each.name for each in artifacts if each.kind == "figure"]
    first = ABOUT[paper].picture
    return first if first in figures else next(iter(figures), "")


def _source(about: About, commit: str) -> str:
    """Return what a page is about, in a line."""
    data = "Synthetic data: nothing here says anything about real records" if about.synthetic else "Real data"
    return f"{data}. Scale {about.config['scale']}, commit {commit[:7]}: `snakemake --cores all{about.options}`."


def _overview(verdicts: pd.DataFrame, about: About, commit: str) -> Iterator[str]:
    """Yield the paragraphs of the first page."""
    yield f"# Measured at scale {about.config['scale']}"
    yield _source(about, commit)
    yield " ".join(answer.sentences(verdicts))
    rows = [
        f"| [{ABOUT[str(paper)].short}]({paper}.md) | {_held(rows)} | {_others(rows)} |"
        for paper, rows in verdicts.groupby("paper", sort=False)
    ]
    yield "\n".join(["| paper | claims reproduced | others |", "| --- | --- | --- |", *rows])
    yield "![Verdicts on all claims](claims.png)"
    if about.not_run:
        yield "Not run, as data are unavailable: " + ", ".join(sorted(about.not_run)) + "."
    yield f"Each CSV file is behind one figure or table; `{PROVENANCE}` has the commit and the digest of each file."


def _page(
    paper: str, artifacts: list[Artifact], picture: str, verdicts: pd.DataFrame, about: About, commit: str
) -> Iterator[str]:
    """Yield the paragraphs of the page of a paper."""
    yield f"# {ABOUT[paper].short}, measured"
    yield _source(about, commit)
    if picture:
        yield f"![{title_of(picture)}]({picture}.png)"
        yield _text(about.artifacts[picture]["md"])
    yield "## Claims"
    yield f"{_held(verdicts)} are reproduced ({_others(verdicts) or 'no others'}). Those marked * are not in the paper."
    yield render.short_table(verdicts)
    if any(each.kind == "table" for each in artifacts):
        yield "## Tables"
    for each in artifacts:
        if each.kind == "table":
            yield f"### {title_of(each.name)}"
            yield _text(about.artifacts[each.name]["md"])
    if artifacts:
        yield "## Numbers"
        yield "\n".join(f"- [{title_of(each.name)}]({each.name}.csv): {each.caption}" for each in artifacts)


def _text(file: str) -> str:
    return Path(file).read_text(encoding="utf-8").strip()


def _held(verdicts: pd.DataFrame) -> str:
    return f"{(verdicts['verdict'] == REPRODUCED).sum()} of {len(verdicts)}"


def _others(verdicts: pd.DataFrame) -> str:
    return count_verdicts([verdict for verdict in verdicts["verdict"] if verdict != REPRODUCED])
