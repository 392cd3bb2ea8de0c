"""How far a run is: what is there of what its papers need, and what is being trained now."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from dpmia.common.formatting import MISSING, text_table
from dpmia.workflow.homes import TRAINED_BY, split_home
from dpmia.workflow.progress import last_line

#: A log that was written to within so many seconds belongs to a job that is running.
RECENT = 120.0

#: Folder of the logs.
LOGS = Path("logs")


def status(folder: Path, papers: Mapping[str, Mapping[str, Iterable[str]]]) -> str:
    """Return a table with a line for each paper, and a line for each training that goes on.

    What is there counts, whether it is still up to date or not: `snakemake --dry-run` lists what would run again.

    Args:
        folder: of the run.
        papers: paper -> stage -> files that are made in that stage.
    """
    stages = list(dict.fromkeys(stage for files in papers.values() for stage in files))
    rows = [[paper, *(_share(files.get(stage, ())) for stage in stages)] for paper, files in papers.items()]
    files = {file for stage in papers.values() for file in stage.get("training", ())}
    running = [line for file in sorted(files) if (line := _running(folder, Path(file)))]
    table = text_table(rows, ["paper", *stages])
    return "\n".join([f"{folder}: what is there", table, *(["Training now:", *running] if running else [])])


def _share(files: Iterable[str]) -> str:
    files = list(files)
    there = sum(Path(file).is_file() for file in files)
    return f"{there} of {len(files)}" if files else MISSING


def _running(folder: Path, file: Path) -> str:
    """Return the last words of the job that makes a file, nothing where there is no such job or it is silent."""
    home, below = split_home(file.relative_to(folder))
    stage, *rest = below.parts
    log = (LOGS / folder / home / TRAINED_BY[stage] / Path(*rest)).with_suffix(".log")
    if file.is_file() or not log.is_file() or time.time() - log.stat().st_mtime > RECENT:
        return ""
    return f"  {(home / below).with_suffix('')}: {last_line(log) or 'started'}"
