"""The numbers behind the theorems, as printed and corrected, in one table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dpmia.metrics.precision import random_best_quantile
from dpmia.papers.artifact import RunSummary
from dpmia.papers.thudi import capacity
from dpmia.papers.thudi.budgets import ACCEPTANCE, DELTA, TARGET_EPSILONS, budgets
from dpmia.papers.thudi.names import RATES
from dpmia.theory import logistic_example
from dpmia.theory.precision_bounds import (
    precision_bound,
    precision_bound_as_printed,
)
from dpmia.theory.unlearning import deletion_capacity, deletion_capacity_as_printed, generalisation_bound

COLUMNS = ["statement", "epsilon", "rate", "at", "as_printed", "value"]

#: Records that are ranked for the control of figures 3 and 4.
RANKED = 1000

#: Where accuracy is best on the example of figure 8: between both means of the weight.
BEST_THRESHOLD = -0.5


def tabulate(tables: dict[str, pd.DataFrame], run_summary: RunSummary) -> pd.DataFrame:
    """Return one row for each number.

    Returns:
        Columns `COLUMNS`. `at` says what the number depends on beside epsilon and sampling rate; `value` is by the
        corrected form, missing where a bound cannot be met; `as_printed` is missing where nothing is to be corrected.
    """
    rows = [*_theorem(), *_counter_example(), *_budgets(), *_capacities(), *_weights(), *_generalisation(), *_control()]
    return pd.DataFrame(rows, columns=COLUMNS).round({"rate": 6, "as_printed": 4, "value": 4})


def _theorem() -> Iterator[list]:
    for epsilon in TARGET_EPSILONS:
        arguments = (epsilon, 0.5, DELTA, ACCEPTANCE)
        yield [
            *("theorem 3.3", epsilon, 0.5, f"delta {DELTA:g}, acceptance {ACCEPTANCE:g}"),
            *(float(precision_bound_as_printed(*arguments)), float(precision_bound(*arguments))),
        ]


def _counter_example() -> Iterator[list]:
    """Yield the precision of one private mechanism beside both forms of the theorem: it passes the printed one."""
    epsilon, rate, delta, accepted = 1.0, 0.1, 0.1, 0.2
    without = np.exp(-epsilon) * (accepted - delta)
    reached = rate * accepted / (rate * accepted + (1 - rate) * without)
    at = f"delta {delta:g}, acceptance {accepted:g}"
    printed = float(precision_bound_as_printed(epsilon, rate, delta, accepted))
    yield [
        *("theorem 3.3", epsilon, rate, at, printed),
        float(precision_bound(epsilon, rate, delta, accepted)),
    ]
    yield ["precision of a mechanism that has this epsilon and delta", epsilon, rate, at, None, reached]


def _budgets() -> Iterator[list]:
    for cell in budgets().itertuples():
        yield ["epsilon that keeps a bound", None, cell.rate, f"bound {cell.bound:.3f}", None, cell.epsilon]


def _capacities() -> Iterator[list]:
    for size in (0.5, 1, 10, 50, 200):
        rate = size / capacity.RECORDS
        yield [
            *("corollary 5.2", capacity.EPSILON, rate, f"bound {capacity.BOUND:g}, {size:g} records expected"),
            float(printed_capacity(size)),
            float(deletion_capacity(capacity.BOUND, capacity.EPSILON, rate)),
        ]


def _weights() -> Iterator[list]:
    for threshold in (-100, -50, -25, -10, 0):
        value = float(logistic_example.precision(threshold))
        yield ["figure 8, precision", 1.0, 0.5, f"threshold {threshold}", None, value]
    yield [
        *("figure 8, best accuracy", 1.0, 0.5, f"threshold {BEST_THRESHOLD:g}", None),
        float(logistic_example.accuracy(BEST_THRESHOLD)),
    ]


def _generalisation() -> Iterator[list]:
    for epsilon in (1.0, 3.0, 5.0):
        bound = float(generalisation_bound(epsilon))
        yield ["corollary 5.4, generalisation gap / largest loss", epsilon, 0.5, "delta 0", None, bound]


def _control() -> Iterator[list]:
    for rate in RATES:
        at = f"{RANKED} records ranked at random"
        yield ["gain of the best of forty quantiles over the baseline", None, rate, at, None, control_gain(rate)]


def printed_capacity(size: ArrayLike) -> np.ndarray:
    """Return the deletion capacity of figure 7 by the printed formula, by the number of records expected."""
    return deletion_capacity_as_printed(capacity.BOUND, capacity.EPSILON, np.divide(size, capacity.RECORDS))


def control_gain(rate: float) -> float:
    """Return what the best of forty quantiles gains over the baseline on records that are ranked at random."""
    return random_best_quantile(round(rate * RANKED), RANKED) - rate
