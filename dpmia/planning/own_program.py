"""A training program of the user's own as its jobs get it, and as people read its name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpmia.common.command_line import placeholders, split_command
from dpmia.common.files import file_digest, is_file

#: The architecture of all models that a program trains.
BUILD = "dpmia.models.program:program"


def program_files(command: str, files: Iterable[str]) -> list[str]:
    """Return the files that a program consists of: those that the settings list, and those on its command line."""
    candidates = [word for word in split_command(command) if not placeholders([word])]
    return sorted({*files, *(word for word in candidates if is_file(word))})


def program_shape(command: str, files: Iterable[str], format: str, scale: str, timeout: float) -> dict[str, Any]:
    """Return the arguments of `BUILD`, with a digest of each file: a program that was edited is another one."""
    digests = {file: file_digest(file) for file in program_files(command, files)}
    return {"command": command, "files": digests, "format": format, "scale": scale, "timeout": timeout}


def program_name(command: str) -> str:
    """Return the name of a program for people: `train.py` of `python train.py --data {train}`."""
    argv = split_command(command)
    script = next((word for word in argv[1:] if is_file(word) and not placeholders([word])), argv[0])
    return Path(script).name
