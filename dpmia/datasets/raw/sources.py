"""The raw files of every data set: where they come from and how the right ones are known."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from dpmia.common.errors import DataError, words_of
from dpmia.common.plain import PlainData
from dpmia.common.plugins import EntryPoint, installed
from dpmia.common.reading.rows import named
from dpmia.common.reading.source import Source
from dpmia.formats.provenance import SYNTHETIC_MARK, SourceFile, marked_synthetic

log = logging.getLogger(__name__)

#: What to do about a data set of another package.
_REPAIR = "Repair or uninstall its package"

#: What is reported of a file that is accepted as found: data set, file, sha256.
UNVERIFIED = "%s/%s: no checksum of the published file is known; accepted as found, with sha256 %s"


@dataclass(frozen=True)
class RawFile(PlainData):
    """One file as its publisher offers it.

    Attributes:
        dataset: the data set's name in the settings.
        file: its name inside the data set's raw folder.
        mirror: where it may lie inside a mirror folder, plain or with `.gz` appended.
        urls: where it is published, in the order to try: the file itself, plain or gzipped, or
            `URL#member` for one member of a zip or tar archive; none where it is downloaded by hand.
        checksum: of the uncompressed content: `sha256:` or `md5:` and hexadecimal digits; empty where none is
            known, so that the file cannot be verified.
        bytes: of the uncompressed content; None where unknown.
        rows: number of records; None where unknown.
        optional: whether the data set can be read without it.
        licence: licence, or terms where there is none.
        homepage: a page for people that describes the file.
    """

    dataset: str
    file: str
    mirror: tuple[str, ...]
    urls: tuple[str, ...]
    checksum: str
    bytes: int | None
    rows: int | None
    optional: bool
    licence: str
    homepage: str


@cache
def all_raw_files() -> tuple[RawFile, ...]:
    """Return every line of `sources.csv`, in its order, and of the one beside each data set of a plug-in.

    Raises:
        DataError: a plug-in lacks its module or its list, or they are wrong.
    """
    listed = _listed(Path(__file__).with_name("sources.csv"))
    for name, point in installed("dpmia.datasets").items():
        own = _of_plugin(_module_file(name, point).with_name("sources.csv"))
        listed += tuple(raw for raw in own if raw.dataset == name)
    return listed


def _module_file(name: str, point: EntryPoint) -> Path:
    """Return the file of the module of a plug-in's data set."""
    where = f"{point.package}, data set {name}"
    try:
        module = find_spec(point.spec)
    except Exception as error:  # of the packages around the module, which are imported for this
        raise DataError(where, words_of(error), _REPAIR) from error
    if module is None or module.origin is None:
        raise DataError(where, f"there is no module {point.spec}", _REPAIR)
    return Path(module.origin)


def _of_plugin(file: Path) -> tuple[RawFile, ...]:
    """Return every line of the file of another package, which may be wrong."""
    source = Source(file, str(file), _REPAIR)
    with source.faults("it is no list of raw files"):
        listed = _listed(file)
    for raw in listed:
        if raw.file != Path(raw.file).name:
            raise source.error(f"{raw.file!r} is not the name of a file")
    return listed


def _listed(file: Path) -> tuple[RawFile, ...]:
    """Return every line of a file like `sources.csv`."""
    lines = named(file)
    if any(None in row or None in row.values() for row in lines):
        raise ValueError("a line has more or fewer fields than the first")
    return tuple(
        RawFile(
            dataset=row["dataset"],
            file=row["file"],
            mirror=tuple(row["mirror"].split()),
            urls=tuple(row["urls"].split()),
            checksum=row["checksum"],
            bytes=int(row["bytes"]) if row["bytes"] else None,
            rows=int(row["rows"]) if row["rows"] else None,
            optional=row["optional"] == "yes",
            licence=row["licence"],
            homepage=row["homepage"],
        )
        for row in lines
    )


def require_published(dataset: str, files: Iterable[SourceFile]) -> tuple[str, ...]:
    """Refuse files that are not the publisher's, however they came to their place.

    Args:
        dataset: name of the data set.
        files: that were read, with the checksums that the publisher gives.

    Returns:
        The names of files of which no checksum is known: accepted as found, and reported in the log.

    Raises:
        DataError: a file has another content than the published one.
    """
    published = {raw.file: raw.checksum for raw in raw_files(dataset)}
    unverified = []
    for file in files:
        algorithm, _, digest = published[file.name].partition(":")
        if not digest:
            unverified.append(file.name)
            log.warning(UNVERIFIED, dataset, file.name, file.sha256)
        elif file.checksum(algorithm) != digest:
            raise DataError(
                f"{dataset}/{file.name}",
                f"{algorithm} {file.checksum(algorithm)} is not that of the published file, {digest}",
                "Remove the file: the next run fetches it again.",
            )
    return tuple(unverified)


def raw_files(dataset: str) -> tuple[RawFile, ...]:
    """Return the raw files of one data set; none for a data set without published files."""
    return tuple(raw for raw in all_raw_files() if raw.dataset == dataset)


def required_files(dataset: str) -> tuple[RawFile, ...]:
    """Return the raw files that a data set cannot be read without: those that synthetic data have."""
    return tuple(raw for raw in raw_files(dataset) if not raw.optional)


def fetched_together(dataset: str) -> tuple[tuple[RawFile, ...], ...]:
    """Return the raw files of a data set in groups: those that are first looked for in one archive stand together."""
    groups: dict[str, list[RawFile]] = {}
    for raw in raw_files(dataset):
        address, _, member = raw.urls[0].partition("#") if raw.urls else ("", "", "")
        groups.setdefault(address if member else raw.file, []).append(raw)
    return tuple(map(tuple, groups.values()))


def files_at_hand(
    dataset: str, mirror: Path | str | None, folder: Path | str, download: bool = True
) -> tuple[RawFile, ...]:
    """Return the raw files that a data set is read from: all of them, but for optional ones that a mirror lacks.

    Args:
        dataset: name of the data set.
        mirror: folder with raw files that were fetched before; None for none, then whatever has a URL is downloaded.
        folder: where the raw files of the data set belong.
        download: whether downloads are tried at all.
    """
    return tuple(
        raw
        for raw in raw_files(dataset)
        if not raw.optional or (download and mirror is None and raw.urls) or _lies_there(raw, mirror, folder)
    )


def unavailable_reason(
    dataset: str, mirror: Path | str | None, folder: Path | str, download: bool = True
) -> str | None:
    """Return which raw file of a data set is unavailable: no URL, not in the mirror, not in its folder; else None.

    Args:
        dataset: name of the data set.
        mirror: folder with raw files that were fetched before; None for none.
        folder: where the raw files of the data set belong.
        download: whether downloads are tried at all.
    """
    for raw in required_files(dataset):
        if not (raw.urls and download) and not _lies_there(raw, mirror, folder):
            why = "is missing, and downloads are off" if raw.urls else "has to be downloaded by hand"
            return f"{dataset}/{raw.file} {why}"
    return None


def _lies_there(raw: RawFile, mirror: Path | str | None, folder: Path | str) -> bool:
    """Return whether a raw file lies in its folder or, plain or gzipped, in the mirror."""
    places = [Path(folder) / raw.file]
    if mirror is not None:
        places += [Path(mirror) / (name + ending) for name in raw.mirror for ending in ("", ".gz")]
    return any(place.exists() for place in places)


def data_mode_mismatch(path: str, data: str) -> str | None:
    """Return why a file of one's own is not for a run of this kind, so that synthetic and real records never mix.

    Args:
        path: of the file; a file `SYNTHETIC.txt` beside it says that its records are synthetic.
        data: `synthetic` or `real`.
    """
    synthetic = marked_synthetic(Path(path).parent)
    if synthetic and data == "real":
        return (
            f"{path} is synthetic, as {SYNTHETIC_MARK} beside it says: run with data: synthetic, or name "
            "only settings of real data: --config 'experiments=[mine.yaml]'"
        )
    if not synthetic and data == "synthetic":
        return f"{path} is your own: run with data: real"
    return None
