"""A data set from a file of one's own: what its columns are is detected, checked, reported and stored.

Numbers, categories and labels are then encoded as those of the published data sets are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.common.errors import DataError
from dpmia.common.optional import needed
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.encoding import prepared
from dpmia.datasets.own import checks
from dpmia.datasets.own.files import Fields, groups_of, in_order, known_column, read_arrays, read_fields, shortened
from dpmia.datasets.raw.parsing import Category
from dpmia.formats.detected import Column, Detected
from dpmia.formats.provenance import Provenance
from dpmia.jobs.own_reading import OwnReading

#: Fewest records that an audit can measure anything on.
FEWEST = 40


@dataclass(frozen=True)
class OwnTable:
    """A checked file.

    Attributes:
        name: of the data set.
        frame: one row for each record and one column for each feature, and the group.
        by: name of the group's column, if there is one.
        y: int64, class of each record.
        classes: names of the classes.
        rows: where each record stands in the file.
        provenance: file with sha256 and rows, and whether the records are synthetic.
        detected: what was detected.
        keep: whether rows stay that repeat an earlier one.
        x: features that are taken as they are, float32, or uint8 pixels; None where they are encoded.
        image: see `dpmia.datasets.dataset.Dataset`.
    """

    name: str
    frame: pd.DataFrame
    by: str | None
    y: np.ndarray
    classes: tuple[str, ...]
    rows: np.ndarray
    provenance: Provenance
    detected: Detected
    keep: bool
    x: np.ndarray | None = None
    image: tuple[int, ...] | None = None


def read(folder: Path, reading: OwnReading) -> OwnTable:
    """Parse and check a file of one's own.

    Args:
        folder: where it lies.
        reading: how it is read; of its path the name counts.

    Raises:
        DataError: something is wrong with the file; one message with column, row and remedy.
    """
    path = folder / Path(reading.path).name
    table = _from_arrays(path, reading) if reading.form == "npz" else _from_table(path, reading)
    if len(table.y) < FEWEST:
        raise DataError(path.name, f"{len(table.y)} records are fewer than the required {FEWEST}", "Add records")
    return table


def encode(table: OwnTable, attributes: Sequence[str] = ()) -> Dataset:
    """Return the data set, without rows that repeat the features and the label of an earlier one.

    Raises:
        ConfigError: an attribute is not a column.
        DataError: too few different rows are left.
    """
    by = table.by
    kept = (*([by] if by else []), *attributes)
    whole = prepared(table.name, table.frame, table.y, table.classes, kept, table.provenance)
    features = table.frame.drop(columns=list(dict.fromkeys(kept))) if table.x is None else None
    if table.x is not None:
        names = tuple(f"x{number}" for number in range(table.x.shape[1]))
        whole = replace(whole, x=table.x, features=names, image=table.image)
    stay, duplicates = checks.duplicates(whole.x, whole.y, table.rows, table.keep, features)
    if stay.sum() < FEWEST:
        problem = f"{stay.sum()} of {len(stay)} rows differ from all before, fewer than the required {FEWEST}"
        raise DataError(table.provenance.files[0].name, problem, "Give more rows, or set duplicates: keep")
    detected = replace(
        table.detected,
        duplicates=duplicates,
        by=by,
        records=int(stay.sum()),
        groups={} if by is None else _counts(whole.attributes[by][stay]),
        classes=_counts(np.array(whole.classes)[whole.y[stay]], whole.classes),
    )
    return replace(
        whole,
        provenance=replace(whole.provenance, own=detected),
        x=whole.x[stay],
        y=whole.y[stay],
        attributes={name: values[stay] for name, values in whole.attributes.items()},
        rows=table.rows[stay],
    )


def describe(provenance: Provenance) -> list[str]:
    """Return in sentences what was detected in a file of one's own; nothing for a published data set.

    Of long lists the beginning: all names stand in the provenance.
    """
    own = provenance.own
    if own is None:
        return []
    file = provenance.files[0]
    kinds = {kind: [column.name for column in own.columns if column.type == kind] for kind in checks.KINDS}
    lines = [f"{file.name}: {own.records} of {file.rows} rows are used."]
    if image := own.image:
        kind = "images (channels × height × width)" if len(image) == 3 else "arrays"
        lines.append(f"Read as {kind}: {' × '.join(map(str, image))}.")
    else:
        lines += [f"Read as {kind}: {shortened(names)}." for kind, names in kinds.items() if names]
    missing = {column.name: column.missing for column in own.columns if column.missing}
    if missing:
        filled = {"fill": "are filled", "drop": "leave their rows out"}[own.missing]
        lines.append(f"Missing values {filled}: {_listed_counts(missing)}.")
    lines.append(f"Classes: {_listed_counts(own.classes)}.")
    if own.groups:
        lines.append(f"Groups by {own.by}, which is no feature: {_listed_counts(own.groups)}.")
    return [*lines, *([own.duplicates] if own.duplicates else []), *own.warnings]


def _listed_counts(counts: Mapping[str, int]) -> str:
    return shortened([f"{name} {count}" for name, count in counts.items()])


def _from_table(path: Path, reading: OwnReading) -> OwnTable:
    fields = read_fields(path, reading.form, reading.separator, reading.columns)
    label, by = needed(reading.label), reading.group
    for key, names in (("label", [label]), ("group", [by] if by else []), ("drop", reading.drop),
                       ("types", reading.types)):  # fmt: skip
        for name in names:
            known_column(fields, name, key)
    marks = frozenset(reading.missing_marks)
    names = [name for name in fields.columns if name not in (label, by, *reading.drop)]
    fields, dropped = _without_missing(fields, [label, *names], marks) if reading.missing == "drop" else (fields, 0)
    if reading.missing == "refuse":
        checks.nothing_missing(fields, names, marks)
    kind = reading.types.get(label)
    y, classes = checks.labels(fields, label, marks, reading.positive, reading.positive_from, kind)
    columns = checks.parsed(fields, names, reading.types, marks, reading.most_values)
    if not columns:
        problem = f"no feature is left among the columns {shortened(fields.columns)}"
        raise DataError(path.name, problem, "Drop fewer of them")
    frame = pd.DataFrame(columns)
    if by is not None:
        groups = groups_of(fields, by, marks)
        checks.groups(fields, by, groups, y)
        frame[by] = Category(tuple(in_order(set(groups)))).column(groups)
    detected = Detected(
        columns=checks.described(fields, frame, by, marks),
        missing=reading.missing,
        warnings=[
            *([f"Rows left out for missing values: {dropped}."] if dropped else []),
            *checks.warnings(frame.drop(columns=[by] if by else []), y, classes),
        ],
    )
    keep = reading.duplicates == "keep"
    rows = np.asarray(fields.rows, dtype=np.int64)
    return OwnTable(reading.name, frame, by, y, classes, rows, fields.provenance, detected, keep)


def _from_arrays(path: Path, reading: OwnReading) -> OwnTable:
    arrays, provenance = read_arrays(path)
    with np.errstate(over="ignore"):  # to infinity, which is refused
        whole = arrays["x"]
        image = whole.shape[1:] if whole.ndim > 2 else None
        pixels = image is not None and whole.dtype == np.uint8
        x = whole.reshape(len(whole), -1).astype(np.uint8 if pixels else np.float32)
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        where, problem = (
            f"{path.name}, x, row {row + 1}, column {column + 1}",
            f"{x[row, column]} is not a finite number",
        )
        raise DataError(where, problem, "Fill it in or remove the row: arrays are used as they are")
    if arrays["y"].dtype.kind == "f" and not np.isfinite(arrays["y"]).all():
        row = int(np.flatnonzero(~np.isfinite(arrays["y"]))[0])
        problem = f"{arrays['y'][row]} is not a label"
        raise DataError(f"{path.name}, y, row {row + 1}", problem, "Fill it in or remove the row")
    if "group" in arrays and (missing := np.flatnonzero(pd.isna(arrays["group"]))).size:
        where = f"{path.name}, group, row {missing[0] + 1}"
        raise DataError(where, f"{arrays['group'][missing[0]]} is not a group", "Name the group, or remove the row")
    rows = list(range(1, len(x) + 1))
    texts: dict[str, list[str]] = {
        name: arrays[name].astype(np.str_).tolist() for name in ("y", "group") if name in arrays
    }
    fields = Fields(path.name, rows, texts, provenance)
    kind = None if arrays["y"].dtype.kind == "f" else "category"
    y, classes = checks.labels(fields, "y", frozenset(), reading.positive, reading.positive_from, kind)
    if "group" in texts:
        checks.groups(fields, "group", texts["group"], y)
    by = "group" if "group" in texts else None
    frame = pd.DataFrame({by: pd.Categorical(texts[by])} if by else {}, index=range(len(x)))
    columns = [Column("x", "number", x.shape[1], 0)]
    detected = Detected(columns, "fill", [], list(image) if image else None)
    keep = reading.duplicates == "keep"
    return OwnTable(reading.name, frame, by, y, classes, np.array(rows), provenance, detected, keep, x, image)


def _without_missing(fields: Fields, names: Sequence[str], marks: frozenset[str]) -> tuple[Fields, int]:
    """Return the fields without the rows in which one of the named columns has no value, and how many there were."""
    missing = np.zeros(len(fields.rows), dtype=bool)
    for name in names:
        missing |= np.fromiter((text in marks for text in fields.columns[name]), dtype=bool, count=len(missing))
    stay = np.flatnonzero(~missing).tolist()
    if not len(stay):
        raise DataError(fields.file, "every row has a missing value", "Set missing: fill")
    columns = {name: [texts[row] for row in stay] for name, texts in fields.columns.items()}
    return Fields(fields.file, [fields.rows[row] for row in stay], columns, fields.provenance), int(missing.sum())


def _counts(values: np.ndarray, order: Sequence[str] | None = None) -> dict[str, int]:
    counts = Counter(values.tolist())
    return {name: counts[name] for name in order or in_order(counts) if name in counts}
