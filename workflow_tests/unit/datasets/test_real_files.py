"""The real files, where a mirror of them is at hand: published counts, and how near the synthetic data come."""

import importlib
from dataclasses import replace

import numpy as np
import pytest
from real_files import MIRROR, needs_real_files
from synthetic_files import write_synthetic

from dpmia.datasets.published import adult
from dpmia.datasets.raw.fetch import fetch
from dpmia.datasets.raw.sources import raw_files
from dpmia.settings.names import DATASETS

pytestmark = needs_real_files


#: The first data sets; the others have tests of their own.
TABLES = ("adult", "compas", "heart", "student")


def module(name):
    return importlib.import_module(DATASETS[name])


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Data set -> (real table, synthetic table)."""
    root = tmp_path_factory.mktemp("raw")
    read = {}
    for name in TABLES:
        fetch([replace(raw, urls=()) for raw in raw_files(name)], root / "real" / name, MIRROR)
        write_synthetic(name, root / "made" / name)
        read[name] = tuple(module(name).read(root / kind / name) for kind in ("real", "made"))
    return read


@pytest.fixture
def real(tables):
    return {name: real for name, (real, _) in tables.items()}


@pytest.mark.parametrize(
    ("name", "attributes", "shape"),
    [
        # Humphries et al., table II, and the publishers' numbers of records.
        ("adult", (), (48_842, 104)),
        ("adult", ("education", "education-num"), (48_842, 87)),
        ("adult", ("sex",), (48_842, 103)),
        ("compas", (), (6_172, 15)),
        ("heart", (), (920, 22)),
        ("student", (), (649, 42)),
    ],
)
def test_records_and_features(real, name, attributes, shape):
    dataset = module(name).encode(real[name], attributes)
    assert dataset.x.shape == shape
    assert dataset.x.min() == 0
    assert dataset.x.max() == 1
    assert np.ptp(dataset.x, axis=0).min() == 1, "a value that never occurs"
    assert dataset.provenance.synthetic is False


@pytest.mark.parametrize("name", TABLES)
def test_provenance_is_the_published_one(real, name):
    files = module(name).encode(real[name]).provenance.files
    listed = [(file.name, f"sha256:{file.sha256}", file.bytes, file.rows) for file in files]
    assert listed == [(raw.file, raw.checksum, raw.bytes, raw.rows) for raw in raw_files(name)]


@pytest.mark.parametrize(
    ("name", "negative", "positive"),
    [
        ("adult", 24_720 + 12_435, 7_841 + 3_846),  # the publisher's counts of both files
        ("compas", 3_363, 2_809),  # ProPublica's filter
        ("heart", 164 + 188 + 8 + 51, 139 + 106 + 115 + 149),  # the publisher's class counts
        ("student", 100, 549),  # counted from the column G3
    ],
)
def test_classes(real, name, negative, positive):
    assert np.bincount(module(name).encode(real[name]).y).tolist() == [negative, positive]


def test_groups_of_the_bias_experiments(real):
    dataset = adult.encode(real["adult"], ("education-num", "sex"))
    assert dict(zip(*np.unique(dataset.attributes["sex"], return_counts=True), strict=True)) == {
        "Male": 32_650,
        "Female": 16_192,
    }
    low = dataset.attributes["education-num"].astype(int) <= 10
    assert (low.sum(), (~low).sum()) == (33_070, 15_772)


@pytest.mark.parametrize(
    ("name", "attribute", "sizes"),
    [
        ("heart", "hospital", {"cleveland": 303, "hungarian": 294, "switzerland": 123, "va": 200}),
        ("student", "school", {"GP": 423, "MS": 226}),
    ],
)
def test_groups_of_the_group_experiments(real, name, attribute, sizes):
    values = module(name).encode(real[name]).attributes[attribute]
    assert dict(zip(*np.unique(values, return_counts=True), strict=True)) == sizes


# Largest difference between the synthetic and the real share of any value of any category, missing ones filled;
# in the small sets two standard errors of a share are about .04.
TOLERANCE = {"adult": 0.02, "compas": 0.03, "heart": 0.06, "student": 0.08}


@pytest.mark.parametrize("name", TABLES)
def test_synthetic_data_have_the_real_marginals(tables, name):
    real, made = (module(name).encode(table) for table in tables[name])
    assert real.features == made.features
    # Numbers are scaled by each table's own extremes, which a long tail decides: compared unscaled below.
    shares = [i for i, feature in enumerate(real.features) if "=" in feature]
    np.testing.assert_allclose(made.x[:, shares].mean(0), real.x[:, shares].mean(0), atol=TOLERANCE[name])
    assert made.y.mean() == pytest.approx(real.y.mean(), abs=0.01)


@pytest.mark.parametrize("name", TABLES)
def test_synthetic_data_have_the_real_numbers(tables, name):
    real, made = tables[name]
    for column in real.select_dtypes("number"):
        spread = real[column].std()
        assert made[column].mean() == pytest.approx(real[column].mean(), abs=0.25 * spread), column
        assert made[column].isna().mean() == pytest.approx(real[column].isna().mean(), abs=0.02), column


@pytest.mark.parametrize(
    ("name", "group"), [("adult", "sex"), ("compas", "race"), ("heart", "hospital"), ("student", "school")]
)
def test_labels_depend_on_groups_as_they_really_do(tables, name, group):
    rates = []
    for table in tables[name]:
        dataset = module(name).encode(table, (group,))
        values = dataset.attributes[group]
        large = [value for value in np.unique(values) if (values == value).sum() >= 100]
        rates.append({str(value): dataset.y[values == value].mean() for value in large})
    assert rates[1] == pytest.approx(rates[0], abs=0.06)


@pytest.mark.parametrize("name", TABLES)
def test_features_tell_as_much_about_the_label_as_they_really_do(tables, name):
    reported = [correlations(module(name).encode(table)) for table in tables[name]]
    # Of the five features that tell most about the real label, each tells as much about the synthetic one.
    for feature, difference in sorted(reported[0].items(), key=lambda item: -abs(item[1]))[:5]:
        assert reported[1][feature] == pytest.approx(difference, abs=0.12), feature


def correlations(dataset):
    """Return for each feature the correlation with the label."""
    x = dataset.x - dataset.x.mean(0)
    y = dataset.y - dataset.y.mean()
    return dict(zip(dataset.features, (x.T @ y) / len(y) / x.std(0) / y.std(), strict=True))
