"""A fault at each effect of a run, one after the other, at each a new start: the numbers are those of a calm run."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fault_injection import Faults
from workspace import Workspace, heed_interrupts

pytestmark = pytest.mark.slow

TARGET = "humphries_fig7"
#: Before and after each rename, and after each write or removal of a record of Snakemake.
#: `DPMIA_TEST_KILLS=.` takes every effect.
KILLED = os.environ.get("DPMIA_TEST_KILLS") or (
    r"^os\.rename |^os\.remove \S+\.part\b|^os\.(chmod|remove) \.snakemake/(metadata|incomplete)/"
)
#: Files that are opened for writing: records of Snakemake on `resources/` (its names are in base 64), and a job's own.
#: `DPMIA_TEST_FILLED=^open` takes every file.
FILLED = os.environ.get("DPMIA_TEST_FILLED") or (
    r"^open (\.snakemake/(incomplete|metadata)/cmVzb3VyY2Vz|resources/|\S*train_block|results/\S*/signals/)"
)
#: Of a file's name while it is written.
PART = re.compile(r"~\d+\.part")


class Runs:
    """Runs in one workspace, each in a process group of its own."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.count = 0

    def start(self, *faults: Faults, cores: int = 1) -> subprocess.Popen[str]:
        self.count += 1
        injected = {name: value for fault in faults for name, value in fault.environment.items()}
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", "--cores", str(cores), TARGET, "--config", "scale=smoke"],
            cwd=self.workspace.folder,
            env={**os.environ, "SLURM_CONF": self.workspace.slurm_conf, **injected},
            start_new_session=True,
            preexec_fn=heed_interrupts,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *faults: Faults, cores: int = 1) -> tuple[int, str]:
        """Run to the end; return exit code and what was printed."""
        started = self.start(*faults, cores=cores)
        printed, _ = started.communicate(timeout=600)
        return started.returncode, printed

    def files(self, *endings: str) -> dict[str, bytes]:
        """Return the finished files with some endings; what a job keeps to be resumed is none."""
        folder = self.workspace.folder
        files = [file for top in ("results", "resources") for file in (folder / top).rglob("*") if file.is_file()]
        return {
            str(file.relative_to(folder)): file.read_bytes()
            for file in files
            if file.suffix in endings and not PART.search(file.name) and ".checkpoints/" not in str(file)
        }


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    runs = Runs(Workspace(tmp_path_factory.mktemp("calm") / "dpmia"))
    code, printed = runs.run()
    assert code == 0, printed
    return runs


@pytest.fixture
def runs(workspace: Workspace, calm: Runs) -> Runs:
    return Runs(workspace)


def assert_whole(runs: Runs, calm: Runs) -> None:
    """Whatever stands under its final name is what a calm run wrote, to the byte."""
    right = calm.files(".csv", ".npz")
    for path, content in runs.files(".csv", ".npz").items():
        assert content == right[path], path


def assert_finished(runs: Runs, calm: Runs) -> None:
    """All is there, nothing is left, nothing would run again, and what looks at a run can look at it."""
    assert runs.files(".csv") == calm.files(".csv")
    assert len(calm.files(".csv")) >= 8
    left = [file for file in runs.workspace.folder.rglob(".*") if PART.search(file.name)]
    assert left == []
    assert runs.workspace.planned(TARGET) == {}
    for look in ("status", "costs", "explain"):
        response = runs.workspace.snakemake(look)
        assert response.returncode == 0, response.stdout


def test_killed_at_each_effect(runs, calm, tmp_path):
    faults = Faults(tmp_path / "faults", runs.workspace.folder, "kill", KILLED)
    while (ended := runs.run(faults))[0] == -signal.SIGKILL:
        assert_whole(runs, calm)
    assert ended[0] == 0, ended[1]
    assert_finished(runs, calm)
    assert sum(effect.startswith("os.rename ") for effect in faults.met) >= 15
    assert sum(".snakemake/metadata/" in effect for effect in faults.met) >= 15
    assert runs.count == len(faults.met) + 1


def test_a_disk_that_is_full_from_each_effect_on(runs, calm, tmp_path):
    faults = Faults(tmp_path / "faults", runs.workspace.folder, "full", FILLED)
    while (ended := runs.run(faults))[0] != 0:
        code, printed = ended
        assert code == 2, printed
        assert "No space left on device. Free some space and start again" in printed, printed
        assert "Traceback" not in printed, printed
        assert_whole(runs, calm)
        faults.space()
    assert_finished(runs, calm)
    assert runs.count == len(faults.met) + 1 > 8


def test_only_snakemake_is_killed_and_the_next_run_starts_beside_its_jobs(runs, calm):
    rng = random.Random(0)
    for _ in range(5):
        run = runs.start(cores=2)
        time.sleep(rng.uniform(3, 12))
        run.kill()
        run.stdout.close()
        run.wait()
    code, printed = runs.run(cores=2)
    assert code == 0, printed
    assert runs.files(".csv") == calm.files(".csv")


def test_the_clock_jumps_while_it_runs(runs, calm, tmp_path):
    faults = Faults(tmp_path / "faults", runs.workspace.folder, "clock")
    code, printed = runs.run(faults, cores=2)
    assert code == 0, printed
    assert "Traceback" not in printed
    assert_finished(runs, calm)


@pytest.mark.parametrize("days", [1, -400], ids=["ahead", "behind"])
def test_the_clock_was_wrong_in_an_earlier_run(runs, calm, tmp_path, days):
    among = r"^os\.rename .*/(signals|metrics)/"
    faults = Faults(tmp_path / "faults", runs.workspace.folder, "kill", among)
    while (ended := runs.run(faults))[0] == -signal.SIGKILL:
        shift(runs.workspace.folder, days)
    assert ended[0] == 0, ended[1]
    assert len(faults.met) >= 4
    assert_finished(runs, calm)


def shift(folder: Path, days: int) -> None:
    """Date all that runs have made some days later."""
    for top in ("results", "resources", ".snakemake"):
        for file in (folder / top).rglob("*"):
            when = file.stat().st_mtime + 86_400 * days
            os.utime(file, (when, when))


def test_three_start_at_once(runs, calm):
    started = [runs.start() for _ in range(3)]
    printed = [run.communicate(timeout=600)[0] for run in started]
    codes = [run.returncode for run in started]
    assert codes.count(0) >= 1, printed
    for code, text in zip(codes, printed, strict=True):
        assert "Traceback" not in text
        assert code == 0 or (code == 2 and "another run is at work in this folder" in text), text
    assert_finished(runs, calm)
