"""Folders of a run: of the results of one file of settings, and of models. Light: jobs import it, and no settings."""

from __future__ import annotations

from pathlib import Path

#: Folders of a run that hold the results of a user's own files, one folder for each file: of audits, and of others.
AUDITS, OWN = "audits", "own"

#: Folder of models in a run -> rule whose jobs train them.
TRAINED_BY = {
    "signals": "train_block",
    "shadows": "train_shadows",
    "references": "train_references",
    "distilled": "train_distilled",
    "leave_one_out": "train_leave_one_out",
}


def split_home(path: Path) -> tuple[Path, Path]:
    """Return the home that a file of a run belongs to, and its path below that home.

    Args:
        path: relative to the folder of the run, or to that of its logs.

    Returns:
        The home is `.` for the experiments of the papers.
    """
    depth = 2 if path.parts[0] in (AUDITS, OWN) else 0
    return Path(*path.parts[:depth]), Path(*path.parts[depth:])
