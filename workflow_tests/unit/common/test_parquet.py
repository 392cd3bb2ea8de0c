"""Tables in Parquet: limits on what is unpacked, whatever the file says of itself. Needs the extra `parquet`."""

from __future__ import annotations

import contextlib
import datetime
import tracemalloc
from dataclasses import replace

import mutations
import pandas as pd
import pytest

from dpmia.common.errors import DataError
from dpmia.common.reading.parquet import columns
from dpmia.common.reading.source import UNPACKED, ReadLimits, own

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def read(path, **limits):
    return columns(replace(own(path), limits=ReadLimits(**limits)), path.read_bytes())


@pytest.fixture
def save(tmp_path):
    def write(table, **how):
        parquet.write_table(pyarrow.table(table), tmp_path / "own.parquet", **how)
        return tmp_path / "own.parquet"

    return write


def test_every_value_is_a_text_that_is_read_back_the_same(save):
    path = save(
        {
            "whole": pyarrow.array([1, None, -3]),
            "real": pyarrow.array([0.1, 1e300, None]),
            "text": pyarrow.array([" a", "é;b", None]),
            "coded": pyarrow.array(["x", None, "x"]).dictionary_encode(),
            "day": pyarrow.array([datetime.date(2026, 1, 2), None, datetime.date(1, 1, 1)]),
            "yes": pyarrow.array([True, False, None]),
        }
    )
    names, table = read(path)
    assert names == ["whole", "real", "text", "coded", "day", "yes"]
    assert table == [
        *(["1", "", "-3"], ["0.1", "1e+300", ""], ["a", "é;b", ""], ["x", "", "x"]),
        *(["2026-01-02", "", "0001-01-01"], ["True", "False", ""]),
    ]


def test_the_index_of_a_data_frame_is_no_feature(tmp_path):
    frame = pd.DataFrame({"age": range(10), "ill": list("ny") * 5})
    frame.sort_values("ill").to_parquet(tmp_path / "own.parquet")
    with pytest.raises(
        DataError, match=r"column '__index_level_0__': it is the index of a data frame\. Save the frame"
    ):
        read(tmp_path / "own.parquet")
    frame.sort_values("ill").to_parquet(tmp_path / "own.parquet", index=False)
    assert read(tmp_path / "own.parquet")[0] == ["age", "ill"]


def test_rows_in_several_groups_keep_their_order(save):
    numbers = [str(number) for number in range(25_000)]
    path = save({"text": numbers, "number": list(map(int, numbers))}, row_group_size=7_000)
    assert read(path)[1] == [numbers, numbers]


@pytest.mark.parametrize(
    ("table", "limits", "message"),
    [
        ({"a": [1] * 11}, {"rows": 10}, "11 rows of 1 columns are more than are read"),
        ({"a": [1] * 6, "b": [1] * 6}, {"rows": 10}, "6 rows of 2 columns are more"),
        ({name: [1] for name in "abc"}, {"columns": 2}, "1 rows of 3 columns are more"),
        ({"a": list(range(1000))}, {"bytes": 1000}, "more than the 1000 that are read"),
        ({"a": ["x" * 1000] * 1000}, {"bytes": 100_000}, "fields hold more than the 100000 bytes"),
        ({"a": ["x" * 131_073]}, {}, "a field is longer than 131072 characters"),
    ],
    ids=["rows", "fields", "columns", "bytes", "bytes of shared texts", "field"],
)
def test_more_than_is_read(save, table, limits, message):
    with pytest.raises(DataError, match=rf"^own\.parquet: .*{message}"):
        read(save(table), **limits)


def test_a_bomb_is_refused_before_memory_is_taken(save):
    path = save({"a": [b"\0".decode() * (UNPACKED * 2)]}, use_dictionary=False, compression="gzip")
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    with pytest.raises(DataError, match="over 200 times as many bytes as it has"):
        read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < UNPACKED


def test_a_long_text_that_many_rows_share_is_unpacked_once(save):
    path = save({"a": ["x" * 100_000] * 1_000})
    tracemalloc.start()
    (column,) = read(path)[1]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(column) == 1_000
    assert peak < 10 << 20


@pytest.mark.parametrize("values", [[[1, 2]], [{"x": 1}], [b"raw"]], ids=["list", "mapping", "bytes"])
def test_values_that_are_no_fields_of_a_table(save, values):
    with pytest.raises(DataError, match=r"own\.parquet, column 'a': its values are of the type"):
        read(save({"a": values}))


@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_damage_is_named_or_changes_nothing_but_values(save, first):
    right = save({"a": list(range(50)), "b": [f"text {number % 5}" for number in range(50)]}).read_bytes()
    path = save({"a": [1]})
    for number in range(first, first + 100):
        path.write_bytes(mutations.damaged(mutations.rng_of("parquet", number), right))
        with contextlib.suppress(DataError):
            names, table = read(path)
            assert len({len(column) for column in table}) == 1
            assert len(names) == len(table)
