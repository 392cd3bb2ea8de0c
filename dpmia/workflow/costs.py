"""What a run cost: seconds of processor time in the work itself, and in getting there."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from dpmia.workflow.forecast_file import remembered
from dpmia.workflow.homes import split_home

#: How a job's log ends: seconds until its script had all it imports, and from there to its end.
LINE = re.compile(r"start-up ([0-9.]+) s, work ([0-9.]+) s$", re.MULTILINE)

#: Folder of models in a run -> rule whose jobs train them.
TRAINED_BY = {
    "signals": "train_block",
    "shadows": "train_shadows",
    "references": "train_references",
    "distilled": "train_distilled",
}


def job_seconds(log: Path) -> tuple[float, float] | None:
    """Return the seconds of processor time that a job took to start up and to work; None where its log has none."""
    found = LINE.findall(log.read_text(encoding="utf-8", errors="replace")) if log.is_file() else []
    return (float(found[-1][0]), float(found[-1][1])) if found else None


def costs_table(logs: Iterable[Path], root: Path) -> pd.DataFrame:
    """Return the processor time of all jobs by rule, from their logs.

    A module that is imported while a job works, because it is named in the settings, counts as work.

    Args:
        logs: files below `root`.
        root: folder of the run's logs.

    Returns:
        Columns rule, jobs, startup and work (seconds), sorted by their sum, the largest first; forecast (seconds that
        were expected of both; NaN where nothing was expected of a job of the rule).
    """
    expected = remembered(root)
    rows = [
        [rule_of(path := log.relative_to(root)), *seconds, expected.get(path.as_posix(), math.nan)]
        for log in logs
        if (seconds := job_seconds(log))
    ]
    table = pd.DataFrame(rows, columns=["rule", "startup", "work", "forecast"])
    sums = {"jobs": ("work", "size"), "startup": ("startup", "sum"), "work": ("work", "sum")}
    table = table.groupby("rule").agg(**sums, forecast=("forecast", lambda seconds: seconds.sum(skipna=False)))
    order = (table["startup"] + table["work"]).sort_values(ascending=False).index
    return table.loc[order].reset_index()


def rule_of(path: Path) -> str:
    """Return the rule whose job wrote a log or benchmark: the first folder, or file, below the home.

    Args:
        path: relative to the folder of the run's logs or benchmarks.
    """
    return split_home(path)[1].parts[0].removesuffix(".log")


def outside_share(table: pd.DataFrame) -> float:
    """Return the share of all processor time that is not work, in [0, 1]; NaN for an empty table."""
    total = table["startup"].sum() + table["work"].sum()
    return float(table["startup"].sum() / total) if total else float("nan")
