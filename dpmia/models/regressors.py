"""Regression models of scikit-learn, each fitted for a whole list of parameters at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

#: x -> predictions, float64, shape (parameters, records).
Predictor = Callable[[np.ndarray], np.ndarray]
#: (x, y, parameters, seed) -> predictor.
Fit = Callable[[np.ndarray, np.ndarray, Sequence[float], int], Predictor]


def fit_ridge(x: np.ndarray, y: np.ndarray, parameters: Sequence[float], seed: int) -> Predictor:
    """Fit linear regressions with an intercept that is not penalised.

    Args:
        x: shape (records, features).
        y: shape (records,).
        parameters: alphas, > 0: the weight of the squared coefficients beside the squared errors.
        seed: not used; nothing is random here.
    """
    x, y = x.astype(np.float64), y.astype(np.float64)
    fitted = [Ridge(alpha=alpha).fit(x, y) for alpha in parameters]
    return lambda queries: np.stack([model.predict(queries.astype(np.float64)) for model in fitted])


def fit_tree(x: np.ndarray, y: np.ndarray, parameters: Sequence[float], seed: int) -> Predictor:
    """Fit regression trees of several largest depths, as one tree that is read down to each depth.

    Trees are grown greedily: how a node is split depends on its records and never on how deep the tree may become.
    So the first d levels of a deep tree are a tree of depth d, with the mean of a node's records as its prediction.

    Args:
        x: shape (records, features).
        y: shape (records,).
        parameters: largest depths, whole numbers >= 1.
        seed: decides between splits that are equally good.

    Raises:
        ValueError: a depth is not a whole number.
    """
    depths = np.array([int(depth) for depth in parameters])
    if (depths != np.asarray(parameters)).any():
        raise ValueError(f"expected depths that are whole numbers, got {list(parameters)}")
    model = DecisionTreeRegressor(max_depth=int(depths.max()), random_state=seed % 2**32)
    tree = model.fit(x, y.astype(np.float64)).tree_
    means = np.tile(tree.value[:, 0, 0], (len(depths), 1))
    level, nodes = 0, np.array([0])
    while (nodes := nodes[tree.children_left[nodes] >= 0]).size:
        level += 1
        for children in (tree.children_left, tree.children_right):
            cut = np.flatnonzero(depths < level)
            means[np.ix_(cut, children[nodes])] = means[np.ix_(cut, nodes)]
        nodes = np.concatenate([tree.children_left[nodes], tree.children_right[nodes]])
    return lambda queries: means[:, tree.apply(queries.astype(np.float32))]


#: Models by name.
MODELS: dict[str, Fit] = {"ridge": fit_ridge, "tree": fit_tree}
