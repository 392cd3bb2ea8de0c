"""What claims about several figures share: data sets, sampling rates, epsilons, and what LiRA gains."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from dpmia.claims.claim import Finding, Tables
from dpmia.claims.decisions import Cells, Note
from dpmia.claims.quantities import Measure, Quantity, metric
from dpmia.claims.rows import Epsilons
from dpmia.papers.thudi import names

ARMS = {rate: names.arm_of(rate) for rate in names.RATES}

#: The finite epsilons of figure 3.
EPSILONS = Epsilons(named=names.EPSILONS)


def each_rate(
    quantity: Callable[[str, float], Quantity], rates: Iterable[float] = names.RATES, title: str = "{}, p = {:g}"
) -> dict[str, Quantity]:
    """Return a quantity at each sampling rate of each data set.

    Args:
        quantity: takes experiment and sampling rate.
        rates: the sampling rates.
        title: name of a cell, with the data set and the rate to be filled in.
    """
    return {
        title.format(dataset, rate): quantity(experiment, rate)
        for experiment, dataset in names.DATASETS.items()
        for rate in rates
    }


def lira(experiment: str, rate: float, name: str = "precision_best") -> Quantity:
    """Return a metric of LiRA; `precision_best` is that of the best of forty quantiles."""
    return metric(experiment, ARMS[rate], names.LIRA, name)


def gain(experiment: str, rate: float, over: str = "baseline") -> Quantity:
    """Return what LiRA's best of forty quantiles has above the baseline, or above its control."""
    return lira(experiment, rate) - lira(experiment, rate, f"precision_{over}")


def noted(text: str) -> Note:
    """Return what adds to the note of each finding what a reader must know of the claim."""
    return lambda tables, finding: f"{finding.note}; {text}"


def measured(measure: Measure, enough: Callable[[pd.Series], bool], reason: str) -> tuple[Measure, Note]:
    """Return the measure of the cells with enough numbers, and the note that counts the others.

    Args:
        measure: of all cells.
        enough: takes which values of a cell are numbers.
        reason: why the others have none, as the note gives it.
    """

    def cells(tables: Tables) -> Cells:
        return {name: values for name, values in measure(tables).items() if enough(pd.Series(values).notna())}

    def note(tables: Tables, finding: Finding) -> str:
        others = len(measure(tables)) - len(cells(tables))
        return finding.note + (f"; in {others} more {reason}" if others else "")

    return cells, note
