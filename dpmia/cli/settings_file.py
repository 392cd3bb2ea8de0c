"""The YAML that a command writes before it runs."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import yaml

from dpmia.common.errors import UserError
from dpmia.common.files import whole_file
from dpmia.planning.yaml_file import read_yaml

#: What stands before the digest of the settings, in the second line of a file.
MARK = "# Written by dpmia, which replaces this file until you edit it: sha256 "

#: What stands before the command in the first line of settings that a command wrote.
RUN = "# Edit and run: "

#: Digits of the digest that are written.
DIGITS = 16


def write_settings(path: Path, settings: Any, command: str, overwrite: bool = False, trial: bool = False) -> None:
    """Write settings below the command that runs them and a digest of them.

    Args:
        path: of the file.
        settings: plain data.
        command: runs the settings as they are in the file.
        overwrite: whether a file that was edited may be replaced.
        trial: write nothing, and only check that the file may be written.

    Raises:
        UserError: the file has other settings, and they do not fit its digest: somebody edited them; or they are of
            another table; or it is no file.
    """
    written = yaml.safe_dump(settings, sort_keys=False, width=110, allow_unicode=True, default_flow_style=None)
    if not overwrite:
        _check_unedited(path, written)
        _check_same_table(path, settings)
    if trial:
        return
    with whole_file(path) as part:
        part.write_text(f"{RUN}{command}\n{MARK}{_digest(written)}\n{written}", encoding="utf-8")
    print(f"Wrote {path}")


def _check_unedited(path: Path, written: str) -> None:
    """Check that a file holds what is to be written, or what a command wrote there before."""
    if not path.exists():
        return
    if not path.is_file():
        raise UserError(str(path), "this is no file", "Move it away: the settings of the command belong there")
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    mark, below = "".join(lines[1:2]).strip(), "".join(lines[2:])
    if mark != f"{MARK}{_digest(below)}" and written not in (below, "".join(lines[1:])):
        command = f"dpmia run audit --config data=real 'experiments=[{path}]', or dpmia plan {path}"
        if lines and lines[0].startswith(RUN):
            command = lines[0].removeprefix(RUN).strip()
        remedy = f"Add --overwrite to replace it. To use it as it is: {command}"
        raise UserError(str(path), "the file holds settings that no command wrote", remedy)


def _check_same_table(path: Path, settings: Any) -> None:
    """Check that the settings in a file are of the same table: those of another one of its name have results, too."""
    there = _table_of(read_yaml(path, str(path))) if path.exists() else None
    if there not in (None, _table_of(settings)):
        remedy = "Rename the table, run in another folder, or add --overwrite to replace settings and results"
        raise UserError(str(path), f"it has the settings of another table, {there}", remedy)


def _table_of(settings: Any) -> str | None:
    """Return the first value of a key `path`, at any depth; None where there is none."""
    if not isinstance(settings, dict):
        return None
    below = (_table_of(value) for value in settings.values())
    return settings.get("path") or next(filter(None, below), None)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
