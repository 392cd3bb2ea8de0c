"""How a command ends that is refused, and why a run failed: what its jobs wrote last, and the exit code."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TextIO

from dpmia.common.errors import UserError
from dpmia.common.pipes import discard

#: Exit codes of `snakemake audit`: a model is above a limit; the run could not be made, or a limit not be evaluated.
ABOVE_LIMIT = 1
CANNOT_RUN = 2

#: Environment variable with the command that the user typed, where it is not Snakemake's.
TYPED = "DPMIA_COMMAND"

#: How a job's log ends where the job failed.
_ERROR = re.compile(
    r"^\S+ \S+ exit code (\d+): (.*?)(?=^\S+ \S+ start-up [0-9.]+ s, work |\Z)", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Failure:
    """One job that failed.

    Attributes:
        rule: of the job.
        message: for the user.
        exit_code: of the run, if no other job failed.
    """

    rule: str
    message: str
    exit_code: int = CANNOT_RUN


def refuse(error: UserError | str, stream: TextIO | None = None) -> NoReturn:
    """End this process with one message, in place of a traceback or of what Snakemake would add to it.

    Args:
        error: what the user can mend, or its message.
        stream: where to print; None for standard error.

    Raises:
        SystemExit: always, with the code of what cannot be run.
    """
    stream = stream or sys.stderr
    try:
        print(f"\nError: {error}", file=stream, flush=True)
    except BrokenPipeError:
        discard(stream)
    raise SystemExit(CANNOT_RUN)


def error_line(message: str, exit_code: int = CANNOT_RUN) -> str:
    """Return the entry of a job's log that `read_failure` finds."""
    return f"exit code {exit_code}: {message}"


def read_failure(rule: str, log: Path | None) -> Failure:
    """Return why a job failed, from its log."""
    if log is None:
        return Failure(rule, "it failed, and it has no log.")
    matches = _ERROR.findall(log.read_text(encoding="utf-8", errors="replace")) if log.is_file() else []
    if not matches:
        return Failure(
            rule, f"it ended without a message, killed or out of memory, or with what stands above. Log: {log}"
        )
    code, message = matches[-1]
    return Failure(rule, message.strip(), int(code))


def last_words(failures: Iterable[Failure], command: str) -> tuple[str, int]:
    """Return what a failed run prints last, and its exit code.

    Args:
        failures: of its jobs; none where the run was stopped from outside.
        command: that was typed.
    """
    failures = list(dict.fromkeys(failures))
    if not failures:
        return stopped(command), CANNOT_RUN
    lines = [f"Error in {failure.rule}: {failure.message}" for failure in failures]
    return "\n\n".join(lines), max(failure.exit_code for failure in failures)


def typed_command(arguments: Sequence[str]) -> str:
    """Return the command that a user typed: `dpmia` leaves its own in the environment before it becomes Snakemake.

    Args:
        arguments: of the Snakemake that runs.
    """
    return os.environ.get(TYPED) or shlex.join(["snakemake", *arguments])


def runner() -> str:
    """Return the command that a user types before targets: `snakemake`, or `dpmia run`."""
    return "dpmia run" if os.environ.get(TYPED) else "snakemake"


def stopped(command: str) -> str:
    """Return what a run prints that was stopped from outside."""
    return f"Stopped. Finished results are kept. To continue, run the same command again: {command}"
