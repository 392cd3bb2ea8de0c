"""A run as a repository keeps it: for each paper tables, a page and a picture, and which commit made them."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from dpmia import __version__
from dpmia.claims import render
from dpmia.claims.judge import decided
from dpmia.claims.limits import ERROR_OF_LOOK
from dpmia.common.formatting import format_percent, markdown_table
from dpmia.common.reading.source import made
from dpmia.formats.looks import FILE
from dpmia.formats.table_names import experiment_of
from dpmia.formats.tables import write_table
from dpmia.papers.artifact import Artifact
from dpmia.papers.bibliography import BIBLIOGRAPHY
from dpmia.papers.catalogue import PAPERS
from dpmia.report.deviations import deviations
from dpmia.report.reported_run import ReportedRun
from dpmia.report.tally import of_ours, of_papers, summary
from dpmia.report.titles import title_of

#: What lists all other files, and says what made them; the verdicts; the tables that figures and verdicts are made of.
PROVENANCE, CLAIMS, TABLES = "provenance.json", "claims.csv", "tables.zip"

#: Characters of a commit that documents show.
SHORT = 7


def publish(
    paper: str, reported: ReportedRun, verdicts: pd.DataFrame, tables: Iterable[Path], commit: str, folder: Path
) -> None:
    """Write what a run made of one paper to a folder that is not there yet.

    Figures and tables without data are left out: they are the same in every run.

    Args:
        paper: which.
        reported: the run.
        verdicts: what `dpmia.claims.judge.judge_all` returns on the paper's claims.
        tables: files of the run that its figures, tables and verdicts are made of.
        commit: hash of the commit that made the run, as `dpmia.workflow.commit.named_commit` returns it.
        folder: where to write it.
    """
    folder.mkdir(parents=True)
    artifacts = [artifact for artifact in PAPERS[paper] if _is_shown(artifact, reported)]
    for artifact in artifacts:
        shutil.copy(reported.artifacts[artifact.name]["csv"], folder)
    picture = _picture(paper, artifacts)
    if picture:
        shutil.copy(reported.artifacts[picture]["png"], folder)
    write_table(folder / CLAIMS, verdicts, digits=6)
    _pack(tables, reported.folder, folder / TABLES)
    not_run = {name: why for name, why in sorted(reported.not_run.items()) if name in _experiments(paper)}
    page = "\n\n".join(_page(paper, artifacts, picture, verdicts, reported, not_run, commit))
    (folder / "README.md").write_text(page + "\n", encoding="utf-8")
    provenance = {
        "paper": paper,
        "commit": commit,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": __version__,
        "data": reported.config["data"],
        "scale": reported.config["scale"],
        "command": _command(paper, reported),
        "looks": reported.looks,
        "not_run": not_run,
        "files": digests(folder),
    }
    (folder / PROVENANCE).write_text(json.dumps(provenance, indent=1) + "\n", encoding="utf-8")


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a folder, by name: without `PROVENANCE`, and what Snakemake hides there."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
        for path in sorted(folder.iterdir())
        if path.name != PROVENANCE and not path.name.startswith(".")
    }


def _pack(tables: Iterable[Path], run: Path, archive: Path) -> None:
    """Write tables to an archive to unpack in the folder of a run; equal tables give equal bytes.

    LZMA makes half of what deflate does of them, and tables of Thudi et al. have half a million rows.
    """
    with zipfile.ZipFile(archive, "w") as packed:
        for table in sorted(tables):
            entry = zipfile.ZipInfo(table.relative_to(run).as_posix())
            entry.compress_type = zipfile.ZIP_LZMA
            packed.writestr(entry, table.read_bytes())


def _is_shown(artifact: Artifact, reported: ReportedRun) -> bool:
    """Return whether an artifact rests on data, and was made."""
    files = reported.artifacts.get(artifact.name, {})
    return bool(artifact.tables) and bool(files) and all(Path(file).is_file() for file in files.values())


def _picture(paper: str, artifacts: Iterable[Artifact]) -> str:
    """Return the figure that stands for a paper, another one where it was not made; empty where there is none."""
    figures = [artifact.name for artifact in artifacts if artifact.kind == "figure"]
    first = BIBLIOGRAPHY[paper].picture
    return first if first in figures else next(iter(figures), "")


def _experiments(paper: str) -> set[str]:
    """Return the experiments and studies behind the figures and tables of a paper."""
    return {experiment_of(table) for artifact in PAPERS[paper] for table in artifact.tables}


def _data(paper: str, reported: ReportedRun) -> str:
    """Return what the numbers on a paper rest on."""
    if not any(reported.settings.get(name, {}).get("dataset") for name in _experiments(paper)):
        return "Theory and simulations, which need no data set"
    return "Synthetic data: nothing here says anything about real records" if reported.synthetic else "Real data"


def _command(paper: str, reported: ReportedRun) -> str:
    """Return what makes the same again."""
    return f"snakemake --cores all {reported.folder}/published/{paper}{reported.options}"


def _deviations(paper: str, reported: ReportedRun, not_run: Collection[str]) -> pd.DataFrame:
    """Return the settings in which experiments that were run differ from those of scale `paper`, a row each."""
    names = _experiments(paper) - set(not_run)
    published = {name: settings for name, settings in reported.paper_settings.items() if name in names}
    rows = deviations(reported.settings, published)
    columns = {"setting": "setting", "here": "here", "paper": "scale paper"}
    table = pd.DataFrame({title: [getattr(row, field) for row in rows] for field, title in columns.items()})
    return table.assign(experiments=[", ".join(row.experiments) for row in rows])


def _page(
    paper: str,
    artifacts: list[Artifact],
    picture: str,
    verdicts: pd.DataFrame,
    reported: ReportedRun,
    not_run: Mapping[str, str],
    commit: str,
) -> Iterator[str]:
    """Yield the paragraphs of the page."""
    yield f"# {BIBLIOGRAPHY[paper].short}, measured"
    yield f"{_data(paper, reported)}. Scale {reported.config['scale']}, commit {commit[:SHORT]}:"
    yield f"    {_command(paper, reported)}"
    if reported.looks is not None:
        yield (
            f"Replicates were added between looks, each of which judges at {format_percent(ERROR_OF_LOOK)}: first "
            f"write `looks` of `{PROVENANCE}` to `{reported.folder}/{FILE}`."
        )
    if picture:
        yield f"![{title_of(picture)}]({picture}.png)"
        yield _text(reported.artifacts[picture]["md"])
    yield "## Claims"
    yield f"{summary(of_papers(verdicts), 'claims of the paper')}."
    if len(ours := of_ours(verdicts)):
        yield f"{summary(ours, 'claims that we added')}; these are marked *."
    if there := decided(verdicts):
        yield f"Decided, of the claims that these data can decide: {there}."
    if not_run:
        yield "Not run, as data are unavailable:"
        yield "\n".join(f"- {why}" for why in dict.fromkeys(not_run.values()))
    yield (
        "Measured: the mean that decides; of several that are compared the worst, or the best where one is enough. In "
        "brackets: its one-sided limits, wider than 95 % limits where several are compared. "
        f"`{CLAIMS}` says of each which mean and which limits."
    )
    yield render.short_table(verdicts)
    if len(deviating := _deviations(paper, reported, not_run)):
        yield "## Deviations from scale `paper`"
        yield "Settings that differ from those of scale `paper`, which has the paper's sizes."
        yield markdown_table(deviating)
    if any(artifact.kind == "table" for artifact in artifacts):
        yield "## Tables"
    for artifact in artifacts:
        if artifact.kind == "table":
            yield f"### {title_of(artifact.name)}"
            yield _text(reported.artifacts[artifact.name]["md"])
    if artifacts:
        yield "## Numbers"
        yield "\n".join(
            f"- [{title_of(artifact.name)}]({artifact.name}.csv): {artifact.caption}" for artifact in artifacts
        )
    yield (
        f"All verdicts with their limits: [`{CLAIMS}`]({CLAIMS}). `{TABLES}` has the tables behind figures and "
        f"verdicts: unpack it in `{reported.folder}`, and the command above draws and judges again without data and "
        f"without training. `{PROVENANCE}` has the digest of each file."
    )


def _text(file: str) -> str:
    return made(file).text().strip()
