"""Rows of tidy tables as they are measured: plain lists, as pandas takes longer to import than many a measurement."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from dpmia.common.files import whole_file
from dpmia.formats.signals import Signal

#: The `attack` of metrics that belong to the model itself.
NO_ATTACK = "model"

#: The blind baseline (`dpmia.evaluation.blind_classifier`), and the same classifier with the target model's losses.
BLIND, BLIND_WITH_LOSS = "blind", "blind_with_loss"

#: What one row is about.
KEYS = ["experiment", "arm", "iid", "epsilon", "attack", "oracle", "metric"]
COLUMNS = [*KEYS, "replicate", "value"]


def rows_of(experiment: str, signal: Signal, attack: str, oracle: bool, values: dict[str, float]) -> list[list[Any]]:
    """Return one row for each of the values of one model, as `COLUMNS` say."""
    card = signal.card
    key = [experiment, card.arm, card.iid, float(card.epsilon), attack, oracle]
    return [[*key, metric, card.replicate, float(value)] for metric, value in values.items()]


def tidy(rows: Iterable[list[Any]]) -> list[list[Any]]:
    """Return the rows sorted, so that the order in which they were measured leaves no trace."""
    return sorted(rows, key=lambda row: row[:-1])


def write_rows(path: Path | str, rows: Iterable[Sequence[Any]], columns: Sequence[str] = COLUMNS) -> None:
    """Write rows as CSV; what is missing, None or NaN, leaves its cell empty."""
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: Any) -> Any:
    return "" if value is None or value != value else value
