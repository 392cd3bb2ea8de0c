"""The table of sources: published checksums, optional files, what must be downloaded."""

import subprocess
import sys
from dataclasses import replace

import pytest
from toy_files import SHA256, raw

from dpmia.common.errors import DataError
from dpmia.common.plugins import EntryPoint
from dpmia.datasets.raw import sources
from dpmia.datasets.raw.sources import all_raw_files, raw_files
from dpmia.formats.provenance import SourceFile


@pytest.fixture
def toys(monkeypatch):
    table = (raw(), replace(raw(), file="old.data", checksum="md5:12"), replace(raw(), file="new.data", checksum=""))
    monkeypatch.setattr(sources, "all_raw_files", lambda: table)


def file_record(name, sha256=SHA256, md5="12"):
    return SourceFile(name, sha256, 10, 3, md5)


def test_published_files_pass_and_those_nobody_can_verify_are_named(toys, caplog):
    assert sources.require_published("toy", [file_record("toy.data"), file_record("old.data", sha256="any")]) == ()
    assert caplog.text == ""
    assert sources.require_published("toy", [file_record("toy.data"), file_record("new.data", sha256="abc")]) == (
        "new.data",
    )
    assert "toy/new.data: no checksum" in caplog.text
    assert "sha256 abc" in caplog.text


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        (file_record("toy.data", sha256="34"), rf"toy/toy\.data: sha256 34 .*{SHA256}"),
        (file_record("old.data", md5="34"), r"toy/old\.data: md5 34 .*12"),
    ],
)
def test_files_that_are_not_the_published_ones_are_refused(toys, file, fault):
    with pytest.raises(DataError, match=fault):
        sources.require_published("toy", [file])


def test_the_table_of_sources_is_complete():
    assert {file.dataset for file in all_raw_files()} >= {"adult", "compas", "heart", "student"}
    digits = {"sha256": 64, "md5": 32}
    places = [(file.dataset, file.file) for file in all_raw_files()]
    assert len(set(places)) == len(places)
    for checksum in {file.checksum for file in all_raw_files() if file.checksum}:
        algorithm, _, digest = checksum.partition(":")
        assert int(digest, 16) >= 0
        assert len(digest) == digits[algorithm]
    for file in all_raw_files():
        assert file.bytes is None or file.bytes > (file.rows or 0) > 0
        assert file.mirror
        # Without encryption only where a checksum shows what came.
        assert all(url.startswith("https://" if not file.checksum else "http") for url in file.urls)
        assert file.homepage.startswith("http")
        assert file.licence
    assert [file.file for file in raw_files("adult")] == ["adult.data", "adult.test"]
    assert raw_files("nothing") == ()


def test_files_of_one_archive_are_fetched_together_and_others_each_by_itself():
    assert [[file.file for file in files] for files in sources.fetched_together("cifar100")] == [["train", "test"]]
    assert list(map(len, sources.fetched_together("cifar10"))) == [6]
    for dataset in ("adult", "mnist", "purchase100", "texas"):
        assert sources.fetched_together(dataset) == tuple((file,) for file in raw_files(dataset))


@pytest.fixture
def two_parts(monkeypatch):
    """The table lists a required file and an optional one, both with a URL."""
    second = replace(raw("https://example.org/more"), file="more.data", mirror=("toy/more.data",), optional=True)
    monkeypatch.setattr(sources, "all_raw_files", lambda: (raw("https://example.org/toy"), second))


@pytest.mark.parametrize(
    ("lies", "mirrored", "expected"),
    [
        ((), False, ["toy.data", "more.data"]),  # both are downloaded
        ((), True, ["toy.data"]),
        (("mirror/toy/more.data",), True, ["toy.data", "more.data"]),
        (("mirror/toy/more.data.gz",), True, ["toy.data", "more.data"]),
        (("raw/more.data",), True, ["toy.data", "more.data"]),
    ],
)
def test_an_optional_file_is_read_unless_the_mirror_lacks_it(two_parts, tmp_path, lies, mirrored, expected):
    for name in lies:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    files = sources.files_at_hand("toy", tmp_path / "mirror" if mirrored else None, tmp_path / "raw")
    assert [file.file for file in files] == expected


def test_an_optional_file_without_url_keeps_nothing_from_running(monkeypatch, tmp_path):
    monkeypatch.setattr(sources, "all_raw_files", lambda: (raw("https://example.org"), replace(raw(), optional=True)))
    assert len(sources.files_at_hand("toy", None, tmp_path)) == 1
    assert sources.unavailable_reason("toy", None, tmp_path) is None


def test_without_downloads_only_what_is_here_can_be_had(two_parts, tmp_path):
    folder, mirror = tmp_path / "raw", tmp_path / "mirror"
    assert sources.unavailable_reason("toy", None, folder) is None
    assert (
        sources.unavailable_reason("toy", mirror, folder, download=False)
        == "toy/toy.data is missing, and downloads are off"
    )
    assert [file.file for file in sources.files_at_hand("toy", None, folder, download=False)] == ["toy.data"]
    (mirror / "toy").mkdir(parents=True)
    (mirror / "toy/toy.data").touch()
    assert sources.unavailable_reason("toy", mirror, folder, download=False) is None


def test_the_table_of_sources_is_light():
    heavy = "{'numpy', 'pandas', 'requests', 'torch'} & set(sys.modules)"
    code = f"import sys; import dpmia.datasets.raw.sources as s; s.raw_files('adult'); sys.exit(len({heavy}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


HEADER = "dataset,file,mirror,urls,checksum,bytes,rows,optional,licence,homepage\n"
LINE = "coins,coins.csv,coins/coins.csv,,,,,,CC0,https://example.org/coins\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (HEADER + LINE + "x,y\n", "it is no list of raw files"),
        (HEADER + HEADER + LINE, "it is no list of raw files"),
        (HEADER + LINE.replace("\n", ",more\n"), "it is no list of raw files"),
        ((HEADER + LINE).replace(",", ";"), "it is no list of raw files"),
        (HEADER + LINE.replace("coins.csv,", "../coins.csv,", 1), r"'\.\./coins\.csv' is not the name of a file"),
    ],
)
def test_a_damaged_list_of_another_package_is_named(tmp_path, monkeypatch, text, problem):
    (tmp_path / "with_coins").mkdir()
    (tmp_path / "with_coins/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sources, "installed", lambda group: {"coins": EntryPoint("with_coins", "coins 1.0")})
    table = tmp_path / "with_coins/sources.csv"
    table.write_text(HEADER + LINE, encoding="utf-8")
    assert all_raw_files.__wrapped__()[-1].file == "coins.csv"
    table.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=rf"with_coins/sources\.csv: {problem}.*Repair or uninstall its package"):
        all_raw_files.__wrapped__()


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("no_coins", "there is no module no_coins"),
        ("no_coins.data", "ModuleNotFoundError: No module named 'no_coins'"),
        ("with_fault.data", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_package_without_the_module_of_its_data_set_is_named(tmp_path, monkeypatch, spec, problem):
    (tmp_path / "with_fault").mkdir()
    (tmp_path / "with_fault/__init__.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sources, "installed", lambda group: {"coins": EntryPoint(spec, "coins 1.0")})
    with pytest.raises(DataError) as caught:
        all_raw_files.__wrapped__()
    assert str(caught.value) == f"coins 1.0, data set coins: {problem}. Repair or uninstall its package."
