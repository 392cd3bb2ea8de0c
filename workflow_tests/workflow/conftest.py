"""Copies of the project, untouched or with a finished run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from filelock import FileLock
from workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return a fresh copy in which nothing was run."""
    return Workspace(tmp_path / "dpmia")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Workspace:
    """Return a copy in which all of it was run at smoke scale. Tests must leave it as they found it.

    Test processes share it: the first to ask makes it, the others wait.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "finished" / "dpmia"
    with FileLock(f"{folder.parent}.lock"):
        if folder.exists():
            return Workspace.at(folder)
        workspace = Workspace(folder)
        response = workspace.snakemake()
        assert response.returncode == 0, response.stdout
        return workspace


@pytest.fixture
def grown(finished: Workspace, tmp_path: Path) -> Workspace:
    """Return a copy of the finished run, file times and Snakemake's own records included, to change at will."""
    folder = tmp_path / "dpmia"
    shutil.copytree(finished.folder, folder)
    return Workspace.at(folder)
