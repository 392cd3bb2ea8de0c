"""Groups made by clustering: k-means in each class, and a rule that pairs the clusters across classes.

k-means names its clusters arbitrarily within each class, so "cluster 0 of every class" depends on the library.
Here the pairing is decided by geometry: with `nearest`, clusters of different classes whose centres lie close
together form one group; with `farthest`, those that lie far apart do.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from dpmia.common.errors import DataError

PAIRINGS = ("nearest", "farthest")


def clusters(
    x: np.ndarray, y: np.ndarray, *, count: int = 2, pairing: str = "nearest", seed: int = 0, restarts: int = 10
) -> np.ndarray:
    """Return the group of every record as text: `0` for the smallest group, `1` for the next, and so on.

    Source: Humphries et al. 2023, IV-B (k-means with k = 2 for each class label).

    Args:
        x: float, shape (records, features).
        y: class of every record.
        count: clusters for each class.
        pairing: `nearest` or `farthest` (see above). The most frequent class leads; the others follow it.
        seed: of the initial centres of k-means.
        restarts: of k-means; the best of them counts.

    Raises:
        DataError: a class has fewer records than clusters.
        ValueError: an unknown pairing.
    """
    if pairing not in PAIRINGS:
        raise ValueError(f"expected a pairing of {', '.join(PAIRINGS)}, got {pairing!r}")
    labels, sizes = np.unique(y, return_counts=True)
    lead = labels[np.argmax(sizes)]
    group = np.empty(len(y), dtype=np.int64)
    centres = None
    for label in [lead, *labels[labels != lead]]:
        rows = np.flatnonzero(y == label)
        if len(rows) < count:
            raise DataError("membership.clusters", f"{count} is more than the {len(rows)} records of a class")
        means = KMeans(count, n_init=restarts, random_state=seed).fit(x[rows])
        if centres is None:
            centres, names = means.cluster_centers_, np.arange(count)
        else:
            distances = cdist(means.cluster_centers_, centres)
            _, names = linear_sum_assignment(distances, maximize=pairing == "farthest")
        group[rows] = names[means.labels_]
    by_size = np.argsort(np.bincount(group, minlength=count), kind="stable")
    rank = np.empty(count, dtype=np.int64)
    rank[by_size] = np.arange(count)
    return rank[group].astype(str)
