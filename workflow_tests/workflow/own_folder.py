"""A folder of a user's own, outside of the project, in which `dpmia run audit` is typed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from workspace import REPOSITORY


def write_records(file: Path) -> None:
    """Write records of two classes, whose means differ by one in each of three features."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    np.savez(file, x=rng.normal(size=(300, 3)) + y[:, None], y=y)


class OwnFolder:
    """A folder with records `own.npz`, settings `mine.yaml`, and further files."""

    def __init__(self, path: Path, settings: str, **files: str) -> None:
        """Write the files; a name is spelled with `_` for the point before its ending."""
        self.path = path
        write_records(path / "own.npz")
        (path / "mine.yaml").write_text(settings)
        for name, content in files.items():
            (path / ".".join(name.rsplit("_", 1))).write_text(content)

    def audit(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Audit as the user types it."""
        command = [sys.executable, "-c", "from dpmia.cli.main import main; main()", "run", "audit", "--cores", "2"]
        return subprocess.run(
            [*command, *options, "--config", "data=real", "scale=smoke", "experiments=[mine.yaml]"],
            cwd=self.path,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "SLURM_CONF": os.devnull, "TMPDIR": str(self.path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=900,
        )

    def report(self, ending: str) -> str:
        """Return the report, as `html` or `json`."""
        return (self.path / f"results/real-smoke/audit-mine.{ending}").read_text()
