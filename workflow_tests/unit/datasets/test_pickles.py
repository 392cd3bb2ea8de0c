"""Pickled batches of images: of any numpy and Python, damaged and hostile."""

import os
import pickle

import numpy as np
import pytest
from image_samples import PIXELS

from dpmia.common.errors import DataError
from dpmia.datasets.raw import image_files
from dpmia.datasets.raw.pickles import unpickled


def batch(**changes):
    content = {
        b"batch_label": b"x",
        b"labels": [0, 1, 2, 3, 4, 9],
        b"data": PIXELS.reshape(6, -1),
        b"filenames": [b"a"],
    }
    return {**content, **{key.encode(): value for key, value in changes.items()}}


def pickled(folder, value, protocol=2):
    (folder / "batch").write_bytes(pickle.dumps(value, protocol=protocol))
    return folder / "batch"


@pytest.mark.parametrize("numpy", [b"numpy._core", b"numpy.core"])
def test_batches_of_any_numpy_are_read(tmp_path, numpy):
    path = pickled(tmp_path, batch(), 3)
    path.write_bytes(path.read_bytes().replace(b"numpy._core", numpy))
    read = image_files.batch(path, "labels", 10)
    np.testing.assert_array_equal(read.pixels, PIXELS)
    assert read.labels.tolist() == [0, 1, 2, 3, 4, 9]
    assert read.labels.dtype == np.int64


def test_a_batch_is_read_as_python_2_wrote_it(tmp_path):
    array = (
        b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R(K\x01K\x06M\x00\x0c\x86"
        b"cnumpy\ndtype\nU\x02u1K\0K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"
        b"\x89T" + PIXELS.nbytes.to_bytes(4, "little") + PIXELS.tobytes() + b"tb"
    )
    content = b"\x80\x02}(U\x04data" + array + b"U\x06labels](K\x06K\x09K\x09K\x04K\x01K\x01eu."
    (tmp_path / "batch").write_bytes(content)
    read = image_files.batch(tmp_path / "batch", "labels", 10)
    np.testing.assert_array_equal(read.pixels, PIXELS)
    assert read.labels.tolist() == [6, 9, 9, 4, 1, 1]


def test_keys_may_be_texts(tmp_path):
    path = pickled(tmp_path, {"labels": [3] * 6, "data": PIXELS.reshape(6, -1)}, protocol=3)
    assert image_files.batch(path, "labels", 10).labels.tolist() == [3] * 6


class Calls:
    """Pickles as the call of a function."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


class Unknown:
    """A type that is no plain value."""


class Loose(np.ndarray):
    """An array of another type."""


@pytest.mark.parametrize("place", ["value", "key of a part", "whole"])
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_a_hostile_pickle_runs_nothing(tmp_path, place, protocol):
    bait = tmp_path / "bait"
    evil = Calls(os.mkdir, str(bait))
    value = {"value": {"data": evil}, "key of a part": {"data": [{"x": evil}]}, "whole": evil}[place]
    path = pickled(tmp_path, value, protocol)
    with pytest.raises(DataError, match=r"batch: the pickle holds the name posix\.mkdir.*Do not open"):
        unpickled(path)
    assert not bait.exists()
    pickle.loads(path.read_bytes())
    assert bait.exists(), "the pickle is hostile where all is allowed"


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (Calls(eval, "1"), r"builtins\.eval"),
        (Calls(getattr, "", "join"), r"builtins\.getattr"),
        (Calls(np.load, "x"), "numpy.*load"),
        (Unknown(), "Unknown"),
        (np.float64(1.0), r"numpy\._core\.multiarray\.scalar"),
        (np.arange(3).view(Loose), "Loose"),
        (np.arange(3.0), "an array of float64"),
        (np.arange(3), "an array of int64"),  # of more than one byte, a dtype is made for the pickle and set by it
        (np.array([Unknown()], dtype=object), "an array of object"),
        (np.array([(1, 2)], dtype=[("a", "i4"), ("b", "i4")]), r"an array of \|V8"),
    ],
)
def test_only_arrays_of_bytes_and_plain_values_are_unpickled(tmp_path, value, named):
    with pytest.raises(DataError, match=f"holds .*{named}"):
        unpickled(pickled(tmp_path, {"data": value}, 3))


def test_a_pickle_sets_no_flags_of_a_type(tmp_path):
    """With one of them, numpy takes bytes for references to objects."""
    content = pickle.dumps({"data": PIXELS}, protocol=3)
    end = b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t"  # of the state of the type; flags stand last
    assert content.count(end) == 1
    (tmp_path / "batch").write_bytes(content.replace(end, end.replace(b"K\x00t", b"K\x01t")))
    array = unpickled(tmp_path / "batch")["data"]
    assert array.dtype is np.dtype(np.uint8)
    assert array.dtype.flags == 0
    np.testing.assert_array_equal(array, PIXELS)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (pickle.dumps(batch(), protocol=3)[:-100], "the pickle is damaged"),
        (b"", "the pickle is damaged"),
        (b"not a pickle", "the pickle is damaged"),
        (b"cnumpy\nndarray\n(I1\ntR.", "the pickle is damaged"),
        (b"Phello\n.", "the pickle is damaged"),
        (b"\x80\x02}r" + (2**28).to_bytes(4, "little") + b".", "the pickle is damaged"),  # 4 GB of memo
        (pickle.dumps([1, 2], protocol=3), "the pickle holds a list, not a dictionary"),
        (pickle.dumps(None), "the pickle holds a NoneType"),
    ],
)
def test_damaged_pickles_are_reported(tmp_path, content, fault):
    (tmp_path / "batch").write_bytes(content)
    with pytest.raises(DataError, match=f"batch: {fault}"):
        unpickled(tmp_path / "batch")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"data": PIXELS},
            r"key 'data': uint8 of shape \(6, 3, 32, 32\) is not uint8 of shape \(records, 3072\)",
        ),
        ({"data": PIXELS.reshape(6, -1).astype(np.int8)}, "key 'data': int8"),
        ({"data": [1, 2]}, r"key 'data': \[1, 2\]"),
        ({"data": None}, "key 'data': None"),
        ({"labels": None}, "key 'labels': None is not a list"),
        ({"labels": ["cat"] * 6}, "key 'labels'"),
        ({"labels": [1.0] * 6}, "key 'labels'"),
        ({"labels": [10**30] * 6}, "key 'labels'"),
        ({"labels": [0, 1]}, "6 images do not fit 2 labels"),
        ({"labels": [0, 1, 2, 3, 4, 10]}, "labels 0 to 10"),
        ({"labels": [0, 1, 2, 3, 4, -1]}, "labels -1 to 4"),
        ({"labels": [], "data": PIXELS.reshape(6, -1)[:0]}, "0 images"),
    ],
)
def test_batches_of_another_kind_are_reported(tmp_path, changes, fault):
    with pytest.raises(DataError, match=fault):
        image_files.batch(pickled(tmp_path, batch(**changes), 3), "labels", 10)
