"""Canaries: worst-case records in the place of the first ones."""

import numpy as np
import pytest

from dpmia.common.errors import ConfigError
from dpmia.datasets.canaries import with_canaries
from dpmia.datasets.dataset import Dataset
from dpmia.jobs.drawing import Canaries

RECORDS, FEATURES = 40, 30


def toy(classes=3, dtype=np.float32):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 200, (RECORDS, FEATURES)).astype(dtype)
    names = tuple(map(str, range(FEATURES))), tuple(map(str, range(classes)))
    return Dataset("toy", x, np.arange(RECORDS) % classes, *names)


def test_only_the_first_records_are_replaced():
    before = toy()
    after = with_canaries(before, Canaries(10, ["mislabelled", "outlier"]))
    assert len(after) == RECORDS
    np.testing.assert_array_equal(after.x[10:], before.x[10:])
    np.testing.assert_array_equal(after.y[10:], before.y[10:])
    np.testing.assert_array_equal(before.x, toy().x)
    assert after.fingerprint != before.fingerprint


@pytest.mark.parametrize("classes", [2, 3])
def test_mislabelled_records_have_their_features_and_any_other_label(classes):
    before = toy(classes)
    after = with_canaries(before, Canaries(RECORDS, ["mislabelled"]))
    np.testing.assert_array_equal(after.x, before.x)
    assert (after.y != before.y).all()
    assert len({*zip(before.y.tolist(), after.y.tolist(), strict=True)}) == classes * (classes - 1)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_outliers_have_extreme_features_that_differ(dtype):
    before = toy(dtype=dtype)
    after = with_canaries(before, Canaries(20, ["outlier"]))
    ends = before.x.min(axis=0), before.x.max(axis=0)
    assert after.x.dtype == dtype
    assert ((after.x[:20] == ends[0]) | (after.x[:20] == ends[1])).all()
    assert 0.4 < (after.x[:20] == ends[1]).mean() < 0.6
    assert len(np.unique(after.x[:20], axis=0)) == 20
    assert set(after.y[:20].tolist()) == {0, 1, 2}


def test_kinds_take_turns():
    before = toy()
    after = with_canaries(before, Canaries(9, ["mislabelled", "outlier"]))
    changed = (after.x[:9] != before.x[:9]).any(axis=1)
    assert changed.tolist() == [False, True] * 4 + [False]
    assert (after.y[:9:2] != before.y[:9:2]).all()


def test_canaries_are_the_same_in_every_run():
    one, other = (with_canaries(toy(), Canaries(10, ["mislabelled", "outlier"])) for _ in range(2))
    assert one.fingerprint == other.fingerprint


def test_more_canaries_than_records_and_a_single_class_are_refused():
    with pytest.raises(ConfigError, match="41 records are replaced by canaries, and there are 40") as error:
        with_canaries(toy(), Canaries(41, ["outlier"]))
    assert "membership.queries" in str(error.value)
    with pytest.raises(ConfigError, match=r"membership\.canaries: toy has fewer than two classes"):
        with_canaries(toy(1), Canaries(4, ["outlier"]))
