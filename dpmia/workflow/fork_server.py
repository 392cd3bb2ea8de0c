"""Starts the scripts of a run on this machine as forks of one process that has imported the large libraries.

Most jobs take longer to import torch, Lightning and seaborn than to work. So `Server` starts a process that imports
them once. A script hands itself over to it (`hand_over`): a fork runs the script in its place, on its terminal. The
script's own process waits and ends as the fork does; where one is killed, so is the other. Where there is no server, as
on a cluster, or while it still imports, a script runs by itself. Its numbers are the same.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import logging
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dpmia.common.threads import THREADS
from dpmia.workflow.interrupts import kill_children

#: Where scripts find the server: below the folder of the run, which is theirs, as paths of sockets are short.
SOCKET = ".snakemake/jobs.sock"

#: What jobs import: libraries that take long, what Snakemake imports in each script, and the modules of this library
#: by which most jobs reach most of it.
MODULES = (
    *("scipy.stats", "pandas", "torch", "pytorch_lightning", "opacus", "sklearn.ensemble", "sklearn.linear_model"),
    *("seaborn", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg", "fontTools.subset"),
    *("dp_accounting.pld.privacy_loss_distribution", "pydantic", "snakemake.logging", "snakemake.iocontainers"),
    *("dpmia.training.roles.targets", "dpmia.evaluation.attacks", "dpmia.evaluation.summary", "dpmia.papers.drawing"),
    *("dpmia.splits.block", "dpmia.evaluation.accuracy", "dpmia.attacks.lira", "dpmia.papers.captions"),
)

#: What a fork sends as it takes a script over; until then the script can still run by itself.
_BEGUN = b"b"

#: Seconds that the server waits for what a script sends at once.
PATIENCE = 10.0


@dataclass
class _Served:
    """What this process is: a fork of a server, or a process of its own.

    Attributes:
        by_fork: whether it is a fork.
        seconds: CPU seconds that the script's own process took until it handed itself over.
    """

    by_fork: bool = False
    seconds: float = 0.0


_served = _Served()


def environment_with(repository: Path) -> dict[str, str]:
    """Return this environment, with a library's folder ahead of those of `PYTHONPATH`."""
    path = os.pathsep.join(filter(None, [str(repository), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


class Server:
    """The process that forks, as a child of this one."""

    def __init__(self, repository: Path, log: Path, modules: Sequence[str] = MODULES) -> None:
        """Start it; it serves the scripts of this working folder as soon as it has imported its modules.

        Args:
            repository: folder of this library.
            log: to write its CPU time to, as jobs do.
            modules: to import.
        """
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()", log, *modules],
            env=environment_with(repository) | dict.fromkeys(THREADS, "1"),
            stdin=subprocess.PIPE,
        )

    def end(self) -> None:
        """End the server, and wait for that."""
        self._process.communicate()


def can_serve() -> bool:
    """Return whether processes can be forked here that have imported such libraries: macOS forbids it."""
    return sys.platform == "linux"


def hand_over() -> None:
    """Let a fork of the server run this script, and end this process as the fork ends; return where none serves."""
    if _served.by_fork or not Path(SOCKET).is_socket():
        return
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(SOCKET)
    except OSError:  # its server was killed
        connection.close()
        return
    request = {"script": sys.argv[0], "environment": dict(os.environ), "seconds": time.process_time()}
    begun = status = b""
    with contextlib.suppress(OSError):
        socket.send_fds(connection, [b"\n"], [0, 1, 2])
        connection.sendall(json.dumps(request).encode() + b"\n")
        begun = connection.recv(1)
        status = connection.recv(1)
    if not begun:  # the server had no fork for it
        connection.close()
        return
    if not status:  # the fork was killed
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(status[0])


def seconds_of_client() -> float:
    """Return the CPU seconds that the process took which handed the script of this one over; 0 where none did."""
    return _served.seconds


def serve() -> None:
    """Import modules, then fork for each script that comes, until standard input ends; the command is `Server`'s."""
    log, modules = Path(sys.argv[1]), iter(sys.argv[2:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the jobs
    while not _is_over() and (module := next(modules, None)):
        with contextlib.suppress(ImportError), warnings.catch_warnings(action="ignore"):
            importlib.import_module(module)
    logging.root.handlers.clear()  # Opacus prints whatever any library logs
    gc.collect()
    gc.freeze()
    # A full disk, or a file system without sockets: then scripts run by themselves.
    with contextlib.suppress(OSError):
        _fork(_listener())
    with contextlib.suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(f"start-up {time.process_time():.3f} s, work 0.000 s\n", encoding="utf-8")


def _fork(listener: socket.socket) -> None:
    """Fork for each script that comes to a listener, until standard input ends."""
    with listener:
        while not _is_over(listener):
            # No memory for a fork, or a script that has ended: it runs by itself, and the next one comes.
            with contextlib.suppress(OSError), listener.accept()[0] as connection:
                _fork_for(connection, listener)
            _take_leave(os.WNOHANG)
    Path(SOCKET).unlink(missing_ok=True)
    _take_leave()


def _fork_for(connection: socket.socket, listener: socket.socket) -> None:
    """Fork for the script at the other end of a connection."""
    connection.settimeout(PATIENCE)
    descriptors = socket.recv_fds(connection, 1, 3)[1]
    connection.settimeout(None)
    try:
        if not os.fork():
            try:
                listener.close()
                _run_as_fork(connection, descriptors)
            finally:
                os._exit(1)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _is_over(listener: socket.socket | None = None) -> bool:
    """Return whether standard input has ended; with a listener, wait until it has or a script comes."""
    waiting = [sys.stdin] if listener is None else [sys.stdin, listener]
    return sys.stdin in select.select(waiting, [], [], 0 if listener is None else None)[0]


def _take_leave(options: int = 0) -> None:
    """Wait for the forks that have ended, or for all: the system then counts their CPU time as of this process."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


def _listener() -> socket.socket:
    """Return a socket at `SOCKET` to which this user alone can connect."""
    Path(SOCKET).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o077)
    try:
        listener.bind(SOCKET)
    finally:
        os.umask(mask)
    listener.listen()
    return listener


def _run_as_fork(connection: socket.socket, descriptors: list[int]) -> None:
    """Run the script of the process at the other end of a connection, and end this process."""
    request = json.loads(connection.makefile("rb").readline())
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    _served.by_fork, _served.seconds = True, request["seconds"]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    connection.sendall(_BEGUN)
    threading.Thread(target=_end_with, args=[connection], daemon=True).start()
    status = _status_of(request["script"])
    with contextlib.suppress(OSError):
        connection.sendall(bytes([status]))
    os._exit(status)


def _end_with(connection: socket.socket) -> None:
    """Kill this process and those below it when that at the other end is gone."""
    with contextlib.suppress(OSError):
        connection.recv(1)
    kill_children()
    os.kill(os.getpid(), signal.SIGKILL)


def _status_of(script: str) -> int:
    """Run a script as Python does, and return its exit status."""
    sys.argv = [script]
    status = 0
    try:
        try:
            runpy.run_path(script, run_name="__main__")
        finally:
            atexit._run_exitfuncs()
            sys.stdout.flush()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        status = 1
    sys.stderr.flush()
    return status
