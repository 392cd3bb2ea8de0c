"""What was detected in a file of one's own, as its prepared data keep it."""

from __future__ import annotations

from dataclasses import dataclass, field

from dpmia.common.plain import PlainData


@dataclass(frozen=True)
class Column(PlainData):
    """A feature of a user's table: name, detected type, number of different values, and of missing ones."""

    name: str
    type: str
    values: int
    missing: int


@dataclass(frozen=True)
class Detected(PlainData):
    """What was detected in a file.

    Attributes:
        columns: its features.
        missing: what is done about missing values: `fill`, `drop` or `refuse`.
        warnings: what is suspicious and not wrong.
        image: shape of a record, of arrays with more than two axes; None of others.
        duplicates: a note on rows that repeat an earlier one; empty without any.
        by: the column of groups; None without groups.
        records: number of rows that are used.
        groups: group -> number of records.
        classes: class -> number of records.
    """

    columns: list[Column]
    missing: str
    warnings: list[str]
    image: list[int] | None = None
    duplicates: str = ""
    by: str | None = None
    records: int = 0
    groups: dict[str, int] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
