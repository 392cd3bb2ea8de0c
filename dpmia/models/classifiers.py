"""Classifiers of scikit-learn, by name: each function describes the one that fits a data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression


@dataclass(frozen=True)
class Classifier:
    """A classifier before fitting.

    Attributes:
        outputs: number of classes.
        make: a seed -> a classifier with `fit` and `predict_proba`.
    """

    outputs: int
    make: Callable[[int], Any]


def logistic_regression(inputs: int, outputs: int, image: object) -> Classifier:
    """Return logistic regression with scikit-learn's default penalty."""
    return Classifier(outputs, lambda seed: LogisticRegression(max_iter=2000, random_state=seed))


def random_forest(inputs: int, outputs: int, image: object, trees: int) -> Classifier:
    """Return a forest of fully grown trees."""
    return Classifier(outputs, lambda seed: RandomForestClassifier(trees, n_jobs=1, random_state=seed))


def gradient_boosting(inputs: int, outputs: int, image: object, trees: int) -> Classifier:
    """Return gradient boosting on binned features, without early stopping."""
    return Classifier(
        outputs, lambda seed: HistGradientBoostingClassifier(max_iter=trees, early_stopping=False, random_state=seed)
    )
