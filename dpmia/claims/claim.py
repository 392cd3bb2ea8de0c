"""A claim: one checkable statement about an artifact, and the rule that decides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from dpmia.claims.decisions import Condition, DecisionRule

#: Name of a table, as `stage/experiment`, to its rows.
Tables = Mapping[str, "pd.DataFrame"]

#: Where tables stand below the folder of a run, by the first part of their name.
STAGES = ("nulls", "per_record", "replicates", "sizes", "studies", "summary")


class MissingRowsError(Exception):
    """A table lacks rows that a claim needs: an epsilon, an arm or an attack was not run."""


@dataclass(frozen=True)
class Finding:
    """What was measured, and whether the claim holds.

    Attributes:
        measured: the number that the claim's criterion is about; of several the one that decides.
        low: lower limit of its interval; NaN for one replicate, `measured` where it is exact.
        high: upper limit.
        holds: None where the interval covers both.
        note: which of several numbers is reported, what was left out, why.
        margin: how far `measured` lies on the claim's side of its threshold; below 0 on the other side.
    """

    measured: float
    low: float
    high: float
    holds: bool | None
    note: str = ""
    margin: float = float("nan")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One statement that tables can support or refute.

    Thresholds follow from the paper's text, set before any number was known; the changelog lists every change of one.

    Attributes:
        id: unique among all papers: `<paper>-<figure, table or theorem>-<what>`.
        artifact: figure or table that it is about.
        statement: what is claimed, in one sentence.
        rule: which quantities are measured, what they are compared with, and how that decides.
        paper_value: what the paper prints, a number or a word.
        tables: what `rule` reads, each as `stage/experiment` with a stage of `STAGES`.
        about_data: whether it is about real records; then it is never judged on synthetic ones.
        each: `rule` makes do with some of the tables, as the claim is about each data set by itself.
        ours: not in the paper.
    """

    id: str
    artifact: str
    statement: str
    rule: DecisionRule
    paper_value: str = ""
    tables: tuple[str, ...] = ()
    about_data: bool = True
    each: bool = False
    ours: bool = False

    def __post_init__(self) -> None:
        """Refuse a claim about data that reads none, and tables of unknown stages."""
        wrong = [table for table in self.tables if table.partition("/")[0] not in STAGES]
        if wrong:
            raise ValueError(f"{self.id}: tables {wrong}; expected stages {STAGES}")
        if self.about_data and not self.tables:
            raise ValueError(f"{self.id}: a claim about data reads tables")

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Every quantity with its comparison."""
        return self.rule.conditions

    @property
    def criterion(self) -> str:
        """What must hold, generated from the comparisons that `judge` performs."""
        return self.rule.criterion

    def judge(self, tables: Tables) -> Finding:
        """Return what was measured, and whether the claim holds.

        Raises:
            MissingRowsError: rows that the claim needs are missing.
        """
        return self.rule.judge(tables)
