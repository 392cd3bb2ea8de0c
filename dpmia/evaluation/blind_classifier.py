"""The blind baseline: how well members are separated from non-members without the model.

Where members and non-members come from different groups, their features and labels already separate them. A
classifier that is trained on known members and non-members, and sees of the others what a record is (x, y) and nothing
of the target model, shows how far that goes; what an attack gains beyond it is the model's doing. Every record is
scored by a classifier that was not trained on it, but supervised on other records of both groups: on the membership of
four fifths of all records, of which attacks know none. The attribute that made the groups is no feature, so it stays
unknown to the classifier too.

Indicators that exclude one another, as one-hot encoding makes them, are one categorical feature again: nothing is lost,
a tree chooses among sets of categories, and of the Adult data it has a seventh of the columns to search.

An attack weaker than the baseline can still add to it, so it is no evidence that the model reveals nothing. Hence the
excess comes in two forms: what the attack reaches less what the baseline does, and what the same classifier reaches
with the model's signal as one more feature less what it reaches without it.

Sources: Das et al. 2024 and Meeus et al. 2024 (blind baselines of membership inference); Ke et al. 2017, section 4
(bundles of features that exclude one another).
"""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, train_test_split

FOLDS = 5
#: Predicted a member at this score or above: fixed beforehand. Scores are probabilities as if there were as many
#: members as non-members, so there a classifier that is right about them has the largest TPR - FPR.
THRESHOLD = 0.5
#: Values (records times features) that one classifier is trained on, at most; a stratified sample of its records.
VALUES = 2_500_000
#: Members, and non-members, that one classifier is trained on, at least: some are set aside to stop early.
FEWEST_TRAINED_ON = 4
#: Indicators of one bundle, at most: scikit-learn takes 255 categories.
CATEGORIES = 254
#: The differences looked for are often slight: small trees, and no more of them than the records set aside need. Twice
#: as many at half of the learning rate reach the same AUC (within .001) and take 1.6 times as long.
SETTINGS = {
    "max_iter": 50,
    "learning_rate": 0.2,
    "max_leaf_nodes": 15,
    "early_stopping": True,
    "validation_fraction": 0.2,
}


def blind_scores(x: np.ndarray, y: np.ndarray, is_member: np.ndarray, seed: int, folds: int = FOLDS) -> np.ndarray:
    """Return a score for each record without any model: cross-fitted gradient boosting on x and y.

    Args:
        x: float or uint8, shape (records, features), without the attribute that made the groups.
        y: class or number of each record, shape (records,).
        is_member: bool, shape (records,), the truth; each classifier is trained on all folds but the one it scores.
        seed: of folds and classifiers.
        folds: number of folds, >= 2.

    Returns:
        float64 (records,), in [0, 1]: higher = more likely a member, if there were as many members as non-members.

    Raises:
        ValueError: fewer members or non-members than two for each fold, or arrays that do not fit together.
    """
    records = len(is_member)
    if x.ndim != 2 or len(x) != records or y.shape != (records,):
        raise ValueError(f"x of shape {x.shape} and y of shape {y.shape} for {records} records")
    fewest = int(min(is_member.sum(), (~is_member).sum()))
    if fewest < 2 * folds:
        raise ValueError(f"{fewest} members or non-members, not {2 * folds}")
    columns, categorical = bundled(x)
    last, is_class = _class_column(y)
    features = np.column_stack([columns, last]).astype(np.float32)
    most = max(VALUES // features.shape[1], 4 * folds)
    trained_on = fewest * min(1.0 - 1.0 / folds, most / records)
    if trained_on < FEWEST_TRAINED_ON:
        among = f"among the {most} records of {features.shape[1]} columns that a classifier is trained on"
        raise ValueError(f"{trained_on:.1f} of {fewest} members or non-members are {among}, not {FEWEST_TRAINED_ON}")
    rng = np.random.default_rng(seed)
    scores = np.empty(records)
    parts = StratifiedKFold(folds, shuffle=True, random_state=int(rng.integers(2**31)))
    for training, held_out in parts.split(features, is_member):
        state = int(rng.integers(2**31))
        if len(training) > most + 1:  # a stratified part of two kinds leaves out two records at least
            training, _ = train_test_split(training, train_size=most, stratify=is_member[training], random_state=state)
        classifier = HistGradientBoostingClassifier(
            **SETTINGS, categorical_features=[*categorical, is_class], random_state=state
        )
        classifier.fit(features[training], is_member[training])
        # Weights that balance the two kinds would give the same and take ten times as long.
        no, yes = (classifier.predict_proba(features[held_out]) / np.bincount(is_member[training])).T
        scores[held_out] = yes / (no + yes)
    return scores


def _class_column(y: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return classes as numbers of categories, and True; numbers, and two classes, as they are."""
    classes, numbered = np.unique(y, return_inverse=True)
    is_class = np.issubdtype(y.dtype, np.integer) and 2 < len(classes) <= CATEGORIES
    return (numbered if is_class else y), bool(is_class)


def bundled(x: np.ndarray) -> tuple[np.ndarray, list[bool]]:
    """Return features with neighbouring indicators that exclude one another as one column of category numbers.

    An indicator has two values. The number of a record in a bundle is that of the indicator with the larger value,
    from 1, or 0 where none has it.

    Args:
        x: shape (records, features).

    Returns:
        float32 (records, columns), and of each column whether it is a bundle.
    """
    lowest, highest = x.min(axis=0), x.max(axis=0)
    on = x == highest
    indicator = (lowest < highest) & (on | (x == lowest)).all(axis=0)
    bundles: list[list[int]] = []
    taken = np.zeros(len(x), dtype=bool)
    for column in range(x.shape[1]):
        joins = bool(bundles) and indicator[bundles[-1][0]] and len(bundles[-1]) < CATEGORIES
        if indicator[column] and joins and not (taken & on[:, column]).any():
            bundles[-1].append(column)
            taken |= on[:, column]
        else:
            bundles.append([column])
            taken = on[:, column].copy()
    columns = [
        x[:, bundle[0]] if len(bundle) == 1 else on[:, bundle] @ np.arange(1, len(bundle) + 1) for bundle in bundles
    ]
    return np.column_stack(columns).astype(np.float32), [len(bundle) > 1 for bundle in bundles]


def scores_with_signal(
    x: np.ndarray, y: np.ndarray, signal: np.ndarray, is_member: np.ndarray, seed: int, folds: int = FOLDS
) -> np.ndarray:
    """Return the scores of the classifier that sees the model's signal too, on the same folds as `blind_scores`.

    Args:
        x: see `blind_scores`.
        y: see `blind_scores`.
        signal: float, shape (records,) or (records, numbers): outputs of the target model, such as its losses.
        is_member: see `blind_scores`.
        seed: that of `blind_scores`, for the same folds.
        folds: see `blind_scores`.

    Raises:
        ValueError: as in `blind_scores`, or the signal holds a number that is not finite.
    """
    if len(signal) != len(x) or not np.isfinite(signal).all():
        raise ValueError(f"expected {len(x)} finite signals, got an array of shape {signal.shape}")
    return blind_scores(np.column_stack([x, signal]), y, is_member, seed, folds)
