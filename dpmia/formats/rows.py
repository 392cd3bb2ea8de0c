"""Rows of tidy tables as they are measured: plain lists, as pandas takes longer to import than many a measurement."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpmia.common.files import whole_file
from dpmia.common.no_attacks import NO_ATTACKS
from dpmia.formats.signals import Signal

#: The `attack` of metrics that belong to the model itself; the blind baseline (`dpmia.evaluation.blind_classifier`);
#: and the same classifier with the target model's losses.
NO_ATTACK, BLIND, BLIND_WITH_LOSS = NO_ATTACKS

#: What one row is about.
KEYS = ["experiment", "arm", "iid", "epsilon", "attack", "oracle", "metric"]
COLUMNS = [*KEYS, "replicate", "value"]

#: How formulas begin, and what begins like one and is none.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_RANGE = re.compile(
    r"[+-]([\d\s.,;:%+-]|e|to|and|inf|nan)*|[+-][\de.-]+ \[[\d\s,e.-]+\][\d\s,e.±/\[\]-]*", re.IGNORECASE
)

#: Groups that records are divided into, to measure what single records change (`dpmia.metrics.shared_records`).
GROUPS = 20

#: By how much each group of records raises the value.
EFFECTS = [f"effect_{group}" for group in range(GROUPS)]

#: Column: the records that a value is measured on; the fewer of members and non-members for attacks.
RECORDS = "records"

#: Columns of a table of one job.
MEASURED = [*COLUMNS, RECORDS, *EFFECTS]


class MissingRowsError(LookupError):
    """Tables lack rows that a figure or a claim needs: an epsilon, an arm or an attack was not run."""


def rows_of(
    experiment: str,
    signal: Signal,
    attack: str,
    oracle: bool,
    values: Mapping[str, float],
    effects: Mapping[str, Sequence[float]],
    records: Mapping[str, int] | int,
) -> list[list[Any]]:
    """Return one row for each of the values of one model, as `MEASURED` says.

    Args:
        experiment: its name.
        signal: of the model.
        attack: its name, or `NO_ATTACK`.
        oracle: whether its decisions use membership labels.
        values: by metric.
        effects: of groups of records, by metric; none for metrics that follow from the split or the mechanism.
        records: that values are measured on, by metric or of all.
    """
    card = signal.card
    key = [experiment, card.arm, card.iid, float(card.epsilon), attack, oracle]
    rows = []
    for metric, value in values.items():
        count = records if isinstance(records, int) else records.get(metric)
        # Five digits are enough for a variance.
        of_groups = (float(f"{effect:.5g}") for effect in effects.get(metric, [0.0] * GROUPS))
        rows.append([*key, metric, card.replicate, float(value), count, *of_groups])
    return rows


def tidy(rows: Iterable[list[Any]]) -> list[list[Any]]:
    """Return the rows sorted, so that the order in which they were measured leaves no trace."""
    return sorted(rows, key=lambda row: row[: len(COLUMNS) - 1])


def write_rows(path: Path | str, rows: Iterable[Sequence[Any]], columns: Sequence[str] = MEASURED) -> None:
    """Write rows as CSV; what is missing, None or NaN, leaves its cell empty."""
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(value) for value in row] for row in rows)


def harmless(value: Any) -> Any:
    """Return a text that a spreadsheet would run as a formula with an apostrophe before it; all else as it is.

    Negative numbers, with intervals too, and ranges of them are none.
    """
    if not isinstance(value, str) or not value.startswith(_FORMULA) or _RANGE.fullmatch(value):
        return value
    return f"'{value}"


def _cell(value: Any) -> Any:
    return "" if value is None or value != value else harmless(value)
