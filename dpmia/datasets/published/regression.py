"""What data sets with a number to predict share: standard scores, and features that keep their scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpmia.common.errors import ConfigError
from dpmia.common.registry import suggestion
from dpmia.datasets import encoding
from dpmia.datasets.dataset import Dataset
from dpmia.formats.provenance import Provenance


def standardised(values: np.ndarray) -> np.ndarray:
    """Return numbers with mean 0 and variance 1 along the first axis, over all records.

    Args:
        values: float64, one row for each record; no column is constant.

    Returns:
        float64 of the same shape.
    """
    return (values - values.mean(axis=0)) / values.std(axis=0)


def prepared(
    name: str, frame: pd.DataFrame, response: np.ndarray, attributes: Sequence[str], provenance: Provenance
) -> Dataset:
    """Make the data set: the attributes move out of the table, all other columns become features in its order.

    Numbers are features as they are. A category becomes one column for each value, `name=value`, and one of two
    values a single column (1 = the second value).

    Args:
        name: the data set's name in the settings.
        frame: float64 columns and pandas categoricals without missing values.
        response: the number to predict for each record.
        attributes: columns to keep out of the features.
        provenance: of the files, as `parsing.read_table` returns it.

    Raises:
        ConfigError: an attribute is not a column of `frame`.
    """
    kept = tuple(dict.fromkeys(attributes))
    for wanted in kept:
        if wanted not in frame.columns:
            problem = f"{wanted!r} is not one of the columns {', '.join(frame.columns)}"
            raise ConfigError(f"attributes of {name}", problem, suggestion(wanted, frame.columns))
    blocks = []
    names: list[str] = []
    for column in frame.columns.drop(list(kept)):
        if isinstance(frame[column].dtype, pd.CategoricalDtype):
            block, shown = encoding.features(frame[[column]])
        else:
            block, shown = frame[[column]].to_numpy(np.float32), (column,)
        blocks.append(block)
        names += shown
    return Dataset(
        name=name,
        x=np.hstack(blocks),
        y=np.asarray(response, dtype=np.float32),
        features=tuple(names),
        classes=(),
        attributes={wanted: encoding.attribute(frame[wanted]) for wanted in kept},
        provenance=provenance,
    )
