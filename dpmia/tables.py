"""Tidy tables: one row for each model, attack and metric; then means over replicates with intervals."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from dpmia.metrics import mean_interval
from dpmia.signals import Signal

#: The `attack` of metrics that belong to the model itself.
NO_ATTACK = "model"

#: The blind baseline (`dpmia.blind`), and the same classifier with the target model's losses.
BLIND, BLIND_WITH_LOSS = "blind", "blind_with_loss"

#: What one row is about.
KEYS = ["experiment", "arm", "iid", "epsilon", "attack", "oracle", "metric"]
COLUMNS = [*KEYS, "replicate", "value"]


def rows_of(experiment: str, signal: Signal, attack: str, oracle: bool, values: dict[str, float]) -> list[list[Any]]:
    """Return one row for each of the values of one model, as `COLUMNS` say."""
    about = signal.about
    key = [experiment, about["arm"], about["iid"], float(about["epsilon"]), attack, oracle]
    return [[*key, metric, about["replicate"], value] for metric, value in values.items()]


def tidy(rows: list[list[Any]]) -> pd.DataFrame:
    """Return the rows sorted, so that the order in which they were measured leaves no trace."""
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(COLUMNS[:-1], ignore_index=True)


def replicates_table(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return all metrics of an experiment, one row for each model.

    Where the blind baseline was measured, each attack also has `advantage_excess` and `auc_excess`: what it reaches
    beyond the baseline on the same split.

    Args:
        tables: what the `measure` modules return.

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
    found = []
    for key, values in rows.groupby(KEYS, sort=True)["value"]:
        interval = mean_interval(values.to_numpy())
        found.append([*key, interval.mean, interval.low, interval.high, interval.count])
    return pd.DataFrame(found, columns=[*KEYS, "mean", "low", "high", "replicates"])


def _excess(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what each attack reaches beyond the blind baseline of the same split."""
    model = ["experiment", "arm", "epsilon", "replicate", "metric"]
    of_attacks = rows[rows["metric"].isin(("advantage", "auc")) & ~rows["attack"].isin((BLIND, BLIND_WITH_LOSS))]
    of_blind = rows.loc[rows["attack"] == BLIND, [*model, "value"]]
    both = of_attacks.merge(of_blind, on=model, suffixes=("", "_blind"))
    return both.assign(metric=both["metric"] + "_excess", value=both["value"] - both["value_blind"])[COLUMNS]


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a tidy table: an empty cell is missing, and a text stays a text, `NA` and `null` too."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""], dtype={"epsilon": float})
