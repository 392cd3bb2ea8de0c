"""Files that are either complete or absent."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

#: Seconds after which an unfinished file of another machine, whose processes nobody here can see, is given up.
GIVEN_UP = 7 * 86_400.0

#: Seconds by which the clocks of two machines may differ.
AHEAD = 600.0

#: The middle of the name of an unfinished file: the machine, and the process that writes it.
_PART = re.compile(r"\.(?P<machine>[^.]*)~(?P<process>\d+)\.part(\.[^.]*)?$")


def is_file(path: Path | str) -> bool:
    """Return whether a user's path is a file; it is none where the system takes no such name, as a longer one."""
    return os.path.isfile(path)  # noqa: PTH113 (pathlib raises an error then)


def is_folder(path: Path | str) -> bool:
    """Return whether a user's path is a folder; see `is_file`."""
    return os.path.isdir(path)  # noqa: PTH112


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """Yield a temporary name beside `path`; move it into place only when the block ends without an error.

    The folder of `path` is made if needed. After an error the temporary file is removed and
    whatever stood at `path` before is untouched. What a killed process leaves, `remove_leftovers` finds.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # The suffix stays last: numpy and matplotlib choose the format, or append one, by it.
    part = path.with_name(f".{path.stem}.{_machine()}~{os.getpid()}.part{path.suffix}")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        if error.filename is not None and Path(error.filename) == part:
            error.filename = str(path)  # messages name the file that is wanted
        raise
    finally:
        part.unlink(missing_ok=True)


def file_digest(file: Path | str) -> str:
    """Return the digest of what a file holds: 16 hexadecimal digits."""
    with Path(file).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()[:16]


def remove_leftovers(folders: Iterable[Path | str], alone: Iterable[Path | str] = ()) -> list[Path]:
    """Remove what killed processes left of the files that they were writing, and return it.

    A process of this machine that is alive keeps its file; one of another machine for a week.

    Args:
        folders: where to look, whatever is below them; one that is not there is passed over.
        alone: folders in which to look, and not below them.
    """
    removed = []
    walks = [*map(_walk, folders), *(islice(os.walk(folder), 1) for folder in alone)]
    for place, _, names in chain.from_iterable(walks):
        for name in names:
            match = _PART.search(name)
            if match and _is_left(Path(place, name), match["machine"], int(match["process"])):
                Path(place, name).unlink(missing_ok=True)
                removed.append(Path(place, name))
    return sorted(removed)


def bring_back(folders: Iterable[Path | str]) -> list[Path]:
    """Date files of the future today, and return them: what is made of them would be older for ever, and made again.

    Args:
        folders: where to look, whatever is below them.
    """
    now = time.time()
    files = [Path(place, name) for folder in folders for place, _, names in _walk(folder) for name in names]
    ahead = [file for file in files if file.lstat().st_mtime > now + AHEAD]
    for file in ahead:
        os.utime(file, (now, now), follow_symlinks=False)
    return sorted(ahead)


def _walk(folder: Path | str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk through a folder as `os.walk` does, and once through each folder that it links to."""
    met = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        met.add(Path(place).resolve())
        folders[:] = [subfolder for subfolder in folders if Path(place, subfolder).resolve() not in met]
        yield place, folders, names


def _is_left(part: Path, machine: str, process: int) -> bool:
    if machine == _machine():
        return not _is_alive(process)
    try:
        return time.time() - part.stat().st_mtime > GIVEN_UP
    except FileNotFoundError:
        return False


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True


def _machine() -> str:
    return platform.node().replace(".", "-").replace("/", "-")[:60]
