"""Verdicts on real data that the repository records, to stand beside claims that synthetic data cannot judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pandas as pd

from dpmia.claims.judge import read_verdicts
from dpmia.common.formatting import listed
from dpmia.common.plain import PlainData
from dpmia.common.reading.source import made
from dpmia.papers.bibliography import BIBLIOGRAPHY

#: Beside this module, as `dpmia.report.adopt` writes them: the verdicts, and which run those of each paper are of.
VERDICTS, RUNS = Path(__file__).with_name("claims-real.csv"), Path(__file__).with_name("claims-real.json")


@dataclass(frozen=True)
class Recorded(PlainData):
    """The run on real data that the repository's verdicts on one paper are of; `docs/measured` has its command.

    Attributes:
        scale: of the run.
        commit: at which it was made.
        date: the same.
    """

    scale: str
    commit: str
    date: str

    def __post_init__(self) -> None:
        """Refuse a scale and a commit that are no words, and a date that is none."""
        for word in (self.scale, self.commit):
            if not (word.isalnum() and word.isascii()):
                raise ValueError(f"{word!r} is no word")
        date.fromisoformat(self.date)

    @property
    def source(self) -> str:
        """Scale, commit and date, for readers."""
        return f"scale {self.scale}, commit {self.commit}, {self.date}"


def runs(path: Path = RUNS) -> dict[str, Recorded]:
    """Return by paper the run that is recorded.

    Raises:
        DataError: the file is not what `dpmia.report.adopt` writes.
    """
    source = made(path)
    with source.faults("it is not what `dpmia.report.adopt` writes"):
        by_paper = {paper: Recorded.from_plain(run) for paper, run in source.json().items()}
    if unknown := sorted(set(by_paper) - set(BIBLIOGRAPHY)):
        raise source.error(f"there is no paper {unknown[0]!r}")
    return by_paper


def verdicts() -> pd.DataFrame:
    """Return the recorded verdicts, by the id of the claim."""
    return read_verdicts(VERDICTS).set_index("id")


def source_of(recorded_runs: Mapping[str, Recorded]) -> str:
    """Return where recorded verdicts come from, for readers: one run, or which run for which papers."""
    papers: dict[str, list[str]] = {}
    for paper, run in recorded_runs.items():
        papers.setdefault(run.source, []).append(BIBLIOGRAPHY[paper].first)
    if len(papers) == 1:
        return next(iter(papers))
    return "; ".join(f"{listed(names)}: {source}" for source, names in papers.items())
