"""A run that is stopped by Ctrl-C ends calmly, at whatever it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from workspace import REPOSITORY, heed_interrupts

LAST = (
    "Stopped. Finished results are kept. To continue, run the same command again: "
    "snakemake --cores 2 humphries_fig7 --config scale=smoke"
)


def start(workspace):
    """Start Snakemake as the leader of a process group, as a terminal does, on a training that lasts."""
    workspace.change_experiments(_train_long)
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", "2", "humphries_fig7", "--config", "scale=smoke"],
        cwd=workspace.folder,
        env={**os.environ, "SLURM_CONF": workspace.slurm_conf},
        start_new_session=True,
        preexec_fn=heed_interrupts,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _train_long(file):
    file["scales"]["smoke"]["training"]["epochs"] = 500


def wait_for_training(run, workspace):
    """Wait until a job has imported all it needs; it is the only one."""
    while not list((workspace.folder / "logs").rglob("train_block/**/*.log")):
        assert run.poll() is None
        time.sleep(0.02)


@pytest.mark.slow  # waits for jobs to end
def test_ctrl_c_prints_what_to_type_and_no_traceback(workspace):
    run = start(workspace)
    wait_for_training(run, workspace)
    os.killpg(run.pid, signal.SIGINT)
    printed, _ = run.communicate(timeout=60)
    assert run.returncode == 2, printed
    assert printed.strip().splitlines()[-1] == LAST
    assert "Traceback" not in printed
    assert "CalledProcessError" not in printed


@pytest.mark.slow
def test_ctrl_c_twice_prints_the_same(workspace):
    run = start(workspace)
    wait_for_training(run, workspace)
    os.killpg(run.pid, signal.SIGINT)
    lines = []
    while "Terminating processes on user request" not in (line := run.stdout.readline()):
        assert line
        lines.append(line)
    os.killpg(run.pid, signal.SIGINT)
    printed, _ = run.communicate(timeout=60)
    assert run.returncode == 2, printed
    assert printed.strip().splitlines()[-1] == LAST
    assert "Traceback" not in "".join(lines) + printed


#: Ctrl-C while a class is made, which Python reports as another error.
IN_A_CLASS = """
class Name:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt
"""


@pytest.mark.parametrize("stop", ["raise KeyboardInterrupt", f"{IN_A_CLASS}\nclass Owner:\n    name = Name()"])
def test_a_job_that_still_imports_is_stopped_without_a_traceback(stop):
    script = f"import _job\n{stop}"
    job = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY / "scripts", capture_output=True, text=True, check=False
    )
    assert job.returncode != 0
    assert job.stderr == ""
