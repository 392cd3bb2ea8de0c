"""Images: every publisher's format, damaged and hostile files, pooling, the real files, and the synthetic files."""

import gzip
import hashlib
import importlib
import io
import os
import pickle
import tarfile
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from real_files import MIRROR, needs_real_files
from scipy.io import savemat
from synthetic_files import write_synthetic

from dpmia.common.errors import ConfigError, DataError
from dpmia.datasets.published import cifar10, cifar100, images, mnist, svhn
from dpmia.datasets.raw import image_files, origin
from dpmia.datasets.raw.pickles import unpickled
from dpmia.datasets.raw.sources import raw_files, require_published
from dpmia.datasets.synthetic.painter import Look, Painter
from dpmia.datasets.synthetic.sampler import read_toml

NAMES = ("mnist", "cifar10", "cifar100", "svhn")
SHAPES = {"mnist": (1, 28, 28), "cifar10": (3, 32, 32), "cifar100": (3, 32, 32), "svhn": (3, 32, 32)}

rng = np.random.default_rng(0)
PIXELS = rng.integers(0, 256, (6, 3, 32, 32), dtype=np.uint8)
GREY = rng.integers(0, 256, (6, 28, 28), dtype=np.uint8)


def data_module(name):
    return importlib.import_module(f"dpmia.datasets.published.{name}")


def painter(name, seed, **look):
    return Painter(Look(**read_toml(name)["look"] | look), seed)


# IDX.


def idx_bytes(values):
    head = bytes([0, 0, 8, values.ndim]) + b"".join(length.to_bytes(4, "big") for length in values.shape)
    return head + values.astype(np.uint8).tobytes()


@pytest.mark.parametrize("form", ["plain", "gzipped", "gzipped under the plain name"])
def test_idx_files_are_read_plain_and_gzipped(tmp_path, form):
    content = idx_bytes(GREY)
    name = "digits.gz" if form == "gzipped" else "digits"
    (tmp_path / name).write_bytes(content if form == "plain" else gzip.compress(content))
    np.testing.assert_array_equal(image_files.idx(tmp_path / "digits", 3), GREY)
    reported = origin.described(tmp_path / "digits", 6)
    assert (reported["name"], reported["bytes"], reported["rows"]) == ("digits", len(content), 6)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (idx_bytes(GREY)[:-1], r"digits: 4703 bytes .* 4704"),
        (idx_bytes(GREY) + b"x", "4705 bytes"),
        (idx_bytes(GREY[0]), "begins with 00 00 08 02, not with 00 00 08 03 and 3 lengths"),
        (b"\0\0\x0d\x03" + idx_bytes(GREY)[4:], "begins with 00 00 0d 03"),
        (idx_bytes(GREY)[:10], "begins with"),
        (b"", "begins with"),
        (gzip.compress(idx_bytes(GREY))[:-9], "the gzip file is damaged"),
    ],
)
def test_damaged_idx_files_are_reported(tmp_path, content, fault):
    (tmp_path / "digits").write_bytes(content)
    with pytest.raises(DataError, match=fault):
        image_files.idx(tmp_path / "digits", 3)


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(DataError, match=r"train-images-idx3-ubyte: the file does not exist.*Fetch the data set"):
        mnist.read(tmp_path)


@pytest.mark.parametrize(
    ("labels", "fault"),
    [([0, 1, 2], "6 images do not fit 3 labels"), ([0, 1, 2, 3, 4, 10], "labels 0 to 10 are not all from 0 to 9")],
)
def test_labels_that_do_not_fit_the_images_are_reported(tmp_path, labels, fault):
    (tmp_path / "pixels").write_bytes(idx_bytes(GREY))
    (tmp_path / "labels").write_bytes(idx_bytes(np.array(labels)))
    with pytest.raises(DataError, match=f"pixels: {fault}"):
        image_files.paired(tmp_path / "pixels", tmp_path / "labels", 10)


# Pickles.


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
        (np.array([Unknown()], dtype=object), "an array of object"),
        (np.array([(1, 2)], dtype=[("a", "i4"), ("b", "i4")]), r"an array of \|V8"),
    ],
)
def test_only_arrays_of_whole_numbers_and_plain_values_are_unpickled(tmp_path, value, named):
    with pytest.raises(DataError, match=f"holds .*{named}"):
        unpickled(pickled(tmp_path, {"data": value}, 3))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (pickle.dumps(batch(), protocol=3)[:-100], "the pickle is damaged"),
        (b"", "the pickle is damaged"),
        (b"not a pickle", "the pickle is damaged"),
        (b"cnumpy\nndarray\n(I1\ntR.", "the pickle is damaged"),
        (b"Phello\n.", "the pickle is damaged"),
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
        ({"data": PIXELS.reshape(6, -1).astype(int)}, "key 'data': int64"),
        ({"data": [1, 2]}, r"key 'data': \[1, 2\]"),
        ({"data": None}, "key 'data': None"),
        ({"labels": None}, "key 'labels': None is not a list"),
        ({"labels": ["cat"] * 6}, "key 'labels'"),
        ({"labels": [1.0] * 6}, "key 'labels'"),
        ({"labels": [0, 1]}, "6 images do not fit 2 labels"),
        ({"labels": [0, 1, 2, 3, 4, 10]}, "labels 0 to 10"),
        ({"labels": [0, 1, 2, 3, 4, -1]}, "labels -1 to 4"),
        ({"labels": [], "data": PIXELS.reshape(6, -1)[:0]}, "0 images"),
    ],
)
def test_batches_of_another_kind_are_reported(tmp_path, changes, fault):
    with pytest.raises(DataError, match=fault):
        image_files.batch(pickled(tmp_path, batch(**changes), 3), "labels", 10)


# MATLAB.


def test_matlab_files_say_row_column_channel_record_and_ten_for_zero(tmp_path):
    savemat(
        tmp_path / "x.mat", {"X": PIXELS.transpose(2, 3, 1, 0), "y": np.array([[10], [1], [9], [2], [3], [4]], "u1")}
    )
    read = image_files.matlab(tmp_path / "x.mat", 10)
    np.testing.assert_array_equal(read.pixels, PIXELS)
    assert read.labels.tolist() == [0, 1, 9, 2, 3, 4]


LABELS = np.full((6, 1), 3, dtype=np.uint8)


@pytest.mark.parametrize(
    ("variables", "fault"),
    [
        ({"X": PIXELS, "y": LABELS}, r"variable X: uint8 of shape \(6, 3, 32, 32\)"),
        ({"X": PIXELS.transpose(2, 3, 1, 0) / 255, "y": LABELS}, "variable X: float64"),
        ({"y": LABELS}, "variable X: a missing variable"),
        ({"X": PIXELS.transpose(2, 3, 1, 0)}, "variable y: a missing variable"),
        ({"X": PIXELS.transpose(2, 3, 1, 0), "y": 0 * LABELS}, "variable y: labels 0 to 0 .*1 to 10"),
        ({"X": PIXELS.transpose(2, 3, 1, 0), "y": 4 * LABELS}, "variable y: labels 12 to 12 .*1 to 10"),
        ({"X": PIXELS.transpose(2, 3, 1, 0), "y": LABELS[:4]}, "6 images do not fit 4 labels"),
    ],
)
def test_matlab_files_of_another_kind_are_reported(tmp_path, variables, fault):
    savemat(tmp_path / "x.mat", variables)
    with pytest.raises(DataError, match=rf"x\.mat.*{fault}"):
        image_files.matlab(tmp_path / "x.mat", 10)


@pytest.mark.parametrize("content", [b"", b"words " * 100, b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM" + b"\0" * 400])
def test_what_is_no_matlab_file_of_version_5_is_reported(tmp_path, content):
    (tmp_path / "x.mat").write_bytes(content)
    with pytest.raises(DataError, match=r"x\.mat: not readable as MATLAB file"):
        image_files.matlab(tmp_path / "x.mat", 10)


def test_a_truncated_matlab_file_is_reported(tmp_path):
    savemat(tmp_path / "x.mat", {"X": PIXELS.transpose(2, 3, 1, 0), "y": LABELS}, do_compression=True)
    (tmp_path / "x.mat").write_bytes((tmp_path / "x.mat").read_bytes()[:5000])
    with pytest.raises(DataError, match=r"x\.mat: not readable as MATLAB file"):
        image_files.matlab(tmp_path / "x.mat", 10)


# PNG files in an archive.


def png(pixels, mode="RGB"):
    content = io.BytesIO()
    Image.fromarray(np.moveaxis(pixels, 0, -1)).convert(mode).save(content, format="PNG")
    return content.getvalue()


def archive(path, members):
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as packed:
        folder = tarfile.TarInfo("test/ape")
        folder.type = tarfile.DIRTYPE
        packed.addfile(folder)
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            packed.addfile(entry, io.BytesIO(content))
    return path


@pytest.mark.parametrize("name", ["pictures.tar", "pictures.tar.gz"])
def test_the_class_of_a_packed_picture_is_the_place_of_its_folder(tmp_path, name):
    members = [(f"test/{animal}/{i}.png", png(PIXELS[i])) for i, animal in enumerate(("bee", "ape", "cow", "bee"))]
    archive(tmp_path / name, members)
    read = image_files.packed(tmp_path / "pictures.tar", ("ape", "bee", "cow"))
    np.testing.assert_array_equal(read.pixels, PIXELS[:4])
    assert read.labels.tolist() == [1, 0, 2, 1]


@pytest.mark.parametrize(
    ("member", "content", "fault"),
    [
        ("test/dog/0.png", lambda: png(PIXELS[0]), r"test/dog/0\.png: the class 'dog'"),
        (
            "test/ape/0.png",
            lambda: png(PIXELS[0, :, :16]),
            "32 x 16 pixels, RGB, are not a PNG image of 32 x 32",
        ),
        ("test/ape/0.png", lambda: png(PIXELS[0], "L"), "32 x 32 pixels, L"),
        ("test/ape/0.png", lambda: png(PIXELS[0])[:300], "not readable as a PNG"),
        ("test/ape/0.png", lambda: b"GIF89a", "not readable as a PNG"),
    ],
)
def test_packed_pictures_of_another_kind_are_reported(tmp_path, member, content, fault):
    path = archive(tmp_path / "pictures.tar", [(member, content())])
    with pytest.raises(DataError, match=fault):
        image_files.packed(path, ("ape", "bee"))


@pytest.mark.parametrize(("content", "fault"), [(b"words " * 200, "not readable as tar"), (b"", "not readable as tar")])
def test_what_is_no_archive_is_reported(tmp_path, content, fault):
    (tmp_path / "pictures.tar").write_bytes(content)
    with pytest.raises(DataError, match=fault):
        image_files.packed(tmp_path / "pictures.tar", ("ape",))


def test_an_archive_without_pictures_is_reported(tmp_path):
    with pytest.raises(DataError, match="0 images"):
        image_files.packed(archive(tmp_path / "pictures.tar", []), ("ape",))


# Data sets.


def raw_images(pixels):
    return images.Images(pixels, np.arange(len(pixels)), {"files": [], "synthetic": True})


@pytest.mark.parametrize("side", [2, 4, 8, 32])
def test_pooling_averages_squares(side):
    pooled = images.pooled(PIXELS, side)
    assert pooled.dtype == np.uint8
    assert pooled.shape == (6, 3, 32 // side, 32 // side)
    for row, column in np.ndindex(32 // side, 32 // side):
        square = PIXELS[:, :, row * side : (row + 1) * side, column * side : (column + 1) * side]
        np.testing.assert_array_equal(pooled[:, :, row, column], np.floor(square.mean(axis=(2, 3)) + 0.5))


def test_pooling_keeps_the_brightest_and_the_darkest():
    assert images.pooled(np.full((1, 1, 4, 4), 255, dtype=np.uint8), 4).tolist() == [[[[255]]]]
    assert images.pooled(np.zeros((1, 1, 4, 4), dtype=np.uint8), 2).tolist() == [[[[0, 0], [0, 0]]]]


@pytest.mark.parametrize("side", [0, -2, 3, 64])
def test_squares_that_do_not_fill_an_image_are_refused(side):
    with pytest.raises(ConfigError, match=rf"pool: {side} does not divide .*Use one of \[1, 2, 4, 8, 16, 32\]"):
        images.encoded("toy", raw_images(PIXELS), tuple("abcdef"), (), side)


def test_rows_are_channel_row_column():
    dataset = images.encoded("toy", raw_images(PIXELS), tuple("abcdef"), (), 1)
    assert dataset.x.dtype == np.uint8
    assert dataset.image == (3, 32, 32)
    np.testing.assert_array_equal(dataset.x.reshape(-1, 3, 32, 32), PIXELS)
    assert dataset.features[1 * 1024 + 2 * 32 + 3] == "1:2:3"
    np.testing.assert_allclose(dataset.inputs(slice(2)), PIXELS[:2].reshape(2, -1) / 255, rtol=1e-6)


def test_images_have_no_attributes():
    with pytest.raises(ConfigError, match="attributes of mnist: 'style'"):
        mnist.encode(raw_images(PIXELS), ("style",))


# Synthetic images.


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Name -> folder, raw images, data set of synthetic files."""
    sets = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name)
        write_synthetic(name, folder)
        raw = data_module(name).read(folder)
        sets[name] = folder, raw, data_module(name).encode(raw)
    return sets


@pytest.fixture
def hundred(made, tmp_path):
    """A folder with the published files of CIFAR-100 and, of the first hundred pictures, the archive."""
    folder, whole, _ = made["cifar100"]
    for name in cifar100.FILES:
        (tmp_path / name).symlink_to(folder / name)
    names = [f"test/{name}/0.png" for name in cifar100.CLASSES]
    archive(tmp_path / cifar100.ARCHIVE, zip(names, map(png, whole.pixels), strict=False))
    return tmp_path


def test_cifar100_prefers_the_published_files(hundred):
    dataset = cifar100.encode(cifar100.read(hundred))
    assert (dataset.name, len(dataset)) == ("cifar100", 2000)
    assert [file["name"] for file in dataset.provenance["files"]] == ["train", "test"]


def test_cifar100_is_read_from_the_archive_where_nothing_else_is(hundred):
    (hundred / "train").unlink()
    (hundred / "test").unlink()
    dataset = cifar100.encode(cifar100.read(hundred))
    assert (dataset.name, len(dataset)) == ("cifar100_test", 100)
    assert dataset.y.tolist() == list(range(100))
    assert [file["name"] for file in dataset.provenance["files"]] == ["cifar100-test-png.tar"]


def test_half_of_the_published_files_is_reported_and_not_replaced_by_the_archive(hundred):
    (hundred / "train").unlink()
    with pytest.raises(DataError, match="train: the file does not exist"):
        cifar100.read(hundred)


@pytest.mark.parametrize("name", NAMES)
def test_synthetic_images_come_in_the_publishers_files(made, name):
    folder, _, dataset = made[name]
    published = [raw.file for raw in raw_files(name)]
    assert [file["name"] for file in dataset.provenance["files"]] == published
    assert sorted(path.name for path in folder.iterdir()) == sorted([*published, "SYNTHETIC.txt"])
    assert dataset.provenance["synthetic"] is True
    assert (dataset.name, dataset.image, len(dataset)) == (name, SHAPES[name], 2000)
    with pytest.raises(DataError, match="that of the published file"):
        require_published(name, dataset.provenance["files"])


@pytest.mark.parametrize("name", NAMES)
def test_synthetic_images_hold_every_class_and_use_the_grey_levels(made, name):
    _, raw, dataset = made[name]
    assert np.bincount(raw.labels, minlength=len(dataset.classes)).min() > 0
    assert raw.pixels.min() == 0
    assert raw.pixels.max() == 255
    assert 30 < raw.pixels.std() < 90


@pytest.mark.parametrize("name", ["mnist", "svhn"])
def test_a_seed_decides_on_every_byte_of_synthetic_images(made, name, tmp_path):
    folder, _, _ = made[name]
    write_synthetic(name, tmp_path, 0)
    for raw in raw_files(name):
        content = (tmp_path / raw.file).read_bytes()
        assert content == (folder / raw.file).read_bytes()
        assert name != "svhn" or content[:116].rstrip() == b"MATLAB 5.0 MAT-file, made up", "the time of writing"


def test_another_seed_makes_other_pictures():
    (one, _), (other, _) = (painter("mnist", seed).paint(10) for seed in (0, 1))
    assert (one != other).any(axis=(1, 2, 3)).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_paper_scale_has_the_published_numbers_of_records(name):
    rows = tuple(read_toml(name)["rows"]["paper"])
    published = {raw.file: raw.rows for raw in raw_files(name)}
    expected = {
        "mnist": (published["train-images-idx3-ubyte"], published["t10k-images-idx3-ubyte"]) if name == "mnist" else (),
        "cifar10": (published.get("data_batch_1"), published.get("test_batch")),
        "cifar100": (published.get("train"), published.get("test")),
        "svhn": tuple(published.get(f"{part}_32x32.mat") for part in ("train", "extra", "test")),
    }[name]
    assert rows == expected


def test_svhn_extended_has_604388_training_images():
    assert sum(raw.rows for raw in raw_files("svhn") if not raw.file.startswith("test")) == 604_388


def test_the_patterns_do_not_depend_on_the_number_of_pictures():
    few, many = (painter("mnist", 0).paint(rows) for rows in (400, 2_000))
    means = np.stack([many[0][many[1] == digit].mean(axis=0).ravel() for digit in range(10)])
    distances = ((few[0].reshape(400, 1, -1) - means) ** 2).sum(axis=2)
    # Pictures of a few hundred are told by the class means of others; by those of other patterns they are not.
    assert np.mean(distances.argmin(axis=1) == few[1]) > 0.6
    other = painter("mnist", 1).paint(400)
    distances = ((other[0].reshape(400, 1, -1) - means) ** 2).sum(axis=2)
    assert np.mean(distances.argmin(axis=1) == other[1]) < 0.3


def test_without_cover_noise_and_blend_each_class_and_style_is_one_picture_up_to_its_shift():
    look = Look((1, 1, 1), 3, 16, styles=2, variety=0.5, cover=0, noise=0, blend=0, contrast=40, shift=1, knots=4)
    pictures, labels = Painter(look, 0).paint(600)
    for label in range(3):
        assert len(np.unique(pictures[labels == label], axis=0)) == 2 * 2 * 2
    still = Painter(replace(look, shift=0, styles=1), 0).paint(30)
    assert len(np.unique(still[0], axis=0)) == 3


def test_classes_are_as_frequent_as_the_look_says():
    _, labels = painter("cifar10", 0, classes=(1, 2, 1)).paint(400)
    assert np.bincount(labels) == pytest.approx([100, 200, 100], abs=1)


# The real files.


@needs_real_files
def test_the_real_mnist():
    raw = mnist.read(MIRROR / "mnist")
    dataset = mnist.encode(raw)
    # Counts of the publisher's label files; the first digits are 5 0 4 1 9 and 7 2 1 0 4.
    train = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert np.bincount(dataset.y[:60_000]).tolist() == train
    assert np.bincount(dataset.y[60_000:]).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert dataset.y[:5].tolist() == [5, 0, 4, 1, 9]
    assert dataset.y[60_000:60_005].tolist() == [7, 2, 1, 0, 4]
    assert dataset.x.shape == (70_000, 784)
    # Mean and standard deviation of the training pixels that are in public use: .1307 and .3081.
    assert raw.pixels[:60_000].mean() / 255 == pytest.approx(0.1307, abs=5e-5)
    assert raw.pixels[:6_000].std() / 255 == pytest.approx(0.3081, abs=2e-3)
    assert require_published("mnist", dataset.provenance["files"]) == ()


@needs_real_files
def test_the_compressed_files_of_mnist_have_the_published_md5():
    known = {
        "train-images-idx3-ubyte": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        "train-labels-idx1-ubyte": "d53e105ee54ea40749a09fcbcd1e9432",
        "t10k-images-idx3-ubyte": "9fb629c4189551a2d022fa330f9573f3",
        "t10k-labels-idx1-ubyte": "ec29112dd5afa0611ce80d1b7f02629c",
    }
    for name, md5 in known.items():
        assert hashlib.md5((MIRROR / "mnist" / f"{name}.gz").read_bytes()).hexdigest() == md5


@needs_real_files
@pytest.mark.parametrize(
    ("name", "md5", "first"),
    [
        ("data_batch_1", "c99cafc152244af753f735de768cd75f", [6, 9, 9, 4, 1]),
        ("test_batch", "40351d587109b95175f43aff81a1287e", [3, 8, 8, 0, 6]),
    ],
)
def test_a_real_batch_of_cifar10(name, md5, first):
    batch = image_files.batch(MIRROR / "cifar10" / name, "labels", 10)
    assert batch.pixels.shape == (10_000, 3, 32, 32)
    assert batch.labels[:5].tolist() == first
    if name == "test_batch":
        assert np.bincount(batch.labels).tolist() == [1000] * 10
    reported = origin.described(MIRROR / "cifar10" / name, 10_000)
    assert reported["md5"] == md5
    assert require_published("cifar10", [reported]) == ()


@needs_real_files
def test_all_real_batches_of_cifar10_are_known():
    assert [raw.file for raw in raw_files("cifar10")] == list(cifar10.FILES)
    for raw in raw_files("cifar10"):
        assert (MIRROR / raw.mirror[0]).stat().st_size == raw.bytes


@needs_real_files
def test_the_real_test_part_of_cifar100(tmp_path):
    (tmp_path / cifar100.ARCHIVE).symlink_to(MIRROR / "cifar100" / "cifar100-test-png.tar.gz")
    read = cifar100.read(tmp_path)
    assert np.bincount(read.labels).tolist() == [100] * 100
    # Over all pixels, as in public use (but for its .5088964 of red, which the published pickle does not give either).
    np.testing.assert_allclose(read.pixels.mean(axis=(0, 2, 3)) / 255, [0.5087964, 0.4873930, 0.4419422], atol=5e-7)
    dataset = cifar100.encode(read, pool=4)
    assert (dataset.name, dataset.image) == ("cifar100_test", (3, 8, 8))
    assert dataset.provenance["synthetic"] is False
    assert require_published(dataset.name, dataset.provenance["files"]) == ()


def test_the_sizes_of_svhn_are_stated_in_its_docstring():
    assert "630 420" in svhn.__doc__
    assert sum(raw.rows for raw in raw_files("svhn")) == 630_420
