"""On a real SLURM: arrays, cancelled, lost and slow jobs, runs that are killed; and the numbers of a local run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import localhost
import pytest
from localhost import CONFIGURATION, PARTITION, Cluster, call, wait_for

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow"))

from workspace import Workspace, heed_interrupts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(localhost.missing()), reason=f"no SLURM can be started here: {localhost.missing()}"),
]

TARGETS = ("humphries_fig7", "izzo_fig1")
#: Put into a script: of all jobs that run it, the first writes down its number and node, and waits to be ended.
WAIT = """\
    import os, time
    from pathlib import Path
    job = "_".join(os.environ[name] for name in ("SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID") if name in os.environ)
    try:
        os.mkdir("RULE.first")
    except FileExistsError:
        pass
    else:
        Path("RULE.part").write_text(f"{job or os.environ['SLURM_JOB_ID']} {os.environ['SLURMD_NODENAME']}")
        Path("RULE.part").rename("RULE.waits")
        time.sleep(300)
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


def make_first_job_wait(workspace: Workspace, rule: str, before: str) -> None:
    """Make the first job of a rule wait before a line of its script."""
    wait = WAIT.replace("RULE", rule)
    workspace.edit(f"scripts/{rule}.py", before, wait + before)


def waiting_job(workspace: Workspace, rule: str, alive: Callable[[], bool]) -> tuple[str, str]:
    """Return number and node of the job of a rule that waits."""
    file = workspace.folder / f"{rule}.waits"
    wait_for(lambda: file.exists() or not alive(), f"a job of {rule}", 900)
    number, node = file.read_text().split()
    return number, node


def test_cancelled_lost_and_too_slow_jobs_are_tried_again_and_the_numbers_are_those_of_a_local_run(cluster, tmp_path):
    local, remote = (Workspace(tmp_path / name / "dpmia") for name in ("local", "remote"))
    remote.limit, remote.slurm_conf = 2400, CONFIGURATION / "slurm.conf"
    make_first_job_wait(remote, "train_block", "    job = ")
    make_first_job_wait(remote, "run_attack", "    job, wildcards = ")
    # The first job of this rule goes beyond its minute, the second has two.
    make_first_job_wait(remote, "summarise_experiment", "    rows = ")
    limit = ("--set-resources", "summarise_experiment:runtime=attempt")
    with ThreadPoolExecutor() as pool:
        undisturbed = pool.submit(local.snakemake, *TARGETS)
        run = pool.submit(remote.snakemake, *TARGETS, *SITE, *limit)

        number, _ = waiting_job(remote, "train_block", lambda: not run.done())
        call("scancel", number)

        _, node = waiting_job(remote, "run_attack", lambda: not run.done())
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


def test_killed_again_and_again_it_goes_on_beside_its_own_jobs(cluster, tmp_path):
    """Nobody cancels the jobs of a killed run: they run on, beside the next one."""
    local, remote = (Workspace(tmp_path / name / "dpmia") for name in ("local", "remote"))
    remote.limit, remote.slurm_conf = 2400, CONFIGURATION / "slurm.conf"
    target = TARGETS[0]
    assert local.snakemake(target).returncode == 0
    for made in (0, 3, 6):
        before = cluster.jobs("all")
        with (tmp_path / "printed").open("w") as printed:
            run = subprocess.Popen(
                [sys.executable, "-m", "snakemake", "--cores", "2", target, *SITE, "--config", "scale=smoke"],
                cwd=remote.folder,
                env={**os.environ, "SLURM_CONF": str(remote.slurm_conf)},
                start_new_session=True,
                preexec_fn=heed_interrupts,
                stdout=printed,
                stderr=subprocess.STDOUT,
            )

        def at_work(made: int = made, before: set[str] = before) -> bool:
            return len(remote.made) >= made and bool(cluster.jobs("running") - before)

        wait_for(lambda: run.poll() is not None or at_work(), f"a job beside {made} files", 900)  # noqa: B023
        assert run.poll() is None, (tmp_path / "printed").read_text()
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    response = remote.snakemake(target, *SITE)
    assert response.returncode == 0, response.stdout
    wait_for(lambda: not cluster.jobs("pending", "running", "completing"), "the last job of a killed run", 300)
    tables = {file for file in local.made if file.endswith(".csv")}
    assert len(tables) >= 8
    for table in tables:
        assert (remote.folder / table).read_bytes() == (local.folder / table).read_bytes(), table
    assert [file for file in remote.folder.rglob(".*") if ".part" in file.name] == []
    assert remote.planned(target) == {}
