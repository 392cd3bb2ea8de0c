"""The metrics of one experiment, asked for by meaning."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pandas as pd

from dpmia.claims.claim import MissingRowsError
from dpmia.rows import NO_ATTACK


class Replicates:
    """A table `replicates/<experiment>`: one number for each replicate and question."""

    def __init__(self, table: pd.DataFrame) -> None:
        """Take a table as `dpmia.summaries.replicates_table` returns it."""
        self.experiment = str(table["experiment"].iloc[0])
        self.arms = list(dict.fromkeys(table["arm"]))
        table = table.sort_values("replicate", kind="stable")
        self._replicates, self._values = table["replicate"].to_numpy(), table["value"].to_numpy()
        self._rows = table.groupby(["arm", "epsilon", "attack", "metric"], sort=False).indices

    def __call__(self, arm: str, epsilon: float, attack: str = NO_ATTACK, metric: str = "advantage") -> pd.Series:
        """Return the values of a metric by replicate.

        Raises:
            MissingRowsError: it was not measured.
        """
        rows = self._rows.get((arm, float(epsilon), attack, metric))
        if rows is None:
            what = f"{metric} of {attack}, arm {arm}, ε = {tell(epsilon)}"
            raise MissingRowsError(f"{self.experiment} has no {what}")
        return pd.Series(self._values[rows], index=self._replicates[rows])

    def epsilons(
        self, arm: str, attack: str = NO_ATTACK, metric: str = "advantage", least: float = 0.0, most: float = math.inf
    ) -> list[float]:
        """Return the epsilons from `least` to `most` for which a metric was measured, rising.

        Raises:
            MissingRowsError: there are none.
        """
        found = sorted(
            epsilon
            for an_arm, epsilon, an_attack, a_metric in self._rows
            if (an_arm, an_attack, a_metric) == (arm, attack, metric) and least <= epsilon <= most
        )
        if not found:
            what = f"{metric} of {attack}, arm {arm}, ε from {tell(least)} to {tell(most)}"
            raise MissingRowsError(f"{self.experiment} has no {what}")
        return found

    def chosen(
        self, wanted: Iterable[float], arm: str, attack: str = NO_ATTACK, metric: str = "advantage"
    ) -> list[float]:
        """Return those of the epsilons `wanted` for which a metric was measured.

        Raises:
            MissingRowsError: there are none.
        """
        wanted = list(wanted)
        found = [epsilon for epsilon in self.epsilons(arm, attack, metric) if epsilon in wanted]
        if not found:
            what = f"{metric} of {attack}, arm {arm}, at any of ε = {', '.join(map(tell, wanted))}"
            raise MissingRowsError(f"{self.experiment} has no {what}")
        return found

    def mean(
        self, arm: str, epsilons: Iterable[float], attack: str = NO_ATTACK, metric: str = "advantage"
    ) -> pd.Series:
        """Return for each replicate the mean over epsilons."""
        return pd.concat([self(arm, epsilon, attack, metric) for epsilon in epsilons], axis=1).mean(axis=1)


def tell(epsilon: float) -> str:
    """Return an epsilon as people write it."""
    return "∞" if math.isinf(epsilon) else f"{epsilon:g}"
