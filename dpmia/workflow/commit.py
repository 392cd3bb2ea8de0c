"""The commit that makes a run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from dpmia.common.errors import UnnamedRunError

#: Stands in the place of a commit where there is none.
_UNKNOWN = "unknown: no git checkout"


def commit(repository: Path) -> str:
    """Return the commit of a checkout, and whether files were changed since; a word where git does not know.

    Args:
        repository: the root of the checkout. A folder within another project's checkout, as an installed dpmia in an
            environment there, has no commit of its own.
    """
    try:
        top = Path(_git(repository, "rev-parse", "--show-toplevel"))
        if top.resolve() != repository.resolve():
            return _UNKNOWN
        head = _git(repository, "rev-parse", "HEAD")
        changed = _git(repository, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return _UNKNOWN
    return f"{head}, with changes that are not committed" if changed else head


def named_commit(repository: Path, settings: Iterable[str | Path] = ()) -> str:
    """Return the hash of the commit that alone makes a run.

    Args:
        repository: a checkout.
        settings: files of settings of the run; the commit must hold them.

    Raises:
        UnnamedRunError: files were changed since, there is no commit, or it lacks a file of settings.
    """
    commit_hash = commit(repository)
    if not commit_hash.isalnum():
        raise UnnamedRunError("the checkout", f"its commit is {commit_hash}", "Commit every change, then run it again")
    for file in settings:
        try:
            _git(repository, "ls-files", "--error-unmatch", "--", str(Path(file).resolve()))
        except subprocess.CalledProcessError:
            problem, remedy = (
                f"commit {commit_hash[:7]} of {repository} does not hold it",
                "Add it to the checkout and commit it",
            )
            raise UnnamedRunError(str(file), problem, remedy) from None
    return commit_hash


def _git(repository: Path, *arguments: str) -> str:
    completed = subprocess.run(["git", "-C", repository, *arguments], capture_output=True, text=True, check=True)
    return completed.stdout.strip()
