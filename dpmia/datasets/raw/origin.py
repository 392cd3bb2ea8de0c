"""Where records come from: raw files that are not small tables of text, opened and identified by size and checksums."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dpmia.common.reading.source import Source, raw
from dpmia.formats.provenance import Provenance, SourceFile, marked_synthetic


def source(path: Path, remedy: str = "Delete the file and fetch it again.") -> Source:
    """Return a raw file where it lies plain or gzipped, under its name or with `.gz` added."""
    zipped = path.with_name(f"{path.name}.gz")
    return replace(raw(path, remedy), path=zipped if zipped.is_file() and not path.exists() else path)


def described(path: Path, rows: int) -> SourceFile:
    """Return what identifies a raw file of some records.

    It has both checksums, since some publishers give one and some the other.
    """
    sha256, md5, size = hashlib.sha256(), hashlib.md5(usedforsecurity=False), 0
    for chunk in source(path).chunks():
        sha256.update(chunk)
        md5.update(chunk)
        size += len(chunk)
    return SourceFile(path.name, sha256.hexdigest(), size, rows, md5.hexdigest())


def provenance(folder: Path, rows: Sequence[tuple[str, int]]) -> Provenance:
    """Return where records come from.

    Args:
        folder: raw folder of the data set.
        rows: name and number of records of each file that was read, in order.
    """
    return Provenance([described(folder / name, count) for name, count in rows], marked_synthetic(folder))
