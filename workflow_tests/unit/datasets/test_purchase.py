"""Purchase100: the file as Shokri et al. wrote it, damaged files told by row and column, and the synthetic file."""

import gzip

import numpy as np
import pytest

from dpmia.common.errors import ConfigError, DataError
from dpmia.datasets.published import purchase100
from dpmia.datasets.raw.sources import raw_files, require_published
from dpmia.datasets.synthetic import purchase100 as synthetic

ITEMS = np.random.default_rng(0).integers(0, 2, (7, 600))
CLASSES = [1, 100, 3, 3, 50, 2, 99]


def text(items=ITEMS, classes=CLASSES):
    return "".join(f"{label},{','.join(map(str, row))}\n" for label, row in zip(classes, items, strict=True))


def read(folder, content):
    (folder / purchase100.FILE).write_bytes(content if isinstance(content, bytes) else content.encode())
    return purchase100.read(folder)


@pytest.mark.parametrize(
    "content",
    [
        text(),
        text().replace("\n", "\r\n"),
        text().rstrip("\n"),
        text(ITEMS.astype(float)),
        gzip.compress(text().encode()),
        "".join(f'"{line.partition(",")[0]}",{line.partition(",")[2]}\n' for line in text().splitlines()),
    ],
    ids=["plain", "carriage returns", "no last line end", "decimals", "gzipped", "quoted classes"],
)
def test_the_class_comes_first_and_then_600_items(tmp_path, content):
    dataset = purchase100.encode(read(tmp_path, content))
    assert dataset.x.dtype == np.float32
    np.testing.assert_array_equal(dataset.x, ITEMS)
    assert [dataset.classes[label] for label in dataset.y] == [str(label) for label in CLASSES]
    assert (dataset.features[0], dataset.features[-1], len(dataset.classes)) == ("item 1", "item 600", 100)
    assert dataset.provenance.files[0].rows == 7
    assert dataset.provenance.synthetic is False
    assert dataset.image is None


def changed(row, column, field):
    """The file with one field changed; row and column from 1."""
    lines = [line.split(",") for line in text().splitlines()]
    lines[row - 1][column - 1] = field
    return "\n".join(map(",".join, lines)) + "\n"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (changed(5, 601, "2"), "dataset_purchase, row 5, column 601: '2' is not 0 or 1"),
        (changed(5, 3, "x"), "row 5, column 3: 'x' is not 0 or 1"),
        (changed(5, 3, ""), "row 5, column 3: an empty field"),
        (changed(5, 3, "0.5"), r"row 5, column 3: '0\.5'"),
        (changed(5, 3, "nan"), "row 5, column 3: an empty field"),
        (changed(5, 1, "0"), "row 5, column 1: '0' is not a class from 1 to 100"),
        (changed(5, 1, "101"), "row 5, column 1: '101'"),
        (changed(5, 1, "1.5"), r"row 5, column 1: '1\.5'"),
        (changed(5, 1, "-1"), "row 5, column 1: '-1'"),
        (changed(5, 600, "1,1"), r"in the 3 rows from 4: not readable as a table \(.* line 2, saw 602"),
        (changed(5, 3, "0" * 20_000), "row 5: it is longer than 16384 bytes"),
        (gzip.compress(bytes(1 << 26)), "row 1: it is longer than 16384 bytes"),
        ("\n".join(line.rpartition(",")[0] for line in text().splitlines()), "row 1: 600 fields instead of 601"),
        (text()[:-3], "row 7: 600 fields instead of 601"),
        ("", "the file has no records"),
        ("\n", "no records"),
        (b"\xff\xfe" + text().encode(), r"not readable as a table \(.*0xff in position 0"),
        ("<html>\n", "row 1: 1 fields"),
    ],
)
def test_a_damaged_file_is_reported_by_row_and_column(tmp_path, monkeypatch, content, fault):
    monkeypatch.setattr(purchase100, "_CHUNK", 3)
    with pytest.raises(DataError, match=fault):
        read(tmp_path, content)


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(DataError, match="dataset_purchase: the file does not exist"):
        purchase100.read(tmp_path)


def test_records_do_not_depend_on_how_many_are_parsed_at_a_time(tmp_path, monkeypatch):
    whole = read(tmp_path, text())
    monkeypatch.setattr(purchase100, "_CHUNK", 2)
    parts = read(tmp_path, text())
    np.testing.assert_array_equal(parts.items, whole.items)
    np.testing.assert_array_equal(parts.labels, whole.labels)


def test_there_are_no_attributes(tmp_path):
    with pytest.raises(ConfigError, match="attributes of purchase100: 'item 1'"):
        purchase100.encode(read(tmp_path, text()), ("item 1",))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("purchase100")
    synthetic.write_files("purchase100", folder, 0, "smoke")
    return folder, purchase100.encode(purchase100.read(folder))


def test_the_synthetic_file_is_in_the_publishers_file(made):
    folder, dataset = made
    [raw] = raw_files("purchase100")
    assert sorted(path.name for path in folder.iterdir()) == sorted([raw.file, "SYNTHETIC.txt"])
    assert [file.name for file in dataset.provenance.files] == [raw.file]
    assert dataset.provenance.synthetic is True
    assert dataset.x.shape == (2_000, 600)
    assert (folder / raw.file).read_bytes().count(b"\n") == 2_000
    assert synthetic.ROWS["paper"] == raw.rows == 197_324


def test_the_synthetic_file_has_all_classes_and_no_item_that_nobody_or_everybody_buys(made):
    _, dataset = made
    assert np.bincount(dataset.y, minlength=100).min() > 0
    assert 0 < dataset.x.mean(axis=0).min() < dataset.x.mean(axis=0).max() < 1
    assert dataset.x.mean() == pytest.approx(0.25, abs=0.03)


def test_a_seed_decides_on_every_byte_and_the_scale_on_the_number_of_rows(made, tmp_path, monkeypatch):
    folder, dataset = made
    content = (folder / purchase100.FILE).read_bytes()
    synthetic.write_files("purchase100", tmp_path / "same", 0, "smoke")
    assert (tmp_path / "same" / purchase100.FILE).read_bytes() == content
    synthetic.write_files("purchase100", tmp_path / "other", 1, "smoke")
    assert (tmp_path / "other" / purchase100.FILE).read_bytes() != content
    monkeypatch.setitem(synthetic.ROWS, "smoke", 6_000)
    synthetic.write_files("purchase100", tmp_path / "more", 0, "smoke")
    more = purchase100.encode(purchase100.read(tmp_path / "more"))
    # The same items are popular in the same classes: the class means of one tell the classes of the other.
    means = np.stack([more.x[more.y == label].mean(axis=0) for label in range(100)])
    nearest = ((dataset.x**2).sum(1)[:, None] - 2 * dataset.x @ means.T + (means**2).sum(1)).argmin(axis=1)
    assert np.mean(nearest == dataset.y) > 0.5


def test_a_file_that_nobody_can_verify_is_named(made):
    _, dataset = made
    assert require_published("purchase100", dataset.provenance.files) == ("dataset_purchase",)
