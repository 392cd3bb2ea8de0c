"""Quantities by epsilon: metrics of experiments, and what is computed of them within each replicate.

    metric("texas", "region_3", "optimal_threshold") - 1.2 * metric("texas", "region_3-iid", "optimal_threshold")

`trend` is a slope over ordered places, within each replicate: its mean tests a trend. `at`, `at_each`, `mean_over` and
`trend_over` make measures of them, as conditions take them (`dpmia.claims.decisions.Condition`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from dpmia.claims.claim import Tables
from dpmia.claims.decisions import Cells
from dpmia.claims.rows import Epsilons, Replicates
from dpmia.common.epsilon import format_epsilon
from dpmia.formats.rows import NO_ATTACK, MissingRowsError

#: Experiment -> its metrics.
Metrics = Callable[[str], Replicates]

#: Takes the tables; returns the cells of a quantity.
Measure = Callable[[Tables], Cells]


@dataclass(frozen=True)
class Quantity:
    """A number for each replicate at an epsilon.

    Attributes:
        keys: experiment, arm, attack and name of each metric that it is computed of.
        value: takes the metrics of experiments, and an epsilon; returns the values by replicate.
    """

    keys: tuple[tuple[str, str, str, str], ...]
    value: Callable[[Metrics, float], pd.Series]

    def __sub__(self, other: Quantity | Callable[[float], Any]) -> Quantity:
        """Return the difference to another quantity, or to a formula of epsilon."""
        if isinstance(other, Quantity):
            keys, less = self.keys + other.keys, other.value
            return Quantity(keys, lambda metrics, epsilon: self.value(metrics, epsilon) - less(metrics, epsilon))
        return Quantity(self.keys, lambda metrics, epsilon: self.value(metrics, epsilon) - float(other(epsilon)))

    def __rmul__(self, factor: float) -> Quantity:
        return Quantity(self.keys, lambda metrics, epsilon: factor * self.value(metrics, epsilon))

    def __abs__(self) -> Quantity:
        return Quantity(self.keys, lambda metrics, epsilon: self.value(metrics, epsilon).abs())

    def fixed(self, epsilon: float) -> Quantity:
        """Return the same quantity at this epsilon, whatever the epsilon of what it is compared with."""
        return Quantity(self.keys, lambda metrics, _: self.value(metrics, epsilon))

    def at_largest_finite(self) -> Quantity:
        """Return the same quantity at the largest finite epsilon that was run, as `fixed` does at a given one."""
        finite = Epsilons(most=sys.float_info.max)
        return Quantity(self.keys, lambda metrics, _: self.value(metrics, self.epsilons(metrics, finite)[-1]))

    def epsilons(self, metrics: Metrics, wanted: Epsilons) -> list[float]:
        """Return those of the wanted epsilons at which all of its metrics were measured, rising.

        Raises:
            MissingRowsError: there are none.
        """
        measured = [metrics(experiment).epsilons(wanted, *key) for experiment, *key in self.keys]
        shared = sorted(set(measured[0]).intersection(*measured))
        if not shared:
            names = " and ".join(
                f"{name} of {attack} ({experiment}, {arm})" for experiment, arm, attack, name in self.keys
            )
            raise MissingRowsError(f"no epsilon at which all of {names} were measured")
        return shared


#: One quantity, or several by the name of their cell.
Quantities = Quantity | Mapping[str, Quantity]


def metric(experiment: str, arm: str, attack: str = NO_ATTACK, name: str = "advantage") -> Quantity:
    """Return a metric of an arm of an experiment: of an attack, or of the model itself."""
    key = experiment, arm, attack, name
    return Quantity((key,), lambda metrics, epsilon: metrics(experiment)(arm, epsilon, attack, name))


def slopes(values: pd.DataFrame, places: Sequence[float]) -> pd.Series:
    """Return the least-squares slope of the values of each replicate (rows) over the places of the columns."""
    centred = np.asarray(places, dtype=float) - np.mean(places)
    return values @ pd.Series(centred / (centred**2).sum(), index=values.columns)


def trend(places: Mapping[float, Quantity]) -> Quantity:
    """Return the slope of quantities over their places, at least two."""

    def value(metrics: Metrics, epsilon: float) -> pd.Series:
        values = pd.concat({place: quantity.value(metrics, epsilon) for place, quantity in places.items()}, axis=1)
        return slopes(values, [*places])

    return Quantity(tuple(key for quantity in places.values() for key in quantity.keys), value)


def at(epsilon: float, quantities: Quantities) -> Measure:
    """Return the measure of quantities at one epsilon: a cell for each."""

    def measure(tables: Tables) -> Cells:
        metrics = _metrics(tables)
        return {name: quantity.value(metrics, epsilon) for name, quantity in _there(quantities, tables).items()}

    return measure


def at_each(epsilons: Epsilons, quantities: Quantities) -> Measure:
    """Return the measure of quantities at each epsilon that was run: a cell for each quantity and epsilon."""

    def measure(tables: Tables) -> Cells:
        metrics = _metrics(tables)
        return {
            ", ".join(filter(None, (name, f"ε = {format_epsilon(epsilon)}"))): quantity.value(metrics, epsilon)
            for name, quantity in _there(quantities, tables).items()
            for epsilon in quantity.epsilons(metrics, epsilons)
        }

    return measure


def mean_over(epsilons: Epsilons, quantities: Quantities) -> Measure:
    """Return the measure of the means of quantities, within each replicate, over the epsilons that were run.

    A replicate without a number at one of them has no mean: it would be over other epsilons than those of the others.
    """

    def mean(quantity: Quantity, metrics: Metrics) -> pd.Series:
        values = [quantity.value(metrics, epsilon) for epsilon in quantity.epsilons(metrics, epsilons)]
        return pd.concat(values, axis=1).mean(axis=1, skipna=False)

    def measure(tables: Tables) -> Cells:
        metrics = _metrics(tables)
        return {name: mean(quantity, metrics) for name, quantity in _there(quantities, tables).items()}

    return measure


def trend_over(epsilons: Epsilons, quantities: Quantities) -> Measure:
    """Return the measure of the slopes of quantities over the epsilons that were run, for each step to the next one.

    Raises:
        MissingRowsError: a single epsilon was run.
    """

    def slope(quantity: Quantity, metrics: Metrics) -> pd.Series:
        run = quantity.epsilons(metrics, epsilons)
        if len(run) < 2:
            raise MissingRowsError(f"a single epsilon was run, ε = {format_epsilon(run[0])}")
        return slopes(
            pd.concat({epsilon: quantity.value(metrics, epsilon) for epsilon in run}, axis=1), range(len(run))
        )

    def measure(tables: Tables) -> Cells:
        metrics = _metrics(tables)
        return {name: slope(quantity, metrics) for name, quantity in _there(quantities, tables).items()}

    return measure


def _metrics(tables: Tables) -> Metrics:
    return cache(lambda experiment: Replicates.of(tables, experiment))


def _there(quantities: Quantities, tables: Tables) -> dict[str, Quantity]:
    """Return the quantities whose tables are there: others are missing only where the claim allows it (`each`)."""
    named = {"": quantities} if isinstance(quantities, Quantity) else quantities
    return {
        name: quantity
        for name, quantity in named.items()
        if all(f"replicates/{experiment}" in tables for experiment, *_ in quantity.keys)
    }
