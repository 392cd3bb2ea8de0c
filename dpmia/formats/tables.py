"""Tidy tables: made of rows (see `dpmia.formats.rows`), written to files and read from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from dpmia.common.files import whole_file
from dpmia.common.reading.rows import made_frame
from dpmia.common.reading.source import made
from dpmia.formats.rows import MEASURED, harmless
from dpmia.formats.stages import REPLICATES
from dpmia.formats.table_checks import check_table

#: Texts stay texts where they look like numbers.
_TYPES = dict.fromkeys(("experiment", "arm", "attack", "metric"), str)


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
        DataError: it is damaged, see `dpmia.formats.table_checks`, or a part of a row is missing.
    """
    table = made_frame(path, keep_default_na=False, na_values=[""], dtype=_TYPES)
    check_table(made(path), table, required)
    return table.astype({"epsilon": float}) if "epsilon" in table and len(table) else table


def read_parts(paths: Iterable[Path | str], required: Collection[str] = ()) -> pd.DataFrame:
    """Read the tidy tables of the jobs of an experiment as one.

    Args:
        paths: of the files.
        required: see `read_table`.

    Raises:
        DataError: one is damaged, or two have rows about the same.
    """
    files = list(paths)
    parts = [read_table(path, required) for path in files]
    rows = pd.concat(parts, ignore_index=True)
    keys = list(REPLICATES.keys)
    twice = rows.duplicated(keys).to_numpy()
    if twice.any():
        alike = (rows[keys] == rows.loc[twice.argmax(), keys]).all(axis=1).to_numpy()
        of_file = [file for file, part in zip(files, parts, strict=True) for _ in range(len(part))]
        first, second, *_ = (of_file[place] for place in alike.nonzero()[0])
        raise made(second).error(f"it holds a row that {first} holds, too", remedy="Delete both and start again")
    return rows
