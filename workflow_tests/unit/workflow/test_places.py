"""Files that cannot be written are named before any is."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dpmia.common.errors import PlaceError
from dpmia.workflow.places import check_places


def test_places_where_files_can_be_written_are_left_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/old.csv").write_text("old")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "linked").symlink_to("elsewhere")
    check_places(["new.csv", "results/old.csv", "results/new/deep/a.csv", tmp_path / "linked/a/b.csv"])
    assert {file.name for file in tmp_path.rglob("*")} == {"results", "old.csv", "elsewhere", "linked"}


def test_a_folder_in_the_place_of_a_file(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(PlaceError, match=r"a\.csv: this is a folder, not a file\. Move it away and start again\.$"):
        check_places([tmp_path / "b.csv", tmp_path / "a.csv"])


@pytest.mark.parametrize("below", ["", "deep/deeper/"])
def test_a_file_in_the_place_of_a_folder(tmp_path, below):
    (tmp_path / "results").write_text("")
    with pytest.raises(PlaceError, match=r"results: this is a file, not a folder\. Move it away and start again\.$"):
        check_places([tmp_path / f"results/{below}a.csv"])


@pytest.mark.parametrize("below", ["", "deep/deeper/"])
def test_a_link_that_leads_nowhere(tmp_path, below):
    (tmp_path / "results").symlink_to("/nowhere/at/all")
    with pytest.raises(PlaceError, match=r"results: the link leads to no folder\. Mend the link, or remove it\.$"):
        check_places([tmp_path / f"results/{below}a.csv"])


@pytest.mark.parametrize(
    ("closed", "named"), [("results", "results"), ("results/a.csv", "results/a.csv"), ("results/deep", "results/deep")]
)
def test_what_is_read_only(unprivileged, tmp_path, closed, named):
    (tmp_path / "results/deep").mkdir(parents=True)
    (tmp_path / "results/a.csv").write_text("old")
    (tmp_path / closed).chmod(0o555)
    code = """
from dpmia.workflow.places import check_places
try:
    check_places(["results/a.csv", "results/deep/b/c.csv"])
except Exception as error:
    print(type(error).__name__, error, end="")
"""
    command = [*unprivileged, sys.executable, "-c", code]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    remedy = "Change its permissions, or run in another folder (--directory FOLDER)."
    assert printed == f"PlaceError {named}: it cannot be written to. {remedy}"
