"""What a run took, from the logs of its jobs: CPU time in the work itself and in getting there, wall time, memory."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from dpmia.common.formatting import format_count, format_duration, format_size
from dpmia.workflow.forecast_file import remembered
from dpmia.workflow.homes import split_home

#: How a job's log ends: seconds until its script had all it imports, and from there to its end; what jobs alone write.
LINE = re.compile(r"start-up ([0-9.]+) s, work ([0-9.]+) s(?:, wall ([0-9.]+) s, memory ([0-9.]+) MB)?$", re.MULTILINE)


class Spent(NamedTuple):
    """What a job took.

    Attributes:
        startup: CPU seconds until its script had all that it imports.
        work: CPU seconds from there to its end.
        wall_seconds: of the work; NaN for Snakemake itself, and for the process that starts jobs.
        memory_mb: the peak of its memory, libraries that it shares with other jobs included; NaN likewise.
    """

    startup: float
    work: float
    wall_seconds: float
    memory_mb: float


def spent_by(log: Path) -> Spent | None:
    """Return what a job took, by the last line of its log; None where it says nothing of it."""
    matches = LINE.findall(log.read_text(encoding="utf-8", errors="replace")) if log.is_file() else []
    return Spent(*(float(number or "nan") for number in matches[-1])) if matches else None


#: Logs in the place of a rule's that are no job's: of Snakemake itself, and of the process whose forks jobs are.
NO_JOBS = ("snakemake", "fork_server")


def costs_table(logs: Iterable[Path], root: Path) -> pd.DataFrame:
    """Return what all jobs took by rule, from their logs.

    A module that is imported while a job works, because it is named in the settings, counts as work.

    Args:
        logs: files below `root`.
        root: folder of the run's logs.

    Returns:
        Columns rule, jobs, startup and work (CPU seconds), sorted by their sum, the largest first; forecast (seconds
        that were expected of both; NaN where nothing was expected of a job of the rule), wall_seconds (of the work),
        largest_mb.
    """
    expected = remembered(root)
    rows = [
        [rule_of(path := log.relative_to(root)), *spent, expected.get(path.as_posix(), math.nan)]
        for log in logs
        if (spent := spent_by(log))
    ]
    table = pd.DataFrame(rows, columns=["rule", *Spent._fields, "forecast"])
    table = table.groupby("rule").agg(
        jobs=("work", "size"),
        startup=("startup", "sum"),
        work=("work", "sum"),
        forecast=("forecast", _sum_of_all),
        wall_seconds=("wall_seconds", _sum_of_all),
        largest_mb=("memory_mb", "max"),
    )
    order = (table["startup"] + table["work"]).sort_values(ascending=False).index
    return table.loc[order].reset_index()


#: What stands in `shown_costs`.
SHOWN = (
    *("rule", "jobs", "CPU time to start", "CPU time of the work", "CPU time forecast"),
    *("wall time", "largest memory"),
)


def shown_costs(table: pd.DataFrame) -> list[list[str]]:
    """Return the rows of `costs_table` for people, under the headings `SHOWN`."""
    return [
        [
            *(row.rule, format_count(row.jobs), format_duration(row.startup), format_duration(row.work)),
            *(format_duration(row.forecast), format_duration(row.wall_seconds)),
            format_size(1e6 * row.largest_mb),
        ]
        for row in table.itertuples()
    ]


def _sum_of_all(values: pd.Series) -> float:
    """Return a sum; NaN where one of them is."""
    return float(values.sum(skipna=False))


def rule_of(path: Path) -> str:
    """Return the rule whose job wrote a log: the first folder, or file, below the home.

    Args:
        path: relative to the folder of the run's logs.
    """
    return split_home(path)[1].parts[0].removesuffix(".log")


def outside_share(table: pd.DataFrame) -> float:
    """Return the share of all processor time that is not work, in [0, 1]."""
    return float(table["startup"].sum() / (table["startup"].sum() + table["work"].sum()))
