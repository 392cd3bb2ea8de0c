"""All metrics of an experiment in one table, and their means over replicates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS, COLUMNS, KEYS
from dpmia.metrics.intervals import mean_interval


def replicates_table(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return all metrics of an experiment, one row for each model.

    Where the blind baseline was measured, each attack also has `advantage_excess` and `auc_excess`: what it reaches
    beyond the baseline on the same split.

    Args:
        tables: with the columns `COLUMNS`.

    Returns:
        Columns `COLUMNS`, sorted by them.
    """
    rows = pd.concat(tables, ignore_index=True)
    return pd.concat([rows, _excess(rows)]).sort_values(COLUMNS[:-1], ignore_index=True)


def summary_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over replicates of every metric with its 95 % interval.

    Args:
        rows: what `replicates_table` returns.

    Returns:
        Columns `KEYS`, mean, low, high, replicates.
    """
    return mean_table(rows.groupby(KEYS, sort=True)["value"], KEYS)


def mean_table(
    groups: Iterable[tuple[Sequence[object], pd.Series]], keys: Sequence[str], count: str = "replicates"
) -> pd.DataFrame:
    """Return the mean of each group of values with its 95 % interval.

    Args:
        groups: key and values, as `groupby` of several columns yields them.
        keys: names of what the keys hold.
        count: name of the column of the number of values.

    Returns:
        Columns `keys`, mean, low, high and `count`, in the order of the groups.
    """
    found = []
    for key, values in groups:
        interval = mean_interval(values.to_numpy())
        found.append([*key, interval.mean, interval.low, interval.high, interval.count])
    return pd.DataFrame(found, columns=[*keys, "mean", "low", "high", count])


def _excess(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what each attack reaches beyond the blind baseline of the same split."""
    model = ["experiment", "arm", "epsilon", "replicate", "metric"]
    of_attacks = rows[rows["metric"].isin(("advantage", "auc")) & ~rows["attack"].isin((BLIND, BLIND_WITH_LOSS))]
    of_blind = rows.loc[rows["attack"] == BLIND, [*model, "value"]]
    both = of_attacks.merge(of_blind, on=model, suffixes=("", "_blind"))
    return both.assign(metric=both["metric"] + "_excess", value=both["value"] - both["value_blind"])[COLUMNS]
