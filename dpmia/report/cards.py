"""Figures, tables and claims as the report shows them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dpmia.claims import render
from dpmia.claims.claim import COUNT, EXPERIMENT, SIMULATION, THEORY
from dpmia.claims.judge import SYNTHETIC, VERDICTS
from dpmia.formats.table_names import experiment_of
from dpmia.papers import captions
from dpmia.papers.artifact import Artifact
from dpmia.papers.bibliography import BIBLIOGRAPHY, Paper
from dpmia.papers.catalogue import PAPERS
from dpmia.report import page, table, titles
from dpmia.report.reported_run import ReportedRun
from dpmia.report.tally import count_verdicts
from dpmia.report.verdicts import STYLES

#: What a claim rests on, in the words of readers.
KIND_WORDS = {
    THEORY: "theorem or formula",
    SIMULATION: "simulation",
    COUNT: "number of records",
    EXPERIMENT: "experiment",
}

#: Kind of artifact -> endings of the files to save. A figure's caption is on the page.
_DOWNLOADS = {"figure": ("pdf", "svg", "csv"), "table": ("csv", "md")}

#: Before the name of an experiment: the id of its settings on the page.
SETTINGS = "settings-"


@dataclass(frozen=True)
class RecordedVerdict:
    """The verdict on a claim that the repository records, on real data, with its badge."""

    verdict: str
    kind: str
    sign: str
    measured: str


@dataclass(frozen=True)
class ShownClaim:
    """One claim as the page shows it: texts of a row of verdicts, and the kind of its badge.

    Attributes:
        rests_on: one of `dpmia.claims.claim.KINDS`.
        recorded: the verdict on real data, where the run is on synthetic data and one is recorded.
    """

    id: str
    verdict: str
    kind: str
    sign: str
    rests_on: str
    statement: str
    criterion: str
    measured: str
    interval: str
    power: str
    paper_value: str
    expected: str
    note: str
    ours: bool
    recorded: RecordedVerdict | None

    @property
    def about_data(self) -> bool:
        """Whether it is about real records."""
        return self.rests_on in (COUNT, EXPERIMENT)


@dataclass(frozen=True)
class Shown:
    """A figure or table as the page shows it.

    Attributes:
        id: name of the artifact.
        title: its name with that of its paper; unique on the page.
        topic: what it is about, in a few words.
        ours: whether it is none of the paper.
        caption: what it shows.
        how: how to read it.
        picture: of a figure; None of a table, or where it was not made.
        notes: paragraphs of the figure's own caption: what it shows of which models.
        table: None of a figure, or where it was not made.
        files: to save.
        missing: why it was not made, empty where it was.
        partial: what it was made without, empty where it has all.
        claims: that are about it.
        experiments: whose settings the page holds.
        command: that makes it.
    """

    id: str
    title: str
    topic: str
    ours: bool
    caption: str
    how: str
    picture: page.Picture | None
    notes: list[str]
    table: table.Table | None
    files: list[page.Download]
    missing: str
    partial: str
    claims: list[ShownClaim]
    experiments: list[str]
    command: str

    @property
    def heading(self) -> str:
        """Its title and topic."""
        return f"{self.title}: {self.topic}"

    @property
    def in_contents(self) -> str:
        """Its title as the table of contents spells it."""
        return self.title.replace(" et al.,", "")


@dataclass(frozen=True)
class ShownPaper:
    """A paper as the page shows it, with its verdicts counted as parts of a bar."""

    id: str
    entry: Paper
    shown: list[Shown]
    other_claims: list[ShownClaim]
    bar: list[tuple[str, str, int]]

    @property
    def made(self) -> int:
        """How many of the figures and tables are there."""
        return sum(not shown.missing for shown in self.shown)

    @property
    def claims(self) -> list[ShownClaim]:
        """All claims of the paper."""
        return [claim for shown in self.shown for claim in shown.claims] + self.other_claims


def papers(reported: ReportedRun, verdicts: pd.DataFrame, recorded: pd.DataFrame | None) -> list[ShownPaper]:
    """Return the papers of which the run has something.

    Args:
        reported: the run.
        verdicts: what `dpmia.claims.judge.judge_all` returns.
        recorded: verdicts on real data by id, to stand beside those of a run on synthetic data; None without.
    """
    every = (_paper(name, reported, verdicts, recorded) for name in PAPERS)
    return [paper for paper in every if paper.shown or paper.other_claims]


def _paper(name: str, reported: ReportedRun, verdicts: pd.DataFrame, recorded: pd.DataFrame | None) -> ShownPaper:
    entry, of_paper = BIBLIOGRAPHY[name], verdicts[verdicts["paper"] == name]
    cards = [
        shown(artifact, reported, claims(of_paper[of_paper["artifact"] == artifact.name], recorded), entry.first)
        for artifact in PAPERS[name]
        if artifact.name in reported.artifacts
    ]
    others = of_paper[~of_paper["artifact"].isin([card.id for card in cards])]
    return ShownPaper(name, entry, cards, claims(others, recorded), bar(of_paper))


def shown(artifact: Artifact, reported: ReportedRun, its_claims: list[ShownClaim], paper: str = "") -> Shown:
    """Return a figure or table as the page shows it.

    Args:
        artifact: which.
        reported: the run.
        its_claims: the claims about it.
        paper: its first author; none of what belongs to no paper.
    """
    files = {ending: path for ending, path in reported.artifacts[artifact.name].items() if Path(path).is_file()}
    experiments = list(dict.fromkeys(experiment_of(name) for name in artifact.tables))
    reasons = "; ".join(f"{name}: {reported.not_run[name]}" for name in experiments if name in reported.not_run)
    complete = len(files) == len(reported.artifacts[artifact.name])
    title = titles.title_in(paper, artifact.name)
    reading = artifact.reading
    alt = f"{title}: {reading.topic}. {artifact.caption} The numbers are in the CSV file below."
    return Shown(
        id=artifact.name,
        title=title,
        topic=reading.topic,
        ours=artifact.ours,
        caption=artifact.caption,
        how=reading.how,
        picture=page.picture(files["png"], alt) if complete and artifact.kind == "figure" else None,
        notes=captions.read(files["md"]) if complete and artifact.kind == "figure" else [],
        table=table.read(files["csv"], reading.first) if complete and artifact.kind == "table" else None,
        files=downloads({end: path for end, path in files.items() if end in _DOWNLOADS[artifact.kind]}, reported)
        if complete
        else [],
        missing="" if complete else reasons or "not made yet",
        partial=reasons if complete else "",
        claims=its_claims,
        experiments=[name for name in experiments if name in reported.settings],
        command=f"snakemake --cores all {artifact.name}{reported.options}",
    )


def downloads(files: Mapping[str, str], reported: ReportedRun) -> list[page.Download]:
    """Return those of some files that are there, to save."""
    return [page.download(path, reported.folder) for path in files.values() if Path(path).is_file()]


def claims(rows: pd.DataFrame, recorded: pd.DataFrame | None = None) -> list[ShownClaim]:
    """Return claims as the page shows them.

    Args:
        rows: of verdicts.
        recorded: see `papers`.
    """
    return [
        ShownClaim(
            id=row.id,
            verdict=row.verdict,
            kind=STYLES[row.verdict][2],
            sign=STYLES[row.verdict][1],
            rests_on=row.kind,
            statement=row.statement,
            criterion=row.criterion,
            measured=_measured(row),
            interval=row.interval,
            power=row.power,
            paper_value=row.paper_value,
            expected=row.expected,
            note="" if row.verdict == SYNTHETIC else row.note,
            ours=row.ours,
            recorded=_recorded(row, recorded),
        )
        for row in rows.itertuples()
    ]


def _measured(row: pd.Series) -> str:
    return "" if math.isnan(row.measured) else render.format_measured(row.measured, row.low, row.high)


def _recorded(row: pd.Series, recorded: pd.DataFrame | None) -> RecordedVerdict | None:
    """Return the recorded verdict on a claim about data; claims about theory need none."""
    if recorded is None or row.kind not in (COUNT, EXPERIMENT) or row.id not in recorded.index:
        return None
    claim = recorded.loc[row.id]
    return RecordedVerdict(claim.verdict, STYLES[claim.verdict][2], STYLES[claim.verdict][1], _measured(claim))


def bar(verdicts: pd.DataFrame) -> list[tuple[str, str, int]]:
    """Return how many claims have which verdict, with its kind, as parts of a bar."""
    counts = verdicts["verdict"].value_counts()
    return [(verdict, STYLES[verdict][2], int(counts[verdict])) for verdict in VERDICTS if verdict in counts]


def count_claims(claims: list[ShownClaim]) -> str:
    """Return how many claims have which verdict, here and, where it is recorded, on real data."""
    here = count_verdicts([claim.verdict for claim in claims])
    real = count_verdicts([claim.recorded.verdict for claim in claims if claim.recorded])
    return f"{here}; on real data {real}" if real else here
