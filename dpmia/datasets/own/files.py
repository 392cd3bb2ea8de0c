"""Files of one's own: the fields of a table as texts, each row with its place, whatever the file's form."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from dpmia.common.errors import DataError
from dpmia.common.registry import suggestion
from dpmia.datasets.raw.parsing import DECIMAL, SYNTHETIC_MARK, decoded

#: Characters that are tried as separators, and rows on which they are tried.
SEPARATORS = (",", ";", "\t", "|")
TRIED_ROWS = 20

#: The group of records whose group is missing.
MISSING = "?"

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Fields:
    """A table as it is written.

    Attributes:
        file: name of the file, for messages.
        rows: where each record stands: its line in an editor, or its number from 1 where there are no lines.
        columns: name -> texts, one for each record, without blanks around them.
        provenance: file with sha256 and rows, and whether the records are synthetic.
    """

    file: str
    rows: Sequence[int]
    columns: Mapping[str, Sequence[str]]
    provenance: dict[str, Any]


def read_fields(path: Path, reading: Mapping[str, Any]) -> Fields:
    """Return the fields of a CSV or Parquet file.

    Args:
        path: the file.
        reading: as `dpmia.settings.own_data.OwnData.reading` says.

    Raises:
        DataError: the file is absent, damaged, or no table.
    """
    content = _content(path)
    names, rows, records = _parquet(path, content) if reading["form"] == "parquet" else _csv(path, content, reading)
    _check_names(path.name, names)
    if not records:
        raise DataError(path.name, "the table has no records", "Add one row for each record below the column names")
    columns = dict(zip(names, zip(*records, strict=True), strict=True))
    return Fields(path.name, rows, columns, _provenance(path, content, len(records)))


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays `x`, `y` and perhaps `group` of an `.npz` file, and their provenance.

    Raises:
        DataError: the file is absent or damaged, an array is missing, or they do not fit together.
    """
    content = _content(path)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
    except (ValueError, OSError) as error:
        raise DataError(
            path.name, f"not readable as .npz ({error})", "Save it with numpy.savez, without objects"
        ) from None
    for name in ("x", "y"):
        if name not in arrays:
            raise DataError(path.name, f"the array {name!r} is missing; there are {', '.join(arrays)}")
    shape = arrays["x"].shape
    if len(shape) != 2 or 0 in shape or arrays["x"].dtype.kind not in "fiub":
        problem = f"x has shape {shape} and type {arrays['x'].dtype}"
        raise DataError(path.name, problem, "Save numbers of shape (records, features)")
    for name in ("y", "group"):
        if name in arrays and arrays[name].shape != shape[:1]:
            problem = f"{name} has shape {arrays[name].shape}, not {shape[:1]}"
            raise DataError(path.name, problem, "Save one value for each row of x")
    return arrays, _provenance(path, content, shape[0])


def known_column(fields: Fields, name: str, key: str) -> None:
    """Refuse a key of the settings that names no column."""
    if name not in fields.columns:
        problem = f"{name!r} of the key {key} is not one of the columns {listed(fields.columns)}"
        raise DataError(fields.file, problem, suggestion(name, fields.columns))


def in_order(values: Iterable[str]) -> list[str]:
    """Return texts sorted; by value where all are numbers: 2 before 10."""
    values = list(values)
    return sorted(values, key=float) if all(map(is_number, values)) else sorted(values)


def is_number(text: str) -> bool:
    """Return whether a text is a finite decimal number."""
    return bool(DECIMAL.fullmatch(text)) and bool(np.isfinite(float(text)))


def listed(values: Collection[Any], most: int = 8) -> str:
    """Return the first values and how many more there are: `a, b and 3 more`."""
    first = ", ".join(map(str, islice(values, most)))
    return first if len(values) <= most else f"{first} and {len(values) - most} more"


def group_values(path: Path, reading: Mapping[str, Any], by: str | None) -> list[str]:
    """Return the group of every record of a file, before anything else of it is read.

    Args:
        path: the file.
        reading: as `dpmia.settings.own_data.OwnData.reading` says.
        by: column of the groups; None for none: all records are of one without a name.

    Raises:
        DataError: the file cannot be read, or has no such column.
    """
    if reading["form"] == "npz":
        arrays, _ = read_arrays(path)
        if by is None:
            return [""] * len(arrays["y"])
        if "group" not in arrays:
            raise DataError(
                path.name, "the array 'group' is missing", "Add it, or choose a membership.kind without groups"
            )
        return arrays["group"].astype(np.str_).tolist()
    fields = read_fields(path, reading)
    if by is None:
        return [""] * len(fields.rows)
    known_column(fields, by, "group")
    return groups_of(fields, by, reading["missing_marks"])


def groups_of(fields: Fields, by: str, marks: Collection[str]) -> list[str]:
    """Return the group of every record; a missing one is a group of its own."""
    return [MISSING if text in marks else text for text in fields.columns[by]]


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(str(path), f"the file cannot be read ({error.strerror})") from None
    if content.startswith(_GZIP):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError) as error:
            raise DataError(path.name, f"the gzip file is damaged ({error})", "Copy the file again") from None
    if not content.strip():
        raise DataError(path.name, "the file is empty")
    return content


def _provenance(path: Path, content: bytes, rows: int) -> dict[str, Any]:
    file = {"name": path.name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content), "rows": rows}
    return {"files": [file], "synthetic": path.with_name(SYNTHETIC_MARK).exists()}


def _csv(path: Path, content: bytes, reading: Mapping[str, Any]) -> tuple[list[str], list[int], list[list[str]]]:
    text = decoded(path.name, content)
    separator = reading["separator"] or _separator(text)
    lines, rows = _split(path.name, text, separator)
    names = reading["columns"]
    if names is None:
        names, lines, rows = rows[0], lines[1:], rows[1:]
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(names):
            problem = f"{len(row)} fields instead of {len(names)}, separated by {separator!r}"
            remedy = f"Quote fields that contain {separator!r}, or set another separator."
            raise DataError(f"{path.name}, row {line}", problem, remedy)
    return names, lines, rows


def _separator(text: str) -> str:
    """Return the character that cuts the first rows into the most fields, as many in each where there is such."""
    first = "\n".join(text.splitlines()[:TRIED_ROWS])

    def cuts(separator: str) -> tuple[bool, int]:
        counts = [len(row) for row in csv.reader(io.StringIO(first), delimiter=separator) if row]
        return (len(set(counts)) == 1 and counts[0] > 1), counts[0] if counts else 0

    return max(SEPARATORS, key=cuts)


def _split(file: str, text: str, separator: str) -> tuple[list[int], list[list[str]]]:
    lines: list[int] = []
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
    line = 1
    try:
        for row in reader:
            if any(row):
                lines.append(line)
                rows.append([field.strip() for field in row])
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{file}, row {line}", f"the row is damaged ({error})", "Close all quotes") from None
    return lines, rows


def _parquet(path: Path, content: bytes) -> tuple[list[str], list[int], list[list[str]]]:
    try:
        from pyarrow import ArrowException, BufferReader, parquet
    except ImportError:
        remedy = "Type: .venv/bin/pip install --constraint constraints.txt pyarrow; or save the table as CSV."
        raise DataError(path.name, "reading Parquet requires pyarrow, which is not installed", remedy) from None
    try:
        table = parquet.read_table(BufferReader(content))
    except (ArrowException, OSError) as error:
        raise DataError(path.name, f"not readable as Parquet ({error})") from None
    # As texts, so that all forms of files take one way; a float is written so that it is read back the same.
    columns = [
        ["" if value is None else str(value).strip() for value in column.to_pylist()] for column in table.columns
    ]
    return table.column_names, list(range(1, len(table) + 1)), list(map(list, zip(*columns, strict=True)))


def _check_names(file: str, names: Sequence[str]) -> None:
    for place, name in enumerate(names, start=1):
        if not name:
            raise DataError(f"{file}, column {place}", "the column has no name", "Name it in the first row")
        if names.index(name) + 1 != place:
            first = names.index(name) + 1
            raise DataError(f"{file}, column {place}", f"column {first} has the same name {name!r}", "Rename one")
