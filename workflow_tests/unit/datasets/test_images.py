"""Image data sets: pooling, the synthetic files, and the real files."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from image_samples import NAMES, PIXELS, SHAPES, archive, data_module, painter, png
from real_files import MIRROR, needs_real_files
from synthetic_files import write_synthetic

from dpmia.common.errors import ConfigError, DataError
from dpmia.datasets.published import cifar10, cifar100, images, mnist, svhn
from dpmia.datasets.raw import image_files, origin
from dpmia.datasets.raw.sources import raw_files, require_published
from dpmia.datasets.synthetic.painter import Appearance, Painter
from dpmia.datasets.synthetic.sampler import read_toml
from dpmia.formats.provenance import Provenance

# Data sets.


def raw_images(pixels):
    return images.Images(pixels, np.arange(len(pixels)), Provenance(synthetic=True))


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
    assert [file.name for file in dataset.provenance.files] == ["train", "test"]


def test_cifar100_is_read_from_the_archive_where_nothing_else_is(hundred):
    (hundred / "train").unlink()
    (hundred / "test").unlink()
    dataset = cifar100.encode(cifar100.read(hundred))
    assert (dataset.name, len(dataset)) == ("cifar100_test", 100)
    assert dataset.y.tolist() == list(range(100))
    assert [file.name for file in dataset.provenance.files] == ["cifar100-test-png.tar"]


def test_a_folder_in_the_place_of_the_archive_is_named(hundred):
    for name in ("train", "test", cifar100.ARCHIVE):
        (hundred / name).unlink()
    (hundred / cifar100.ARCHIVE).mkdir()
    with pytest.raises(DataError, match=rf"{cifar100.ARCHIVE}: this is a folder"):
        cifar100.read(hundred)


def test_half_of_the_published_files_is_reported_and_not_replaced_by_the_archive(hundred):
    (hundred / "train").unlink()
    with pytest.raises(DataError, match="train: the file does not exist"):
        cifar100.read(hundred)


@pytest.mark.parametrize("name", NAMES)
def test_synthetic_images_come_in_the_publishers_files(made, name):
    folder, _, dataset = made[name]
    published = [raw.file for raw in raw_files(name)]
    assert [file.name for file in dataset.provenance.files] == published
    assert sorted(path.name for path in folder.iterdir()) == sorted([*published, "SYNTHETIC.txt"])
    assert dataset.provenance.synthetic is True
    assert (dataset.name, dataset.image, len(dataset)) == (name, SHAPES[name], 2000)
    with pytest.raises(DataError, match="that of the published file"):
        require_published(name, dataset.provenance.files)


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
        assert name != "svhn" or content[:116].rstrip() == b"MATLAB 5.0 MAT-file, synthetic", "the time of writing"


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
    look = Appearance((1, 1, 1), 3, 16, styles=2, variety=0.5, cover=0, noise=0, blend=0, contrast=40, shift=1, knots=4)
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
    assert require_published("mnist", dataset.provenance.files) == ()


@needs_real_files
def test_the_compressed_files_of_mnist_have_the_published_md5():
    published = {
        "train-images-idx3-ubyte": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        "train-labels-idx1-ubyte": "d53e105ee54ea40749a09fcbcd1e9432",
        "t10k-images-idx3-ubyte": "9fb629c4189551a2d022fa330f9573f3",
        "t10k-labels-idx1-ubyte": "ec29112dd5afa0611ce80d1b7f02629c",
    }
    for name, md5 in published.items():
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
    assert reported.md5 == md5
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
    assert dataset.provenance.synthetic is False
    assert require_published(dataset.name, dataset.provenance.files) == ()


def test_the_sizes_of_svhn_are_stated_in_its_docstring():
    assert "630 420" in svhn.__doc__
    assert sum(raw.rows for raw in raw_files("svhn")) == 630_420
