"""Checks of a training program of the user's own: `training` with the engine `command`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dpmia.common.command_line import placeholders, split_command
from dpmia.common.files import is_file, is_folder
from dpmia.common.registry import suggestion

#: Placeholder -> what it becomes.
PLACEHOLDERS = {
    "train": "file with the records and labels to train on",
    "query": "file with the records to evaluate the model on",
    "outputs": "file to write its outputs to",
    "seed": "a whole number from 0 to 2147483647, another one for each model",
    "epsilon": "epsilon of the model, `inf` without privacy",
    "delta": "delta of the guarantee, `0` without privacy",
    "classes": "number of classes",
}

#: Without these a program cannot do its work.
REQUIRED = ("train", "query", "outputs")

#: Keys of `training` that the engine `command` takes, beside `engine`; no other engine takes them.
PROGRAM_KEYS = ("command", "files", "format", "scale", "timeout")

#: Endings of files that are read by the program before them on a command line.
_SCRIPTS = (".py", ".r", ".jl", ".sh", ".awk", ".pl", ".rb", ".js", ".m")


def check_command(command: str) -> str:
    """Return the command line of a program.

    Raises:
        ValueError: it cannot be split, a placeholder is unknown or missing, or there is no such script.
    """
    argv = split_command(command)
    used = placeholders(argv)
    for name in used:
        if name not in PLACEHOLDERS:
            near = suggestion(name, PLACEHOLDERS) or f"Known: {', '.join(f'{{{key}}}' for key in PLACEHOLDERS)}."
            raise ValueError(f"{{{name}}} is not a placeholder. {near} Write {{{{ and }}}} for braces")
    if missing := [f"{{{name}}}" for name in REQUIRED if name not in used]:
        raise ValueError(f"the command lacks {', '.join(missing)}. The program needs: {_described(REQUIRED)}")
    for word in argv[1:]:
        if word.lower().endswith(_SCRIPTS) and not placeholders([word]) and not is_file(word):
            near = suggestion(word, [path.name for path in Path().iterdir()])
            raise ValueError(f"{word!r} is not a file in {Path.cwd()}. {near}".rstrip())
    return command


def check_files(files: Iterable[str]) -> None:
    """Refuse files of a program that are not there.

    Raises:
        ValueError: there is no such file.
    """
    for file in files:
        if not is_file(file):
            kind = "a folder: list its files" if is_folder(file) else "not a file"
            raise ValueError(f"files: {file!r} is {kind} in {Path.cwd()}")


def _described(names: Iterable[str]) -> str:
    return "; ".join(f"{{{name}}}, the {PLACEHOLDERS[name]}" for name in names)
