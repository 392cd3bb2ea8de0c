"""The numbers of one table by what they are about: metrics of an experiment, advantages of a study."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dpmia.claims.claim import Tables
from dpmia.common.epsilon import format_epsilon
from dpmia.formats.rows import NO_ATTACK, MissingRowsError

#: Arm, epsilon, attack and name of a metric.
MetricKey = tuple[str, float, str, str]

#: Depth or penalty, attack, and what it infers.
StudyKey = tuple[float, str, str]


@dataclass(frozen=True)
class Epsilons:
    """The epsilons of a claim; those that were not run at a scale are skipped.

    Attributes:
        least: none below.
        most: none above.
        named: only these, where there are any.
        attacks: those that must be run at the `planned` epsilons.
        grid: the epsilons of the paper's figure.
    """

    least: float = 0.0
    most: float = math.inf
    named: tuple[float, ...] = ()
    attacks: tuple[str, ...] = ()
    grid: tuple[float, ...] = ()

    def __contains__(self, epsilon: float) -> bool:
        return self.least <= epsilon <= self.most and (not self.named or epsilon in self.named)

    def __str__(self) -> str:
        """Return it as criteria write it: `every epsilon from 1 up`, `epsilon 0.1 and 1`."""
        if self.named:
            *first, last = map(format_epsilon, self.named)
            return f"epsilon {', '.join(first)} and {last}" if first else f"epsilon {last}"
        from_least = f" from {format_epsilon(self.least)} up" if self.least else ""
        to_most = f" up to {format_epsilon(self.most)}" if self.most < math.inf else ""
        return f"every epsilon{from_least}{to_most}"

    @property
    def planned(self) -> tuple[float, ...]:
        """Those that are known one by one, so that verdicts say which of them were not run."""
        return self.named or tuple(epsilon for epsilon in self.grid if epsilon in self)

    @property
    def place(self) -> str:
        """Where rows are missing, for messages."""
        if self.named:
            return f"at any of ε = {', '.join(map(format_epsilon, self.named))}"
        return f"ε from {format_epsilon(self.least)} to {format_epsilon(self.most)}"


ALL = Epsilons()


def named(table: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Return the rows of a table with these names in its index.

    Raises:
        MissingRowsError: it lacks one of them.
    """
    if lost := [name for name in names if name not in table.index]:
        raise MissingRowsError(f"no rows of {', '.join(lost)}")
    return table.loc[list(names)]


class Replicates:
    """The metrics of one experiment: one number for each replicate and metric."""

    def __init__(self, experiment: str, values: Mapping[MetricKey, pd.Series]) -> None:
        """Take the name of the experiment, and the values of each metric by replicate."""
        self.experiment, self._values = experiment, values

    @cached_property
    def arms(self) -> list[str]:
        """All arms."""
        return list(dict.fromkeys(arm for arm, *_ in self._values))

    @cached_property
    def _epsilons(self) -> dict[tuple[str, str, str], list[float]]:
        epsilons: dict[tuple[str, str, str], list[float]] = {}
        for arm, epsilon, attack, metric in self._values:
            epsilons.setdefault((arm, attack, metric), []).append(epsilon)
        return epsilons

    @classmethod
    def of(cls, tables: Tables, experiment: str) -> Replicates:
        """Return the metrics of an experiment whose table is there."""
        table = tables[f"replicates/{experiment}"]
        return table if isinstance(table, cls) else MeasuredReplicates.read(table)

    def __call__(self, arm: str, epsilon: float, attack: str = NO_ATTACK, metric: str = "advantage") -> pd.Series:
        """Return the values of a metric by replicate.

        Raises:
            MissingRowsError: it was not measured.
        """
        try:
            return self._values[arm, float(epsilon), attack, metric]
        except KeyError:
            what = f"{metric} of {attack}, arm {arm}, ε = {format_epsilon(epsilon)}"
            raise MissingRowsError(f"{self.experiment} has no {what}") from None

    def epsilons(self, wanted: Epsilons, arm: str, attack: str = NO_ATTACK, metric: str = "advantage") -> list[float]:
        """Return those of the wanted epsilons for which a metric was measured, rising.

        Raises:
            MissingRowsError: there are none.
        """
        measured = sorted(self._epsilons.get((arm, attack, metric), ()))
        epsilons = [epsilon for epsilon in measured if epsilon in wanted]
        if not epsilons:
            what = f"{metric} of {attack}, arm {arm}, {wanted.place if measured else ALL.place}"
            raise MissingRowsError(f"{self.experiment} has no {what}")
        return epsilons


class MeasuredReplicates(Replicates):
    """The metrics of a table, also as they are without a group of records."""

    def __init__(self, table: pd.DataFrame, rows: Mapping[MetricKey, np.ndarray], group: str | None = None) -> None:
        """Take a table, the rows of each metric in the order of replicates, and the group that is left out."""
        numbers = table["value"].to_numpy()
        if group is not None:
            numbers = numbers - table[group].fillna(0).to_numpy()
        values = _Measured(numbers, table["replicate"].to_numpy(), rows)
        super().__init__(str(table["experiment"].iloc[0]), values)
        self._table, self._rows = table, rows

    @classmethod
    def read(cls, table: pd.DataFrame) -> MeasuredReplicates:
        """Return the metrics of a table as `dpmia.evaluation.summary.replicates_table` returns it.

        Raises:
            MissingRowsError: it has no rows.
        """
        if table.empty:
            raise MissingRowsError("a table of replicates has no rows")
        order = np.argsort(table["replicate"].to_numpy(), kind="stable")
        keys = table[["arm", "epsilon", "attack", "metric"]].iloc[order]
        places = keys.groupby([*keys], sort=False).indices
        return cls(table, {key: order[of_key] for key, of_key in places.items()})

    def without(self, group: str) -> MeasuredReplicates:
        """Return the metrics as they are without a group of records, one of `EFFECTS` that the table has.

        The same where replicates share no records.
        """
        return MeasuredReplicates(self._table, self._rows, group)


class _Measured(Mapping[MetricKey, pd.Series]):
    """The values of each metric by replicate; only those that are read are taken from all numbers."""

    def __init__(self, numbers: np.ndarray, replicates: np.ndarray, rows: Mapping[MetricKey, np.ndarray]) -> None:
        self._numbers, self._replicates, self._rows = numbers, replicates, rows

    def __getitem__(self, key: MetricKey) -> pd.Series:
        rows = self._rows[key]
        return pd.Series(self._numbers[rows], index=self._replicates[rows])

    def __iter__(self) -> Iterator[MetricKey]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class Splits:
    """The advantages of a study on regression: one number for each split, model and attack."""

    def __init__(self, ratio: pd.Series, values: Mapping[StudyKey, pd.Series]) -> None:
        """Take the ratio of errors by depth or penalty, and the advantages by split."""
        self.ratio, self._values = ratio, values

    @classmethod
    def of(cls, tables: Tables, study: str) -> Splits:
        """Return the advantages of a study whose table is there."""
        table = tables[f"studies/{study}"]
        return table if isinstance(table, cls) else cls.read(table)

    @classmethod
    def read(cls, table: pd.DataFrame) -> Splits:
        """Return the advantages of a table as `dpmia.studies.regression.run` returns it."""
        groups = table.groupby(["parameter", "adversary", "target"])
        values = {key: rows.set_index("replicate")["advantage"] for key, rows in groups}
        return cls(table.groupby("parameter")["ratio"].first(), values)

    def __call__(self, parameter: float, adversary: str, target: str = "membership") -> pd.Series:
        """Return the advantages by split.

        Raises:
            MissingRowsError: they were not measured.
        """
        try:
            return self._values[float(parameter), adversary, target]
        except KeyError:
            raise MissingRowsError(f"the study has no {adversary} on {target} at parameter {parameter:g}") from None

    def parameters(self, least: float = 0) -> list[float]:
        """Return depths or penalties from `least` up.

        Raises:
            MissingRowsError: there are none.
        """
        parameters = [parameter for parameter in self.ratio.index if parameter >= least]
        if not parameters:
            raise MissingRowsError(f"the study has no parameter from {least:g} up")
        return parameters
