"""Rows of delimited text: each with its line, checked for damage and size."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from dpmia.common.reading.source import Source, made

if TYPE_CHECKING:
    import pandas as pd


def rows(source: Source, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row of a text as its fields, with the number of its first line in an editor.

    Args:
        source: the file that the text is from.
        text: decoded.
        delimiter: one character between fields; blanks after it do not count.

    Raises:
        DataError: a row is damaged, has too many or too long fields, or there are too many rows.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    line = 1
    for count in range(source.limits.rows + 1):
        try:
            row = next(reader, None)
        except csv.Error as error:
            problem, remedy = f"the row is damaged ({error})", "Close all quotes"
            if "field limit" in str(error):
                problem, remedy = f"a field is longer than {csv.field_size_limit()} characters", "Shorten it"
            raise source.error(problem, f", row {line}", remedy) from None
        if row is None:
            return
        if count == source.limits.rows:
            raise source.error(f"there are more than the {count} rows that are read", remedy="")
        if len(row) > source.limits.columns:
            problem = f"{len(row)} fields are more than the {source.limits.columns} that are read"
            raise source.error(problem, f", row {line}", "")
        yield line, row
        line = reader.line_num + 1


def counts(text: str, delimiter: str) -> list[int]:
    """Return how many fields each row of a text has, rows without any left out; nothing from the first damage on."""
    lengths = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if row:
                lengths.append(len(row))
    except csv.Error:
        pass
    return lengths


def named(path: Path) -> list[dict[str, str]]:
    """Return the rows of a small table that this project wrote itself, each by its column names."""
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def frame(source: Source, stream: IO[bytes] | Path, **how: Any) -> pd.DataFrame:
    """Return what `pandas.read_csv` makes of a file, or of its open content.

    Args:
        source: the file.
        stream: it, or its content.
        how: arguments of `pandas.read_csv`.

    Raises:
        DataError: it cannot.
    """
    import pandas as pd  # here: most jobs do without

    if isinstance(stream, Path | str):
        source.size()
    with source.faults("not readable as a table"):
        return pd.read_csv(stream, **how)


def made_frame(path: Path | str, **how: Any) -> pd.DataFrame:
    """Return a table that a job has made: names, each once, and rows of as many fields, none cut off.

    Args:
        path: of the file, with commas between fields.
        how: arguments of `pandas.read_csv`.

    Raises:
        DataError: it is another.
    """
    source = made(path)
    content = source.text_content()
    text = source.decoded(content)
    names: list[str] = []
    for line, row in rows(source, text, ","):
        names = names or row
        if len(row) != len(names):
            raise source.error(f"{len(row)} fields instead of {len(names)}", f", row {line}")
    if not all(names) or len({*names}) < len(names) or not names:
        raise source.error("its columns have no names, or two have the same")
    if not text.endswith("\n"):
        raise source.error("its last row is cut off")
    return frame(source, io.BytesIO(content), **how)


def frames(source: Source, stream: IO[bytes], size: int, longest: int, **how: Any) -> Iterator[pd.DataFrame]:
    """Yield the rows of a file some after others, without blank ones; none of an empty file.

    Args:
        source: the file.
        stream: its content.
        size: rows at a time.
        longest: bytes that a row may have; more are never held.
        how: further arguments of `pandas.read_csv`.

    Raises:
        DataError: a row is longer, or the file is not readable as a table.
    """
    import pandas as pd  # here: most jobs do without

    lines, first = (line for line in lines_of(source, stream, longest) if not line.isspace()), 1
    while some := list(islice(lines, size)):
        with source.faults("not readable as a table", f", in the {len(some)} rows from {first}"):
            part = pd.read_csv(io.BytesIO(b"".join(some)), **how)
        first += len(some)
        yield part


def lines_of(source: Source, stream: IO[bytes], longest: int) -> Iterator[bytes]:
    """Yield the lines of a file.

    Args:
        source: the file.
        stream: its content.
        longest: bytes that a line may have; more are never held.

    Raises:
        DataError: a line is longer, or the file cannot be read.
    """
    with source.faults("not readable as a table"):
        for row, line in enumerate(iter(lambda: stream.readline(longest + 1), b""), 1):
            if len(line) > longest:
                raise source.error(f"it is longer than {longest} bytes", f", row {row}")
            yield line
