"""The raw files of every data set: where they come from and how the right ones are known."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dpmia.errors import DataError


@dataclass(frozen=True)
class RawFile:
    """One file as its publisher hands it out.

    Attributes:
        dataset: the data set's name in the settings.
        file: its name inside the data set's raw folder.
        mirror: where it may lie inside a mirror folder, plain or with `.gz` appended.
        urls: where it is published, in the order to try: the file itself, plain or gzipped, or
            `URL#member` for one member of a zip or tar archive.
        sha256: of the uncompressed content, hexadecimal.
        bytes: of the uncompressed content.
        rows: number of records.
        licence: licence, or terms where there is none.
        homepage: a page for people that tells about the file.
    """

    dataset: str
    file: str
    mirror: tuple[str, ...]
    urls: tuple[str, ...]
    sha256: str
    bytes: int
    rows: int
    licence: str
    homepage: str


@cache
def all_raw_files() -> tuple[RawFile, ...]:
    """Return every line of `sources.csv`, in its order."""
    with Path(__file__).with_name("sources.csv").open(newline="", encoding="utf-8") as lines:
        return tuple(
            RawFile(
                dataset=row["dataset"],
                file=row["file"],
                mirror=tuple(row["mirror"].split()),
                urls=tuple(row["urls"].split()),
                sha256=row["sha256"],
                bytes=int(row["bytes"]),
                rows=int(row["rows"]),
                licence=row["licence"],
                homepage=row["homepage"],
            )
            for row in csv.DictReader(lines)
        )


def require_published(dataset: str, files: Iterable[Mapping[str, Any]]) -> None:
    """Refuse files that are not the publisher's, however they came to their place.

    Args:
        dataset: name of the data set.
        files: what was read, with `name` and `sha256` each.

    Raises:
        DataError: a file has another content than the published one.
    """
    published = {raw.file: raw.sha256 for raw in raw_files(dataset)}
    for file in files:
        if file["sha256"] != published[file["name"]]:
            raise DataError(
                f"{dataset}/{file['name']}",
                f"sha256 {file['sha256']}",
                f"{published[file['name']]}, that of the published file",
                "Remove the file: the next run fetches it again.",
            )


def raw_files(dataset: str) -> tuple[RawFile, ...]:
    """Return the raw files of one data set; none for a data set without published files."""
    return tuple(raw for raw in all_raw_files() if raw.dataset == dataset)
