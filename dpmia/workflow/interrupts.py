"""How processes of a run end: at the first Ctrl-C calmly, at the second at once, and with the one that started them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType

from dpmia.workflow.failures import CANNOT_RUN

_WATCH = "end with parent"


def quiet_interrupts(message: str = "") -> None:
    """Let Ctrl-C end this process without a traceback, with a message if one is given."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not is_interrupt(error):
            sys.__excepthook__(kind, error, trace)
        elif message:
            print(f"\n{message}", file=sys.stderr)

    sys.excepthook = hook


def is_interrupt(error: BaseException | None) -> bool:
    """Return whether an error is Ctrl-C, or was caused by it: in the middle of a class Python wraps it in another."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None


def end_at_first_interrupt() -> None:
    """Let the second Ctrl-C be of no effect on this process: it ends already, and would only print why."""
    _then(lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))


def end_at_second_interrupt(message: str) -> None:
    """Let the second Ctrl-C kill the processes below this one and end it, with a message.

    The first one is an exception as ever. Snakemake then waits for its jobs, in code that another would break.
    What a kill leaves, the next run puts right.
    """

    def end(number: int, frame: FrameType | None) -> None:
        try:
            kill_children()
            os.write(sys.stderr.fileno(), f"\n{message}\n".encode())
        finally:
            os._exit(CANNOT_RUN)

    _then(lambda: signal.signal(signal.SIGINT, end))


def end_with_parent(every: float = 1.0) -> None:
    """End this process once the one that started it is gone: it would write results of settings that may change.

    A kill of Snakemake leaves jobs that are processes of their own, and a job may have started a training program.

    Args:
        every: seconds between two looks.
    """
    if any(thread.name == _WATCH for thread in threading.enumerate()):
        return
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(every)
        try:
            kill_children()
        finally:
            os._exit(CANNOT_RUN)

    threading.Thread(target=watch, name=_WATCH, daemon=True).start()


def kill_children() -> None:
    """Kill all processes below this one, and with the leader of a process group the group: some may be nobody's now."""
    import psutil  # here: where a run is ended by force only

    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error, ProcessLookupError, PermissionError):
            if os.getpgid(process.pid) == process.pid:
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()


def _then(prepare: Callable[[], object]) -> None:
    """Prepare for the second Ctrl-C at the first one; a process that ignores both, in the background, goes on to."""

    def first(number: int, frame: FrameType | None) -> None:
        prepare()
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, first)
