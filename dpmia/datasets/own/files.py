"""Files of one's own: the fields of a table as texts, each row with its place, whatever the file's form."""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from dpmia.common.errors import DataError
from dpmia.common.optional import needed
from dpmia.common.reading import parquet
from dpmia.common.reading.arrays import arrays as opened_arrays
from dpmia.common.reading.rows import counts, rows
from dpmia.common.reading.source import Source, own
from dpmia.common.registry import suggestion
from dpmia.datasets.raw.parsing import DECIMAL, LARGEST
from dpmia.formats.provenance import Provenance, SourceFile, marked_synthetic
from dpmia.jobs.own_reading import OwnReading

#: Characters that are tried as separators, and rows on which they are tried.
SEPARATORS = (",", ";", "\t", "|")
TRIED_ROWS = 20

#: Names that a message lists at most.
MOST_NAMED = 8

#: The group of records whose group is missing.
MISSING = "?"

#: Signs that are no text.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SHAPES = "Save numbers of shape (records, features), or images of shape (records, channels, height, width)"
_NO_RECORDS = "Add one row for each record below the column names"


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
    provenance: Provenance


@dataclass(frozen=True)
class Overview:
    """What is known of a file before it is prepared; rows that preparing it removes still count.

    Attributes:
        groups: of every record; an empty one of records without groups.
        features: their number.
        classes: their number.
        image: rows of pixels of an image, 0 for none.
    """

    groups: tuple[str, ...]
    features: int
    classes: int
    image: int = 0


def fields_of(path: Path) -> Fields:
    """Return the fields of a CSV or Parquet file, by its ending; see `read_fields`."""
    return read_fields(path, "parquet" if path.suffix.lower() == ".parquet" else "csv")


def read_fields(path: Path, form: str, separator: str | None = None, columns: list[str] | None = None) -> Fields:
    """Return the fields of a CSV or Parquet file.

    Args:
        path: the file.
        form: `csv` or `parquet`.
        separator: of CSV; None to detect it.
        columns: names of all columns of a CSV file without a row of names; None where it has one.

    Raises:
        DataError: the file is absent, damaged, or no table.
    """
    file = own(path)
    text = form != "parquet"
    content = _content(file, text)
    names, lines, records = _csv(file, content, separator, columns) if text else _parquet(file, content)
    _check_names(file, names)
    if not records:
        raise file.error("the table has no records", remedy=_NO_RECORDS)
    texts = dict(zip(names, zip(*records, strict=True), strict=True))
    digest = hashlib.sha256(content).hexdigest()
    return Fields(path.name, lines, texts, _provenance(path, digest, len(content), len(records)))


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], Provenance]:
    """Return the arrays `x`, `y` and perhaps `group` of an `.npz` file, and their provenance.

    Raises:
        DataError: the file is absent or damaged, an array is missing, or they do not fit together.
    """
    file = replace(own(path), remedy="Save it with numpy.savez, without objects")
    digest, size = hashlib.sha256(), 0
    for chunk in file.chunks():
        digest.update(chunk)
        size += len(chunk)
    if not size:
        raise file.error("the file is empty", remedy="")
    with opened_arrays(file) as opened:
        for name in ("x", "y"):
            if name not in opened:
                listing = shortened(opened.names)
                raise file.error(f"the array {name!r} is missing; there are {listing}", remedy="Save x and y")
        arrays = {name: opened[name] for name in ("x", "y", "group") if name in opened}
    shape = arrays["x"].shape
    if len(shape) < 2 or 0 in shape or arrays["x"].dtype.kind not in "fiub":
        problem = f"x has shape {shape} and type {arrays['x'].dtype}"
        raise file.error(problem, remedy=_SHAPES)
    for name in ("y", "group"):
        if name in arrays:
            if arrays[name].shape != shape[:1]:
                problem = f"{name} has shape {arrays[name].shape}, not {shape[:1]}"
                raise file.error(problem, remedy="Save one value for each row of x")
            with file.faults("its texts are not ASCII", f", array {name!r}"):
                arrays[name].astype(np.str_)
    return arrays, _provenance(path, digest.hexdigest(), size, shape[0])


def known_column(fields: Fields, name: str, key: str) -> None:
    """Refuse a key of the settings, or an option, that names no column."""
    if name not in fields.columns:
        problem = f"{key} is {name!r}, which is none of the columns {shortened(fields.columns)}"
        remedy = ""
        if key.startswith("--") and all(part in fields.columns for part in name.split(",")):
            by_spaces = f"Separate them by spaces: {key} {name.replace(',', ' ')}"
            remedy = by_spaces if key == "--drop" else "Name one of them"
        remedy = remedy or suggestion(name, fields.columns)
        if not remedy and key.startswith("--"):
            remedy = f"Name it by {key}"
        raise DataError(fields.file, problem, remedy)


def in_order(values: Iterable[str]) -> list[str]:
    """Return texts sorted; by value where all are numbers: 2 before 10."""
    values = list(values)
    return sorted(values, key=float) if all(map(is_number, values)) else sorted(values)


def why_no_number(text: str) -> str:
    """Return why `is_number` is false of a text, to follow it in a sentence."""
    if not text.strip():
        return "is empty"
    if DECIMAL.fullmatch(text):
        return f"is beyond {LARGEST:.1e}, the most that 32 bits hold"
    if re.fullmatch(r"[+-]?\d[\d.]*,\d+", text):
        return "has a comma in place of a decimal point"
    return "is not finite" if text.strip("+-").lower() in ("inf", "infinity", "nan") else "is not a number"


def is_number(text: str) -> bool:
    """Return whether a text is a decimal number that models can take."""
    return bool(DECIMAL.fullmatch(text)) and abs(float(text)) <= LARGEST


def shortened(values: Collection[Any]) -> str:
    """Return the first values and how many more there are: `a, b and 3 more`."""
    first = ", ".join(map(str, islice(values, MOST_NAMED)))
    return first if len(values) <= MOST_NAMED else f"{first} and {len(values) - MOST_NAMED} more"


def overview(reading: OwnReading, by: str | None) -> Overview:
    """Return what planning needs to know of a file, before anything else of it is read.

    Args:
        reading: how the file is read, with its whole path.
        by: column of the groups; None for none: all records are of one without a name.

    Raises:
        DataError: the file cannot be read, or has no such column.
    """
    path = Path(reading.path)
    if reading.form == "npz":
        arrays, _ = read_arrays(path)
        if by is not None and "group" not in arrays:
            remedy = "Add it, or choose a membership.kind without groups"
            raise DataError(path.name, "the array 'group' is missing", remedy)
        shape, classes = arrays["x"].shape, len(np.unique(arrays["y"]))
        groups = [""] * shape[0] if by is None else arrays["group"].astype(np.str_).tolist()
        return Overview(tuple(groups), math.prod(shape[1:]), classes, shape[-1] if len(shape) == 4 else 0)
    fields = read_fields(path, reading.form, reading.separator, reading.columns)
    if by is not None:
        known_column(fields, by, "group")
    groups = [""] * len(fields.rows) if by is None else groups_of(fields, by, reading.missing_marks)
    label = needed(reading.label)
    known_column(fields, label, "label")
    binary = reading.positive is not None or reading.positive_from is not None
    classes = 2 if binary else len({*fields.columns[label]} - {*reading.missing_marks})
    left_out = {label, reading.group, *reading.drop}
    features = sum(_features(name, texts, reading) for name, texts in fields.columns.items() if name not in left_out)
    return Overview(tuple(groups), features, classes)


def _features(name: str, texts: Sequence[str], reading: OwnReading) -> int:
    """Return how many features a column becomes: one of numbers, or as many as it has categories."""
    values = {*texts} - {*reading.missing_marks}
    kind = reading.types.get(name)
    return 1 if kind == "number" or (kind is None and all(map(is_number, values))) else len(values)


def groups_of(fields: Fields, by: str, marks: Collection[str]) -> list[str]:
    """Return the group of every record; a missing one is a group of its own."""
    return [MISSING if text in marks else text for text in fields.columns[by]]


def _content(file: Source, text: bool) -> bytes:
    content = file.text_content() if text else file.content()
    if not content.strip():
        raise file.error("the file is empty", remedy="")
    return content


def _provenance(path: Path, digest: str, size: int, rows: int) -> Provenance:
    return Provenance([SourceFile(path.name, digest, size, rows)], marked_synthetic(path.parent))


def _csv(
    file: Source, content: bytes, separator: str | None, names: list[str] | None
) -> tuple[list[str], list[int], list[list[str]]]:
    text = file.decoded(content)
    if unprintable := _CONTROL.search(text):
        where = f", row {text.count(chr(10), 0, unprintable.start()) + 1}"
        raise file.error(f"{unprintable.group()!r} is a sign that controls a terminal", where, "Remove it")
    separator = separator or _separator(text)
    lines, records = _split(file, text, separator)
    if names is None:
        if not records:
            raise file.error("the table has no row of names", remedy=_NO_RECORDS)
        names, lines, records = records[0], lines[1:], records[1:]
    for line, row in zip(lines, records, strict=True):
        if len(row) != len(names):
            problem = f"{len(row)} fields instead of {len(names)}, separated by {separator!r}"
            remedy = f"Quote fields that contain {separator!r}, or set another separator."
            raise file.error(problem, f", row {line}", remedy)
    return names, lines, records


def _separator(text: str) -> str:
    """Return the character that cuts the first rows into the most fields, as many in each where there is such."""
    first = "".join(islice(io.StringIO(text, newline=""), TRIED_ROWS))

    def cuts(separator: str) -> tuple[bool, int]:
        field_counts = counts(first, separator)
        return (len(set(field_counts)) == 1 and field_counts[0] > 1), field_counts[0] if field_counts else 0

    return max(SEPARATORS, key=cuts)


def _split(file: Source, text: str, separator: str) -> tuple[list[int], list[list[str]]]:
    lines: list[int] = []
    records: list[list[str]] = []
    for line, row in rows(file, text, separator):
        if any(row):
            lines.append(line)
            records.append([field.strip() for field in row])
    return lines, records


def _parquet(file: Source, content: bytes) -> tuple[list[str], list[int], list[list[str]]]:
    names, columns = parquet.columns(file, content)
    for name, column in zip(names, columns, strict=True):
        if any(_CONTROL.search(text) for text in (name, *column)):
            raise file.error("it holds a sign that controls a terminal", f", column {name!r}", "Remove it")
    records = list(map(list, zip(*columns, strict=True)))
    return names, list(range(1, len(records) + 1)), records


def _check_names(file: Source, names: Sequence[str]) -> None:
    first: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if not name:
            raise file.error(
                "the column has no name",
                f", column {place}",
                "Name it in the first row, or save the table without it (pandas: index=False)",
            )
        if name in first:
            problem = f"column {first[name]} has the same name {name!r}"
            raise file.error(problem, f", column {place}", "Rename one")
        first[name] = place
