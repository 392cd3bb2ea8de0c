"""Image files in every publisher's format: IDX, MATLAB and packed PNG, intact and damaged."""

import gzip

import numpy as np
import pytest
from image_samples import GREY, PIXELS, archive, png
from scipy.io import savemat

from dpmia.common.errors import DataError
from dpmia.datasets.published import mnist
from dpmia.datasets.raw import image_files, origin

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
    assert (reported.name, reported.bytes, reported.rows) == ("digits", len(content), 6)


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
    with pytest.raises(DataError, match=f"(pixels|labels): {fault}"):
        image_files.paired(tmp_path / "pixels", tmp_path / "labels", 10)


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
        ({"X": PIXELS.transpose(2, 3, 1, 0).astype(np.uint16), "y": LABELS}, "variable X: uint16"),
        (
            {"X": PIXELS.transpose(2, 3, 1, 0)[..., None], "y": LABELS},
            r"variable X: uint8 of shape \(32, 32, 3, 6, 1\)",
        ),
        ({"y": LABELS}, "variable X: the variable is missing"),
        ({"X": PIXELS.transpose(2, 3, 1, 0)}, "variable y: the variable is missing"),
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
