"""Files of splits: read back as written, or named with what is wrong."""

import numpy as np
import pytest
from test_splits import rng, same

from dpmia.common.errors import DataError
from dpmia.splits.draws import group, shuffled
from dpmia.splits.split import Split, load_splits, save_splits

GROUPS = np.repeat(["a", "b", "c"], [10, 20, 30])


class Data(list):
    """Stands for a data set of 60 records."""

    def __init__(self, fingerprint):
        super().__init__(GROUPS)
        self.fingerprint = fingerprint


def test_saved_splits_are_read_back(tmp_path):
    splits = {
        (arm, replicate): group(GROUPS, rng(replicate), group=arm, members=5, nonmembers=6)
        for arm in ("a", "b")
        for replicate in (0, 11)
    }
    splits["a-iid", 0] = shuffled(splits["a", 0], rng())
    splits["p0.1", 3] = Split([4], [2], [9], [8], [7, 5])
    save_splits(tmp_path / "splits.npz", splits, "data1")
    for dataset in (None, Data("data1")):
        loaded = load_splits(tmp_path / "splits.npz", dataset)
        assert loaded.keys() == splits.keys()
        assert all(same(loaded[key], splits[key]) for key in splits)


def test_splits_of_other_data_are_refused(tmp_path):
    save_splits(tmp_path / "splits.npz", {}, "data1")
    with pytest.raises(DataError, match=r"splits\.npz: splits of data data1, expected data data2"):
        load_splits(tmp_path / "splits.npz", Data("data2"))


@pytest.mark.parametrize(
    ("split", "problem"),
    [
        (Split([], [2], [9], [8], [7]), "a split has no members"),
        (Split([1], [2], [60], [8], [7]), "it has row 60 of 60 records, from 0"),
    ],
)
def test_splits_that_no_draw_makes_are_a_damaged_file(split, problem, tmp_path):
    save_splits(tmp_path / "splits.npz", {("a", 0): split}, "data1")
    with pytest.raises(DataError, match=rf"splits\.npz: it holds no splits .*{problem}"):
        load_splits(tmp_path / "splits.npz", Data("data1"))


def test_splits_in_the_place_of_those_of_another_job_are_refused(tmp_path):
    run = tmp_path / "results" / "splits"
    save_splits(run / "adult" / "block-0.npz", {}, "data1")
    assert load_splits(run / "adult" / "block-0.npz", Data("data1")) == {}
    for place in ("adult/block-1.npz", "heart/block-0.npz"):
        (run / place).parent.mkdir(exist_ok=True)
        (run / place).write_bytes((run / "adult" / "block-0.npz").read_bytes())
        with pytest.raises(DataError, match=r"block-\d\.npz: it holds the splits of adult/block-0"):
            load_splits(run / place, Data("data1"))
    elsewhere = tmp_path / "adult.npz"
    elsewhere.write_bytes((run / "adult" / "block-0.npz").read_bytes())
    assert load_splits(elsewhere, Data("data1")) == {}
