"""What claims about several figures share: data sets, sampling rates, epsilons, and what LiRA gains."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from dpmia.claims.claim import Tables
from dpmia.claims.rows import Epsilons, Replicates
from dpmia.papers.thudi import names

#: Tables of all data sets, and of those without SVHN.
ALL = tuple(f"replicates/{experiment}" for experiment in names.DATASETS)
TWO = tuple(f"replicates/{experiment}" for experiment in (names.CIFAR10, names.MNIST))

ARMS = {rate: names.arm_of(rate) for rate in names.RATES}

#: The finite epsilons of figure 3.
EPSILONS = Epsilons(named=names.EPSILONS)


def datasets(tables: Tables, experiments: Iterable[str] = names.DATASETS) -> dict[str, Replicates]:
    """Return the tables that are there, by data set."""
    titles = names.DATASETS | names.BUDGETS
    named = {titles[experiment]: f"replicates/{experiment}" for experiment in experiments}
    return {title: Replicates(tables[name]) for title, name in named.items() if name in tables}


def epsilons(rows: Replicates, arm: str) -> list[float]:
    """Return the finite epsilons of figure 3 that were run."""
    return rows.epsilons(EPSILONS, arm, names.LIRA, "precision_best")


def gain(rows: Replicates, arm: str, epsilon: float, over: str = "baseline") -> pd.Series:
    """Return what LiRA's best of forty quantiles has above the baseline or above its control."""
    return rows(arm, epsilon, names.LIRA, "precision_best") - rows(arm, epsilon, names.LIRA, f"precision_{over}")


def mean_gain(rows: Replicates, arm: str, over: str = "baseline") -> pd.Series:
    """Return the gain, mean over epsilons."""
    return pd.concat([gain(rows, arm, epsilon, over) for epsilon in epsilons(rows, arm)], axis=1).mean(axis=1)
