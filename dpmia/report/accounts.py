"""Tables on what stands behind the numbers: raw files, privacy guarantees, engines, compute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from dpmia.common.formatting import format_count, format_duration, format_significant, format_size
from dpmia.common.reading.rows import made_frame
from dpmia.formats.table_names import experiment_of
from dpmia.papers.bibliography import BIBLIOGRAPHY
from dpmia.papers.catalogue import PAPERS
from dpmia.report.guarantees import guarantee_cells
from dpmia.report.reported_run import ReportedRun


def data_rows(table: pd.DataFrame) -> list[list[Any]]:
    """Return the rows of `dpmia.report.run.data_table` as texts."""
    verification = {True: "that of the published file", False: "NOT that of the published file"}
    return [
        [row.dataset, row.file, format_count(row.rows), format_size(row.bytes), row.sha256,
         verification.get(row.verified, ""), row.licence, row.homepage]
        for row in table.itertuples()
    ]  # fmt: skip


def paper_of_experiments() -> dict[str, str]:
    """Return the paper of each experiment and study that a figure or table is made of."""
    return {
        experiment_of(table): paper
        for paper, artifacts in PAPERS.items()
        for artifact in artifacts
        for table in artifact.tables
    }


def guarantees(models: pd.DataFrame, paper_of: Mapping[str, str]) -> dict[str, list[list[Any]]]:
    """Return the rows of private models by paper, or by "own experiments" where they belong to none."""
    by_paper: dict[str, list[list[Any]]] = {}
    for row in models[models["private"]].itertuples():
        paper = paper_of.get(row.experiment)
        by_paper.setdefault(BIBLIOGRAPHY[paper].short if paper else "Own experiments", []).append(
            [row.experiment, row.role, *guarantee_cells(row), format_count(row.models)]
        )
    return by_paper


def engines(models: pd.DataFrame) -> list[list[Any]]:
    """Return the number of models that each engine trained, those with privacy apart."""
    return [
        [
            _engine(engine),
            format_count(rows["models"].sum()),
            format_count(rows.loc[rows["private"], "models"].sum()),
        ]
        for engine, rows in models.groupby("engine")
    ]


def second_opinions(reported: ReportedRun) -> list[list[Any]]:
    """Return the same of the models that were trained again to compare engines; all of them are private."""
    file = Path(reported.artifacts.get("engines_agree", {}).get("csv", ""))
    if not file.is_file():
        return []
    again = format_count(made_frame(file)["models"].sum())
    return [["opacus, second opinion", again, again]]


def _engine(name: str) -> str:
    return name.removesuffix("Engine").lower()


def speeds(models: pd.DataFrame) -> list[list[Any]]:
    """Return how many optimiser steps of a model were taken for each CPU second."""
    grouped = models.groupby(["experiment", "role", "engine", "private"], sort=False)
    return [
        [
            *(experiment, role, _engine(engine), "yes" if private else "no"),
            format_count(rows["models"].sum()),
            format_count(rows["model_steps"].sum()),
            format_duration(seconds := rows["seconds"].sum(skipna=False)),
            format_significant(rows["model_steps"].sum() / seconds or math.nan, 3),
        ]
        for (experiment, role, engine, private), rows in grouped
    ]
