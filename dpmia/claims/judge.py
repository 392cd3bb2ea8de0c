"""Verdicts on claims, from the tables of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from dpmia.claims.claim import Claim, Finding, MissingRowsError
from dpmia.formats.tables import read_table

REPRODUCED, NOT_REPRODUCED, UNDECIDED = "reproduced", "not reproduced", "undecided"
NOT_RUN, SYNTHETIC = "not run", "synthetic data"
VERDICTS = (REPRODUCED, NOT_REPRODUCED, UNDECIDED, NOT_RUN, SYNTHETIC)

COLUMNS = [
    *("paper", "artifact", "id", "ours", "statement", "criterion", "paper_value"),
    *("verdict", "measured", "low", "high", "note"),
]

_HOLDS = {True: REPRODUCED, False: NOT_REPRODUCED, None: UNDECIDED}
_NOTHING = Finding(float("nan"), float("nan"), float("nan"), None)


@dataclass(frozen=True)
class Run:
    """A run and the folder of its tables.

    Attributes:
        folder: `results/<data>-<scale>`.
        synthetic: whether its records are synthetic.
        scale: `smoke`, `laptop` or `paper`.
        not_run: experiment or study -> why its data are unavailable.
        trained: experiment -> a line on its target models and their records.
    """

    folder: Path
    synthetic: bool
    scale: str
    not_run: Mapping[str, str] = field(default_factory=dict)
    trained: Mapping[str, str] = field(default_factory=dict)

    def tables(self, names: Iterable[str]) -> dict[str, pd.DataFrame]:
        """Return those of the tables that are there now."""
        paths = {name: self.folder / f"{name}.csv" for name in names}
        return {name: read_table(path) for name, path in paths.items() if path.is_file()}

    def models(self, names: Iterable[str]) -> str:
        """Return which target models stand behind some tables, each once; nothing where there are none."""
        trained = [self.trained.get(name.partition("/")[2], "") for name in names]
        return "; ".join(dict.fromkeys(filter(None, trained)))

    def without(self, names: Iterable[str]) -> str:
        """Return which tables are missing, with the reason where it is known; those of one reason stand together."""
        missing: dict[str, list[str]] = {}
        for name in names:
            missing.setdefault(self.not_run.get(name.partition("/")[2], ""), []).append(name)
        return ", ".join(", ".join(tables) + (f" ({reason})" if reason else "") for reason, tables in missing.items())


def judge(claim: Claim, run: Run) -> tuple[str, Finding]:
    """Return the verdict on one claim, and what it rests on.

    A claim about data is never judged on synthetic data, nor at the scale `smoke`, which trains next to nothing. Where
    a table is missing, a claim about each of several data sets is judged on the others, and the note names it.
    """
    if claim.about_data and run.synthetic:
        return SYNTHETIC, _noted("synthetic records say nothing about it; run with data=real")
    if claim.about_data and run.scale == "smoke":
        return NOT_RUN, _noted("the scale smoke trains too little; run with scale=laptop or scale=paper")
    tables = run.tables(claim.tables)
    missing = [name for name in claim.tables if name not in tables]
    if missing and not (claim.each and tables):
        return NOT_RUN, _noted(f"without {run.without(missing)}")
    try:
        finding = claim.judge(tables)
    except MissingRowsError as error:
        return NOT_RUN, _noted(f"{error} at scale {run.scale}")
    if missing:
        finding = _noted(f"judged without {run.without(missing)}", finding)
    if models := run.models(tables):
        finding = _noted(f"trained: {models}", finding)
    return _HOLDS[finding.holds], finding


def judge_all(claims: Mapping[str, Iterable[Claim]], run: Run) -> pd.DataFrame:
    """Return the verdicts on the claims of all papers.

    Args:
        claims: paper -> its claims.
        run: the run.

    Returns:
        One row for each claim, in the order given, with the columns `COLUMNS`; `paper_value` and `note` are texts,
        empty where there is nothing to say; measured, low and high are NaN where nothing was measured.
    """
    rows = []
    for paper, of_paper in claims.items():
        for claim in of_paper:
            verdict, found = judge(claim, run)
            about = [paper, claim.artifact, claim.id, claim.ours, claim.statement, claim.criterion, claim.paper_value]
            rows.append([*about, verdict, found.measured, found.low, found.high, found.note])
    return pd.DataFrame(rows, columns=COLUMNS)


def counts(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return how many claims of each paper have each verdict: one row a paper, one column for each of `VERDICTS`."""
    table = pd.crosstab(verdicts["paper"], verdicts["verdict"])
    return table.reindex(index=verdicts["paper"].unique(), columns=list(VERDICTS), fill_value=0)


def _noted(note: str, finding: Finding = _NOTHING) -> Finding:
    notes = "; ".join(filter(None, (finding.note, note)))
    return Finding(finding.measured, finding.low, finding.high, finding.holds, notes, finding.margin)
