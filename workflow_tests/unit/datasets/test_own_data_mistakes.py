"""Files of one's own: everything that can be wrong with them, in one message each."""

import numpy as np
import pytest
from own_tables import read, table

from dpmia.common.errors import ConfigError, DataError
from dpmia.datasets.own.files import why_no_number
from dpmia.settings.own_data import OwnData

free = {f"note{number}": lambda i, number=number: f"text {i} of {number}" for number in range(100)}

WRONG = {
    "no label column": (table(), {"label": "il"}, ["label is 'il'", "Did you mean 'ill'"]),
    "no group column": (table(), {"group": "sit"}, ["group is 'sit'", "Did you mean 'site'"]),
    "no column to drop": (table(), {"drop": ["agee"]}, ["'agee'", "Did you mean 'age'"]),
    "a column twice": (table().replace("dose", "age", 1), {}, ["column 3", "column 2 has the same name 'age'"]),
    "a column without name": (table().replace("dose", "", 1), {}, ["column 3", "no name"]),
    "one class": (table(ill=lambda i: "yes"), {}, ["'ill'", "one class (yes)"]),
    "a class in two spellings": (
        table(ill=lambda i: ("0", "1", "1.0")[i % 3]), {"positive": 1}, ["'ill'", "'1' and '1.0' are one number"]
    ),
    "a class in other capitals": (
        table(ill=lambda i: ("no", "yes", "Yes")[i % 3]),
        {"positive": "yes"},
        ["'ill'", "'yes' and 'Yes'", "name both under positive"],
    ),
    "a class in other capitals, of several": (
        table(ill=lambda i: ("no", "yes", "Yes")[i % 3]), {}, ["'ill'", "'yes' and 'Yes' differ in capitals alone"]
    ),
    "an unknown class": (table(), {"positive": "maybe"}, ["'maybe'", "'yes'"]),
    "no number for positive_from": (table(), {"positive_from": 3}, ["row 2", "'ill'", "a number"]),
    "a label missing": (table(ill=lambda i: "" if i == 4 else "ny"[i % 2]), {}, ["row 6", "'ill'", "missing: drop"]),
    "the label again": (table(site=lambda i: "A" if (i * 7) % 5 < 2 else "B"), {}, ["'site'", "classes of the label"]),
    "a group in every row": (table(site=lambda i: f"s{i}"), {}, ["'site'", "its own group"]),
    "one group": (table(site=lambda i: "a"), {}, ["'site'", "one group (a)"]),
    "a constant column": (table(age=lambda i: "7"), {}, ["'age'", "'7' only", "drop: [age]"]),
    "an empty column": (table(age=lambda i: ""), {}, ["'age'", "no value", "drop: [age]"]),
    "an infinity": (table(dose=lambda i: "inf" if i == 5 else str(i)), {}, ["row 7", "'dose'", "'inf'", "finite"]),
    "a huge number": (table(dose=lambda i: "1e999" if i == 5 else str(i)), {}, ["row 7", "'dose'", "beyond 3.4e+38"]),
    "mixed types": (table(age=lambda i: "old" if i == 9 else str(i)), {}, ["row 11", "'age'", "'old'", "types:"]),
    "decimal commas": (
        table(";", dose=lambda i: f"{i},5"), {}, ["row 2", "'dose'", "'0,5'", "has a comma", "{dose: category}"]
    ),
    "a type that does not fit": (table(), {"types": {"colour": "number"}}, ["row 2", "'colour'", "'red'"]),
    "free text": (table(**free), {}, ["free text", "'note0'", "and 95 more", "drop:"]),
    "bytes that are no text": (table().encode().replace(b"red", b"r\xe9d", 1), {}, ["row 2", "0xE9", "UTF-8"]),
    "a short row": (table() + "a,3\n", {}, ["row 62", "2 fields", "5"]),
    "a quote alone": (table() + 'a,"3,1,red,no\n', {}, ["row 62", "quotes"]),
    "too few records": ("\n".join(table().splitlines()[:20]) + "\n", {}, ["19 records", "40"]),
    "no records": ("site,age,ill\n", {}, ["no records"]),
    "nothing": ("", {}, ["empty"]),
    "a missing value": (table(age=lambda i: "" if i == 2 else str(i)), {"missing": "refuse"}, ["row 4", "'age'"]),
    "no features": (table(age=None, dose=None, colour=None), {}, ["no feature"]),
}  # fmt: skip


@pytest.mark.parametrize(("content", "settings", "fragments"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_reported_in_one_message(tmp_path, content, settings, fragments):
    with pytest.raises(DataError) as caught:
        read(tmp_path, content, **settings)
    message = str(caught.value)
    assert message.startswith("own.csv")
    assert "\n" not in message
    for fragment in fragments:
        assert fragment in message, message


def test_an_attribute_that_is_no_column_is_reported(tmp_path):
    with pytest.raises(ConfigError, match="Did you mean 'colour'"):
        read(tmp_path, table(), attributes=("color",))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": np.arange(50)}, "array 'x' is missing"),
        ({"x": np.zeros((50, 2)), "y": np.arange(3)}, "y has .*\\(50,\\)"),
        ({"x": np.full((50, 2), np.inf), "y": np.arange(50) % 2}, "row 1, column 1"),
        ({"x": np.zeros(50), "y": np.arange(50) % 2}, "numbers of shape"),
        (
            {"x": np.zeros((50, 2)), "y": np.arange(50) % 2, "group": np.array([1.0, np.nan] * 25)},
            "group, row 2: nan is not a group",
        ),
    ],
)
def test_wrong_arrays_are_reported(tmp_path, arrays, message):
    np.savez(tmp_path / "own.npz", **arrays)
    with pytest.raises(DataError, match=message):
        read(tmp_path, (tmp_path / "own.npz").read_bytes(), name="own.npz", label=None, group=None)


def test_parquet_without_its_library_is_reported(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(DataError, match="pip install"):
        read(tmp_path, b"PAR1 and more", name="own.parquet")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"path": "a.xlsx", "label": "y"}, "does not end in"),
        ({"path": "a.csv"}, "key label is missing"),
        ({"path": "a.csv", "label": "y", "group": "y"}, "group and label are the same"),
        ({"path": "a.csv", "label": "y", "drop": ["y"]}, "drop cannot hold 'y'"),
        ({"path": "a.csv", "label": "y", "positive": [np.inf]}, "(?s)positive.*a finite number"),
        (
            {"path": "a.csv", "label": "y", "positive": 1, "positive_from": 1},
            "positive cannot be combined with positive_from",
        ),
        ({"path": "a.npz", "label": "y"}, "label cannot be combined with .npz"),
        ({"path": "a.parquet", "label": "y", "separator": ";"}, "separator cannot be combined with Parquet"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        OwnData(**settings)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("1e39", "is beyond 3.4e+38"),
        ("-inf", "is not finite"),
        ("nan", "is not finite"),
        ("0,5", "has a comma"),
        ("1.234,5", "has a comma"),
        ("1_000", "is not a number"),
        ("12%", "is not a number"),
    ],
)
def test_a_text_that_is_no_number_has_its_reason(text, why):
    assert why_no_number(text).startswith(why)
