"""All metrics of an experiment in one table, and their means over replicates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS, COLUMNS, EFFECTS, KEYS, MEASURED, RECORDS
from dpmia.metrics.intervals import Estimate, estimate
from dpmia.metrics.ranges import is_exact, possible_range
from dpmia.metrics.shared_records import shared_variances

#: Column: test records for each training record, where replicates are random splits of one data set.
OVERLAP = "overlap"

#: What a summary says of each mean, beside the number of replicates.
LIMITS = ["mean", "low", "high"]
UNCERTAINTY = ["interval", "error", "degrees", "records_error"]

#: Rows of a table: a data frame, or its columns.
Rows: TypeAlias = pd.DataFrame | Mapping[str, np.ndarray]


def replicates_table(rows: pd.DataFrame, sharing: Collection[str] = ()) -> pd.DataFrame:
    """Return all metrics of an experiment, one row for each model.

    Where the blind baseline was measured, each attack also has `advantage_excess` and `auc_excess`: what it reaches
    beyond the baseline on the same split.

    Args:
        rows: with the columns `MEASURED`, of all jobs.
        sharing: the arms whose replicates share records (`dpmia.splits.overlap`).

    Returns:
        Columns `COLUMNS`, sorted by them, and `RECORDS`; where some arm shares records `EFFECTS`, too, empty in the
        other arms.
    """
    rows = pd.concat([rows, _excess(rows)]).sort_values(COLUMNS[:-1], ignore_index=True)
    if not sharing:
        return rows[[*COLUMNS, RECORDS]]
    rows.loc[~rows["arm"].isin(list(sharing)), EFFECTS] = np.nan
    return rows[[*COLUMNS, RECORDS, *EFFECTS]]


def summary_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over replicates of every metric with its 95 % interval.

    Args:
        rows: what `replicates_table` returns.

    Returns:
        Columns `KEYS`, `LIMITS`, replicates, `UNCERTAINTY`.
    """
    return mean_table(_groups(rows, KEYS), KEYS)


def _groups(rows: pd.DataFrame, keys: list[str]) -> Iterator[tuple[tuple[object, ...], dict[str, np.ndarray]]]:
    """Yield key and columns of each group, sorted by key; a data frame for each would take five times as long."""
    columns = {str(name): column.to_numpy() for name, column in rows.items()}
    for key, places in sorted(rows.groupby(keys).indices.items()):
        yield key, {name: column[places] for name, column in columns.items()}


def mean_table(
    groups: Iterable[tuple[Sequence[object], Rows]], keys: Sequence[str], count: str = "replicates"
) -> pd.DataFrame:
    """Return the mean of each group of values with its 95 % interval.

    Args:
        groups: key and rows of each, as `groupby` of several columns yields them: with the column `value`; `metric`
            where its possible range is known, `EFFECTS` where replicates share records, `OVERLAP` where splits overlap,
            and `RECORDS` where they are counted.
        keys: names of what the keys hold.
        count: name of the column of the number of values.

    Returns:
        Columns `keys`, `LIMITS`, `count` and `UNCERTAINTY` (of `Estimate`), in the order of the groups.
    """
    lines = []
    for key, rows in groups:
        metric = str(np.asarray(rows["metric"])[0]) if "metric" in rows else ""
        shared = EFFECTS[0] in rows
        estimated = estimate(
            np.asarray(rows["value"]),
            shared_variances(np.array([rows[name] for name in EFFECTS], dtype=float).T) if shared else None,
            float(np.asarray(rows[OVERLAP])[0]) if OVERLAP in rows else None,
            is_exact(metric),
            _trials(rows, metric),
        )
        lines.append([*key, *cells(estimated, metric)])
    return pd.DataFrame(lines, columns=[*keys, *LIMITS, count, *UNCERTAINTY])


def cells(estimated: Estimate, metric: str) -> list[object]:
    """Return `LIMITS`, the number of replicates and `UNCERTAINTY` of a mean."""
    limits = estimated.limits(possible_range(metric))
    return [
        estimated.mean,
        *limits,
        estimated.count,
        estimated.kind,
        estimated.error,
        estimated.degrees,
        estimated.records_error,
    ]


def _trials(rows: Rows, metric: str) -> int | None:
    """Return the records of one value of a share; None for other metrics, and for shares of some of them only.

    Those are precision, of the records that are predicted members, and right guesses, of those that are guessed.
    """
    of_some = metric.startswith(("precision", "guessed_right"))
    if RECORDS not in rows or possible_range(metric) != (0.0, 1.0) or of_some:
        return None
    fewest = np.fmin.reduce(np.asarray(rows[RECORDS], dtype=float))
    return None if np.isnan(fewest) else int(fewest)


def _excess(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what each attack reaches beyond the blind baseline of the same split."""
    model = ["experiment", "arm", "epsilon", "replicate", "metric"]
    measured = ["value", *EFFECTS]
    of_attacks = rows[rows["metric"].isin(("advantage", "auc")) & ~rows["attack"].isin((BLIND, BLIND_WITH_LOSS))]
    of_blind = rows.loc[rows["attack"] == BLIND, [*model, *measured]]
    both = of_attacks.merge(of_blind, on=model, suffixes=("", "_blind"))
    gained = both[measured].to_numpy() - both[[f"{column}_blind" for column in measured]].to_numpy()
    excess = both.assign(**dict(zip(measured, gained.T, strict=True)))
    return excess.assign(metric=both["metric"] + "_excess", **{RECORDS: np.nan})[MEASURED]
