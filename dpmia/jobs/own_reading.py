"""How a file of one's own is read."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

from dpmia.common.plain import PlainData


@dataclass(frozen=True)
class OwnReading(PlainData):
    """How a file of one's own is read: the keys of `dpmia.settings.own_data.OwnData`, which explains them.

    Attributes:
        name: of the data set.
        form: `csv`, `parquet` or `npz`.
        path: of the file.
        label: see `OwnData`, as for all that follow; None of arrays.
        group: None for no groups.
        columns: None for the row of names.
        drop: columns that are no features.
        types: column -> `number` or `category`.
        missing: `fill`, `drop` or `refuse`.
        missing_marks: texts that stand for a missing value.
        positive: values of the label that are class 1; None for a class of each value.
        positive_from: the number from which on labels are class 1; None for no such number.
        separator: None to detect it.
        duplicates: `remove` or `keep`.
        most_values: of a column of text that is a category.
    """

    name: str
    form: str
    path: str
    label: str | None
    group: str | None
    columns: list[str] | None
    drop: list[str]
    types: dict[str, str]
    missing: str
    missing_marks: list[str]
    positive: str | int | float | list[str | int | float] | None
    positive_from: float | None
    separator: str | None
    duplicates: str
    most_values: int

    def at(self, path: Path) -> OwnReading:
        """Return the same reading of the file at another path."""
        return replace(self, path=str(path))

    @property
    def digest(self) -> str:
        """A digest of all of it: two readings of one file are two data sets."""
        return hashlib.sha256(json.dumps(self.plain(), sort_keys=True).encode()).hexdigest()[:8]
