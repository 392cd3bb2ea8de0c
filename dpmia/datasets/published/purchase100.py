"""Purchase100: what 197 324 customers bought, 600 yes-or-no features in 100 classes, as Shokri et al. prepared it.

The classes are clusters of customers. The file is the one behind "Membership Inference Attacks Against Machine
Learning Models" (2017), made from Kaggle's Acquire Valued Shoppers challenge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.common.errors import ConfigError, DataError
from dpmia.common.reading.rows import frames
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.raw import origin
from dpmia.formats.provenance import Provenance

FILE = "dataset_purchase"
ITEMS = 600
CLASSES = tuple(str(number) for number in range(1, 101))

_AGAIN = "Delete the file and fetch it again if it was not edited on purpose."
#: Records parsed at a time: pandas takes 8 bytes for each field, which are 600 MB for all records at once.
_CHUNK = 20_000
#: Bytes of a row: 601 numbers with all their digits have less.
_LONGEST = 1 << 14


@dataclass(frozen=True)
class Purchases:
    """The records of the file.

    Attributes:
        items: uint8, shape (records, 600), 1 where an item was bought.
        labels: int64, shape (records,), from 0: one less than in the file.
        provenance: as `origin.provenance` returns it.
    """

    items: np.ndarray
    labels: np.ndarray
    provenance: Provenance


def read(folder: Path) -> Purchases:
    """Parse the file: no header, the class from 1 to 100, then 600 fields of 0 or 1.

    Raises:
        DataError: the file is absent, damaged or of another format.
    """
    items, labels, row = [], [], 1
    file = origin.source(folder / FILE, _AGAIN)
    with file.opened() as content:
        for chunk in frames(file, content, _CHUNK, _LONGEST, header=None, low_memory=False):
            values = _numbers(chunk, row)
            labels.append(values[:, 0].astype(np.int64) - 1)
            items.append(values[:, 1:].astype(np.uint8))
            row += len(values)
    if not items:
        raise DataError(FILE, "the file has no records", _AGAIN)
    rows = sum(map(len, labels))
    return Purchases(np.concatenate(items), np.concatenate(labels), origin.provenance(folder, [(FILE, rows)]))


def encode(raw: Purchases, attributes: Sequence[str] = ()) -> Dataset:
    """Return 600 features of 0 and 1 and the class.

    Raises:
        ConfigError: attributes are requested; the publisher does not name the items, so there are none to group by.
    """
    if attributes:
        problem = f"{', '.join(map(repr, attributes))} does not exist: items have no names"
        raise ConfigError("attributes of purchase100", problem, "Remove the key")
    return Dataset(
        name="purchase100",
        x=raw.items.astype(np.float32),
        y=raw.labels,
        features=tuple(f"item {number}" for number in range(1, ITEMS + 1)),
        classes=CLASSES,
        provenance=raw.provenance,
    )


def _numbers(chunk: pd.DataFrame, row: int) -> np.ndarray:
    """Return the fields as numbers, all in their range.

    Args:
        chunk: records, label first.
        row: number of the first of them in the file, from 1.
    """
    if chunk.shape[1] != 1 + ITEMS:
        problem = f"{chunk.shape[1]} fields instead of {1 + ITEMS}, separated by ','"
        raise DataError(f"{FILE}, row {row}", problem, _AGAIN)
    values = chunk.apply(_as_numbers).to_numpy(dtype=np.float64)
    wrong = (values != 0) & (values != 1)
    wrong[:, 0] = ~np.isin(values[:, 0], np.arange(1, len(CLASSES) + 1))
    if wrong.any():
        at, column = map(int, np.argwhere(wrong)[0])
        field = chunk.iat[at, column]
        shown = "an empty field" if pd.isna(field) else repr(str(field))
        valid = "0 or 1" if column else f"a class from 1 to {len(CLASSES)}"
        raise DataError(f"{FILE}, row {row + at}, column {column + 1}", f"{shown} is not {valid}", _AGAIN)
    return values


def _as_numbers(column: pd.Series) -> pd.Series:
    """Return a column as numbers, NaN where a field is none; whole numbers of any length come as texts."""
    return pd.to_numeric(column.astype(str) if column.dtype == object else column, errors="coerce")
