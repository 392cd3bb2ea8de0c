"""One run at a time in a folder."""

from __future__ import annotations

import fcntl
import os
import socket
from pathlib import Path
from typing import TextIO

from dpmia.common.errors import UserError

#: Locks of this process, by path: a lock lasts as long as its file is open.
_held: dict[Path, TextIO] = {}


def hold(path: Path | str) -> None:
    """Lock `path` for as long as this process lives; the system takes the lock back however the process ends.

    Raises:
        UserError: another process holds it.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip()
        file.close()
        raise UserError(
            str(path.parent.absolute().parent),
            f"another run is at work in this folder ({holder})",
            "Wait until it ends, stop it, or run in a copy of the project",
        ) from None
    file.truncate(0)
    file.write(f"process {os.getpid()} on {socket.gethostname()}")
    file.flush()
    _held[path] = file
