"""A claim: one checkable statement about an artifact, and the rule that decides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpmia.claims.limits import ERROR
from dpmia.formats.table_names import OF_EXPERIMENT, stage_of

if TYPE_CHECKING:
    from dpmia.claims.decisions import Condition, DecisionRule

#: Name of a table, as `stage/experiment`, to its rows: a data frame, or what `dpmia.claims.rows` reads from one.
Tables = Mapping[str, Any]

#: What a claim rests on: formulas; records that are drawn; how many records there are; trained models and attacks.
THEORY, SIMULATION, COUNT, EXPERIMENT = "theory", "simulation", "count", "experiment"
KINDS = (THEORY, SIMULATION, COUNT, EXPERIMENT)

#: What stands for limits where a number has no error.
EXACT = "exact"


@dataclass(frozen=True)
class Finding:
    """What was measured, and whether the claim holds.

    Attributes:
        measured: the number that the claim's criterion is about; of several the one that decides.
        low: lower limit (`dpmia.claims.limits`); NaN where replicates are too few, `measured` where it is exact.
        high: upper limit.
        holds: None where the limits cover both.
        note: which of several numbers is reported, what was left out, why.
        margin: how far `measured` lies on the claim's side of its threshold; below 0 on the other side.
        interval: what the limits are, as `one-sided 95 % limits`; `EXACT` without error, empty without limits.
        detectable: the minimal detectable effect (`dpmia.claims.limits.detectable`); NaN without limits.
    """

    measured: float
    low: float
    high: float
    holds: bool | None
    note: str = ""
    margin: float = float("nan")
    interval: str = ""
    detectable: float = float("nan")

    @property
    def has_limits(self) -> bool:
        """Whether an error is estimated."""
        return self.interval not in ("", EXACT)


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
        expected: what a formula of the paper gives, or a rerun on its released data; computed by us, printed nowhere.
        printed: means that the paper prints of what `rule` reads: table -> key (`dpmia.claims.rows.MetricKey`) -> mean.
        tables: what `rule` reads, each as `stage/experiment` with a stage of `dpmia.formats.table_names.OF_EXPERIMENT`.
        about_data: whether it is about real records; then it is never judged on synthetic ones.
        some_suffice: `rule` makes do with some of the tables, as the claim is about each data set by itself.
        ours: not in the paper.
        simulated: what the rule computes rests on drawn numbers, though it reads no table.
    """

    id: str
    artifact: str
    statement: str
    rule: DecisionRule
    paper_value: str = ""
    expected: str = ""
    printed: Mapping[str, Mapping[Any, float]] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    about_data: bool = True
    some_suffice: bool = False
    ours: bool = False
    simulated: bool = False

    def __post_init__(self) -> None:
        """Refuse a claim about data that reads none, and tables of unknown stages."""
        wrong = [table for table in self.tables if stage_of(table) not in OF_EXPERIMENT]
        if wrong:
            raise ValueError(f"{self.id}: expected tables of the stages {OF_EXPERIMENT}, got {wrong}")
        if self.about_data and not self.tables:
            raise ValueError(f"{self.id}: a claim about data reads tables")

    @property
    def kind(self) -> str:
        """What it rests on, one of `KINDS`."""
        if not self.about_data:
            return SIMULATION if self.tables or self.simulated else THEORY
        return COUNT if all(stage_of(table) == "sizes" for table in self.tables) else EXPERIMENT

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Every quantity with its comparison."""
        return self.rule.conditions

    @property
    def criterion(self) -> str:
        """What must hold, generated from the comparisons that `judge` performs."""
        return self.rule.criterion

    def judge(self, tables: Tables, error: float = ERROR) -> Finding:
        """Return what was measured, and whether the claim holds; either verdict is wrong with `error` at most.

        Raises:
            MissingRowsError: rows that the claim needs are missing.
        """
        return self.rule.judge(tables, error)
