"""Clusters within classes, and how they are paired across classes."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import sklearn.cluster
from real_files import MIRROR, needs_real_files

from dpmia.common.errors import DataError
from dpmia.datasets.published import adult, compas
from dpmia.datasets.raw.fetch import fetch
from dpmia.datasets.raw.sources import raw_files
from dpmia.splits import clusters as module
from dpmia.splits.clusters import clusters

#: Two clusters in each class: (class, side) -> centre and number of records. Class 1 is the most frequent.
BLOBS = {
    (0, "left"): ((0.0, 0.1), 30),
    (0, "right"): ((1.0, 0.1), 50),
    (1, "left"): ((0.1, 0.9), 45),
    (1, "right"): ((0.9, 0.9), 60),
}

#: Groups by their names, the smaller first: 30 + 45 and 50 + 60 records; 30 + 60 and 50 + 45.
PAIRED = {
    "nearest": [{(0, "left"), (1, "left")}, {(0, "right"), (1, "right")}],
    "farthest": [{(0, "left"), (1, "right")}, {(0, "right"), (1, "left")}],
}


@pytest.fixture(scope="module")
def blobs():
    """Features, classes, and the side of every record."""
    rng = np.random.default_rng(3)
    x = np.concatenate([np.array(centre) + 0.02 * rng.standard_normal((n, 2)) for centre, n in BLOBS.values()])
    y = np.concatenate([np.full(n, label) for (label, _), (_, n) in BLOBS.items()])
    side = np.concatenate([np.full(n, side) for (_, side), (_, n) in BLOBS.items()])
    return x, y, side


def groups_of(labels, y, side):
    """Return, by the names of the groups, the (class, side) of which each is made."""
    assert set(labels) == {"0", "1"}
    return [set(zip(y[labels == name].tolist(), side[labels == name].tolist(), strict=True)) for name in "01"]


@pytest.mark.parametrize("pairing", PAIRED)
def test_groups_are_paired_by_distance_and_named_by_size(blobs, pairing):
    x, y, side = blobs
    labels = clusters(x, y, pairing=pairing)
    assert groups_of(labels, y, side) == PAIRED[pairing]
    assert [(labels == name).sum() for name in "01"] == {"nearest": [75, 110], "farthest": [90, 95]}[pairing]


@pytest.mark.parametrize("pairing", PAIRED)
def test_names_of_classes_and_order_of_records_do_not_matter(blobs, pairing):
    x, y, side = blobs
    labels = clusters(x, y, pairing=pairing)
    assert np.array_equal(clusters(x, 7 - y, pairing=pairing), labels)
    order = np.random.default_rng(0).permutation(len(y))
    assert groups_of(clusters(x[order], y[order], pairing=pairing), y[order], side[order]) == PAIRED[pairing]


@pytest.mark.parametrize("pairing", PAIRED)
@pytest.mark.parametrize("swapped", list(itertools.product([False, True], repeat=2)))
def test_names_that_kmeans_gives_its_clusters_do_not_matter(blobs, pairing, swapped, monkeypatch):
    x, y, _ = blobs
    expected = clusters(x, y, pairing=pairing)
    swaps = iter(swapped)

    class Renamed(sklearn.cluster.KMeans):
        def fit(self, x):
            super().fit(x)
            if next(swaps):
                self.cluster_centers_, self.labels_ = self.cluster_centers_[::-1], 1 - self.labels_
            return self

    monkeypatch.setattr(module, "KMeans", Renamed)
    assert np.array_equal(clusters(x, y, pairing=pairing), expected)


@pytest.mark.parametrize("seed", range(5))
def test_seeds_of_kmeans_do_not_matter_where_clusters_are_plain(blobs, seed):
    x, y, side = blobs
    assert groups_of(clusters(x, y, pairing="nearest", seed=seed), y, side) == PAIRED["nearest"]


def test_three_clusters_are_paired_one_to_one():
    # Class 1 leads with centres 0, 10, 20; both nearest centres of class 0 to them would be shared otherwise.
    centres = {1: (0.0, 10.0, 20.0), 0: (9.0, 11.0, 25.0)}
    x = np.array([[centre] for label in (1, 0) for centre in centres[label] for _ in range(3 + label)])
    y = np.repeat([1, 0], [12, 9])
    labels = clusters(x, y, count=3, pairing="nearest")
    groups = [sorted({float(row) for row in x[labels == name, 0]}) for name in "012"]
    # Costs of the three pairings in order: 9 + 1 + 5 = 15; every other is dearer.
    assert sorted(groups) == [[0.0, 9.0], [10.0, 11.0], [20.0, 25.0]]


def test_an_unknown_pairing_is_refused(blobs):
    with pytest.raises(ValueError, match="expected a pairing of nearest, farthest, got 'closest'"):
        clusters(*blobs[:2], pairing="closest")


# Sizes that scikit-learn's k-means gives on the real files with 10 restarts; the smaller one on adult is the shadow
# data that Humphries et al. 2023 print as 15132 in table II.
@needs_real_files
@pytest.mark.parametrize(
    ("data", "seed", "sizes"),
    [
        (adult, 0, {"farthest": [15_135, 33_707], "nearest": [21_190, 27_652]}),
        (compas, 2, {"farthest": [2_662, 3_510], "nearest": [2_997, 3_175]}),
    ],
    ids=["adult", "compas"],
)
def test_sizes_on_the_real_files(tmp_path, data, seed, sizes, monkeypatch):
    name = data.__name__.rpartition(".")[2]
    fetch([replace(raw, urls=()) for raw in raw_files(name)], tmp_path, MIRROR)
    dataset = data.encode(data.read(tmp_path))
    fitted = {}

    class Remembered(sklearn.cluster.KMeans):
        """Both pairings start from the same clusters, which take seconds to find."""

        def fit(self, x):
            return fitted[len(x)] if len(x) in fitted else fitted.setdefault(len(x), super().fit(x))

    monkeypatch.setattr(module, "KMeans", Remembered)
    for pairing, expected in sizes.items():
        labels = clusters(dataset.x, dataset.y, pairing=pairing, seed=seed, restarts=10)
        assert np.unique(labels, return_counts=True)[1].tolist() == expected, pairing


def test_a_class_smaller_than_the_number_of_clusters_is_reported():
    with pytest.raises(DataError, match="3 is more than the 2 records"):
        clusters(np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 0, 1, 1]), count=3)
