"""Tables in Parquet: what a file claims is compared with the limits before it is read, and what it has while it is."""

from __future__ import annotations

import csv
from typing import Any

from dpmia.common.reading.source import UNPACKED, Source

#: Rows that are unpacked at a time.
ROWS = 10_000

#: How pandas names the column of an index without a name.
INDEX = "__index_level_"


def columns(source: Source, content: bytes) -> tuple[list[str], list[list[str]]]:
    """Return names and texts of the columns: as texts, so that all kinds of tables take one way.

    A float is written so that it is read back the same; a missing value is an empty text.

    Args:
        source: the file.
        content: its bytes.

    Raises:
        DataError: it is damaged, holds more than is read, or values that are no numbers, texts or times.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        remedy = "Type: pip install 'dpmia[parquet]'; or save the table as CSV"
        raise source.error("reading Parquet requires pyarrow, which is not installed", remedy=remedy) from None
    with source.faults("not readable as Parquet"):
        opened = parquet.ParquetFile(pyarrow.BufferReader(content))
        _check_claims(source, opened.metadata, len(content))
        schema = opened.schema_arrow
        for field in schema:
            if field.name.startswith(INDEX):  # of a frame whose rows were filtered or sorted: no feature
                problem = "it is the index of a data frame"
                raise source.error(
                    problem, f", column {field.name!r}", "Save the frame by to_parquet(..., index=False)"
                )
            _check_type(source, field, pyarrow.types)
        texts = [field.name for field in schema if pyarrow.types.is_string(field.type)]
        # A text that a thousand rows share is unpacked once.
        opened = parquet.ParquetFile(pyarrow.BufferReader(content), read_dictionary=texts)
        table: list[list[str]] = [[] for _ in schema]
        size, most = 0, source.limits.bytes
        for batch in opened.iter_batches(ROWS):
            for column, values in zip(table, batch.columns, strict=True):
                part = _texts(source, values)
                size += sum(map(len, part))
                column += part
            if size > most:
                raise source.error(f"its fields hold more than the {most} bytes that are read", remedy="")
        if any(len(column) != opened.metadata.num_rows for column in table):
            raise ValueError(f"{len(table[0])} rows instead of {opened.metadata.num_rows}")
    return schema.names, table


def _check_claims(source: Source, metadata: Any, size: int) -> None:
    """Compare what a file says of itself with the limits."""
    cells = metadata.num_rows * metadata.num_columns
    if cells > source.limits.rows or metadata.num_columns > source.limits.columns:
        problem = f"{metadata.num_rows} rows of {metadata.num_columns} columns are more than are read"
        raise source.error(problem, remedy=f"Keep {source.limits.rows} fields, and {source.limits.columns} columns")
    # Of whole groups: pyarrow ends the process where the record of a column is damaged.
    unpacked = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    if unpacked > (most := source.limits.bytes):
        raise source.error(f"it unpacks to {unpacked} bytes, more than the {most} that are read", remedy="")
    if unpacked > max(UNPACKED, size * source.limits.ratio):
        problem = f"it holds over {source.limits.ratio} times as many bytes as it has"
        raise source.error(problem, remedy="If that is right, save it without compression.")


def _check_type(source: Source, field: Any, types: Any) -> None:
    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    numbers = (types.is_boolean, types.is_integer, types.is_floating, types.is_decimal, types.is_null)
    texts = (types.is_string, types.is_large_string, types.is_temporal)
    if not any(is_one(kind) for is_one in (*numbers, *texts)):
        problem = f"its values are of the type {field.type}"
        raise source.error(problem, f", column {field.name!r}", "Save numbers, texts or times, one value in a field")


def _texts(source: Source, values: Any) -> list[str]:
    """Return the values of a part of a column as texts."""
    if not hasattr(values, "dictionary"):
        return [_text(source, value) for value in values.to_pylist()]
    dictionary = [_text(source, value) for value in values.dictionary.to_pylist()]
    return ["" if place is None else dictionary[place] for place in values.indices.to_pylist()]


def _text(source: Source, value: Any) -> str:
    text = "" if value is None else str(value).strip()
    if len(text) > csv.field_size_limit():
        raise source.error(f"a field is longer than {csv.field_size_limit()} characters", remedy="Shorten it")
    return text
