"""The report of a run: one page with every figure, table and claim, and what stands behind the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pandas as pd
import yaml

from dpmia import __version__
from dpmia.claims.claim import KINDS
from dpmia.claims.judge import VERDICTS
from dpmia.common.formatting import format_count, format_duration, format_size
from dpmia.report import accounts, cards, claim_summary, curves, page, recorded, run
from dpmia.report.deviations import Deviation, deviations, settings_text
from dpmia.report.glossary import GLOSSARY
from dpmia.report.guarantees import GUARANTEE_COLUMNS
from dpmia.report.reported_run import ReportedRun
from dpmia.report.verdicts import STYLES
from dpmia.workflow.costs import NO_JOBS, SHOWN, costs_table, shown_costs

#: Sections behind those of the papers: their ids and titles.
BEHIND = {
    "deviations": "Deviations from the papers",
    "data": "Data",
    "privacy": "Privacy accounting",
    "training": "Training",
    "engines": "Do two engines agree?",
    "costs": "Compute used",
    "made": "How it was made",
    "words": "Glossary",
}

#: Stands in the page for its size until that is known.
_SIZE = "{size of the page}"

#: Deviations that the first screen lists.
MAIN_DEVIATIONS = 4


def report(reported: ReportedRun, verdicts: pd.DataFrame, commit: str) -> str:
    """Return the page.

    Args:
        reported: the run.
        verdicts: what `dpmia.claims.judge.judge_all` returns.
        commit: of the workflow, as `dpmia.workflow.commit.commit` names it.
    """
    on_real_data = recorded.verdicts() if reported.synthetic else None
    source = recorded.source_of(recorded.runs()) if reported.synthetic else ""
    papers = cards.papers(reported, verdicts, on_real_data)
    paper_of = {name: paper for name, paper in accounts.paper_of_experiments().items() if name not in reported.own}
    models = run.model_table(reported.folder, reported.logs, reported.models)
    costs = costs_table(sorted(reported.logs.rglob("*.log")), reported.logs)
    of_papers = {name: settings for name, settings in reported.paper_settings.items() if name in paper_of}
    deviating = deviations(reported.settings, of_papers)
    content = {
        "subtitle": f"{'Synthetic' if reported.synthetic else 'Real'} data, scale {reported.config['scale']}",
        "mark": "Synthetic data: nothing here says anything about real records" if reported.synthetic else "",
        "synthetic": reported.synthetic,
        "scale": reported.config["scale"],
        "papers": papers,
        "sentences": claim_summary.sentences(verdicts, on_real_data, source),
        "kind_tiles": claim_summary.tiles(verdicts),
        "findings": {paper.id: claim_summary.findings(paper) for paper in papers},
        "recorded_source": source,
        "verdict_kinds": [(STYLES[verdict][2], verdict) for verdict in VERDICTS if verdict in set(verdicts["verdict"])],
        "claim_kinds": [(kind, claim_summary.KIND_TITLES[kind]) for kind in KINDS if kind in set(verdicts["kind"])],
        "kind_words": cards.KIND_WORDS,
        "count_claims": cards.count_claims,
        "claims_files": cards.downloads(
            {end: str(reported.folder / f"claims.{end}") for end in ("csv", "md", "pdf")}, reported
        ),
        "tiles": _tiles(papers, models, costs),
        "not_run": sorted({reason for name, reason in reported.not_run.items() if name in paper_of}),
        "deviations": deviating,
        "main_deviations": _main(deviating),
        "compared": len(of_papers),
        "data": accounts.data_rows(run.data_table(reported.prepared)),
        "guarantees": accounts.guarantees(models, paper_of),
        "guarantee_columns": ["experiment", "role", *GUARANTEE_COLUMNS, ("models", "number")],
        "checks": [cards.shown(artifact, reported, []) for artifact in reported.checks],
        "engines": [*accounts.engines(models), *accounts.second_opinions(reported)],
        "speeds": accounts.speeds(models),
        "curves": curves.rows(reported.models),
        "costs": shown_costs(costs),
        "cost_headings": [SHOWN[0], *((heading, "number") for heading in SHOWN[1:])],
        "config": yaml.safe_dump(dict(reported.config), sort_keys=False, allow_unicode=True),
        "settings": {name: settings_text(settings) for name, settings in reported.settings.items()},
        "settings_id": cards.SETTINGS,
        "glossary": GLOSSARY,
        "command": f"snakemake --cores all{reported.options}",
        "versions": list(run.versions().items()),
        "commit": commit,
        "bibtex": _bibtex(commit),
        "made_at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    title = "dpmia: claims of the papers, and measurements"
    html = page.render("report.html", title=title, sections=_sections(papers), size=_SIZE, **content)
    return html.replace(_SIZE, format_size(len(html.encode())))


def _sections(papers: Sequence[cards.ShownPaper]) -> list[page.Section]:
    of_papers = (
        page.Section(paper.id, paper.entry.short, [page.Section(shown.id, shown.in_contents) for shown in paper.shown])
        for paper in papers
    )
    return [
        page.Section("summary", "Does it reproduce?"),
        page.Section("findings", "One finding per figure"),
        page.Section("claims", "All claims at a glance"),
        *of_papers,
        *(page.Section(*behind) for behind in BEHIND.items()),
    ]


def _tiles(papers: Sequence[cards.ShownPaper], models: pd.DataFrame, costs: pd.DataFrame) -> list[tuple[str, str, str]]:
    there = sum(len(paper.shown) for paper in papers)
    private = models.loc[models["private"], "models"].sum()
    of_jobs = costs[~costs["rule"].isin(NO_JOBS)]
    return [
        (f"{sum(paper.made for paper in papers)} of {there}", "figures and tables made", ""),
        (
            format_count(models["models"].sum()),
            "models trained",
            f"{format_count(private)} of them with privacy",
        ),
        (
            format_duration(of_jobs[["startup", "work"]].to_numpy().sum()),
            "CPU time",
            f"of {format_count(of_jobs['jobs'].sum())} jobs",
        ),
    ]


def _main(deviating: Sequence[Deviation]) -> list[tuple[str, int]]:
    """Return the settings that deviate in most experiments, and in how many."""
    counted: dict[str, int] = {}
    for deviation in deviating:
        counted[deviation.setting] = counted.get(deviation.setting, 0) + len(deviation.experiments)
    return list(counted.items())[:MAIN_DEVIATIONS]


def _bibtex(commit: str) -> str:
    """Return a BibTeX entry for this run of the software."""
    fields: Mapping[str, str] = {
        "author": "{the dpmia developers}",
        "title": "{dpmia: membership inference attacks against differential privacy, five papers reproduced}",
        "version": __version__,
        "note": f"Commit {commit}",
        "year": str(datetime.now(UTC).year),
    }
    return "@software{dpmia" + "".join(f",\n  {name} = {{{value}}}" for name, value in fields.items()) + "\n}"
