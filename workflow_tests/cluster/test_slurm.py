"""On a real SLURM: arrays, a cancelled job, a lost node, a job beyond its time; and the numbers of a local run."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import localhost
import pytest
from localhost import CONFIGURATION, PARTITION, Cluster, call, wait_for

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow"))

from workspace import Workspace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(localhost.missing()), reason=f"no SLURM can be started here: {localhost.missing()}"),
]

TARGETS = ("humphries_fig7", "izzo_fig1")
#: Put into a script: its first run takes five minutes more than its second.
SLOW = """\
    if not Path("tried").exists():
        Path("tried").touch()
        __import__("time").sleep(300)
"""
TABLES = (
    "results/synthetic-smoke/summary/student.csv",
    "results/synthetic-smoke/figures/humphries/humphries_fig7.csv",
    "results/synthetic-smoke/figures/izzo/izzo_fig1.csv",
)
#: What stands in the profile as a comment, for this cluster; and less patience than a real one needs.
SITE = (
    *("--workflow-profile", "profiles/slurm", "--default-resources", f"slurm_partition={PARTITION}", "mem_mb=500"),
    *("runtime=10", "--slurm-status-command", "squeue", "--slurm-no-account"),
    *("--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "30"),
)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """Return a running cluster of three nodes."""
    # A short path: the name of munge's socket may have 107 letters.
    folder = Path("/tmp") / f"slurm-{os.getpid()}"
    cluster = Cluster(folder, nodes=3)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


def running(rule: str) -> list[tuple[str, str]]:
    """Return number and node of the jobs of a rule that run."""
    lines = call("squeue", "--noheader", "--array", "--states=running", "--format=%i %N %k").splitlines()
    return [tuple(line.split()[:2]) for line in lines if f"rule_{rule}" in line]


def first_running(rule: str, alive: Callable[[], bool]) -> tuple[str, str]:
    """Wait until a job of a rule runs; return its number and node."""
    wait_for(lambda: running(rule) or not alive(), f"a job of {rule}", 900)
    return running(rule)[0]


def test_cancelled_lost_and_too_slow_jobs_are_tried_again_and_the_numbers_are_those_of_a_local_run(cluster, tmp_path):
    local, remote = (Workspace(tmp_path / name / "dpmia") for name in ("local", "remote"))
    remote.limit, remote.slurm_conf = 2400, CONFIGURATION / "slurm.conf"
    # The first job of this rule goes beyond its minute, the second has two.
    remote.edit("scripts/summarise_experiment.py", "    rows = ", SLOW + "    rows = ")
    limit = ("--set-resources", "summarise_experiment:runtime=attempt")
    with ThreadPoolExecutor() as pool:
        undisturbed = pool.submit(local.snakemake, *TARGETS)
        run = pool.submit(remote.snakemake, *TARGETS, *SITE, *limit)

        number, _ = first_running("train_block", lambda: not run.done())
        call("scancel", number)

        _, node = first_running("run_attack", lambda: not run.done())
        cluster.kill_node(node)
        wait_for(lambda: cluster.states()[node].startswith("down"), f"the loss of {node}", 120)
        cluster.start_node(node)
        wait_for(lambda: not cluster.states()[node].startswith("down"), f"the return of {node}")

        response = run.result()
    assert response.returncode == 0, response.stdout
    assert undisturbed.result().returncode == 0
    assert "Submitted array job" in response.stdout
    ended = (cluster.folder / "log/jobs.txt").read_text()
    assert "JobState=CANCELLED" in ended
    assert "JobState=NODE_FAIL" in ended
    assert any("JobState=TIMEOUT" in line and "TimeLimit=1 " in line for line in ended.splitlines())
    assert any("JobState=COMPLETED" in line and "TimeLimit=2 " in line for line in ended.splitlines())
    for table in TABLES:
        assert (remote.folder / table).read_bytes() == (local.folder / table).read_bytes(), table
