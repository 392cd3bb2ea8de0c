"""Networks of several sizes s, as claims read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import starmap

import numpy as np
import pandas as pd

from dpmia.claims.claim import Tables
from dpmia.claims.comparisons import Comparison
from dpmia.claims.decisions import Cells, Condition
from dpmia.claims.rows import Replicates

#: Data set -> as criteria call it.
NETWORKS = {"mnist": "MNIST", "cifar10": "CIFAR-10", "cifar100": "CIFAR-100"}
HONEST = tuple(f"replicates/yeom_{name}" for name in NETWORKS)
COLLUDING = tuple(f"{table}_collusion" for table in HONEST)


def of_networks(tables: Tables, names: tuple[str, ...]) -> dict[str, Replicates]:
    """Return those of some tables that are there, by data set."""
    named = {name.removeprefix("replicates/yeom_").removesuffix("_collusion"): name for name in names}
    return {dataset: Replicates(tables[name]) for dataset, name in named.items() if name in tables}


def for_each(
    quantity: str,
    comparison: Callable[[float], Comparison],
    values: Mapping[str, float],
    cells: Callable[[Tables, str, float], Cells],
) -> tuple[Condition, ...]:
    """Return one condition for each data set, on a quantity whose name takes it in, with a value of its own.

    Args:
        quantity: its name, with `{}` for the data set.
        comparison: takes the value.
        values: data set -> value.
        cells: takes tables, data set and value; returns no cells where the data set was not run.
    """

    def condition(name: str, value: float) -> Condition:
        return Condition(quantity.format(NETWORKS[name]), comparison(value), lambda tables: cells(tables, name, value))

    return tuple(starmap(condition, values.items()))


def sizes(rows: Replicates, least: int = 1) -> list[int]:
    """Return the sizes from `least` up that were trained."""
    found = sorted(int(arm.removeprefix("s")) for arm in rows.arms)
    return [size for size in found if size >= least]


def of_size(rows: Replicates, size: int, attack: str = "model", metric: str = "advantage") -> pd.Series:
    """Return a metric of networks of one size, by replicate."""
    return rows(f"s{size}", np.inf, attack, metric)
