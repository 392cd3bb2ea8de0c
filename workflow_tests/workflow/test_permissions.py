"""Files that cannot be read or written: one message that names them, exit code 2, and nothing written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from workspace import REPOSITORY, Workspace

FIGURE = "humphries_fig7"
RUN = "results/synthetic-smoke"
RAW = "resources/synthetic-smoke/raw/student/student-por.csv"
READ_ONLY = "it cannot be written to. Change its permissions, or run in another folder (--directory FOLDER)."


def refused(workspace: Workspace, *arguments: str, **config: object) -> str:
    """Run what is refused, and return the last line."""
    before = workspace.made
    response = workspace.snakemake(*arguments, **config)
    assert response.returncode == 2, response.stdout
    assert "Traceback" not in response.stdout, response.stdout
    assert workspace.made == before
    return response.stdout.strip().splitlines()[-1]


@pytest.fixture
def restricted(workspace: Workspace, unprivileged: tuple[str, ...]) -> Workspace:
    """Return a workspace for which permissions count."""
    workspace.prefix = unprivileged
    return workspace


@pytest.mark.parametrize(
    "closed",
    [pytest.param(place, marks=[] if place == RUN else pytest.mark.slow) for place in (".", "results", RUN, "logs")],
)
def test_a_folder_without_permission_to_write(restricted, closed):
    place = restricted.folder / closed
    place.mkdir(parents=True, exist_ok=True)
    place.chmod(0o555)
    assert refused(restricted, FIGURE) == f"Error: {closed}: {READ_ONLY}"
    place.chmod(0o755)


@pytest.mark.slow
def test_a_link_that_leads_nowhere_in_the_place_of_the_results(workspace):
    (workspace.folder / "results").symlink_to("/nowhere/at/all")
    assert refused(workspace, FIGURE) == "Error: results: the link leads to no folder. Mend the link, or remove it."


@pytest.mark.slow
@pytest.mark.parametrize("place", ["results", RUN, "logs", f"{RUN}/figures"])
def test_a_file_in_the_place_of_a_folder(workspace, place):
    (workspace.folder / place).parent.mkdir(parents=True, exist_ok=True)
    (workspace.folder / place).write_text("")
    last = refused(workspace, FIGURE)
    assert place in last
    assert "Move" in last


@pytest.mark.slow
@pytest.mark.parametrize("place", [f"{RUN}/figures/humphries/{FIGURE}.csv", f"{RUN}/summary/student.csv", RAW])
def test_a_folder_in_the_place_of_a_file(workspace, place):
    (workspace.folder / place).mkdir(parents=True)
    (workspace.folder / place / "kept.txt").write_text("a file of the user")
    response = workspace.snakemake(FIGURE)
    assert response.returncode == 2, response.stdout
    assert "Traceback" not in response.stdout, response.stdout
    last = response.stdout.strip().splitlines()[-1]
    assert Path(place).name in last, response.stdout
    assert "this is a folder, not a file" in last, response.stdout
    assert (workspace.folder / place / "kept.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folder", "link", "closed"])
def test_a_raw_file_of_the_mirror_that_cannot_be_read(restricted, kind):
    spoil(restricted.folder / "mirror/student/student-por.csv", kind)
    last = refused(restricted, FIGURE, data="real", data_mirror="mirror", download="false")
    assert "student-por.csv" in last


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folder", "link", "closed", "absent"])
@pytest.mark.parametrize("place", ["examples/patients.csv", "experiments/patients.yaml"])
def test_a_file_of_ones_own_that_cannot_be_read(restricted, kind, place):
    shutil.copytree(REPOSITORY / "examples", restricted.folder / "examples")
    shutil.copy(REPOSITORY / "experiments/patients.yaml", restricted.folder / "experiments/patients.yaml")
    spoil(restricted.folder / place, kind)
    last = refused(restricted, "audit", experiments="[experiments/patients.yaml]")
    assert Path(place).name in last


@pytest.mark.slow
@pytest.mark.parametrize("cache", ["syntax.json", "rates.json"])
def test_a_damaged_cache_is_named(workspace, cache):
    (workspace.folder / ".snakemake").mkdir()
    (workspace.folder / ".snakemake" / cache).write_text('{"by": ')
    last = refused(workspace, FIGURE)
    assert last.startswith(f"Error: .snakemake/{cache}: not readable as JSON"), last
    assert "Delete it and start again" in last


def spoil(file: Path, kind: str) -> None:
    """Leave something that cannot be read in the place of a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    if kind == "folder":
        file.mkdir()
    elif kind == "link":
        file.symlink_to("/nowhere/at/all")
    elif kind == "closed":
        file.write_text("closed")
        file.chmod(0)
