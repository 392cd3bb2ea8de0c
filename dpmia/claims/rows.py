"""The metrics of one experiment, by arm, epsilon, attack and name."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from dpmia.claims.claim import MissingRowsError, Tables
from dpmia.common.epsilon import format_epsilon
from dpmia.formats.rows import NO_ATTACK


@dataclass(frozen=True)
class Epsilons:
    """The epsilons of a claim; those that were not run at a scale are skipped.

    Attributes:
        least: none below.
        most: none above.
        named: only these, where there are any.
    """

    least: float = 0.0
    most: float = math.inf
    named: tuple[float, ...] = ()

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
    def place(self) -> str:
        """Where rows are missing, for messages."""
        if self.named:
            return f"at any of ε = {', '.join(map(format_epsilon, self.named))}"
        return f"ε from {format_epsilon(self.least)} to {format_epsilon(self.most)}"


ALL = Epsilons()


class Replicates:
    """A table `replicates/<experiment>`: one number for each replicate and metric."""

    def __init__(self, table: pd.DataFrame) -> None:
        """Take a table as `dpmia.evaluation.summary.replicates_table` returns it."""
        self.experiment = str(table["experiment"].iloc[0])
        self.arms = list(dict.fromkeys(table["arm"]))
        table = table.sort_values("replicate", kind="stable")
        self._replicates, self._values = table["replicate"].to_numpy(), table["value"].to_numpy()
        self._rows = table.groupby(["arm", "epsilon", "attack", "metric"], sort=False).indices

    @classmethod
    def of(cls, tables: Tables, experiment: str) -> Replicates:
        """Return the metrics of an experiment whose table is there."""
        return cls(tables[f"replicates/{experiment}"])

    def __call__(self, arm: str, epsilon: float, attack: str = NO_ATTACK, metric: str = "advantage") -> pd.Series:
        """Return the values of a metric by replicate.

        Raises:
            MissingRowsError: it was not measured.
        """
        rows = self._rows.get((arm, float(epsilon), attack, metric))
        if rows is None:
            what = f"{metric} of {attack}, arm {arm}, ε = {format_epsilon(epsilon)}"
            raise MissingRowsError(f"{self.experiment} has no {what}")
        return pd.Series(self._values[rows], index=self._replicates[rows])

    def epsilons(self, wanted: Epsilons, arm: str, attack: str = NO_ATTACK, metric: str = "advantage") -> list[float]:
        """Return those of the wanted epsilons for which a metric was measured, rising.

        Raises:
            MissingRowsError: there are none.
        """
        measured = sorted(key[1] for key in self._rows if (key[0], *key[2:]) == (arm, attack, metric))
        found = [epsilon for epsilon in measured if epsilon in wanted]
        if not found:
            what = f"{metric} of {attack}, arm {arm}, {wanted.place if measured else ALL.place}"
            raise MissingRowsError(f"{self.experiment} has no {what}")
        return found

    def mean(
        self, arm: str, epsilons: Iterable[float], attack: str = NO_ATTACK, metric: str = "advantage"
    ) -> pd.Series:
        """Return for each replicate the mean over epsilons."""
        return pd.concat([self(arm, epsilon, attack, metric) for epsilon in epsilons], axis=1).mean(axis=1)
