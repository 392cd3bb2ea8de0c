"""Whether a run can write its files, checked before it writes any."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from dpmia.common.errors import PlaceError


def check_places(files: Iterable[Path | str]) -> None:
    """Refuse files that cannot be written.

    Args:
        files: to be written, with their folders where there are none yet.

    Raises:
        PlaceError: a folder stands in the place of a file, or a file or a dangling link in that of a folder; or a file
            or folder is read-only.
    """
    checked: dict[Path, bool] = {}
    for file in map(Path, files):
        if _is_there(file.parent, checked) and os.access(file, os.F_OK):
            if file.is_dir():
                raise PlaceError(str(file), "this is a folder, not a file", "Move it away and start again")
            _refuse_read_only(file, os.W_OK)


def _is_there(folder: Path, checked: dict[Path, bool]) -> bool:
    """Return whether there is such a folder, after a look at it, or at the one in which it will be made."""
    if folder not in checked:
        checked[folder] = os.access(folder, os.F_OK)
        if checked[folder] and not folder.is_dir():
            raise PlaceError(str(folder), "this is a file, not a folder", "Move it away and start again")
        if checked[folder]:
            _refuse_read_only(folder, os.W_OK | os.X_OK)
        elif _is_there(folder.parent, checked) and folder.is_symlink():
            raise PlaceError(str(folder), "the link leads to no folder", "Mend the link, or remove it")
    return checked[folder]


def _refuse_read_only(place: Path, wanted: int) -> None:
    if not os.access(place, wanted):
        remedy = "Change its permissions, or run in another folder (--directory FOLDER)"
        raise PlaceError(str(place), "it cannot be written to", remedy)
