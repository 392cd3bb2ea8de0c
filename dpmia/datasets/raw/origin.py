"""Where records come from: raw files that are not small tables of text, opened and identified by size and checksums."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from dpmia.common.errors import DataError
from dpmia.datasets.raw.parsing import SYNTHETIC_MARK

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """Open a raw file for reading, uncompressed, where it lies plain or gzipped, under its name or with `.gz` added.

    Raises:
        DataError: there is no such file.
    """
    zipped = path.with_name(f"{path.name}.gz")
    found = zipped if zipped.is_file() and not path.is_file() else path
    if not found.is_file():
        raise DataError(str(path), "the file does not exist", "Fetch the data set first")
    with found.open("rb") as plain:
        first = plain.read(len(_GZIP))
        plain.seek(0)
        if first != _GZIP:
            yield plain
            return
        with gzip.GzipFile(fileobj=plain) as content:
            yield content


def described(path: Path, rows: int) -> dict[str, Any]:
    """Return the provenance of one raw file: name, sha256, md5 and bytes of its uncompressed content, rows.

    Both checksums, since some publishers give one and some the other.
    """
    sha256, md5, size = hashlib.sha256(), hashlib.md5(usedforsecurity=False), 0
    with opened(path) as content:
        while chunk := content.read(_CHUNK):
            sha256.update(chunk)
            md5.update(chunk)
            size += len(chunk)
    return {"name": path.name, "sha256": sha256.hexdigest(), "md5": md5.hexdigest(), "bytes": size, "rows": rows}


def provenance(folder: Path, rows: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """Return where records come from.

    Args:
        folder: raw folder of the data set.
        rows: name and number of records of each file that was read, in order.

    Returns:
        `files`, each as `described` says, and `synthetic`: whether the records are synthetic.
    """
    return {
        "files": [described(folder / name, count) for name, count in rows],
        "synthetic": (folder / SYNTHETIC_MARK).exists(),
    }
