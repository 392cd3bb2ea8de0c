"""Faults inside every process of a run under test.

Python imports this by itself where its folder is in `PYTHONPATH`. `DPMIA_TEST_FAULTS` names a folder of `Faults`
(`fault_injection.py`) with what to do at each effect: whatever a process is about to change in the folder of the run,
as the audit events of Python name it. That comes before the effect, so a kill at each of them is a kill right after
each earlier one.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import signal
import sys
import time
from pathlib import Path

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
EVENTS = (
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.chmod",
    "os.truncate",
    "os.link",
    "os.symlink",
    "os.utime",
)

#: What differs between runs: processes, temporary names, times, digests.
VARYING = re.compile(r"~\d+(?=\.part)|tmp\w{8}(?=\.|$)|\d{4}-\d\d-\d\dT[\d.]+|\d{9,}|(?<=code/)\.?[0-9a-f]{16}")


class Injector:
    """Acts on the effects of this process."""

    def __init__(self, folder: Path) -> None:
        plan = json.loads((folder / "plan.json").read_text())
        self.root, self.mode, self.among = plan["root"], plan["mode"], plan["among"]
        self.met, self.full = folder / "met", folder / "full"
        self.busy = False

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        """Look at one audit event."""
        if self.busy or (event != "open" and event not in EVENTS):
            return
        if event == "open" and not int(arguments[2] or 0) & WRITES:
            return
        path = arguments[1 if event == "os.rename" else 0]
        if isinstance(path, int) or path is None:
            return
        path = str(Path.cwd() / os.fsdecode(path))
        if not path.startswith(self.root) or "__pycache__" in path:
            return
        self.busy = True
        try:
            self.act(f"{event} {VARYING.sub('*', path.removeprefix(self.root))}", path)
        finally:
            self.busy = False

    def act(self, effect: str, path: str) -> None:
        """Do what the plan says of an effect: note it, kill the whole group there, or say that the disk is full."""
        if self.mode == "full" and self.full.exists():
            if effect.startswith(("open", "os.mkdir")):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            return
        if not re.search(self.among, effect):
            return
        with self.met.open("a+") as met:
            met.seek(0)
            if f"{effect}\n" in met.readlines():
                return
            met.write(f"{effect}\n")
        if self.mode == "kill":
            os.killpg(0, signal.SIGKILL)
        if self.mode == "full":
            self.full.touch()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


def jump() -> None:
    """Let the clock of this process be a day off, one way or the other, for seconds at a time."""
    right, right_ns = time.time, time.time_ns

    def off() -> int:
        return (0, 86_400, -86_400)[int(time.monotonic() * 2) % 3]

    time.time = lambda: right() + off()
    time.time_ns = lambda: right_ns() + off() * 10**9


if folder := os.environ.get("DPMIA_TEST_FAULTS"):
    injector = Injector(Path(folder))
    if injector.mode == "clock":
        jump()
    else:
        with contextlib.suppress(RuntimeError):
            sys.addaudithook(injector)
