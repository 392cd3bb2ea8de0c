"""The commit that makes a run: one hash, or nothing is published."""

import subprocess

import pytest

from dpmia.common.errors import UnnamedRunError
from dpmia.workflow.commit import commit, named_commit


def git(folder, *arguments):
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_a_run_is_named_by_a_commit_alone(tmp_path):
    assert commit(tmp_path) == "unknown: no git checkout"
    with pytest.raises(UnnamedRunError, match="the checkout: its commit is unknown: no git checkout"):
        named_commit(tmp_path)
    git(tmp_path, "init", "-q")
    (tmp_path / "a").write_text("1")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-qm", "First")
    assert named_commit(tmp_path) == commit(tmp_path) == git(tmp_path, "rev-parse", "HEAD").strip()
    assert named_commit(tmp_path, [tmp_path / "a"]) == named_commit(tmp_path)
    (tmp_path / "mine.yaml").write_text("paper: humphries")
    for file in (tmp_path / "mine.yaml", tmp_path.parent / "elsewhere.yaml"):
        with pytest.raises(UnnamedRunError, match=f"{file.name}: commit [0-9a-f]{{7}} of .* does not hold it. Add it"):
            named_commit(tmp_path, [file])
    (tmp_path / "a").write_text("2")
    with pytest.raises(UnnamedRunError, match="with changes that are not committed"):
        named_commit(tmp_path)


def test_a_folder_in_the_checkout_of_another_project_has_no_commit(tmp_path):
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-qm", "Another project", "--allow-empty")
    installed = tmp_path / ".venv/lib/dpmia/_workflow"
    installed.mkdir(parents=True)
    assert commit(installed) == "unknown: no git checkout"
    with pytest.raises(UnnamedRunError, match="its commit is unknown"):
        named_commit(installed)


def test_a_checkout_is_found_through_a_link(tmp_path):
    (tmp_path / "checkout").mkdir()
    git(tmp_path / "checkout", "init", "-q")
    git(tmp_path / "checkout", "commit", "-qm", "First", "--allow-empty")
    (tmp_path / "link").symlink_to(tmp_path / "checkout")
    assert commit(tmp_path / "link") == commit(tmp_path / "checkout") != "unknown: no git checkout"
