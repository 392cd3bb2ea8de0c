"""One run at a time in a folder."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from filelock import FileLock, Timeout

from dpmia.common.errors import UserError

#: Locks of this process, by path: a lock without a reference is released.
_held: dict[Path, FileLock] = {}


def hold(path: Path | str) -> None:
    """Lock `path` for as long as this process lives; the system takes the lock back however the process ends.

    Raises:
        UserError: another process holds it.
    """
    path = Path(path)
    lock = FileLock(path, blocking=False, on_acquired=_write_holder)
    try:
        lock.acquire()
    except Timeout:
        raise UserError(
            str(path.parent.absolute().parent),
            f"another run is at work in this folder ({path.read_text(encoding='utf-8')})",
            "Wait until it ends, stop it, or run in a copy of the project",
        ) from None
    _held[path] = lock


def _write_holder(descriptor: int) -> None:
    """Write to a lock file which process holds it."""
    os.truncate(descriptor, 0)
    os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode())
