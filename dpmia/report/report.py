"""The report of a run: one page with every figure, table and claim, and what stands behind the numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from dpmia.claims import render
from dpmia.claims.claim import COUNT, EXPERIMENT, SIMULATION, THEORY
from dpmia.claims.judge import JUDGED, REPRODUCED, SYNTHETIC, VERDICTS
from dpmia.papers.artifact import Artifact
from dpmia.papers.bibliography import ABOUT, Paper
from dpmia.papers.catalogue import PAPERS
from dpmia.report import curves, formatting, page, run
from dpmia.report.verdicts import STYLES

#: Kinds of claims that are counted together; theory and data never are.
CLAIM_TILES = (("claims about theory", (THEORY, SIMULATION)), ("claims about data", (COUNT, EXPERIMENT)))


@dataclass(frozen=True)
class About:
    """What the report is about; all paths are relative to the folder where the workflow runs.

    Attributes:
        folder: `results/<data>-<scale>`, where the page will stand.
        logs: of the run's jobs.
        config: the keys of `config.yaml`.
        artifacts: artifact -> its files, by their ending.
        models: experiment -> files of its models.
        prepared: path of a prepared data set -> name of the data set.
        not_run: experiment or study -> why its data are unavailable.
        repository: the checkout.
        own: experiments of the user's files, which may share their names with those of papers.
        checks: tables that belong to no paper: the second opinion on the run.
    """

    folder: Path
    logs: Path
    config: Mapping[str, Any]
    artifacts: Mapping[str, Mapping[str, str]]
    models: Mapping[str, list[str]]
    prepared: Mapping[str, str]
    not_run: Mapping[str, str]
    repository: Path
    own: Collection[str] = ()
    checks: Sequence[Artifact] = ()

    @property
    def synthetic(self) -> bool:
        """Whether the records are synthetic."""
        return self.config["data"] == "synthetic"


@dataclass(frozen=True)
class Claim:
    """One claim as the page shows it: texts of a row of verdicts, and the kind of its badge."""

    id: str
    verdict: str
    kind: str
    sign: str
    statement: str
    criterion: str
    measured: str
    interval: str
    power: str
    paper_value: str
    expected: str
    note: str
    ours: bool


@dataclass(frozen=True)
class Shown:
    """A figure or table as the page shows it.

    Attributes:
        id: name of the artifact.
        title: its name in formatting.
        caption: what it shows.
        picture: of a figure; None of a table, or where it was not made.
        table: column names and rows of texts; None of a figure, or where it was not made.
        files: to save.
        missing: why it was not made, empty where it was.
        partial: what it was made without, empty where it has all.
        claims: that are about it.
    """

    id: str
    title: str
    caption: str
    picture: page.Picture | None
    table: tuple[list[str], list[list[str]]] | None
    files: list[page.Download]
    missing: str
    partial: str
    claims: list[Claim]


@dataclass(frozen=True)
class PaperShown:
    """A paper as the page shows it, with its verdicts counted as parts of a bar."""

    id: str
    about: Paper
    shown: list[Shown]
    other_claims: list[Claim]
    bar: list[tuple[str, str, int]]

    @property
    def made(self) -> int:
        """How many of the figures and tables are there."""
        return sum(not shown.missing for shown in self.shown)

    @property
    def claims(self) -> list[Claim]:
        """All claims of the paper."""
        return [claim for shown in self.shown for claim in shown.claims] + self.other_claims


def report(about: About, verdicts: pd.DataFrame) -> str:
    """Return the page.

    Args:
        about: the run.
        verdicts: what `dpmia.claims.judge.judge_all` returns.
    """
    every = (_paper(name, about, verdicts) for name in PAPERS)
    papers = [paper for paper in every if paper.shown or paper.other_claims]
    paper_of = {name: paper for name, paper in _paper_of_experiments().items() if name not in about.own}
    models, costs = run.model_table(about.folder, about.logs, about.models), run.cost_table(about.folder, about.logs)
    content = {
        "subtitle": f"{'Synthetic' if about.synthetic else 'Real'} data, scale {about.config['scale']}",
        "mark": "Synthetic data: nothing here says anything about real records" if about.synthetic else "",
        "synthetic": about.synthetic,
        "scale": about.config["scale"],
        "papers": papers,
        "bar": _bar(verdicts),
        "verdict_kinds": [(STYLES[verdict][2], verdict) for verdict in VERDICTS if verdict in set(verdicts["verdict"])],
        "claims_files": _downloads({end: str(about.folder / f"claims.{end}") for end in ("csv", "md", "pdf")}, about),
        "tiles": _tiles(papers, verdicts, models, costs),
        "not_run": sorted({reason for name, reason in about.not_run.items() if name in paper_of}),
        "data": _data(run.data_table(about.prepared)),
        "guarantees": _guarantees(models, paper_of),
        "checks": [_shown(artifact, about, []) for artifact in about.checks],
        "engines": [*_engines(models), *_second_opinions(about)],
        "speeds": _speeds(models),
        "curves": curves.rows(about.models),
        "costs": _costs(costs),
        "config": yaml.safe_dump(dict(about.config), sort_keys=False, allow_unicode=True),
        "versions": list(run.versions().items()),
        "commit": run.commit(about.repository),
        "made_at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    sections = [
        page.Section("summary", "Summary"),
        *(
            page.Section(each.id, each.about.short, [page.Section(shown.id, shown.title) for shown in each.shown])
            for each in papers
        ),
        *map(
            page.Section,
            ("data", "privacy", "training", "engines", "costs", "made"),
            ("Data", "Privacy accounting", "Training", "Do two engines agree?", "Compute used", "How it was made"),
        ),
    ]
    title = "dpmia: claims of the papers, and measurements"
    render = partial(page.render, "report.html", title=title, sections=sections, **content)
    return render(size=page.of_size(len(render(size="").encode())))


def _paper(name: str, about: About, verdicts: pd.DataFrame) -> PaperShown:
    of_paper = verdicts[verdicts["paper"] == name]
    shown = [
        _shown(artifact, about, _claims(of_paper[of_paper["artifact"] == artifact.name]))
        for artifact in PAPERS[name]
        if artifact.name in about.artifacts
    ]
    others = of_paper[~of_paper["artifact"].isin([each.id for each in shown])]
    return PaperShown(name, ABOUT[name], shown, _claims(others), _bar(of_paper))


def _shown(artifact: Artifact, about: About, claims: list[Claim]) -> Shown:
    files = {ending: path for ending, path in about.artifacts[artifact.name].items() if Path(path).is_file()}
    skipped = {
        name: about.not_run[name]
        for name in (table.split("/")[1] for table in artifact.tables)
        if name in about.not_run
    }
    reasons = "; ".join(f"{name}: {reason}" for name, reason in skipped.items())
    complete = len(files) == len(about.artifacts[artifact.name])
    title = formatting.title_of(artifact.name)
    alt = f"{title}. {artifact.caption} The numbers are in the CSV file below."
    return Shown(
        id=artifact.name,
        title=title,
        caption=artifact.caption,
        picture=page.picture(files["png"], alt) if complete and artifact.kind == "figure" else None,
        table=_cells(files["csv"]) if complete and artifact.kind == "table" else None,
        files=_downloads({end: path for end, path in files.items() if end in ("csv", "pdf", "md")}, about)
        if complete
        else [],
        missing="" if complete else reasons or "not made yet",
        partial=reasons if complete else "",
        claims=claims,
    )


def _cells(path: str) -> tuple[list[str], list[list[str]]]:
    """Return the columns and cells of a CSV file as they stand there, with dashes for what is empty."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    columns = [column.replace("_", " ") for column in table.columns]
    return columns, table.replace({"": "–"}).to_numpy().tolist()


def _downloads(files: Mapping[str, str], about: About) -> list[page.Download]:
    return [page.download(path, about.folder) for path in files.values() if Path(path).is_file()]


def _claims(rows: pd.DataFrame) -> list[Claim]:
    return [
        Claim(
            id=row.id,
            verdict=row.verdict,
            kind=STYLES[row.verdict][2],
            sign=STYLES[row.verdict][1],
            statement=row.statement,
            criterion=row.criterion,
            measured="" if math.isnan(row.measured) else render.number(row.measured, row.low, row.high),
            interval=row.interval,
            power=row.power,
            paper_value=row.paper_value,
            expected=row.expected,
            note="" if row.verdict == SYNTHETIC else row.note,
            ours=row.ours,
        )
        for row in rows.itertuples()
    ]


def _bar(verdicts: pd.DataFrame) -> list[tuple[str, str, int]]:
    found = verdicts["verdict"].value_counts()
    return [(verdict, STYLES[verdict][2], int(found[verdict])) for verdict in VERDICTS if verdict in found]


def _tile_of_claims(verdicts: pd.DataFrame, words: str, kinds: tuple[str, ...]) -> tuple[str, str, str]:
    """Return how many of the judged claims of some kinds are reproduced."""
    verdict = verdicts.loc[verdicts["kind"].isin(kinds), "verdict"]
    judged, held = verdict.isin(JUDGED).sum(), (verdict == REPRODUCED).sum()
    there = f"{len(verdict)} such claims" + (", not judged on synthetic data" if (verdict == SYNTHETIC).any() else "")
    return (f"{held} of {judged}" if judged else "none"), f"{words} reproduced" if judged else f"{words} judged", there


def _tiles(papers: list[PaperShown], verdicts: pd.DataFrame, models: pd.DataFrame, costs: pd.DataFrame) -> list[tuple]:
    made, there = sum(paper.made for paper in papers), sum(len(paper.shown) for paper in papers)
    private = models.loc[models["private"], "models"].sum()
    return [
        *(_tile_of_claims(verdicts, *tile) for tile in CLAIM_TILES),
        (f"{made} of {there}", "figures and tables made", ""),
        (
            formatting.count(models["models"].sum()),
            "models trained",
            f"{formatting.count(private)} of them with privacy",
        ),
        (
            formatting.duration(costs[["startup", "work"]].to_numpy().sum()),
            "CPU time",
            f"of {formatting.count(costs['jobs'].sum())} jobs",
        ),
    ]


def _data(table: pd.DataFrame) -> list[list[Any]]:
    verification = {True: "that of the published file", False: "NOT that of the published file"}
    return [
        [row.dataset, row.file, formatting.count(row.rows), page.of_size(row.bytes), row.sha256,
         verification.get(row.verified, ""), row.licence, row.homepage]
        for row in table.itertuples()
    ]  # fmt: skip


def _paper_of_experiments() -> dict[str, str]:
    return {
        table.split("/")[1]: paper
        for paper, artifacts in PAPERS.items()
        for artifact in artifacts
        for table in artifact.tables
    }


def _guarantees(models: pd.DataFrame, paper_of: Mapping[str, str]) -> dict[str, list[list[Any]]]:
    """Return the rows of private models by paper, or by "own experiments" where they belong to none."""
    found: dict[str, list[list[Any]]] = {}
    for row in models[models["private"]].itertuples():
        paper = paper_of.get(row.experiment)
        found.setdefault(ABOUT[paper].short if paper else "Own experiments", []).append(
            [
                row.experiment,
                row.role,
                formatting.number(row.epsilon),
                formatting.number(row.delta),
                row.relation.replace("_", "-"),
                row.sampler,
                formatting.number(row.rate),
                formatting.count(row.steps),
                formatting.number(row.noise_multiplier),
                formatting.number(row.clip_norm),
                row.accountant.replace("_", " "),
                "yes" if row.proved else "no",
                formatting.count(row.models),
            ]
        )
    return found


def _engines(models: pd.DataFrame) -> list[list[Any]]:
    """Return the number of models that each engine trained, those with privacy apart."""
    return [
        [
            _engine(engine),
            formatting.count(rows["models"].sum()),
            formatting.count(rows.loc[rows["private"], "models"].sum()),
        ]
        for engine, rows in models.groupby("engine")
    ]


def _second_opinions(about: About) -> list[list[Any]]:
    """Return the same of the models that were trained again to compare engines; all of them are private."""
    file = Path(about.artifacts.get("engines_agree", {}).get("csv", ""))
    if not file.is_file():
        return []
    again = formatting.count(pd.read_csv(file)["models"].sum())
    return [["opacus, second opinion", again, again]]


def _engine(name: str) -> str:
    return name.removesuffix("Engine").lower()


def _speeds(models: pd.DataFrame) -> list[list[Any]]:
    grouped = models.groupby(["experiment", "role", "engine", "private"], sort=False)
    return [
        [
            *(experiment, role, _engine(engine), "yes" if private else "no"),
            formatting.count(rows["models"].sum()),
            formatting.count(rows["model_steps"].sum()),
            formatting.duration(seconds := rows["seconds"].sum(skipna=False)),
            formatting.number(rows["model_steps"].sum() / seconds or math.nan, 3),
        ]
        for (experiment, role, engine, private), rows in grouped
    ]


def _costs(table: pd.DataFrame) -> list[list[Any]]:
    return [
        [
            *(row.rule, formatting.count(row.jobs), formatting.duration(row.startup), formatting.duration(row.work)),
            *(formatting.duration(row.forecast), formatting.duration(row.wall_seconds)),
            formatting.number(row.largest_mb, 3),
        ]
        for row in table.itertuples()
    ]
