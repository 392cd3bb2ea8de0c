"""Runs of the command `dpmia` up to the start of Snakemake, which a test replaces."""

import pytest

from dpmia.cli import main as command
from dpmia.settings.generate import ROOT

#: A plan that is found.
PLAN = (*("plan", "--target", "advantage", "--value", "0.3"), *("--sampling-rate", "0.05", "--steps", "20"))


class StartedError(Exception):
    """Snakemake would run now."""


def run(*arguments):
    """Run the command, and return the arguments of the Snakemake that it starts; None where it starts none."""
    try:
        command.main(arguments)
    except StartedError as found:
        _, *line = found.args[0]
        assert line[:3] == ["-m", "snakemake", "--snakefile"]
        assert line[3] == str(ROOT / "Snakefile")
        return line[4:]


def refused(capsys, *arguments):
    """Run a command that is refused, and return its message."""
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 2
    return capsys.readouterr().err
