"""Claims about networks of several sizes s: figure 2c, table I and, where attacker and trainer collude, figure 4."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise, product, starmap

import numpy as np
import pandas as pd

from dpmia.claims.build import claim
from dpmia.claims.claim import Tables
from dpmia.claims.comparisons import Comparison, above, at_least, at_most, below, near, spelled
from dpmia.claims.decisions import Cells, Condition
from dpmia.claims.rows import Replicates
from dpmia.formats.rows import MissingRowsError
from dpmia.papers.yeom import names
from dpmia.papers.yeom.table1 import PRINTED, SIZE, size_of

#: Tables of honest and of colluding training.
HONEST = tuple(f"replicates/{experiment}" for experiment in names.HONEST)
COLLUDING = tuple(f"replicates/{experiment}" for experiment in names.COLLUDING)

#: Table I: the precision at its size.
PRECISION = {name: float(PRINTED["precision", title][0]) for name, title in names.DATASETS.items()}
#: Size from which on the attacker is nearly always right, and by data set the advantage it has at least.
PLATEAU, LARGE_SIZES, ADVANTAGE = 16, (16, 32, 64, 128), {"mnist": 0.9, "cifar10": 0.9, "cifar100": 0.95}
#: The largest generalisation error in the paper's figure; the size from which on it stays at its last value.
LARGEST_ERROR, LARGE = {"mnist": 0.05, "cifar10": 0.52, "cifar100": 0.82}, 32
#: How much accuracy on new records collusion costs at most.
COST = {"mnist": 0.03, "cifar10": 0.08, "cifar100": 0.06}


#: Figure 4a: where the paper says that advantage levels off for all three data sets, from `PLATEAU` on.
PRINTED_ADVANTAGE = dict.fromkeys(names.DATASETS, 0.98)
#: Table I: recall is printed as above this.
PRINTED_RECALL = dict.fromkeys(names.DATASETS, 0.99)


def _printed(values: Mapping[str, float], attack: str, metric: str, *sizes: int, suffix: str = "") -> dict[str, dict]:
    """Return printed means of a metric by table and key, the same for several sizes."""
    return {
        f"replicates/yeom_{name}{suffix}": {(f"s{size}", np.inf, attack, metric): value for size in sizes}
        for name, value in values.items()
    }


class _Networks:
    """The metrics of networks on one data set."""

    def __init__(self, rows: Replicates) -> None:
        self._rows = rows

    def sizes(self, least: int = 1) -> list[int]:
        """Return the sizes from `least` up that were trained, rising."""
        sizes = (int(match[1]) for match in map(names.ARM.fullmatch, self._rows.arms) if match)
        return sorted(size for size in sizes if size >= least)

    @property
    def printed(self) -> int:
        """The size that table I shows."""
        return size_of(self.sizes())

    def __call__(self, size: int, attack: str = "model", metric: str = "advantage") -> pd.Series:
        """Return a metric of networks of one size, by replicate."""
        return self._rows(f"s{size}", np.inf, attack, metric)

    def threshold(self, size: int, metric: str = "advantage") -> pd.Series:
        """Return a metric of the attack with one threshold on the loss."""
        return self(size, "average_threshold", metric)

    def accuracy(self, size: int) -> pd.Series:
        """Return the accuracy on new records."""
        return self(size, metric="accuracy_nonmembers")

    def error(self, size: int) -> pd.Series:
        """Return the generalisation error: accuracy on members minus accuracy on new records."""
        return self(size, metric="accuracy_members") - self.accuracy(size)

    def largest(self, curve: Callable[[int], pd.Series]) -> pd.Series:
        """Return a curve over sizes where its mean is largest."""
        return max(map(curve, self.sizes()), key=lambda values: values.mean())


def _networks(tables: Tables, name: str, suffix: str = "") -> list[_Networks]:
    """Return the networks on a data set, a list of one; of none where they were not run."""
    experiment = f"yeom_{name}{suffix}"
    return [_Networks(Replicates.of(tables, experiment))] if f"replicates/{experiment}" in tables else []


def _colluding(tables: Tables, name: str) -> list[_Networks]:
    return _networks(tables, name, "_collusion")


def _for_each(
    quantity: str,
    comparison: Callable[[float], Comparison],
    values: Mapping[str, float],
    cells: Callable[[Tables, str, float], Cells],
    by_replicate: bool = True,
) -> tuple[Condition, ...]:
    """Return one condition for each data set, on a quantity whose name takes it in, with a value of its own.

    Args:
        quantity: its name, with `{}` for the data set.
        comparison: takes the value.
        values: data set -> value.
        cells: takes tables, data set and value; returns no cells where the data set was not run.
        by_replicate: see `Condition`.
    """

    def condition(name: str, value: float) -> Condition:
        def measure(tables: Tables) -> Cells:
            return cells(tables, name, value)

        return Condition(quantity.format(names.DATASETS[name]), comparison(value), measure, by_replicate)

    return tuple(starmap(condition, values.items()))


def _steps_to_easier(tables: Tables) -> Cells:
    """Return by how much more networks leak than those on the next easier data set that was run, mean over sizes.

    Raises:
        MissingRowsError: there are no two data sets.
    """
    there = {name: rows for name in reversed(names.DATASETS) for rows in _networks(tables, name)}
    if len(there) < 2:
        raise MissingRowsError("an order takes two data sets")
    means = {name: _mean([rows.threshold(size) for size in rows.sizes()]) for name, rows in there.items()}
    return {f"{harder} less {easier}": means[harder] - means[easier] for harder, easier in pairwise(means)}


def _mean(of_sizes: list[pd.Series]) -> pd.Series:
    return pd.concat(of_sizes, axis=1).mean(axis=1, skipna=False) if of_sizes else pd.Series(dtype=float)


def _on_mnist(tables: Tables) -> Cells:
    return {f"mnist, s = {size}": rows.threshold(size) for rows in _networks(tables, "mnist") for size in rows.sizes()}


def _precision(tables: Tables, name: str, value: float) -> Cells:
    return {
        f"precision, expected {value:g}, {name}, s = {rows.printed}": rows.threshold(rows.printed, "precision")
        for rows in _networks(tables, name)
    }


def _recall(tables: Tables) -> Cells:
    return {
        f"recall, {name}, s = {rows.printed}": rows.threshold(rows.printed, "recall")
        for name in names.DATASETS
        for rows in _networks(tables, name)
    }


def _advantages(tables: Tables, name: str, least: float) -> Cells:
    return {
        f"{name}, s = {size}, at least {least:g}": rows(size, "collusion")
        for rows in _colluding(tables, name)
        for size in rows.sizes(PLATEAU)
    }


def _largest_error(tables: Tables, name: str, value: float) -> Cells:
    return {f"{name}, largest, expected {value:g}": rows.largest(rows.error) for rows in _colluding(tables, name)}


def _errors_of_large(name: str, comparison: Comparison) -> Condition:
    """Return the condition on the generalisation error of large networks."""
    return Condition(
        f"generalisation error on {names.DATASETS[name]} at every size from {LARGE} up",
        comparison,
        lambda tables: {
            f"{name}, s = {size}": rows.error(size) for rows in _colluding(tables, name) for size in rows.sizes(LARGE)
        },
    )


def _cost(tables: Tables, name: str, most: float) -> Cells:
    """Return how much accuracy on new records collusion costs, mean over the large sizes that both have."""
    cells: Cells = {}
    for honest, colluding in product(_networks(tables, name), _colluding(tables, name)):
        both = [size for size in honest.sizes(PLATEAU) if size in colluding.sizes()]
        cells[f"{name}, at most {most:g}"] = _mean([honest.accuracy(size) - colluding.accuracy(size) for size in both])
    return cells


_claim = partial(claim, some_suffice=True)

CLAIMS = (
    claim(
        "yeom-fig2c-cnn-order",
        "Networks leak most on CIFAR-100, then CIFAR-10, and hardly on MNIST.",
        Condition(
            "advantage, mean over sizes, CIFAR-100 minus CIFAR-10 and CIFAR-10 minus MNIST", above(0), _steps_to_easier
        ),
        Condition("advantage on MNIST, at every size", at_most(0.1), _on_mnist),
        artifact="yeom_fig2c",
        tables=HONEST,
    ),
    claim(
        "yeom-fig2c-cifar10-over-mnist",
        "Networks leak more on CIFAR-10 than on MNIST, where they hardly leak.",
        Condition("advantage, mean over sizes, CIFAR-10 minus MNIST", above(0), _steps_to_easier),
        Condition("advantage on MNIST, at every size", at_most(0.1), _on_mnist),
        artifact="yeom_fig2c",
        tables=tuple(table for table in HONEST if "cifar100" not in table),
        ours=True,
    ),
    _claim(
        "yeom-table1-precision",
        "One threshold finds nearly all members of networks, with a precision that follows overfitting.",
        *_for_each(
            f"precision on {{}} at size {SIZE} or the largest trained",
            lambda value: near(value, 0.05),
            PRECISION,
            _precision,
        ),
        Condition(
            f"precision at that size on {names.DATASETS['mnist']}",
            above(0.5),  # that of guessing is within the tolerance of what is printed
            lambda tables: _precision(tables, "mnist", PRECISION["mnist"]),
        ),
        Condition("recall on each of them at that size", above(0.9), _recall),
        artifact="yeom_table1",
        paper_value=", ".join(map(spelled, PRECISION.values())),
        printed={
            table: means | _printed(PRINTED_RECALL, "average_threshold", "recall", SIZE)[table]
            for table, means in _printed(PRECISION, "average_threshold", "precision", SIZE).items()
        },
        tables=HONEST,
    ),
    _claim(
        "yeom-fig4a-advantage",
        "An attacker who colludes with the trainer is nearly always right on networks from size 16 up.",
        *_for_each(f"advantage of collusion on {{}} at every size from {PLATEAU} up", at_least, ADVANTAGE, _advantages),
        artifact="yeom_fig4a",
        paper_value="at least 0.9, 0.9, 0.98",
        printed=_printed(PRINTED_ADVANTAGE, "collusion", "advantage", *LARGE_SIZES, suffix="_collusion"),
        tables=COLLUDING,
    ),
    _claim(
        "yeom-fig4b-gen-error",
        "Under collusion networks generalise as the paper shows: well on MNIST, badly on CIFAR.",
        *_for_each(
            "generalisation error on {} at the size where it is largest",
            lambda value: near(value, 0.08),
            LARGEST_ERROR,
            _largest_error,
            by_replicate=False,
        ),
        _errors_of_large("mnist", below(0.02)),
        _errors_of_large("cifar10", at_least(0.46)),
        artifact="yeom_fig4b",
        paper_value=", ".join(map(spelled, LARGEST_ERROR.values())),
        tables=COLLUDING,
    ),
    _claim(
        "yeom-fig4b-acc-cost",
        "Collusion costs large networks little accuracy on new records.",
        *_for_each(
            f"accuracy on new records of {{}} that collusion costs, mean over sizes from {PLATEAU} up",
            at_most,
            COST,
            _cost,
        ),
        artifact="yeom_fig4b",
        paper_value="0.014, 0.047, 0.031",
        tables=(*HONEST, *COLLUDING),
    ),
)
