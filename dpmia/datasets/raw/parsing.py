"""Delimited text files, checked field by field: a damaged file is reported by file, row and column."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.common.errors import DataError
from dpmia.common.reading.rows import rows
from dpmia.common.reading.source import Source, raw
from dpmia.common.registry import suggestion
from dpmia.formats.provenance import Provenance, SourceFile, marked_synthetic

#: A number in decimal digits.
DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
#: The largest number that models take, in single precision.
LARGEST = float(np.finfo(np.float32).max)
_FETCH_AGAIN = "Delete the file and fetch it again if it was not edited on purpose."


@dataclass(frozen=True)
class Number:
    """A column of numbers in [low, high]."""

    low: float = -np.inf
    high: float = np.inf

    def parse(self, text: str) -> float | None:
        """Return the number that `text` writes in decimal digits, or None where it is no number in range."""
        value = float(text) if DECIMAL.fullmatch(text) else np.nan
        return value if self.low <= value <= self.high and abs(value) <= LARGEST else None

    def __str__(self) -> str:
        return "a number" if np.isinf(self.high) else f"a number from {self.low:g} to {self.high:g}"

    def column(self, values: Sequence) -> pd.Series:
        """Return float64 with NaN where a value is missing."""
        return pd.Series(np.array(values, dtype=np.float64))


@dataclass(frozen=True)
class Category:
    """A column of known values; with `coded`, the values are numbers and `1.0` means `1`."""

    values: tuple[str, ...]
    coded: bool = False

    def parse(self, text: str) -> str | None:
        """Return the value that `text` writes, or None where it is not one of the known."""
        if self.coded and DECIMAL.fullmatch(text):
            text = f"{float(text):g}"
        return text if text in self.values else None

    def __str__(self) -> str:
        return f"one of {', '.join(map(repr, self.values))}"

    def column(self, values: Sequence) -> pd.Series:
        """Return a pandas categorical with all known values, in this order, whether they occur or not."""
        codes = {value: code for code, value in enumerate(self.values)}
        numbers = np.fromiter((codes.get(value, -1) for value in values), dtype=np.int64, count=len(values))
        return pd.Series(pd.Categorical.from_codes(numbers, categories=list(self.values)))


Kind = Number | Category


@dataclass(frozen=True)
class Layout:
    """How one publisher writes a file.

    Attributes:
        columns: all column names, in the file's order; a name may occur twice (the first is read).
        kinds: what is read: column name -> kind of its values.
        header: whether the first row holds the column names.
        delimiter: one character between fields; blanks after it do not count.
        comment: rows that start with it are not records; none where empty.
        missing: how a missing value is written; None where no value may be missing.
        complete: columns that must not have missing values: labels and groups.
    """

    columns: tuple[str, ...]
    kinds: Mapping[str, Kind]
    header: bool = False
    delimiter: str = ","
    comment: str = ""
    missing: str | None = None
    complete: tuple[str, ...] = ()


def read_table(path: Path, layout: Layout) -> pd.DataFrame:
    """Parse and check one raw file.

    Args:
        path: the file.
        layout: how it is written.

    Returns:
        One row per record and one column per entry of `layout.kinds`: float64 for numbers, pandas
        categoricals for categories. `attrs["provenance"]` is a `dpmia.formats.provenance.Provenance`.

    Raises:
        DataError: the file is absent, is not such a table, or has no records.
    """
    file = raw(path, _FETCH_AGAIN)
    content = _content(file)
    lines, records = _split(file, file.decoded(content), layout)
    if layout.header:
        _check_header(path.name, lines[0] if records else 1, records[0] if records else [], layout)
        lines, records = lines[1:], records[1:]
    if not records:
        raise file.error("the file has no records")
    _check_widths(path.name, lines, records, layout)
    fields = dict(zip(reversed(layout.columns), reversed(list(zip(*records, strict=True))), strict=True))
    frame = pd.DataFrame(
        {name: _column(path.name, name, kind, fields[name], lines, layout) for name, kind in layout.kinds.items()}
    )
    source = SourceFile(path.name, hashlib.sha256(content).hexdigest(), len(content), len(records))
    frame.attrs["provenance"] = Provenance([source], marked_synthetic(path.parent))
    return frame


def stack(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the records of several files below each other, with the provenance of all of them."""
    joined = pd.concat([frame.reset_index(drop=True) for frame in frames], ignore_index=True)
    origins = [frame.attrs["provenance"] for frame in frames]
    joined.attrs["provenance"] = Provenance(
        [file for origin in origins for file in origin.files], any(origin.synthetic for origin in origins)
    )
    return joined


def _content(file: Source) -> bytes:
    content = file.text_content()
    if not content.strip():
        raise file.error("the file is empty")
    return content


def _split(file: Source, text: str, layout: Layout) -> tuple[list[int], list[list[str]]]:
    """Return the rows as lists of fields, and for each the number of its first line in an editor."""
    lines: list[int] = []
    records: list[list[str]] = []
    for line, row in rows(file, text, layout.delimiter):
        if row not in ([], [""]) and not (layout.comment and row[0].startswith(layout.comment)):
            lines.append(line)
            records.append(row)
    return lines, records


def _check_header(name: str, line: int, header: list[str], layout: Layout) -> None:
    for position, (is_, should) in enumerate(zip(header, layout.columns, strict=False), start=1):
        if is_ != should:
            where = f"{name}, row {line}, column {position}"
            near = "" if is_ in layout.columns else _nearest(is_, layout.columns)
            raise DataError(where, f"the column name {is_!r} should be {should!r}", near or _FETCH_AGAIN)
    if len(header) != len(layout.columns):
        rest = layout.columns[len(header) :] or header[len(layout.columns) :]
        which = f"{'missing' if len(header) < len(layout.columns) else 'unknown'}: {', '.join(map(repr, rest))}"
        problem = f"{len(header)} column names instead of {len(layout.columns)} ({which})"
        raise DataError(f"{name}, row {line}", problem, _FETCH_AGAIN)


def _check_widths(name: str, lines: list[int], rows: list[list[str]], layout: Layout) -> None:
    width = len(layout.columns)
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width:
            fields = f"{len(row)} field{'' if len(row) == 1 else 's'}"
            problem = f"{fields} instead of {width}, separated by {layout.delimiter!r}"
            raise DataError(f"{name}, row {line}", problem, _FETCH_AGAIN)


def _column(file: str, name: str, kind: Kind, texts: Sequence[str], lines: list[int], layout: Layout) -> pd.Series:
    """Return one parsed column. Each distinct text is parsed once, which is what makes this fast."""
    optional = layout.missing is not None and name not in layout.complete
    parsed: dict[str, float | str | None] = {}
    for text in dict.fromkeys(texts):
        value = kind.parse(text)
        if value is None and not (optional and text == layout.missing):
            where = f"{file}, row {lines[texts.index(text)]}, column {name!r}"
            near = _nearest(text, kind.values) if isinstance(kind, Category) else ""
            mark = f" (or {repr(layout.missing) if layout.missing else 'nothing'} where missing)" if optional else ""
            shown = repr(text) if text else "an empty field"
            raise DataError(where, f"{shown} is not {kind}{mark}", near or _FETCH_AGAIN)
        parsed[text] = value
    return kind.column([parsed[text] for text in texts])


def _nearest(text: str, names: Sequence[str]) -> str:
    """Return `Did you mean 'x'?` with the name that differs in case or blanks only, or else the nearest."""
    same = (name for name in names if name.casefold() == text.strip().casefold())
    return suggestion(next(same, text), names)
