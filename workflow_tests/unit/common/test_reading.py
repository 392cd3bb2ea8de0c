"""Opening files: what they must be, how much they may hold, and one message for any damage."""

import gzip
import io
import os
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dpmia.common.errors import DataError, UserError
from dpmia.common.reading import source
from dpmia.common.reading.archives import check_archive, members
from dpmia.common.reading.arrays import arrays, header_of
from dpmia.common.reading.rows import frame, rows
from dpmia.common.reading.source import ReadLimits, Source, made, own

TEXT = b"".join(b"%d,%d\n" % (number, number**2) for number in range(1000))


def of(path, **limits):
    return Source(path, path.name, "Do this.", "Get it", ReadLimits(**limits))


def written(path, content):
    path.write_bytes(content)
    return path


# Kinds of files


def test_a_file_is_read_plain_or_packed_whatever_its_name(tmp_path):
    for name, content in (("a.csv", TEXT), ("b.csv", gzip.compress(TEXT)), ("c.gz", TEXT)):
        assert of(written(tmp_path / name, content)).content() == TEXT
    with of(tmp_path / "b.csv").opened() as stream:
        assert stream.read(5) == TEXT[:5]
        assert stream.read() == TEXT[5:]
    with of(tmp_path / "b.csv").packed() as stream:
        assert stream.read() == gzip.compress(TEXT)


def kind(folder, name):
    path = folder / name
    match name:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "nowhere":
            path.symlink_to(folder / "gone")
        case "itself":
            path.symlink_to(path)
    return path


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder", "folder: this is a folder, not a file. Put the file in its place."),
        ("pipe", "pipe: this is a pipe or a device, not a file. Put the file in its place."),
        ("absent", "{folder}/absent: the file does not exist. Get it."),
        ("nowhere", "{folder}/nowhere: the link leads to no file. Get it."),
        ("itself", "{folder}/itself: the file cannot be read (Too many levels of symbolic links). Get it."),
        ("n\0l", "{folder}/n\\x00l: the file cannot be read (embedded null byte). Get it."),
    ],
)
def test_what_is_no_file_is_named(tmp_path, name, message):
    path = kind(tmp_path, name)
    for read in (Source.size, Source.content, Source.text, Source.json):
        with pytest.raises(DataError) as error:
            read(of(path))
        assert str(error.value) == message.format(folder=tmp_path)


def test_a_link_to_a_file_is_followed_and_named_with_its_damage(tmp_path):
    written(tmp_path / "there", b"{")
    (tmp_path / "link").symlink_to("there")
    with pytest.raises(DataError, match=rf"link: not readable as JSON .*It is a link to {tmp_path}/there: look there"):
        of(tmp_path / "link").json()


def test_the_path_of_what_a_job_made_is_named_whole_with_what_to_do(tmp_path):
    path = written(tmp_path / "block.npz", b"PK")
    with pytest.raises(DataError) as error:
        header_of(path)
    message = f"{path}: not readable as .npz (File is not a zip file). Delete it and start again: what made it runs"
    assert str(error.value).startswith(message)


# Sizes


def test_larger_files_than_the_limit_are_not_read(tmp_path):
    path = written(tmp_path / "a", TEXT)
    assert of(path, bytes=len(TEXT)).content() == TEXT
    with pytest.raises(DataError, match=rf"a: {len(TEXT)} bytes are more than the {len(TEXT) - 1} that are read\."):
        of(path, bytes=len(TEXT) - 1).content()
    packed = written(tmp_path / "b", gzip.compress(TEXT))
    assert of(packed, bytes=len(TEXT)).content() == TEXT
    with pytest.raises(DataError, match=rf"b: {len(TEXT)} bytes are more than the {len(TEXT) - 1}"):
        of(packed, bytes=len(TEXT) - 1).content()


def test_a_bomb_is_put_out_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "UNPACKED", 1 << 20)
    bomb = written(tmp_path / "bomb.gz", gzip.compress(bytes(100 << 20)))
    tracemalloc.start()
    with pytest.raises(DataError, match=r"bomb\.gz: the gzip file holds over 100 times as many bytes.*unpack it"):
        of(bomb).content()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60 << 20, "100 times its 100 kB, and copies"


# Damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda packed: packed[:-1],
        lambda packed: packed[:-8],
        lambda packed: packed[: len(packed) // 2],
        lambda packed: packed[:3],
        lambda packed: packed[:2] + b"\x07" + packed[3:],
        lambda packed: packed[:-6] + b"\0" + packed[-5:],
        lambda packed: packed + b"more",
        lambda packed: packed[:500] + bytes([packed[500] ^ 16]) + packed[501:],
    ],
)
def test_a_damaged_gzip_file_is_reported(tmp_path, damage):
    path = written(tmp_path / "a.gz", damage(gzip.compress(TEXT)))
    with pytest.raises(DataError, match=r"^a\.gz: the gzip file is damaged \(.+\)\. Do this\.$"):
        of(path).content()


def test_damage_is_reported_through_a_decoder_that_words_it_otherwise(tmp_path):
    path = written(tmp_path / "a.gz", gzip.compress(os.urandom(4 << 20))[:-5000])

    def decode():
        with of(path).opened() as stream:
            try:
                while stream.read(1 << 20):
                    pass
            except DataError:
                raise ValueError("Calling read failed") from None

    with pytest.raises(DataError, match="the gzip file is damaged"):
        decode()


def test_errors_of_libraries_become_one_line_and_ours_pass():
    file = own(Path("x.csv"))
    with (
        pytest.raises(DataError, match=r"^x\.csv, row 3: damaged \(a b\)\. Save it again\.$"),
        file.faults("damaged", ", row 3"),
    ):
        raise ValueError("a\n b") from None
    with pytest.raises(UserError, match=r"^here: as it is\.$"), file.faults("damaged"):
        raise UserError("here", "as it is")
    with pytest.raises(DataError, match="more memory than there is"), file.faults("damaged"):
        raise MemoryError
    with pytest.raises(KeyboardInterrupt), file.faults("damaged"):
        raise KeyboardInterrupt


def test_text_that_is_not_utf_8_is_reported_by_row(tmp_path):
    for content, byte in ((b"a\nb\nc\xff", "0xFF"), (b"a\nb\nc\0", "0x00")):
        with pytest.raises(DataError, match=rf"^a, row 3: byte {byte} is not UTF-8 text\. Save the file as UTF-8\.$"):
            of(written(tmp_path / "a", content)).text()
    assert of(written(tmp_path / "a", b"\xef\xbb\xbfx")).text() == "x"


def test_messages_are_short_whatever_they_hold():
    message = str(UserError("file", f"{'x' * 10**6} is wrong", "Mend it"))
    assert message.startswith("file: xxx")
    assert message.endswith("xxx is wrong. Mend it.")
    assert len(message) < 4_100


def test_messages_command_no_terminal():
    message = str(UserError("a\x1b[31mb\u202e", "c\td\ne", "f"))
    assert message == "a\\x1b[31mb\\u202e: c\\td\ne. f."


# Rows


def test_rows_come_with_their_lines(tmp_path):
    text = 'a, b\n\n"c\nd",e\nf'
    assert list(rows(of(tmp_path / "a"), text, ",")) == [(1, ["a", "b"]), (2, []), (3, ["c\nd", "e"]), (5, ["f"])]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n" * 5 + "x" * 140_000, "a, row 6: a field is longer than 131072 characters. Shorten it."),
        ("a\n" * 10 + "a", "a: there are more than the 10 rows that are read."),
        ("a\n,,,,", "a, row 2: 5 fields are more than the 4 that are read."),
        ('a\n"b', "a, row 2: the row is damaged (unexpected end of data). Close all quotes."),
    ],
)
def test_rows_have_limits(tmp_path, text, message):
    assert len(list(rows(of(tmp_path / "a", rows=10, columns=4), "a\n" * 10, ","))) == 10
    with pytest.raises(DataError) as error:
        list(rows(of(tmp_path / "a", rows=10, columns=4), text, ","))
    assert str(error.value) == message


# Arrays

ARRAYS = {
    "x": np.arange(6.0).reshape(2, 3),
    "by_columns": np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)),
    "texts": np.array(["a", "bcd"]),
    "bytes": np.array([b"a", b"bcd"]),
    "flags": np.array([True, False]),
    "nothing": np.empty((0, 4), dtype=np.float32),
    "one": np.array(3),
    "big_endian": np.arange(4, dtype=">i4"),
}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_are_read_as_numpy_reads_them(tmp_path, save):
    save(tmp_path / "a.npz", **ARRAYS)
    with arrays(made(tmp_path / "a.npz")) as actual, np.load(tmp_path / "a.npz") as expected:
        assert actual.names == tuple(expected.files)
        for name in expected.files:
            assert actual[name].dtype == expected[name].dtype
            assert actual[name].flags.writeable
            assert actual[name].flags.f_contiguous == expected[name].flags.f_contiguous
            np.testing.assert_array_equal(actual[name], expected[name])


def packed(path, content, name="x.npy"):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return path


def npy(shape, dtype="<f8", data=b"", order=False):
    header = repr({"descr": dtype, "fortran_order": order, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (npy((10**15,)), r"float64 of shape \(1000000000000000,\) does not fit"),
        (npy((2**62, 4)), "does not fit"),
        (npy((-1,)), "does not fit"),
        (npy((-1, -1), data=bytes(8)), "does not fit"),
        (npy((2,), data=bytes(8)), "does not fit"),
        (npy((2,), data=bytes(24)), "does not fit"),
        (npy((1,), "|O", bytes(8)), "holds object"),
        (npy((1,), [("a", "<f8")], bytes(8)), "holds .*not numbers or texts"),
        (npy((1,), "<U99999999"), "does not fit"),
        (npy((1,), "<U2", b"a\0\0\0\xff\xff\xff\x7f"), "no character"),
        (npy((1,), ">U1", b"\0\x11\0\0"), "no character"),
        (npy((1,), "<U1", b"\0\xd8\0\0"), "no character"),
        (npy("x"), ""),
        (npy((1,), "no"), ""),
        (b"\x93NUMPY\x09\x00", ""),
        (b"\x93NUMPY\x01\x00\xff\xff(((((", ""),
        (b"", ""),
        (b"not an array", ""),
    ],
)
def test_an_array_that_claims_what_it_has_not_is_refused(tmp_path, content, fault):
    path = packed(tmp_path / "a.npz", content)
    with (
        arrays(made(path)) as archive,
        pytest.raises(DataError, match=rf"a\.npz, array 'x': the array is damaged.*{fault}"),
    ):
        archive["x"]


def test_archives_of_too_much_or_of_twins_are_refused(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", x=np.zeros(10**6), y=np.zeros(10**6))
    with (
        pytest.raises(DataError, match=r"2 arrays of 160002\d\d bytes are more than are read"),
        arrays(of(tmp_path / "a.npz", bytes=10**7)),
    ):
        pass
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("x.npy", npy((0,)))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("x.npy", npy((0,)))
    with pytest.raises(DataError, match="two arrays have the same name"), arrays(of(tmp_path / "b.npz")):
        pass


def test_arrays_are_what_the_caller_expects(tmp_path):
    np.savez(tmp_path / "a.npz", **ARRAYS, gap=np.array([1.0, np.nan]))
    path = tmp_path / "a.npz"
    with arrays(made(path)) as archive:
        assert archive.array("x", "float64", (2, None)).shape == (2, 3)
    for wanted, fault in (
        (("x", "float64", (3, 3)), r"array 'x': float64 of shape \(2, 3\), not float64 of shape \(3, 3\)"),
        (("x", "float64", (None,)), r"of shape \(any\)"),
        (("x", "int64", (2, 3)), "float64"),
        (("x", "text", (2, 3)), "not text"),
        (("z", "float64", (1,)), "the array 'z' is missing"),
        (("gap", "float64", (2,)), "array 'gap': not all of its numbers are finite"),
    ):
        with pytest.raises(DataError, match=fault), arrays(made(path)) as archive:
            archive.array(*wanted)
    with arrays(made(path)) as archive:
        assert np.isnan(archive.array("gap", "float64", (2,), gaps=True)[1])


def test_a_damaged_part_of_an_archive_is_found(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(1000))
    check_archive(made(tmp_path / "a.npz"))
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[2000] ^= 1
    with pytest.raises(DataError, match=r"the file is damaged|its part 'x\.npy' is damaged"):
        check_archive(made(written(tmp_path / "a.npz", bytes(content))))


# Archives


def tar(path, *entries, mode="w"):
    with tarfile.open(path, mode) as archive:
        for entry, content in entries:
            archive.addfile(entry, io.BytesIO(content))
    return path


def entry(name, content=b"", **changes):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in changes.items():
        setattr(info, key, value)
    return info, content


def test_members_are_read_in_their_order_without_folders(tmp_path):
    entries = [entry("d", type=tarfile.DIRTYPE), entry("d/b", b"1" * 1000), entry("d/a", b"2")]
    for mode in ("w", "w:gz"):
        path = tar(tmp_path / "a.tar", *entries, mode=mode)
        assert list(members(of(path), 1000)) == [("d/b", b"1" * 1000), ("d/a", b"2")]


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        ([entry("a", type=tarfile.SYMTYPE, linkname="/etc/passwd")], "a.tar, a: this is a link, a device or"),
        ([entry("a", type=tarfile.LNKTYPE, linkname="b")], "this is a link"),
        ([entry("a", type=tarfile.FIFOTYPE)], "this is a link, a device"),
        ([entry("a", type=tarfile.GNUTYPE_SPARSE)], "a file with holes"),
        ([entry("a", b"x" * 2000)], "2000 bytes in member 1 are more than are read"),
        ([entry(str(number)) for number in range(5)], "member 5 are more than are read"),
    ],
)
def test_members_that_are_no_files_or_too_many_are_refused(tmp_path, entries, fault):
    with pytest.raises(DataError, match=fault):
        list(members(of(tar(tmp_path / "a.tar", *entries), members=4), 1000))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:100],
        lambda content: content[: 512 + 512 + 100],
        lambda content: content[: 512 + 512],
        lambda content: content[:1024] + bytes([content[1024] ^ 1]) + content[1025:],
        lambda content: content[:1024] + bytes(1024) + content[2048:],
        lambda content: content + b"x" * 512,
    ],
)
def test_a_damaged_archive_is_never_a_shorter_one(tmp_path, damage):
    path = tar(tmp_path / "a.tar", entry("a", b"1" * 500), entry("b", b"2" * 500), entry("c", b"3" * 500))
    assert len(list(members(of(path), 1000))) == 3
    written(path, damage(path.read_bytes()))
    with pytest.raises(DataError, match=r"^a\.tar.*not readable as tar archive"):
        list(members(of(path), 1000))


@pytest.mark.parametrize("kind", [Path, str])
def test_a_folder_in_the_place_of_a_table(tmp_path, kind):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(DataError, match=r"a\.csv: this is a folder, not a file\. Put the file in its place\.$"):
        frame(made(tmp_path / "a.csv"), kind(tmp_path / "a.csv"))
