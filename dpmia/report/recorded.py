"""Verdicts on real data that the repository records, to stand beside claims that synthetic data cannot judge."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dpmia.claims.judge import read_verdicts
from dpmia.common.plain import PlainData
from dpmia.common.reading.source import made

#: Beside this module, as `dpmia.report.adopt` writes them: the verdicts, and which run they are of.
VERDICTS, RUN = Path(__file__).with_name("claims-real.csv"), Path(__file__).with_name("claims-real.json")


@dataclass(frozen=True)
class Recorded(PlainData):
    """The run on real data whose verdicts the repository holds; `docs/measured/README.md` has its command.

    Attributes:
        scale: of the run.
        commit: at which it was made.
        date: the same.
    """

    scale: str
    commit: str
    date: str

    @property
    def source(self) -> str:
        """Scale, commit and date, for readers."""
        return f"scale {self.scale}, commit {self.commit}, {self.date}"

    @staticmethod
    def read() -> pd.DataFrame:
        """Return the verdicts, by the id of the claim."""
        return read_verdicts(VERDICTS).set_index("id")


LATEST = Recorded.from_plain(made(RUN).json())
