"""Canaries: worst-case records in the place of a data set's first ones.

A guarantee holds for every record, and attacks find most records as hard as any. Canaries are records that a model can
learn only by heart: what an attack finds of them is close to the most that it finds of any record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dpmia.common.errors import ConfigError
from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.jobs.drawing import Canaries


def with_canaries(dataset: Dataset, canaries: Canaries) -> Dataset:
    """Return the data set with canaries in the place of its first records, one kind after the other in turn.

    The same canaries in every run: they depend on the data only.

    Args:
        dataset: with classes.
        canaries: how many, and of which kinds.

    Raises:
        ConfigError: there are fewer records, or a single class.
    """
    if canaries.count > len(dataset):
        problem = f"{canaries.count} records are replaced by canaries, and there are {len(dataset)}"
        raise ConfigError("membership.queries", problem, f"Choose a number up to {len(dataset)}")
    if len(dataset.classes) < 2:
        raise ConfigError("membership.canaries", f"{dataset.name} has fewer than two classes", "Remove the key")
    rng = np.random.default_rng(derive_seed(0, "canaries", dataset.fingerprint))
    x, y = dataset.x.copy(), dataset.y.copy()
    for place, kind in enumerate(canaries.kinds):
        rows = np.arange(place, canaries.count, len(canaries.kinds))
        x[rows], y[rows] = _MAKERS[kind](dataset, rows, rng)
    return replace(dataset, x=x, y=y)


def _mislabelled(dataset: Dataset, rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    classes = len(dataset.classes)
    return dataset.x[rows], (dataset.y[rows] + rng.integers(1, classes, len(rows))) % classes


def _outliers(dataset: Dataset, rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    ends = np.stack([dataset.x.min(axis=0), dataset.x.max(axis=0)])
    chosen = rng.integers(0, 2, (len(rows), dataset.x.shape[1]))
    return np.take_along_axis(ends, chosen, axis=0), rng.integers(0, len(dataset.classes), len(rows))


#: Kind -> takes a data set, the rows to replace and a source of randomness; returns their features and labels.
_MAKERS: dict[str, Callable[[Dataset, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]] = {
    "mislabelled": _mislabelled,
    "outlier": _outliers,
}
