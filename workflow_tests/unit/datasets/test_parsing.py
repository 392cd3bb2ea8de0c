"""Damaged raw files: each is told by file, row and column, with what was found and expected."""

import pytest
from synthetic_files import write_synthetic

from dpmia.common.errors import DataError
from dpmia.datasets.published import adult, compas, heart, student
from dpmia.datasets.raw.parsing import Category, Layout, Number, read_table, stack
from dpmia.formats.provenance import SYNTHETIC_MARK

LAYOUT = Layout(
    columns=("size", "colour", "size", "label"),
    kinds={"size": Number(0, 9), "colour": Category(("red", "green")), "label": Category(("0", "1"), coded=True)},
    header=True,
    comment="#",
    missing="?",
    complete=("label",),
)
GOOD = "size,colour,size,label\n1,red,7,0\n?,green,8,1.0\n"


def table(tmp_path, content, layout=LAYOUT):
    path = tmp_path / "toy.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, layout)


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("red", '"red"'),
        GOOD.replace(",", ", "),
        GOOD + "\n\n  \n",
        "\ufeff" + GOOD,
        "# a remark\n" + GOOD,
        GOOD[:-1],
    ],
)
def test_one_table_in_many_ways(tmp_path, content):
    frame = table(tmp_path, content)
    assert frame["size"].tolist()[0] == 1.0
    assert frame["size"].isna().tolist() == [False, True]
    assert frame["colour"].tolist() == ["red", "green"]
    assert frame["label"].tolist() == ["0", "1"]


FAULTS = {
    "an empty file": ("", "toy.csv: the file is empty"),
    "blanks only": (" \n\n", "toy.csv: the file is empty"),
    "a header only": ("size,colour,size,label\n", "toy.csv: the file has no records"),
    "a remark only": ("# nothing\n", "0 column names instead of 4 (missing: 'size', 'colour', 'size', 'label')"),
    "a misspelt column": (
        GOOD.replace("colour", "color"),
        "toy.csv, row 1, column 2: the column name 'color' should be 'colour'. Did you mean 'colour'?",
    ),
    "columns in another order": (
        GOOD.replace("size,colour", "colour,size", 1),
        "row 1, column 1: the column name 'colour' should be 'size'. Delete",
    ),
    "a column too few": ("size,colour,size\n1,red,7\n", "column names instead of 4"),
    "a column too many": ("size,colour,size,label,x\n", "column names instead of 4"),
    "a cut row": (GOOD + "3,gre", "toy.csv, row 4: 2 fields instead of 4, separated by ','"),
    "a long row": (GOOD + "3,red,1,0,0\n", "toy.csv, row 4: 5 fields instead of 4"),
    "another separator": (GOOD.replace(",", ";"), "the column name 'size;colour;size;label'"),
    "no number": (GOOD + "3x,red,1,0\n", "toy.csv, row 4, column 'size': '3x' is not a number from 0 to 9"),
    "an underscore": (GOOD + "1_0,red,1,0\n", "row 4, column 'size': '1_0'"),
    "not a number": (GOOD + "nan,red,1,0\n", "row 4, column 'size': 'nan'"),
    "out of range": (GOOD + "10,red,1,0\n", "row 4, column 'size': '10' is not a number from 0 to 9 (or '?'"),
    "a number left out": (GOOD + ",red,1,0\n", "row 4, column 'size': an empty field"),
    "an unknown value": (
        GOOD + "\n2,Green,1,0\n",
        "toy.csv, row 5, column 'colour': 'Green' is not one of 'red', 'green' (or '?' where missing). "
        "Did you mean 'green'?",
    ),
    "an unknown value in another case": (
        GOOD.replace("green", "GREEN "),
        "row 3, column 'colour': 'GREEN ' is not one of 'red', 'green' (or '?' where missing). Did you mean 'green'?",
    ),
    "a missing label": (GOOD + "2,red,1,?\n", "row 4, column 'label': '?' is not one of '0', '1'."),
    "after a field of two lines": ('size,colour,size,label\n1,red,"7\n7",0\n1,blue,7,0\n', "row 4, column 'colour'"),
    "an open quote": (GOOD + '2,"red,1,0\n', "toy.csv, row 4: the row is damaged"),
    "latin bytes": (
        GOOD.encode() + "2,é,1,0\n".encode("latin-1"),
        "toy.csv, row 4: byte 0xE9 is not UTF-8",
    ),
}


@pytest.mark.parametrize(("content", "message"), FAULTS.values(), ids=FAULTS)
def test_damage_is_reported(tmp_path, content, message):
    with pytest.raises(DataError) as caught:
        table(tmp_path, content)
    assert message in str(caught.value)


def test_an_absent_file_is_reported(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.csv: the file does not exist"):
        read_table(tmp_path / "nowhere.csv", LAYOUT)


def test_where_nothing_may_be_missing_the_mark_is_a_fault(tmp_path):
    layout = Layout(columns=("a",), kinds={"a": Number()}, header=True)
    with pytest.raises(DataError, match=r"column 'a': '\?' is not a number\."):
        table(tmp_path, "a\n1\n?\n", layout)


def test_provenance_of_stacked_files(tmp_path):
    first = table(tmp_path, GOOD)
    (tmp_path / SYNTHETIC_MARK).write_text("synthetic")
    second = table(tmp_path, GOOD + "3,red,1,0\n")
    joined = stack([first, second])
    assert joined["colour"].tolist() == ["red", "green", "red", "green", "red"]
    assert [file.rows for file in joined.attrs["provenance"].files] == [2, 3]
    assert [file.bytes for file in joined.attrs["provenance"].files] == [len(GOOD), len(GOOD) + 10]
    assert not first.attrs["provenance"].synthetic
    assert second.attrs["provenance"].synthetic
    assert joined.attrs["provenance"].synthetic


# Each case: data set, file, text to find in the synthetic file, its replacement (once), and the message.
PUBLISHED = [
    (adult, "adult.data", "HS-grad", "HS-gard", "column 'education': 'HS-gard'", "Did you mean 'HS-grad'?"),
    (adult, "adult.data", "<=50K\n", "<=50K.\n", "column 'income': '<=50K.'", "'<=50K', '>50K'"),
    (adult, "adult.test", "<=50K.\n", "<=50K\n", "column 'income': '<=50K'", "'<=50K.', '>50K.'"),
    (adult, "adult.test", "|1x3", "1x3", "adult.test, row 1: 1 field", "15"),
    (compas, "compas-scores-two-years.csv", "priors_count", "prior_count", "row 1, column 15", "Did you mean"),
    (compas, "compas-scores-two-years.csv", ",Male,", ",male,", "column 'sex': 'male'", "Did you mean 'Male'?"),
    (heart, "processed.va.data", ",", ";", "processed.va.data, row 1: 13 fields", "14"),
    (heart, "processed.cleveland.data", "0\n", "7\n", "column 'num': '7'", "'0', '1', '2', '3', '4'"),
    (student, "student-por.csv", ";", ",", "row 1, column 1: the column name 'school,sex'", "should be 'school'"),
    (student, "student-por.csv", '"GP"', '"GB"', "row 2, column 'school': 'GB'", "one of 'GP', 'MS'"),
]


@pytest.fixture(scope="module")
def raw_folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("synthetic")
    for module in (adult, compas, heart, student):
        write_synthetic(module.__name__.rpartition(".")[2], root / module.__name__)
    return root


@pytest.mark.parametrize(("module", "file", "old", "new", "shown", "expected"), PUBLISHED)
def test_damage_in_published_formats_is_reported(raw_folders, tmp_path, module, file, old, new, shown, expected):
    for path in (raw_folders / module.__name__).iterdir():
        content = path.read_bytes()
        if path.name == file:
            assert old.encode() in content
            content = content.replace(old.encode(), new.encode(), 1)
        (tmp_path / path.name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        module.read(tmp_path)
    assert file in str(caught.value)
    assert shown in str(caught.value)
    assert expected in str(caught.value)
