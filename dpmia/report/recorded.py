"""Verdicts on real data that the repository records, to stand beside claims that synthetic data cannot judge."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dpmia.claims.judge import read_verdicts


@dataclass(frozen=True)
class Recorded:
    """A run on real data whose verdicts the repository holds.

    Attributes:
        file: its verdicts, beside this module; `docs/measured/README.md` lists it with its command.
        scale: of the run.
        commit: at which it was made.
        date: the same.
    """

    file: str
    scale: str
    commit: str
    date: str

    @property
    def source(self) -> str:
        """Scale, commit and date, for readers."""
        return f"scale {self.scale}, commit {self.commit}, {self.date}"

    def read(self) -> pd.DataFrame:
        """Return the verdicts, by the id of the claim."""
        return read_verdicts(Path(__file__).with_name(self.file)).set_index("id")


LATEST = Recorded("claims-real-laptop.csv", "laptop", "330cf24", "2026-11-23")
