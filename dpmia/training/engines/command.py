"""A training program of the user's own, in any language: it is run once for each model.

dpmia writes the training set and the query records, and reads the outputs. How the program trains, and how private that
is, is its own business: what it guarantees is what the user states.
"""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from types import FrameType
from typing import Any, NoReturn

import numpy as np
import torch

from dpmia.common.command_line import fill, split_command
from dpmia.common.errors import TrainingError, UserError
from dpmia.common.files import file_digest
from dpmia.common.threads import THREADS
from dpmia.formats.recipe import Recipe
from dpmia.models.program import Program
from dpmia.training.engines.base import Engine
from dpmia.training.engines.exchange import read_outputs, write_records

log = logging.getLogger(__name__)

#: Lines of what a failed program wrote that its message repeats; characters of them.
LAST_LINES, LAST_CHARACTERS = 12, 1500

#: Seconds from the request to end to the end by force.
GRACE = 5.0

#: Reaches nobody, but fails where nobody is.
_NO_SIGNAL = 0


class CommandEngine(Engine):
    """One model, trained by a program. Training and evaluation are one run, which `outputs_of` makes."""

    def _build(self) -> None:
        """See `Engine._build`."""
        if len(self.runs) != 1:
            raise ValueError(f"this engine trains one model at a time, got {len(self.runs)}")
        self.run = self.runs[0]
        if self.run.soft_labels is not None:
            raise ValueError(f"{self.run.name}: programs take no soft labels")
        self.steps = 1

    @classmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """Refuse a program that is not there, or that was edited since the settings were read; see `Engine.check`."""
        if not isinstance(architecture, Program):
            problem = f"{type(architecture).__name__} cannot be combined with engine 'command'"
            raise TrainingError(where, problem, "Set training.command")
        name = split_command(architecture.command)[0]
        if shutil.which(name) is None:
            raise TrainingError(where, f"there is no program {name!r} on PATH", "Install it, or write its path")
        for file, digest in architecture.files.items():
            if not Path(file).is_file() or file_digest(file) != digest:
                raise TrainingError(where, f"{file} was changed since this run began", "Run the same command again")

    def advance(self, steps: int) -> None:
        """Leave the work to `outputs_of`: a program trains and evaluates in one go, so its queries must be known."""
        self.done = 1

    def outputs_of(self, number: int, parameters: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Run the program on the training set and `x`; see `Engine.outputs_of`.

        Raises:
            UserError: it failed, took too long, or wrote other outputs than it should. Its files are kept.
        """
        folder = Path(mkdtemp(prefix="dpmia-program-"))
        try:
            logits = self._run(folder, x.numpy())
        except UserError:
            raise
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)
        return torch.from_numpy(logits)

    def parameters(self) -> list[torch.Tensor]:
        """Return an empty tensor: what was learnt is the program's."""
        return [torch.empty(0)]

    def _run(self, folder: Path, x: np.ndarray) -> np.ndarray:
        program, where = self.architecture, f"model {self.run.name}"
        train, query, outputs = (folder / f"{name}.{program.format}" for name in ("train", "query", "outputs"))
        rows = self.run.records
        write_records(train, program, self.x.numpy()[rows], self.y.numpy()[rows])
        # In an order of their own: its place does not reveal whether a record is a member.
        order = np.random.default_rng(self.run.seeds.batches).permutation(len(x))
        write_records(query, program, x[order])
        stated = self.run.stated
        values = {
            "train": str(train),
            "query": str(query),
            "outputs": str(outputs),
            "seed": str(self.run.seeds.weights % 2**31),
            "epsilon": "inf" if stated is None else f"{stated.epsilon:.12g}",
            "delta": "0" if stated is None else f"{stated.delta:.12g}",
            "classes": str(program.outputs),
        }
        argv = fill(split_command(program.command), values)
        printed = folder / "printed.txt"
        started = time.monotonic()
        try:
            code = _execute(argv, printed, program.timeout)
        except OSError as error:
            raise TrainingError(where, f"{argv[0]!r} cannot be started ({error.strerror})", _remedy(argv)) from None
        log.info("%s: the program took %.1f s. %s", where, time.monotonic() - started, _last_lines(printed))
        if code != 0:
            remedy = f"{_last_lines(printed)}\n{_remedy(argv)}"
            raise TrainingError(where, _failure(code, program.timeout), remedy)
        shuffled = read_outputs(outputs, program, len(x), where)
        logits = np.empty_like(shuffled)
        logits[order] = shuffled
        return logits


def _execute(argv: list[str], printed: Path, timeout: float) -> int | None:
    """Run a program to its end and return its exit code; None where it took too long.

    It has a session of its own, so that it and all that it starts can be ended together.

    Args:
        argv: of its command line.
        printed: file for what it prints.
        timeout: in seconds.
    """
    # One thread, unless the user says otherwise.
    threads = {name: os.environ.get(name, "1") for name in THREADS}
    with printed.open("wb") as stream:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=os.environ | threads,
            start_new_session=True,
        )
        with _ended(process):
            try:
                return process.wait(timeout)
            except subprocess.TimeoutExpired:
                return None


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a program and all that it started where the block ends, also where this job is to end."""

    def leave(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        # What is ignored stays so: `nohup` lets a run survive its terminal.
        heeded = [end for end in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(end) is not signal.SIG_IGN]
        before = {end: signal.signal(end, leave) for end in heeded}
    try:
        yield
    finally:
        _end_group(process)
        for end, handler in before.items():
            signal.signal(end, handler)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ask all processes of a program's group to end, and after `GRACE` seconds or another signal kill them."""
    patience = time.monotonic() + GRACE
    try:
        alive = _signal_group(process, signal.SIGTERM)
        while alive and time.monotonic() < patience:
            time.sleep(0.01)
            alive = _signal_group(process, _NO_SIGNAL)
    finally:
        if _signal_group(process, signal.SIGKILL):
            log.info("the program did not end when asked to")
        process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: int) -> bool:
    """Send a signal to a program's group, and return whether any of its processes was there to get it."""
    process.poll()  # one that has ended is in its group until it is waited for
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):  # the latter on macOS, of processes that have ended
        return False
    return True


def _failure(code: int | None, timeout: float) -> str:
    if code is None:
        return f"the program took more than {timeout:g} s, the limit of training.timeout, and was ended"
    if code < 0:
        name = signal.Signals(-code).name
        memory = ", perhaps as there was too little memory" if name == "SIGKILL" else ""
        return f"the program was ended by {name}{memory}"
    return f"the program ended with exit code {code}"


def _last_lines(printed: Path) -> str:
    """Return what a program printed last."""
    if not printed.is_file():
        return f"{printed.parent} is gone, with what it printed."
    with printed.open("rb") as stream:
        stream.seek(max(0, printed.stat().st_size - LAST_CHARACTERS))
        lines = stream.read().decode("utf-8", errors="replace").split("\n")
    shown = [line.rstrip() for line in lines if line.strip()][-LAST_LINES:]
    return "\n".join(["It printed last:", *(f"    {line}" for line in shown)]) if shown else "It printed nothing."


def _remedy(argv: list[str]) -> str:
    again = f"To try it by hand, type in {Path.cwd()}:\n    {shlex.join(argv)}"
    return f"{again}\nWhen it works, run the same command of dpmia again."
