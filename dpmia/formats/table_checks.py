"""Checks of tables that jobs have made: columns, cells, rows, and which experiment they are about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpmia.common.reading.source import Source
from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS, EFFECTS, KEYS, NO_ATTACK
from dpmia.formats.stages import Kind, TableLayout, layout_of
from dpmia.formats.table_names import OF_EXPERIMENT

#: More records than any data set has.
LARGEST_COUNT = 1e12
#: Squares of larger numbers overflow; no metric is so large.
LARGEST = 1e100

#: Stages that have a folder for each experiment with a table for each job, and what the rows of those are about. Tables
#: of `metrics` have a folder for each attack below.
_ATTACKS = {"accuracy": (NO_ATTACK,), "blind": (BLIND, BLIND_WITH_LOSS)}


def check_table(source: Source, table: pd.DataFrame, required: Collection[str] = ()) -> None:
    """Check a table by the layout of its stage (`dpmia.formats.stages`), which its place or its columns say.

    Args:
        source: its file.
        table: as read.
        required: columns that must be there, beside those of the layout.

    Raises:
        DataError: a column is missing, a cell holds what its column does not, two rows are about the same, an interval
            ends before it begins, an error has no degrees of freedom, or rows are about another experiment.
    """
    stage, experiment, attack = _place(source.path)
    layout = layout_of(stage, table.columns) or TableLayout((), ())
    effects = EFFECTS if not table.columns.intersection(EFFECTS).empty else ()
    for name in (*required, *layout.columns, *effects):
        if name not in table:
            raise source.error(f"the column {name!r} is missing")
    if table.empty:
        return
    named = KEYS if {*KEYS} <= {*table.columns} else ()
    for name in table.columns if layout.columns else table.columns.intersection(["epsilon"]):
        _check_cells(source, table[name], layout.kind(name))
        if name in named:
            _refuse(source, "a cell is empty", table[name].isna(), name)
    if layout.keys:
        _refuse(source, "two rows are about the same", table.duplicated(list(layout.keys)))
    if {"low", "high"} <= {*table.columns} and layout.columns:
        _refuse(source, "an interval ends before it begins", table["low"] > table["high"])
    if {"error", "degrees"} <= {*table.columns} and layout.columns:
        _refuse(source, "an error has no degrees of freedom", (table["error"] > 0) & (table["degrees"] == 0))
    if "experiment" in table and (experiment or named):
        _check_experiment(source, table["experiment"].unique(), experiment)
    if attack and (others := [name for name in table["attack"].unique() if name not in attack]):
        raise source.error(f"its rows are about {others[0]!r}, not {' or '.join(map(repr, attack))}")


def _place(path: Path) -> tuple[str, str, tuple[str, ...]]:
    """Return the stage of a table, and the experiment and the attacks that its place names.

    Of another table: the folder, and nothing.
    """
    folder = path.parent
    if folder.name in OF_EXPERIMENT:
        return folder.name, path.stem, ()
    if folder.parent.name in _ATTACKS:
        return folder.parent.name, folder.name, _ATTACKS[folder.parent.name]
    if folder.parent.parent.name == "metrics":
        return "metrics", folder.parent.name, (folder.name,)
    return folder.name, "", ()


def _check_cells(source: Source, column: pd.Series, kind: Kind) -> None:
    """Refuse a column that holds something else than its kind says."""
    if kind is Kind.TEXT:
        return
    if kind is Kind.TRUTH:
        if pd.api.types.is_bool_dtype(column.dtype):
            return
        wrong = ~column.astype(str).isin(["True", "False"])
    elif _is_number(column.dtype):
        wrong = ~_FITS[kind](column.to_numpy(dtype=float))
    else:
        wrong = column.notna() & pd.to_numeric(column.astype(str), errors="coerce").isna()
        wrong = wrong if wrong.any() else column.notna()  # numbers that no type of numpy holds
    _refuse(source, f"a cell holds no {kind.value}", wrong, column.name)


def _number(values: np.ndarray) -> np.ndarray:
    return np.isinf(values) | ~(np.abs(values) > LARGEST)


def _whole(values: np.ndarray) -> np.ndarray:
    return (values >= 0) & (values <= LARGEST_COUNT) & (values == np.floor(values))


#: Kind -> which numbers of an array are of it.
_FITS: dict[Kind, Callable[[np.ndarray], np.ndarray]] = {
    Kind.NUMBER: _number,
    Kind.FINITE: lambda values: _number(values) & ~np.isinf(values),
    Kind.ERROR: lambda values: _number(values) & ~(values < 0),
    Kind.EPSILON: lambda values: ~(values <= 0),
    Kind.COUNT: _whole,
    Kind.KNOWN_COUNT: lambda values: np.isnan(values) | _whole(values),
}


def _is_number(dtype: Any) -> bool:
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _refuse(source: Source, what: str, wrong: Any, column: Any = None) -> None:
    """Refuse a table with wrong rows, and name the first one."""
    if np.any(wrong):
        line = int(np.flatnonzero(wrong)[0]) + 2
        raise source.error(what, f", column {column!r}, line {line}" if column else f", line {line}")


def _check_experiment(source: Source, experiments: Sequence[str], named: str) -> None:
    """Refuse rows about two experiments or, where the place of the file names one, about another."""
    if len(experiments) > 1:
        raise source.error(f"rows are about different experiments, {experiments[0]} and {experiments[1]}")
    if named and experiments[0] != named:
        raise source.error(f"its rows are about the experiment {experiments[0]}")
