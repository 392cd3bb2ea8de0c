"""From a table of numbers and categories to features in [0, 1], the same way for every data set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpmia.common.errors import ConfigError
from dpmia.common.registry import suggestion
from dpmia.datasets.dataset import Dataset
from dpmia.formats.provenance import Provenance

#: How a missing value is written among the attributes.
MISSING = "?"


def fill(column: pd.Series) -> pd.Series:
    """Return the column with missing values replaced by the mean of numbers, or the mode of categories.

    Of several modes the first in the order of the categories is taken. A column without any value
    is returned as it is.
    """
    if not column.isna().any() or column.isna().all():
        return column
    return column.fillna(mode(column) if isinstance(column.dtype, pd.CategoricalDtype) else column.mean())


def mode(column: pd.Series) -> object:
    """Return the most frequent value that is not missing; of several, the first in their order."""
    return column.mode(dropna=True).iloc[0]


def features(frame: pd.DataFrame) -> tuple[np.ndarray, tuple[str, ...]]:
    """Encode all columns of a table.

    A category of two values becomes one column of 0 and 1 (1 = the second value), one of more values
    one column per value; every known value counts, whether it occurs or not. Then each column is
    scaled to [0, 1] over all records, members and non-members alike, as the paper does
    (Humphries et al., "Investigating Membership Inference Attacks under Data Dependencies").
    A constant number becomes 0.

    Args:
        frame: pandas categoricals and float64 columns; missing values are filled by `fill`.

    Returns:
        float32 of shape (records, features), and the features' names.
    """
    columns: list[np.ndarray] = []
    names: list[str] = []
    for name in frame.columns:
        column = fill(frame[name])
        if not isinstance(column.dtype, pd.CategoricalDtype):
            columns.append(_scaled(column.to_numpy()))
            names.append(name)
            continue
        values, codes = column.cat.categories, column.cat.codes.to_numpy()
        shown = range(len(values)) if len(values) > 2 else range(1, len(values))
        columns.extend((codes == code).astype(np.float32) for code in shown)
        names.extend(f"{name}={values[code]}" for code in shown)
    table = np.empty((len(frame), len(columns)), dtype=np.float32)
    for position, values in enumerate(columns):
        table[:, position] = values
    return table, tuple(names)


def attribute(column: pd.Series) -> np.ndarray:
    """Return a column as numpy strings: categories as written, numbers in their shortest form, missing as `?`."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        texts = np.array([*map(str, column.cat.categories), MISSING], dtype=np.str_)
        return texts[column.cat.codes.to_numpy()]
    return np.array([MISSING if np.isnan(value) else f"{value:.15g}" for value in column], dtype=np.str_)


def prepared(
    name: str,
    frame: pd.DataFrame,
    y: np.ndarray,
    classes: tuple[str, ...],
    attributes: Sequence[str],
    provenance: Provenance,
    filled: pd.DataFrame | None = None,
) -> Dataset:
    """Make the data set: the attributes move out of the table, all other columns become features.

    Args:
        name: the data set's name in the settings.
        frame: every column that may be a feature or an attribute.
        y: class number of each record.
        classes: names of the classes.
        attributes: columns to keep out of the features.
        provenance: of the files, as `parsing.read_table` returns it.
        filled: the same table with missing values filled in a way of its own; `frame` where left out.

    Raises:
        ConfigError: an attribute is not a column of `frame`.
    """
    kept = tuple(dict.fromkeys(attributes))
    for wanted in kept:
        if wanted not in frame.columns:
            problem = f"{wanted!r} is not one of the columns {', '.join(frame.columns)}"
            raise ConfigError(f"attributes of {name}", problem, suggestion(wanted, frame.columns))
    x, names = features((frame if filled is None else filled).drop(columns=list(kept)))
    return Dataset(
        name=name,
        x=x,
        y=np.asarray(y, dtype=np.int64),
        features=names,
        classes=classes,
        attributes={wanted: attribute(frame[wanted]) for wanted in kept},
        provenance=provenance,
    )


def _scaled(values: np.ndarray) -> np.ndarray:
    """Return numbers scaled linearly to [0, 1] in double precision; zeros where all are equal or missing."""
    if not len(values) or np.isnan(values).all():
        return np.zeros(len(values))
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros(len(values))
