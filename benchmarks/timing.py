"""Rates and memory of ways of training, each in a process of its own, for the scripts beside this one.

A way is a generator: every `next` takes one step or a few and returns how many. A script that measures ways calls
`work` when it is started with `--worker`, and `measure` otherwise.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

#: Large blocks stay with the process instead of going back to the system and coming anew, page by page.
TUNED_ALLOCATOR = {
    "MALLOC_MMAP_THRESHOLD_": str(2**30),
    "MALLOC_TRIM_THRESHOLD_": str(2**32),
    "MALLOC_TOP_PAD_": str(2**26),
}
#: Ways whose name ends so get it.
TUNED = "tuned allocator"


def work(cases: Mapping[str, Any], ways: Mapping[str, Callable], make_data: Callable) -> None:
    """Answer requests, one JSON object a line: what to run and for how many seconds; return rates and memory.

    Args:
        cases: what is trained, by name.
        ways: functions of a case and its data that return a generator of steps.
        make_data: function of a case that returns its data, a tuple.
    """
    warnings.filterwarnings("ignore")  # Opacus', about random numbers that are not cryptographic
    running: dict[tuple[str, str], Iterator[int]] = {}
    data = {}
    for line in sys.stdin:
        request = json.loads(line)
        name, way = request["case"], request["way"]
        if name not in data:
            data[name] = make_data(cases[name])
        before = _peak_memory()
        if (name, way) not in running:
            running[name, way] = ways[way](cases[name], *data[name])
            next(running[name, way])  # warm up
        steps, cpu, wall = 0, time.process_time(), time.perf_counter()
        while time.process_time() - cpu < request["seconds"]:
            steps += next(running[name, way])
        answer = {
            "per_cpu_second": steps / (time.process_time() - cpu),
            "per_second": steps / (time.perf_counter() - wall),
            "megabytes": _peak_memory() - before,
        }
        print(json.dumps(answer), flush=True)


def _peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Worker:
    """A process that trains when asked."""

    def __init__(self, command: list[str], environment: dict[str, str] | None = None, core: int | None = None) -> None:
        """Start a script by `command`, on one core if `core` is given."""
        self._process = subprocess.Popen(
            [*command, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **(environment or {}), "OMP_NUM_THREADS": "1"},
        )
        if core is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._process.pid, {core})

    def ask(self, case: str, way: str, seconds: float) -> None:
        """Send a request."""
        self._process.stdin.write(json.dumps({"case": case, "way": way, "seconds": seconds}) + "\n")
        self._process.stdin.flush()

    def outputs_of(self) -> dict[str, float]:
        """Wait for the answer to the last request."""
        return json.loads(self._process.stdout.readline())

    def measure(self, case: str, way: str, seconds: float) -> dict[str, float]:
        """Ask and wait."""
        self.ask(case, way, seconds)
        return self.outputs_of()

    def close(self) -> None:
        """Let the process end."""
        self._process.stdin.close()
        self._process.wait()


def measure(
    script: str,
    case: str,
    ways: Iterable[str],
    rounds: int,
    seconds: float,
    commands: Mapping[str, list[str]] | None = None,
) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Return the rate of each way in each round, and the peak memory of each in MB above libraries and data.

    Each way has a process of its own: how much an allocator keeps depends on what else was in the process.

    Args:
        script: that knows the ways.
        case: what is trained.
        ways: by name.
        rounds: how often each way is measured.
        seconds: how long each time.
        commands: what starts the script of ways that another script or another Python knows.
    """
    rates: dict[str, list[float]] = {way: [] for way in ways}
    memory = {}
    with contextlib.ExitStack() as stack:
        workers = {
            way: stack.enter_context(
                contextlib.closing(
                    Worker(
                        (commands or {}).get(way, [sys.executable, script]),
                        TUNED_ALLOCATOR if way.endswith(TUNED) else None,
                    )
                )
            )
            for way in rates
        }
        for way, worker in workers.items():  # one after another: starting costs more than measuring
            memory[way] = worker.measure(case, way, seconds / 4)["megabytes"]
        for _ in range(rounds):
            for way, worker in workers.items():
                rates[way].append(worker.measure(case, way, seconds)["per_cpu_second"])
    return rates, memory


def ratio(rates: dict[str, list[float]], way: str, other: str) -> float:
    """Return how many times as fast `way` is: the median over rounds."""
    return statistics.median(a / b for a, b in zip(rates[way], rates[other], strict=True))


def write_rows(rows: list[dict[str, Any]], path: Path) -> None:
    """Write a table as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
