"""What was expected of the jobs of a run, kept beside their logs to be compared with what they took. Light."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from dpmia.common.files import whole_file
from dpmia.common.reading.rows import rows
from dpmia.common.reading.source import made

#: In the folder of a run's logs: path of a job's log below it -> CPU seconds that were expected of the job.
FILE = "forecast.csv"


def remember(expected: Mapping[str, float], folder: Path) -> None:
    """Keep what was expected of jobs, to be compared with what they take; a later forecast replaces an earlier one.

    Args:
        expected: path of a job's log, below the folder of the run's logs -> CPU seconds.
        folder: of the run's logs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(folder / FILE) as part, part.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows({**remembered(folder), **expected}.items())


def remembered(folder: Path) -> dict[str, float]:
    """Return what was expected of the jobs of a run, by the paths of their logs; nothing where nothing was."""
    file = folder / FILE
    if not file.is_file():
        return {}
    source = made(file)
    lines = list(rows(source, source.text(), ","))
    with source.faults("it is not what was written"):
        return {log: float(seconds) for _, (log, seconds) in lines}
