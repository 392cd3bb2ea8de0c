"""A copy of the project in which the workflow runs, so that tests never touch the checkout."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import yaml

from dpmia.papers.catalogue import PAPERS

REPOSITORY = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "dpmia", "envs", "experiments", "profiles", "rules", "scripts")


#: Experiments that most tests run: clusters, groups, shadow models and the blind baseline are among them.
FEW = ("adult_cluster", "compas_cluster", "heart", "student")

#: Names that people ask for; a dry run counts them as jobs.
TARGETS = {*PAPERS, *(artifact.name for artifacts in PAPERS.values() for artifact in artifacts), "all"}


class Workspace:
    """A copy of the project with the experiments `FEW`, and what one can do in it."""

    #: Seconds that one run of Snakemake may take.
    limit = 900
    #: Which SLURM there is: none. Its plugin asks at every start, and waits nine seconds where none answers.
    slurm_conf = os.devnull
    #: What comes before each command.
    prefix: tuple[str, ...] = ()

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        for part in PARTS:
            source, target = REPOSITORY / part, folder / part
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, target)
        for file in (folder / "experiments").glob("*.yaml"):
            if file.stem not in ("humphries", "izzo"):
                file.unlink()
        self.change_experiments(_few)

    @classmethod
    def at(cls, folder: Path) -> Workspace:
        """Return the copy that stands in a folder already."""
        workspace = object.__new__(cls)
        workspace.folder = folder
        return workspace

    def snakemake(self, *arguments: str, scale: str = "smoke", **config: object) -> subprocess.CompletedProcess[str]:
        """Run Snakemake with targets and options, then `--config`; standard output and error come together."""
        settings = [f"{key}={value}" for key, value in {"scale": scale, **config}.items()]
        # A proxy on a closed port of this machine: whatever asks for the network is refused at once.
        closed = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
        return subprocess.run(
            [*self.prefix, sys.executable, "-m", "snakemake", "--cores", "2", *arguments, "--config", *settings],
            cwd=self.folder,
            env={**os.environ, **closed, "SLURM_CONF": str(self.slurm_conf)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=self.limit,
        )

    def planned(self, *arguments: str, **config: object) -> dict[str, int]:
        """Return the jobs that a dry run announces, by rule; `all` and the named targets are left out."""
        response = self.snakemake("--dry-run", *arguments, **config)
        assert response.returncode == 0, response.stdout
        lines = iter(response.stdout.splitlines())
        counts: dict[str, int] = {}
        for line in lines:
            if line.startswith("job ") and line.endswith("count"):
                next(lines)
                for row in lines:
                    name, count = row.split()
                    if name == "total":
                        # The table counts figures and tables together; the lines of the jobs name them.
                        made = re.findall(r"^Making (\w+)$", response.stdout, re.MULTILINE)
                        assert counts.pop("make_artifact", 0) == len(made), response.stdout
                        counts |= {f"make_{artifact}": 1 for artifact in made}
                        return {rule: n for rule, n in counts.items() if rule not in TARGETS}
                    counts[name] = int(count)
        assert "Nothing to be done" in response.stdout, response.stdout
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
        """Return the files that runs have made; a run may be at work, and delete some meanwhile."""
        tops = (self.folder / "results", self.folder / "resources")
        walks = (walk for top in tops for walk in os.walk(top))
        return {str(Path(at, name).relative_to(self.folder)) for at, _, names in walks for name in names}


def _few(file: dict) -> None:
    file["experiments"] = {name: file["experiments"][name] for name in FEW}


def heed_interrupts() -> None:
    """Undo, in a new process, that the tests themselves may run in the background, where Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
