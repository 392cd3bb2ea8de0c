"""Tidy tables: made of rows (see `dpmia.formats.rows`), written to files and read from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpmia.common.files import whole_file
from dpmia.common.reading.rows import made_frame
from dpmia.common.reading.source import made
from dpmia.formats.rows import EFFECTS, KEYS, MEASURED, RECORDS, harmless
from dpmia.formats.stages import SIZES, Layout, layout_of

#: Of tables of metrics: columns of numbers, which may be missing, and of `True` or `False`, which may not.
_NUMBERS = ("value", "mean", "low", "high", "replicates", "error", "degrees", "records_error", RECORDS, *EFFECTS)
_TRUTHS = ("iid", "oracle")
#: Texts stay texts where they look like numbers.
_TYPES = dict.fromkeys(("experiment", "arm", "attack", "metric"), str)
#: What is wrong with a row whose keys another one has.
REPEATED = "two rows are about the same"

#: Stages whose tables are named after the experiment that all rows are about.
_OF_EXPERIMENT = ("nulls", "per_record", "replicates", "sizes", "summary")
#: Stages that have a folder for each experiment, with a table for each job, or a folder for each attack.
_OF_JOBS = ("accuracy", "blind", "exposure", "metrics")

#: More records than any data set has.
LARGEST_COUNT = 1e12

#: Squares of larger numbers overflow; no metric is so large.
LARGEST = 1e100


def table_of(rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    """Return rows of `dpmia.formats.rows` as a table with the columns `MEASURED`."""
    return pd.DataFrame(rows, columns=MEASURED)


def write_table(path: Path | str, table: pd.DataFrame, digits: int | None = None) -> None:
    """Write a table as CSV, without its index; what a spreadsheet would run is quoted (see `rows.harmless`).

    Args:
        path: of the file.
        table: to write.
        digits: significant ones of each number; None for all.
    """
    texts = [name for name in table.columns if not pd.api.types.is_numeric_dtype(table[name].dtype)]
    quoted = {name: list(map(harmless, table[name])) for name in texts}
    changed = {
        name: pd.Series(cells, index=table.index, dtype=object)
        for name, cells in quoted.items()
        if any(new is not old for new, old in zip(cells, table[name], strict=True))
    }
    table = table.assign(**changed) if changed else table
    with whole_file(path) as part:
        table.to_csv(part, index=False, float_format=f"%.{digits}g" if digits else None)


def read_table(path: Path | str, required: Collection[str] = ()) -> pd.DataFrame:
    """Read a tidy table: an empty cell is missing, and a text stays a text, `NA` and `null` too.

    Args:
        path: of the file.
        required: columns that must be there, beside those of its stage.

    Raises:
        DataError: it is damaged: a column or a part of a row is missing, a cell holds what its column does not, or a
            table of metrics is about more than one experiment.
    """
    table = made_frame(path, keep_default_na=False, na_values=[""], dtype=_TYPES)
    stage, experiment = _place(Path(path))
    layout = layout_of(stage, table.columns)
    effects = EFFECTS if not table.columns.intersection(EFFECTS).empty else ()
    needed = (*required, *(layout.columns if layout else ()), *effects)
    if missing := [name for name in needed if name not in table]:
        raise made(path).error(f"the column {missing[0]!r} is missing")
    if layout and len(table):
        _check_layout(path, table, layout, whole=SIZES if stage == "sizes" else ())
    if "epsilon" in table and len(table):
        if not _is_number(table["epsilon"].dtype) or (table["epsilon"] <= 0).any():
            raise made(path).error("a cell holds no epsilon", ", column 'epsilon'")
        table = table.astype({"epsilon": float})
    if "experiment" in table and (experiment or {*KEYS} <= {*table.columns}):
        _check_experiment(path, table["experiment"].unique(), experiment)
    if not {*KEYS} <= {*table.columns}:
        return table
    kinds = {
        **dict.fromkeys(_NUMBERS, _is_number),
        **dict.fromkeys(_TRUTHS, pd.api.types.is_bool_dtype),
        "replicate": pd.api.types.is_integer_dtype,
    }
    for name, column in table.items():
        wrong = name in kinds and len(column) > 0 and not kinds[str(name)](column.dtype)
        too_large = name in _NUMBERS and len(column) > 0 and not wrong and _exceeds(column, endless=name != RECORDS)
        if wrong or too_large or (name in KEYS and column.isna().any()):
            raise made(path).error("a cell holds what does not belong there, or nothing", f", column {name!r}")
    for what, wrong_rows in _faults(table).items():
        _refuse(path, what, wrong_rows)
    return table


def _check_layout(path: Path | str, table: pd.DataFrame, layout: Layout, whole: Collection[str]) -> None:
    """Refuse what is no number in a column of numbers, no number of records in one of `whole`, and repeated rows."""
    for name in layout.numbers:
        if not _is_number(table[name].dtype):
            raise made(path).error("a cell holds no number", f", column {name!r}")
    for name in whole:
        if not (table[name].between(0, LARGEST_COUNT) & (table[name] % 1 == 0)).all():
            raise made(path).error("a cell holds no number of records", f", column {name!r}")
    if layout.keys:
        _refuse(path, REPEATED, table.duplicated(list(layout.keys)))


def _refuse(path: Path | str, what: str, wrong_rows: pd.Series) -> None:
    """Refuse a table with wrong rows, and name the first one."""
    if wrong_rows.any():
        raise made(path).error(what, f", line {int(np.flatnonzero(wrong_rows)[0]) + 2}")


def _place(path: Path) -> tuple[str, str]:
    """Return the stage of a table and the experiment that its place names; the folder and nothing for another table."""
    if path.parent.name in _OF_EXPERIMENT:
        return path.parent.name, path.stem
    for folder in (path.parent, path.parent.parent):
        if folder.parent.name in _OF_JOBS:
            return folder.parent.name, folder.name
    return path.parent.name, ""


def _faults(table: pd.DataFrame) -> dict[str, pd.Series]:
    """Return what may be wrong with a row of a table of metrics, and in which rows it is."""
    keys = table.columns.intersection([*KEYS, "replicate"])
    found = {REPEATED: table.duplicated(list(keys))}
    if RECORDS in table:
        found["a number of records is below 0"] = table[RECORDS] < 0
    if {*EFFECTS} <= {*table.columns}:
        found["an effect is infinite"] = np.isinf(table[EFFECTS].astype(float)).any(axis=1)
    if "replicates" in table:
        found["a number of replicates is below 0, or missing"] = ~(table["replicates"] >= 0)
    if {"low", "high"} <= {*table.columns}:
        found["an interval ends before it begins"] = table["low"] > table["high"]
    if "error" in table:
        found["a standard error is below 0"] = table["error"] < 0
    return found


def _is_number(dtype: Any) -> bool:
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _check_experiment(path: Path | str, about: Sequence[str], named: str) -> None:
    """Refuse rows about two experiments or, where the place of the file names one, about another."""
    if len(about) > 1:
        raise made(path).error(f"rows are about different experiments, {about[0]} and {about[1]}")
    if named and len(about) and about[0] != named:
        raise made(path).error(f"its rows are about the experiment {about[0]}")


def _exceeds(column: pd.Series, endless: bool) -> bool:
    """Return whether numbers of a column are above `LARGEST` in size; infinite ones may be there where `endless`."""
    values = np.abs(column.to_numpy(dtype=float))
    return bool(((values > LARGEST) & ~(endless & np.isinf(values))).any())
