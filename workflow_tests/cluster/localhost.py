"""A small real SLURM on this machine, with nodes that exist in name only.

    python workflow_tests/cluster/localhost.py start FOLDER [NODES]
    python workflow_tests/cluster/localhost.py stop FOLDER [NODES]

Needs root, and Debian's slurm-wlm and munge. Limits of time are enforced; those of memory and cores only scheduled by.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

#: What must be installed. The commands of a job look for the configuration in this place and in no other.
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue")
CONFIGURATION = Path("/etc/slurm")

CONTROLLER_PORT = 16817
PARTITION = "debug"


def missing() -> str:
    """Return why no cluster can be started here; empty where it can."""
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    if absent:
        return f"not installed: {', '.join(absent)} (Debian: apt-get install slurm-wlm munge)"
    return "" if os.geteuid() == 0 else "only root can start a cluster"


class Cluster:
    """One controller and some virtual nodes of one core each, all with their files in one folder."""

    def __init__(self, folder: Path, nodes: int = 3) -> None:
        self.folder = folder.absolute()
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]

    def start(self) -> None:
        """Start all, and return when jobs can be submitted."""
        for name in ("state", "spool", "log", "run"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for folder in (self.folder, self.folder / "run"):
            folder.chmod(0o755)  # munged refuses to put its socket where others may write
        key = self.folder / "munge.key"
        if not key.exists():
            key.write_bytes(os.urandom(128))
            key.chmod(0o400)
        CONFIGURATION.mkdir(exist_ok=True)
        (CONFIGURATION / "slurm.conf").write_text(self._configuration())
        (CONFIGURATION / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        own = {"socket": "munge.socket", "pid-file": "munged.pid", "seed-file": "munge.seed", "log-file": "munged.log"}
        call("munged", "--force", f"--key-file={key}", *(f"--{name}={self.folder}/run/{own[name]}" for name in own))
        call("slurmctld", "-c")
        for node in self.nodes:
            self.start_node(node)
        wait_for(lambda: self.states() == dict.fromkeys(self.nodes, "idle"), "idle nodes")

    def start_node(self, node: str) -> None:
        """Start the daemon of one node."""
        call("slurmd", "-N", node)

    def kill_node(self, node: str) -> None:
        """End the daemon of one node and all jobs on it at once, as when a machine loses its power."""
        self._end(f"slurmd.{node}.pid", signal.SIGKILL)
        for pid in _processes_of_jobs(node):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def states(self) -> dict[str, str]:
        """Return the state of each node."""
        fields = call("sinfo", "--noheader", "--Node", "--format=%N %T").split()
        return dict(zip(fields[::2], fields[1::2], strict=True))

    def jobs(self, *states: str) -> set[str]:
        """Return the numbers of the jobs in some states, such as `running`."""
        return set(call("squeue", "--noheader", f"--states={','.join(states)}", "--format=%A").split())

    def stop(self) -> None:
        """Cancel all jobs and end what `start` started, by the files that hold its process numbers."""
        subprocess.run(["scancel", f"--partition={PARTITION}"], check=False)
        for name in (*(f"slurmd.{node}.pid" for node in self.nodes), "slurmctld.pid", "munged.pid"):
            self._end(name, signal.SIGTERM)

    def _end(self, name: str, how: signal.Signals) -> None:
        file = self.folder / "run" / name
        if not file.exists():
            return
        pid = int(file.read_text())
        with suppress(ProcessLookupError):
            os.kill(pid, how)
        wait_for(lambda: not Path(f"/proc/{pid}").exists(), f"the end of {name}")
        file.unlink(missing_ok=True)

    def _configuration(self) -> str:
        host = socket.gethostname().partition(".")[0]
        settings = {
            "ClusterName": "local",
            "SlurmctldHost": f"{host}(127.0.0.1)",
            "SlurmctldPort": CONTROLLER_PORT,
            "SlurmUser": "root",
            "SlurmdUser": "root",
            "AuthType": "auth/munge",
            "AuthInfo": f"socket={self.folder}/run/munge.socket",
            "CredType": "cred/munge",
            "StateSaveLocation": self.folder / "state",
            "SlurmdSpoolDir": f"{self.folder}/spool/%n",
            "SlurmctldPidFile": self.folder / "run/slurmctld.pid",
            "SlurmdPidFile": f"{self.folder}/run/slurmd.%n.pid",
            "SlurmctldLogFile": self.folder / "log/slurmctld.log",
            "SlurmdLogFile": f"{self.folder}/log/slurmd.%n.log",
            "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": "task/none",
            "JobAcctGatherType": "jobacct_gather/none",
            "AccountingStorageType": "accounting_storage/none",
            "JobCompType": "jobcomp/filetxt",
            "JobCompLoc": self.folder / "log/jobs.txt",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_CPU",
            "SchedulerType": "sched/backfill",
            "SchedulerParameters": "sched_interval=2,batch_sched_delay=0,bf_interval=5",
            "MpiDefault": "none",
            "SwitchType": "switch/none",
            "MinJobAge": 600,  # squeue is asked about jobs that have ended, too
            "KillWait": 2,
            "SlurmdTimeout": 10,  # seconds of silence after which a node counts as down
            "ReturnToService": 2,  # it is back as soon as it reports
        }
        lines = [f"{key}={value}" for key, value in settings.items()]
        for number, node in enumerate(self.nodes, start=1):
            place = f"NodeHostname={host} NodeAddr=127.0.0.1 Port={CONTROLLER_PORT + number}"
            lines.append(f"NodeName={node} {place} CPUs=1 RealMemory={_memory()} State=UNKNOWN")
        lines.append(f"PartitionName={PARTITION} Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP")
        return "\n".join(lines) + "\n"


def call(*command: str) -> str:
    """Run a command that must succeed, and return what it says."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout


def wait_for(holds: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Return as soon as `holds()`.

    Raises:
        TimeoutError: it did not hold in time.
    """
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:g} seconds for {what}")
        time.sleep(0.2)


def _memory() -> int:
    """Return the memory of this machine in MiB, less what a node may not count on."""
    return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**20 * 0.9)


def _processes_of_jobs(node: str) -> list[int]:
    """Return all processes of the jobs on a node, first the daemons that lead them.

    A daemon that outlives its job reports that the job failed: no longer what a lost node does.
    """
    pids = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"\0SLURMD_NODENAME={node}\0" in "\0" + (folder / "environ").read_text(errors="replace"):
                pids.add(int(folder.name))
    leaders = set()
    for pid in pids:
        with suppress(OSError, StopIteration):
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            parent = int(next(line for line in lines if line.startswith("PPid:")).split()[1])
            if Path(f"/proc/{parent}/comm").read_text().startswith("slurmstepd"):
                leaders.add(parent)
    return [*leaders, *(pids - leaders)]


if __name__ == "__main__":
    what, where, *count = sys.argv[1:]
    if reason := missing():
        sys.exit(reason)
    cluster = Cluster(Path(where), *map(int, count))
    cluster.start() if what == "start" else cluster.stop()
