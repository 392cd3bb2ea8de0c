"""How long whole runs of the workflow take: `python benchmarks/workflows.py [--against CHECKOUT] [--finished FOLDER]`.

Every command is timed by the clock and in CPU seconds, its jobs included. Rounds visit all commands of all checkouts in
turn (A B C A B C ...): other work on the machine then slows all of them, and ratios within a round stay. The numbers
are medians over rounds. Results lie in folders of their own, which are deleted in the end.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from timing import write_rows

REPOSITORY = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "workflows.csv"

#: The figure with the shortest way from raw files; its results, and those of them that are made before training.
FIGURE = "humphries_fig7"
RESULTS_OF_RUN, UNTRAINED = "results/synthetic-laptop", {"splits"}

#: SLURM's commands, where they are installed and no cluster answers, hold each start of Snakemake up for seconds.
ENVIRONMENT = {**os.environ, "SLURM_CONF": os.devnull}


@dataclass(frozen=True)
class Took:
    """What a command took: seconds by the clock, CPU seconds of it and of its jobs, and its output."""

    wall: float
    cpu: float
    output: str


@dataclass(frozen=True)
class Timed:
    """A command to time.

    Attributes:
        arguments: of Snakemake.
        prepare: what is done with the working folder before.
        goal: seconds that are wanted, of `clock`; None for none.
        clock: `wall` or `cpu`.
    """

    arguments: tuple[str, ...]
    prepare: Callable[[Path], None] = lambda folder: None
    goal: float | None = None
    clock: str = "cpu"


def empty(folder: Path) -> None:
    """Delete all that a run has made."""
    shutil.rmtree(folder)
    folder.mkdir()


def lose_models(folder: Path) -> None:
    """Delete what was made since training began, as if the run had been killed in it."""
    for each in (folder / RESULTS_OF_RUN).iterdir():
        if each.name not in UNTRAINED:
            shutil.rmtree(each) if each.is_dir() else each.unlink()


COMMANDS = {
    "dry run of everything, scale paper": Timed(("--dry-run", "all", "--config", "scale=paper"), goal=12),
    "one figure from nothing": Timed((FIGURE,), empty, goal=20, clock="wall"),
    "the same, nothing to be done": Timed((FIGURE,)),
    "the same, resumed in its training": Timed((FIGURE,), lose_models),
}
#: Of a finished run of everything at scale laptop. A dry run: should something be missing, it must not be made.
FINISHED = {"the whole run, nothing to be done": Timed(("--dry-run",), goal=4)}


def run(checkout: Path, folder: Path, arguments: tuple[str, ...]) -> Took:
    """Run the workflow of a checkout in a folder.

    Raises:
        RuntimeError: it fails.
    """
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(checkout / "Snakefile"), *arguments]
    command += ["--cores", "2", "--workflow-profile", str(checkout / "profiles/default")]
    with tempfile.TemporaryFile("w+") as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, stdout=output, stderr=output, env={**ENVIRONMENT, "PYTHONPATH": str(checkout)}
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        output.seek(0)
        text = output.read()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} in {folder} fails:\n{text[-2000:]}")
    return Took(wall, usage.ru_utime + usage.ru_stime, text)


def measure(
    checkouts: dict[str, Path], commands: dict[str, Timed], folders: dict[str, Path], rounds: int
) -> dict[tuple[str, str], list[Took]]:
    """Return what each command of each checkout took in each round, the first of which warms up and does not count."""
    found: dict[tuple[str, str], list[Took]] = {(name, way): [] for name in commands for way in checkouts}
    for number in range(rounds + 1):
        for name, timed in commands.items():
            for way, checkout in checkouts.items():
                timed.prepare(folders[way])
                took = run(checkout, folders[way], timed.arguments)
                if number:
                    found[name, way].append(took)
                    print(f"{name}, {way}: {took.wall:.1f} s, {took.cpu:.1f} CPU s", flush=True)
    return found


def rows_of(found: dict[tuple[str, str], list[Took]], commands: dict[str, Timed], first: str) -> list[dict]:
    """Return a row for each command and checkout: medians, and of the ratios of CPU seconds to the first checkout."""
    rows = []
    for (name, way), took in found.items():
        ratios = [one.cpu / other.cpu for one, other in zip(took, found[name, first], strict=True)]
        timed = commands[name]
        row = {
            "command": name,
            "checkout": way,
            "wall_seconds": round(statistics.median(each.wall for each in took), 2),
            "cpu_seconds": round(statistics.median(each.cpu for each in took), 2),
            "times_first": round(statistics.median(ratios), 3),
            "goal": "" if timed.goal is None else f"{timed.goal:g} s ({timed.clock})",
        }
        if timed.goal is None:
            row["met"] = ""
        else:
            row["met"] = "yes" if row[f"{timed.clock}_seconds"] <= timed.goal else "no"
        rows.append(row | {"rounds": len(took), "machine": platform.processor() or platform.machine()})
    return rows


def main() -> None:
    """Measure, print one table, write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--against", type=Path, action="append", default=[], help="another checkout to time in turn")
    parser.add_argument(
        "--finished",
        type=Path,
        help="the folder of a finished run; with --against, of one for each checkout by its name",
    )
    parser.add_argument("--only", default="", help="only the commands whose name contains this")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the table as CSV")
    arguments = parser.parse_args()
    checkouts = {each.name: each.resolve() for each in (REPOSITORY, *arguments.against)}
    if len(checkouts) != 1 + len(arguments.against):
        parser.error("checkouts need names of their own: rename a folder")
    commands = {name: timed for name, timed in COMMANDS.items() if arguments.only in name}
    with tempfile.TemporaryDirectory(prefix="dpmia-benchmark-") as temporary:
        folders = {way: Path(temporary) / way for way in checkouts}
        for folder in folders.values():
            folder.mkdir()
        found = measure(checkouts, commands, folders, arguments.rounds)
    if arguments.finished:
        folders = {way: arguments.finished.resolve() / (way if len(checkouts) > 1 else "") for way in checkouts}
        found |= measure(checkouts, FINISHED, folders, arguments.rounds)
        if not all(
            "Nothing to be done" in took.output for name, way in found if name in FINISHED for took in found[name, way]
        ):
            parser.error(f"--finished: something is to be done in {arguments.finished}. Run snakemake there first")
    rows = rows_of(found, COMMANDS | FINISHED, next(iter(checkouts)))
    for row in rows:
        print(
            f"{row['command']:42}{row['checkout']:16}{row['wall_seconds']:8.1f} s {row['cpu_seconds']:8.1f} CPU s "
            f"{row['times_first']:6.2f}  {row['goal']} {row['met']}"
        )
    write_rows(rows, arguments.output)


if __name__ == "__main__":
    main()
