"""What claims compare, measured again without each group of the records that replicates share.

The spread of replicates that share records does not show what other records would change. `measure` therefore measures
each quantity also on tables without one group of records after the other, so that limits can count both
(`dpmia.metrics.shared_records`). It works for any quantity that a claim computes of metrics, linear or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpmia.claims.claim import Tables
from dpmia.claims.rows import MeasuredReplicates
from dpmia.formats.rows import EFFECTS


def measure(of: Callable[[Tables], Any], tables: Tables) -> Any:
    """Return what is measured of tables.

    Args:
        of: takes the tables; returns numbers, values by replicate, and mappings and sequences of these.
        tables: by name.

    Returns:
        The same; values by replicate are arrays, of shape (1 + `GROUPS`, replicates) where a table has `EFFECTS`.
    """
    sharing = {
        name: MeasuredReplicates.read(table)
        for name, table in tables.items()
        if isinstance(table, pd.DataFrame) and EFFECTS[0] in table and len(table)
    }
    whole = of({**tables, **sharing})
    if not sharing:
        return whole
    without = [of({**tables, **{name: read.without(effect) for name, read in sharing.items()}}) for effect in EFFECTS]
    return stacked(whole, without)


def stacked(whole: Any, without: list[Any]) -> Any:
    """Return what was measured with values by replicate as arrays, each above the values without a group of records.

    Args:
        whole: numbers, values by replicate, and mappings and sequences of these.
        without: the same measured without each group.
    """
    if isinstance(whole, Mapping):
        return {name: stacked(value, [part[name] for part in without]) for name, value in whole.items()}
    if isinstance(whole, list | tuple):
        return [stacked(value, [part[place] for part in without]) for place, value in enumerate(whole)]
    return np.stack([np.asarray(value, dtype=float) for value in (whole, *without)]) if np.ndim(whole) else whole
