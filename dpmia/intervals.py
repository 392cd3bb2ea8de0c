"""How sure a mean over replicates is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit


@dataclass(frozen=True)
class Interval:
    """A mean over replicates and its 95 % interval (NaN where one replicate cannot tell)."""

    mean: float
    low: float
    high: float
    count: int


def mean_interval(values: np.ndarray, level: float = 0.95) -> Interval:
    """Return the mean of independent values and its Student t interval.

    Values that are NaN are left out; a mean over none is NaN.
    """
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    count = len(values)
    if count == 0:
        return Interval(np.nan, np.nan, np.nan, 0)
    mean = float(values.mean())
    if count == 1:
        return Interval(mean, np.nan, np.nan, 1)
    half = float(stdtrit(count - 1, (1 + level) / 2) * values.std(ddof=1) / np.sqrt(count))
    return Interval(mean, mean - half, mean + half, count)
