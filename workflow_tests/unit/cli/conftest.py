"""A working folder for the command `dpmia`."""

import shutil

import pytest
from commands import StartedError

from dpmia.cli import main as command
from dpmia.settings.generate import ROOT
from dpmia.workflow.failures import TYPED


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a working folder with a table; Snakemake is not started there."""
    shutil.copy(ROOT / "examples/patients.csv", tmp_path / "Clinic 2.csv")

    def started(program, arguments):
        raise StartedError(arguments)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(TYPED, "")  # restored after the test
    monkeypatch.setattr(command.os, "execv", started)
    return tmp_path
