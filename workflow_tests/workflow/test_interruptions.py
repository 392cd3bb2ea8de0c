"""Whatever interrupts a run, the plain command goes on, and ends with the numbers of an undisturbed run."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from workspace import Workspace, heed_interrupts

pytestmark = pytest.mark.slow

TARGETS = ("humphries_fig7", "izzo_fig1")
#: Kills at random moments; `DPMIA_TEST_MOMENTS=100` makes more.
KILLS = int(os.environ.get("DPMIA_TEST_MOMENTS", "20"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    workspace = Workspace(tmp_path_factory.mktemp("undisturbed") / "dpmia")
    began = time.monotonic()
    assert workspace.snakemake(*TARGETS).returncode == 0
    workspace.seconds = time.monotonic() - began
    return workspace


def assert_same_tables(workspace: Workspace, undisturbed: Workspace) -> None:
    tables = {path for path in undisturbed.made if path.endswith(".csv") and not path.startswith("resources")}
    assert len(tables) >= 8
    for path in tables:
        assert (workspace.folder / path).read_bytes() == (undisturbed.folder / path).read_bytes(), path


def start(workspace: Workspace) -> subprocess.Popen[bytes]:
    """Start Snakemake as the leader of a process group of its own."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *TARGETS, "--config", "scale=smoke"]
    return subprocess.Popen(
        command,
        cwd=workspace.folder,
        env={**os.environ, "SLURM_CONF": workspace.slurm_conf},
        start_new_session=True,
        preexec_fn=heed_interrupts,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def interrupt(run: subprocess.Popen[bytes], how: signal.Signals, after: float) -> bool:
    """Signal the whole group after some seconds; return whether that came before the end."""
    try:
        run.wait(timeout=after)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, how)
        run.wait(timeout=120)
        return True
    assert run.returncode == 0
    return False


def test_killed_at_random_moments(workspace, undisturbed):
    rng = random.Random(0)
    kills = 0
    while kills < KILLS:
        # Mostly in the midst of jobs, and sometimes so late that the run gets to its end.
        if interrupt(start(workspace), signal.SIGKILL, rng.uniform(0.1, 0.8) * undisturbed.seconds):
            kills += 1
        else:
            assert_same_tables(workspace, undisturbed)
            for folder in ("results", "resources", ".snakemake"):
                shutil.rmtree(workspace.folder / folder)
    response = workspace.snakemake(*TARGETS)
    assert response.returncode == 0, response.stdout
    assert_same_tables(workspace, undisturbed)


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_interrupted_from_the_keyboard(workspace, undisturbed, share):
    # By the files made, not by the clock: the undisturbed run may have been slower than this one.
    run = start(workspace)
    while len(workspace.made) < share * len(undisturbed.made):
        assert run.poll() is None
        time.sleep(0.05)
    assert interrupt(run, signal.SIGINT, after=0)
    response = workspace.snakemake(*TARGETS)
    assert response.returncode == 0, response.stdout
    assert_same_tables(workspace, undisturbed)


def test_a_full_disk_is_reported_and_the_run_goes_on_when_there_is_space(workspace, undisturbed):
    results = workspace.folder / "results"
    results.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", results]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("a small disk cannot be mounted here")
    try:
        response = workspace.snakemake(*TARGETS)
        assert response.returncode != 0
        assert "No space left on device" in response.stdout
        assert "Free some space and start again" in response.stdout
        assert "Traceback" not in response.stdout
        subprocess.run(["mount", "-o", "remount,size=64m", results], check=True)
        response = workspace.snakemake(*TARGETS)
        assert response.returncode == 0, response.stdout
        assert_same_tables(workspace, undisturbed)
    finally:
        subprocess.run(["umount", results], check=True)


def test_a_second_run_in_the_same_folder_is_refused_and_a_look_is_not(workspace, undisturbed):
    first = start(workspace)
    lock = workspace.folder / ".snakemake/run.lock"
    while not lock.exists():
        assert first.poll() is None
        time.sleep(0.1)
    second = workspace.snakemake("humphries_fig1")
    assert second.returncode != 0
    assert "another run is at work" in second.stdout
    assert f"(process {first.pid} on " in second.stdout
    assert "Traceback" not in second.stdout
    assert workspace.snakemake("--dry-run", "humphries_fig1").returncode == 0
    assert first.wait() == 0
    assert_same_tables(workspace, undisturbed)
