"""Files of one's own: what is detected in them."""

import gzip

import numpy as np
import pandas as pd
import pytest
from own_tables import ROWS, read, table, table_of
from sklearn.metrics import roc_auc_score

from dpmia.common.errors import DataError
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.groups import group_sizes
from dpmia.datasets.own import table as own
from dpmia.datasets.own.label_auc import label_auc
from dpmia.datasets.published import student
from dpmia.datasets.synthetic import sampler
from dpmia.datasets.synthetic.__main__ import main as write_example
from dpmia.settings.generate import ROOT
from dpmia.settings.own_data import OwnData


def test_types_classes_and_groups_are_detected_reported_and_stored(tmp_path):
    dataset = read(tmp_path, table())
    assert dataset.features == ("age", "dose", "colour=blue", "colour=green", "colour=red")
    assert dataset.classes == ("no", "yes")
    assert set(dataset.attributes) == {"site"}
    assert dataset.x.min() == 0
    assert dataset.x.max() == 1
    reported = "\n".join(own.describe(dataset.provenance))
    for text in ("60 of 60 rows", "number: age, dose", "category: colour", "no 36, yes 24", "a 30, b 30"):
        assert text in reported
    dataset.save(tmp_path / "data.npz")
    again = Dataset.load(tmp_path / "data.npz")
    assert own.describe(again.provenance) == own.describe(dataset.provenance)
    np.testing.assert_array_equal(again.rows, np.arange(2, ROWS + 2))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_any_separator_and_gzip_give_the_same_records(tmp_path, separator):
    plain = read(tmp_path, table())
    other = read(tmp_path, gzip.compress(table(separator).encode()), name="own.csv.gz")
    assert other.fingerprint == plain.fingerprint


def test_parquet_gives_the_same_records_as_csv(tmp_path):
    pytest.importorskip("pyarrow")
    import pandas as pd

    plain = read(tmp_path, table())
    pd.read_csv(tmp_path / "own.csv").to_parquet(tmp_path / "own.parquet")
    other = read(tmp_path, (tmp_path / "own.parquet").read_bytes(), name="own.parquet")
    assert other.fingerprint == plain.fingerprint


def test_arrays_are_taken_as_they_are(tmp_path):
    rng = np.random.default_rng(1)
    x, y, group = rng.normal(size=(50, 3)), np.arange(50) % 3, np.where(np.arange(50) < 20, "left", "right")
    np.savez(tmp_path / "made.npz", x=x, y=y, group=group)
    dataset = read(tmp_path, (tmp_path / "made.npz").read_bytes(), name="own.npz", label=None, group=None)
    np.testing.assert_array_equal(dataset.x, x.astype(np.float32))
    assert dataset.classes == ("0", "1", "2")
    assert dataset.attributes["group"].tolist() == group.tolist()
    reading = OwnData(path="own.npz").reading.at(tmp_path / "own.npz")
    assert group_sizes(None, reading, "group") == {"left": 20, "right": 30}
    with pytest.raises(DataError, match=r"other\.npz: the file does not exist"):
        group_sizes(None, reading.at(tmp_path / "other.npz"), "group")


@pytest.mark.parametrize(
    ("shape", "kind"), [((3, 4, 5), "uint8"), ((1, 4, 5), "float64"), ((6, 2), "float32"), ((6, 2), "uint8")]
)
def test_images_and_other_shapes_keep_what_they_are(tmp_path, shape, kind):
    x = np.random.default_rng(1).integers(0, 256, (50, *shape)).astype(kind)
    np.savez(tmp_path / "made.npz", x=x, y=np.arange(50) % 3)
    dataset = read(tmp_path, (tmp_path / "made.npz").read_bytes(), name="own.npz", label=None, group=None)
    dataset.save(tmp_path / "data.npz")
    dataset = Dataset.load(tmp_path / "data.npz")
    assert dataset.image == shape
    shown = "images (channels × height × width)" if len(shape) == 3 else "arrays"
    assert own.describe(dataset.provenance)[1] == f"Read as {shown}: {' × '.join(map(str, shape))}."
    scale = 255 if kind == "uint8" else 1
    np.testing.assert_allclose(dataset.inputs().reshape(x.shape), x / scale, rtol=1e-6)
    assert dataset.x.dtype == ("uint8" if kind == "uint8" else "float32")


def test_pupils_as_ones_own_data_are_the_published_data_set(tmp_path):
    sampler.write_files("student", tmp_path, 1)
    settings = {"label": "G3", "positive_from": student.PASS, "drop": ["G1", "G2"], "group": "school"}
    mine = read(tmp_path, (tmp_path / student.FILE).read_bytes(), name=student.FILE, **settings)
    published = student.encode(student.read(tmp_path))
    assert (mine.fingerprint, mine.features) == (published.fingerprint, published.features)


def test_several_values_can_be_the_positive_class(tmp_path):
    dataset = read(tmp_path, table(), label="colour", positive=["red", "blue"])
    assert dataset.classes == ("other", "red, blue")
    np.testing.assert_array_equal(dataset.y, np.arange(ROWS) % 3 != 1)


def test_types_can_be_overridden(tmp_path):
    codes = table(ward=lambda i: str(i % 4))
    assert "ward" in read(tmp_path, codes).features
    assert "ward=0" in read(tmp_path, codes, types={"ward": "category"}).features


@pytest.mark.parametrize(("policy", "records"), [("fill", ROWS), ("drop", ROWS - 2)])
def test_missing_values_are_filled_or_leave_their_rows_out(tmp_path, policy, records):
    dataset = read(tmp_path, table(age=lambda i: "NA" if i in (3, 8) else str(20 + i)), missing=policy)
    assert len(dataset) == records
    assert (5 in dataset.rows) == (policy == "fill")


def test_a_missing_group_is_a_group(tmp_path):
    dataset = read(tmp_path, table(site=lambda i: ("a", "b", "")[i % 3]))
    assert sorted(set(dataset.attributes["site"].tolist())) == ["?", "a", "b"]


def test_rows_that_repeat_another_are_reported_and_removed(tmp_path):
    lines = table().splitlines()
    twin = "b" + lines[1][1:]  # the same features and label in the other group
    dataset = read(tmp_path, "\n".join([*lines, twin]) + "\n")
    assert len(dataset) == ROWS
    assert "row 62 that of row 2" in own.describe(dataset.provenance)[-1]
    assert len(read(tmp_path, "\n".join([*lines, twin]) + "\n", duplicates="keep")) == ROWS + 1


def test_rows_that_only_rounding_makes_equal_are_said_to_be_so(tmp_path):
    seconds = [str(1.7e9 + 10 * i) for i in range(ROWS - 1)]
    only = {"age": None, "dose": None, "colour": None, "site": None, "ill": lambda i: "ny"[i % 2]}
    exact = read(tmp_path, table(seen=[*seconds, str(1.7e9 - 10)], **only), group=None)
    assert len(exact) == ROWS
    with pytest.raises(DataError, match="rows differ from all before"):
        read(tmp_path, table(seen=[*seconds, "0"], **only), group=None)
    kept = read(tmp_path, table(seen=[*seconds, "0"], **only), group=None, duplicates="keep")
    assert any("by rounding alone: scaled features have 32" in line for line in own.describe(kept.provenance))


def test_a_table_of_few_different_rows_is_refused(tmp_path):
    text = "\n".join(["colour,label", *(f"{'red' if i % 3 else 'blue'},{i % 2}" for i in range(200))]) + "\n"
    message = (
        r"mine\.csv: 4 of 200 rows differ from all before, fewer than the required 40\. Give more rows, or set dup"
    )
    with pytest.raises(DataError, match=message):
        read(tmp_path, text, label="label", name="mine.csv", group=None)
    assert len(read(tmp_path, text, label="label", name="mine.csv", group=None, duplicates="keep")) == 200


def ill(i):
    return (i * 7) % 5 < 2


def test_columns_that_predict_the_label_are_pointed_out_with_their_auc(tmp_path):
    rng = np.random.default_rng(3)
    noise = rng.normal(size=ROWS)
    columns = {
        "code": lambda i: "x" if ill(i) else "y",
        "money": lambda i: str(9 if ill(i) else 1),
        "unknown": lambda i: "" if ill(i) else str(i),  # only those who are not ill have a value
        "later": lambda i: f"{2.3 * ill(i) + noise[i]:.4f}",
        "usual": lambda i: f"{0.8 * ill(i) + noise[-i]:.4f}",
    }
    notes = {line.split("'")[1]: line for line in read(tmp_path, table(**columns)).provenance.own.warnings}
    assert set(notes) == {"code", "money", "unknown", "later"}
    for name in ("code", "money", "unknown"):
        assert notes[name] == (
            f"Warning: column {name!r} alone predicts the label with AUC 1.000: is it known only after the label? "
            f"Then leave it out: drop: [{name}], or dpmia audit --drop {name}."
        )
    values = np.array([2.3 * ill(i) + noise[i] for i in range(ROWS)])
    auc = roc_auc_score([ill(i) for i in range(ROWS)], values)
    assert 0.9 < auc < 0.99
    assert notes["later"].startswith(f"Note: column 'later' alone predicts the label with AUC {auc - 0.005:.2f}: is it")


def test_a_column_that_reveals_one_of_many_classes_is_pointed_out(tmp_path):
    rng = np.random.default_rng(1)
    stage = rng.integers(0, 6, ROWS * 5)
    columns = {
        "age": [str(age) for age in rng.integers(20, 80, ROWS * 5)],
        "died": ["yes" if value == 3 else "no" for value in stage],
        "ill": [f"stage {value}" for value in stage],
    }
    (line,) = read(tmp_path, table_of(columns), group=None).provenance.own.warnings
    assert "Warning: column 'died' alone predicts the label with AUC 1.000 (class stage 3 against all others)" in line


@pytest.mark.parametrize("classes", [2, 6])
@pytest.mark.parametrize("kind", ["number", "category"])
def test_columns_of_chance_are_not_pointed_out(kind, classes):
    rng = np.random.default_rng(2)
    for _ in range(50):
        y = rng.integers(0, classes, 200)
        numbers = pd.Series(rng.normal(size=200))
        column = numbers if kind == "number" else pd.Series(pd.Categorical(rng.integers(0, 50, 200).astype(str)))
        assert label_auc(column, y)[0] < 0.8


def test_the_auc_of_a_column_is_that_of_its_order_or_of_its_values():
    rng = np.random.default_rng(4)
    y = (rng.random(3000) < 0.01).astype(np.int64)
    above = pd.Series(rng.normal(size=3000) - 1.5 * y).round(1)
    assert label_auc(above, y)[0] == pytest.approx(roc_auc_score(1 - y, above))
    inside = pd.Series(np.where(rng.random(3000) < 0.5, -1, 1) + 0.1 * rng.normal(size=3000))
    middle = (inside.rank(pct=True).between(0.3, 0.6)).astype(np.int64).to_numpy()
    assert roc_auc_score(middle, inside) < 0.7
    assert label_auc(inside, middle)[0] > 0.99
    assert label_auc(inside, (np.arange(3000) < 9).astype(np.int64)) == (0.5, 0)  # too few to judge by


def test_numbers_as_labels_need_a_setting_where_there_are_many(tmp_path):
    text = table(ill=lambda i: str(i % 40 / 2))
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    assert str(caught.value) == (
        "own.csv, column 'ill': the labels are 40 different numbers, and regression cannot be audited. "
        "For two classes, set the smallest label of class 1 (positive_from: 7.25). "
        "If each number is a class, set types: {ill: category}."
    )
    assert len(read(tmp_path, text, types={"ill": "category"}).classes) == 40
    assert read(tmp_path, text, positive_from=7).classes == ("below 7", "7 and above")
    digits = table(ill=lambda i: str(i % 10))
    assert len(read(tmp_path, digits).classes) == 10
    with pytest.raises(DataError, match="10 different numbers"):
        read(tmp_path, digits, types={"ill": "number"})
    y = np.arange(80) % 40
    np.savez(tmp_path / "made.npz", x=np.random.default_rng(0).normal(size=(80, 2)), y=y)
    whole = (tmp_path / "made.npz").read_bytes()
    assert len(read(tmp_path, whole, name="own.npz", label=None, group=None).classes) == 40
    np.savez(tmp_path / "made.npz", x=np.random.default_rng(0).normal(size=(80, 2)), y=y / 2)
    with pytest.raises(DataError, match="save y as integers"):
        read(tmp_path, (tmp_path / "made.npz").read_bytes(), name="own.npz", label=None, group=None)


def test_classes_and_groups_that_are_numbers_stand_in_their_order(tmp_path):
    text = table(ill=lambda i: str((0, 1, 10, 11, 2)[i % 5]), site=lambda i: str((9, 10, 100)[i % 3]))
    dataset = read(tmp_path, text)
    assert dataset.classes == ("0", "1", "2", "10", "11")
    dataset.save(tmp_path / "data.npz")
    for copy in (dataset, Dataset.load(tmp_path / "data.npz")):
        lines = "\n".join(own.describe(copy.provenance))
        assert "Classes: 0 12, 1 12, 2 12, 10 12, 11 12." in lines
        assert "9 20, 10 20, 100 20." in lines
    reading = OwnData(path="own.csv", label="ill").reading.at(tmp_path / "own.csv")
    assert list(group_sizes(None, reading, "site")) == ["9", "10", "100"]


def test_of_many_columns_the_first_are_printed_and_all_are_kept(tmp_path):
    rng = np.random.default_rng(0)
    many = {f"c{number}": [f"{value:.3f}" for value in rng.normal(size=ROWS)] for number in range(100)}
    dataset = read(tmp_path, table(age=None, dose=None, **many))
    (line,) = (line for line in own.describe(dataset.provenance) if line.startswith("Read as number"))
    assert line == "Read as number: c0, c1, c2, c3, c4, c5, c6, c7 and 92 more."
    assert {f"c{number}" for number in range(100)} <= {column.name for column in dataset.provenance.own.columns}
    with pytest.raises(DataError, match=r"one of the columns site, colour, .* and 95 more\."):
        read(tmp_path, table(age=None, dose=None, **many), label="nothing like it")


def test_an_identifier_is_reported(tmp_path):
    reported = own.describe(read(tmp_path, table(number=lambda i: str(1000 + i))).provenance)
    assert any("'number' holds another whole number in every row" in line for line in reported)


def test_two_readings_of_one_file_are_two_data_sets():
    keys = {OwnData(path="My Data.csv", label="y", **more).key for more in ({}, {"drop": ["a"]}, {"missing": "drop"})}
    assert len(keys) == 3
    assert all(key.startswith("my_data.") for key in keys)


def test_the_example_is_what_its_table_gives(tmp_path):
    write_example(["patients", str(tmp_path)])
    for file in ("patients.csv", "SYNTHETIC.txt"):
        assert (tmp_path / file).read_bytes() == (ROOT / "examples" / file).read_bytes()


def test_groups_of_published_data_are_known_before_they_are_read():
    assert list(group_sizes("dpmia.datasets.published.heart", None, "hospital")) == [
        "cleveland",
        "hungarian",
        "switzerland",
        "va",
    ]
    assert list(group_sizes("dpmia.datasets.published.student", None, "school")) == ["GP", "MS"]
    assert group_sizes("dpmia.datasets.published.mnist", None, "digit") == {}


def test_an_archive_that_holds_far_more_than_it_has_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "own.npz", x=np.zeros((300_000, 10)), y=np.arange(300_000) % 2)
    with pytest.raises(DataError, match=r"own\.npz: it holds over 200 times as many bytes .* without compression"):
        own.read(tmp_path, OwnData(path="own.npz").reading)
