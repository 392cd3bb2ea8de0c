"""Copies of the project in which the workflow runs, so that tests never touch the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "dpmia", "envs", "experiments", "profiles", "rules", "scripts")


class Workspace:
    """A copy of the project and what one can do in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        for part in PARTS:
            source, target = REPOSITORY / part, folder / part
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, target)

    def snakemake(self, *arguments: str, scale: str = "smoke", **config: object) -> subprocess.CompletedProcess[str]:
        """Run Snakemake with targets and options, then `--config`; standard output and error come together."""
        settings = [f"{key}={value}" for key, value in {"scale": scale, **config}.items()]
        # A proxy on a closed port of this machine: whatever asks for the network is refused at once.
        closed = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
        return subprocess.run(
            [sys.executable, "-m", "snakemake", "--cores", "2", *arguments, "--config", *settings],
            cwd=self.folder,
            env={**os.environ, **closed},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=900,
        )

    def planned(self, *arguments: str, **config: object) -> dict[str, int]:
        """Return the jobs that a dry run announces, by rule; `all` and the named targets are left out."""
        answer = self.snakemake("--dry-run", *arguments, **config)
        assert answer.returncode == 0, answer.stdout
        lines = iter(answer.stdout.splitlines())
        counts: dict[str, int] = {}
        for line in lines:
            if line.startswith("job ") and line.endswith("count"):
                next(lines)
                for row in lines:
                    name, count = row.split()
                    if name == "total":
                        return {
                            rule: n for rule, n in counts.items() if "_" in rule and not rule.startswith("humphries")
                        }
                    counts[name] = int(count)
        assert "Nothing to be done" in answer.stdout, answer.stdout
        return {}

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace text that must be there once in a file of the copy."""
        file = self.folder / path
        text = file.read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
        file.write_text(text.replace(old, new))

    def change_experiments(self, change: Callable[[dict], None]) -> None:
        """Change the settings of the experiments of the copy."""
        file = self.folder / "experiments/humphries.yaml"
        settings = yaml.safe_load(file.read_text())
        change(settings)
        file.write_text(yaml.safe_dump(settings))

    @property
    def made(self) -> set[str]:
        """Return the files that runs have made."""
        folders = (self.folder / "results", self.folder / "resources")
        return {
            str(file.relative_to(self.folder))
            for top in folders
            if top.exists()
            for file in top.rglob("*")
            if file.is_file()
        }


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return a fresh copy in which nothing was run."""
    return Workspace(tmp_path / "dpmia")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Return a copy in which everything was run at smoke scale. Tests must leave it as they found it."""
    workspace = Workspace(tmp_path_factory.mktemp("finished") / "dpmia")
    answer = workspace.snakemake()
    assert answer.returncode == 0, answer.stdout
    return workspace


@pytest.fixture
def grown(finished: Workspace, tmp_path: Path) -> Workspace:
    """Return a copy of the finished run, file times and Snakemake's own records included, to change at will."""
    folder = tmp_path / "dpmia"
    shutil.copytree(finished.folder, folder)
    workspace = object.__new__(Workspace)
    workspace.folder = folder
    return workspace
