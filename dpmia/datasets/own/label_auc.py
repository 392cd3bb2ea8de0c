"""How well one column alone predicts the label: columns that are known only after it give themselves away.

For each class the AUC of that class against all others; the largest counts, so that a column which reveals one of many
classes is found. AUC and not accuracy, because it does not depend on how frequent the classes are: where one patient
in a hundred dies, saying "lives" is right 99 times.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

#: Classes of fewer records are passed over, as are those with fewer others: of five records, chance reaches AUC .9.
FEWEST = 10
#: Numbers with more different values are cut into so many bins with about as many records each.
BINS = 50
#: Class rates are those of the records outside of each of so many folds.
FOLDS = 5
#: Records that each value is given beforehand, with the rates of all records: rare values say little.
PRIOR = 1.0


def label_auc(column: pd.Series, y: np.ndarray) -> tuple[float, int]:
    """Return the largest AUC of one class against all others, and the class.

    A number is scored by itself, in either direction. Every column is also scored by the rates of the class among the
    records of its value or bin, a missing value being a value; rates come from other records than they score, so that
    many rare values do not look like knowledge.

    Args:
        column: a categorical, or numbers with NaN.
        y: int64, the classes from 0.

    Returns:
        (.5, 0) where no class has enough records.
    """
    counts = np.bincount(y)
    enough = np.flatnonzero(np.minimum(counts, len(y) - counts) >= FEWEST)
    if not len(enough):
        return 0.5, 0
    aucs = _by_rates(_bins(column), y)
    if not isinstance(column.dtype, pd.CategoricalDtype):
        aucs = np.maximum(aucs, _by_value(column.fillna(column.median()).to_numpy(), y))
    best = enough[np.argmax(aucs[enough])]
    return float(aucs[best]), int(best)


def _by_value(values: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the AUC of each class where the score is the number itself, or its negative."""
    counts = np.bincount(y)
    ranks = np.bincount(y, weights=rankdata(values))
    with np.errstate(invalid="ignore"):
        above = (ranks - counts * (counts + 1) / 2) / (counts * (len(y) - counts))
    return np.maximum(above, 1 - above)


def _by_rates(bins: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the AUC of each class where the score is its rate among the records of the same bin in other folds."""
    classes = int(y.max()) + 1
    shape = (FOLDS, int(bins.max()) + 1, classes)
    fold = np.random.default_rng(0).permutation(len(y)) % FOLDS
    counts = np.bincount(np.ravel_multi_index((fold, bins, y), shape), minlength=np.prod(shape)).reshape(shape)
    others = counts.sum(axis=0) - counts
    rates = (others + PRIOR * np.bincount(y) / len(y)) / (others.sum(axis=2, keepdims=True) + PRIOR)
    cells = counts.reshape(-1, classes)
    return np.array([_auc(rates[..., c].ravel(), cells[:, c], cells.sum(axis=1) - cells[:, c]) for c in range(classes)])


def _auc(scores: np.ndarray, inside: np.ndarray, outside: np.ndarray) -> float:
    """Return the AUC of scores that many records share; ties count half. NaN without records on one side."""
    _, place = np.unique(scores, return_inverse=True)
    inside, outside = (np.bincount(place, weights=counts) for counts in (inside, outside))
    below = np.cumsum(outside) - outside
    pairs = inside.sum() * outside.sum()
    return float((inside * (below + outside / 2)).sum() / pairs) if pairs else np.nan


def _bins(column: pd.Series) -> np.ndarray:
    """Return the number of the value or bin of each record, int64; a missing value has one of its own."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy().astype(np.int64) + 1
    if column.nunique() <= BINS:
        return pd.factorize(column)[0] + 1
    return pd.qcut(column, BINS, labels=False, duplicates="drop").fillna(-1).to_numpy().astype(np.int64) + 1
