"""Raw files from a mirror folder or their publishers: the right bytes under the final name, or nothing."""

from __future__ import annotations

import errno
import hashlib
import io
import logging
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

import requests
import urllib3

from dpmia.common.errors import DataError
from dpmia.common.files import whole_file
from dpmia.common.reading.archives import BROKEN, NoArchiveError, inflated, member
from dpmia.datasets.raw.sources import UNVERIFIED, RawFile

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

log = logging.getLogger(__name__)

#: Bytes per second below which a server counts as stalled, whatever it dribbles.
SLOWEST = 10_000
#: Largest archive that is worth downloading for one member: this many bytes, and ten times the member's.
LARGEST_ARCHIVE = 64 << 20
#: Largest file to take from a server where nobody states how many bytes it has.
LARGEST_UNKNOWN = 4 << 30

_CHUNK = 1 << 16
#: With what requests raises of a redirection that is no address, or a length that is no number.
_BROKEN = (*BROKEN, requests.RequestException, urllib3.exceptions.HTTPError, ValueError)

Opener = Callable[[], AbstractContextManager["IO[bytes] | _Body"]]


class _UnusableError(Exception):
    """A source does not give the file; with `final`, asking again is of no use."""

    def __init__(self, reason: str, final: bool = False) -> None:
        super().__init__(reason)
        self.final = final


def fetch(
    files: Iterable[RawFile],
    folder: Path,
    mirror: Path | None = None,
    timeout: float = 30.0,
    attempts: int = 3,
    pause: float = 1.0,
    download: bool = True,
) -> None:
    """Put raw files in their places; an archive that holds several of them is downloaded once.

    A right file that is there already stays. Else the mirror is tried, then each URL; a mirror may
    hold a part of the files, so what it lacks, or holds damaged, comes from the publisher. Only
    content with the right checksum takes the final name, so every source is as good as any other.
    A file of which no checksum is known is taken as found, and the log reports it.

    Args:
        files: what to fetch.
        folder: where to write the files, by their names.
        mirror: folder with files as in `RawFile.mirror`, plain or with `.gz` appended; None for none.
        timeout: seconds to wait for a connection and for every read.
        attempts: how often to try a server that fails in a way that may pass.
        pause: seconds before the second attempt; doubled before each further one.
        download: whether URLs are tried at all.

    Raises:
        DataError: no source gave the right content of a file. The message lists each source and its fault.
    """
    archives: dict[str, IO[bytes]] = {}
    try:
        for raw in files:
            _fetch_one(raw, folder / raw.file, mirror, timeout, attempts if download else 0, pause, archives)
    finally:
        for archive in archives.values():
            archive.close()


def _fetch_one(
    raw: RawFile,
    destination: Path,
    mirror: Path | None,
    timeout: float,
    attempts: int,
    pause: float,
    archives: dict[str, IO[bytes]],
) -> None:
    """Put one file in its place; `archives` are those downloaded so far, by address."""
    if destination.is_file() and _matches(destination, raw):
        return
    faults: dict[str, str] = {}
    for name, opener in _mirrored(raw, mirror).items():
        if _tried(raw, destination, name, opener, faults) is None:
            return
    pending = _published(raw, timeout, archives)
    for attempt in range(attempts):
        if attempt and pending:
            time.sleep(pause * 2 ** (attempt - 1))
        for url, opener in tuple(pending.items()):
            fault = _tried(raw, destination, url, opener, faults)
            if fault is None:
                return
            if fault.final:
                del pending[url]
    raise _failure(raw, mirror, faults)


def _tried(raw: RawFile, destination: Path, name: str, opener: Opener, faults: dict[str, str]) -> _UnusableError | None:
    """Copy one source to the destination; return what was wrong with it and note that in `faults`, or None."""
    try:
        with opener() as source, whole_file(destination) as part:
            _copy(source, part, raw)
    except _UnusableError as error:
        fault = error
    except (requests.Timeout, urllib3.exceptions.TimeoutError):
        fault = _UnusableError("no response in time")
    except _BROKEN as error:
        if _is_of(destination, error):
            raise
        fault = _UnusableError(f"{type(error).__name__}: {error}")
    else:
        return None
    faults[name] = str(fault)
    log.warning("%s: %s: %s", raw.file, name, fault)
    return fault


def _is_of(destination: Path, error: Exception) -> bool:
    """Return whether it is the destination that failed, not the source: another source would be of no use."""
    place = getattr(error, "filename", None)
    if place is None:
        return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
    return Path(place).parent == destination.parent or Path(place) in destination.parents


def _copy(source: IO[bytes] | _Body, part: Path, raw: RawFile) -> None:
    """Write the uncompressed content to `part`; stop at the first byte too many."""
    content = inflated(source, _CHUNK)
    algorithm, _, expected = raw.checksum.partition(":")
    digest, size, most = hashlib.new(algorithm or "sha256"), 0, _most(raw)
    with part.open("wb") as sink:
        while chunk := content.read(_CHUNK):
            if not size and chunk.lstrip()[:9].lower().startswith((b"<!doctype", b"<html")):
                raise _UnusableError("an HTML page instead of the file", final=True)
            size += len(chunk)
            if size > most:
                raise _UnusableError(f"more than the expected {most} bytes")
            digest.update(chunk)
            sink.write(chunk)
    if size < (raw.bytes or 1):
        raise _UnusableError(f"only {size} of {raw.bytes} bytes" if raw.bytes else "an empty file")
    if not expected:
        log.warning(UNVERIFIED, raw.dataset, raw.file, digest.hexdigest())
    elif digest.hexdigest() != expected:
        raise _UnusableError(f"{size} bytes as expected, but {algorithm} {digest.hexdigest()}")


def _mirrored(raw: RawFile, mirror: Path | None) -> dict[str, Opener]:
    """Return what opens each place in the mirror, by name."""
    sources: dict[str, Opener] = {}
    if mirror is None:
        return sources
    for place in raw.mirror:
        plain, zipped = mirror / place, mirror / f"{place}.gz"
        path = zipped if zipped.is_file() and not plain.is_file() else plain
        sources[str(path)] = partial(_local, path)
    return sources


def _published(raw: RawFile, timeout: float, archives: dict[str, IO[bytes]]) -> dict[str, Opener]:
    """Return what opens each URL, by the URL."""
    sources: dict[str, Opener] = {}
    for url in raw.urls:
        address, _, name = url.partition("#")
        sources[url] = (
            partial(_archived, address, name, raw, timeout, archives)
            if name
            else partial(_body, address, timeout, _most(raw))
        )
    return sources


@contextmanager
def _local(path: Path) -> Iterator[IO[bytes]]:
    """Open a file of the mirror."""
    if not path.is_file():
        raise _UnusableError("no such file, nor one with .gz appended")
    with path.open("rb") as stream:
        yield stream


@contextmanager
def _archived(
    address: str, name: str, raw: RawFile, timeout: float, archives: dict[str, IO[bytes]]
) -> Iterator[IO[bytes]]:
    """Open one member of an archive, which is downloaded to a nameless file unless it is one of `archives`.

    An archive that does not give its member as it should is forgotten: the next attempt downloads it anew.
    """
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        raise _UnusableError(f"the member {name!r} leaves the archive's folder", final=True)
    try:
        if address not in archives:
            archives[address] = tempfile.TemporaryFile()  # noqa: SIM115 (`fetch` closes it)
            _download(address, archives[address], timeout, LARGEST_ARCHIVE + 10 * (raw.bytes or LARGEST_ARCHIVE))
        archives[address].seek(0)
        with _member(archives[address], name) as stream:
            yield stream
    except BaseException:
        if archive := archives.pop(address, None):  # none where no file could be made for it
            archive.close()
        raise


def _download(address: str, archive: IO[bytes], timeout: float, limit: int) -> None:
    """Write the response of an address to a file, up to `limit` bytes."""
    with _body(address, timeout, limit) as body:
        while chunk := body.read(_CHUNK):
            archive.write(chunk)
            if archive.tell() > limit:
                raise _UnusableError(f"an archive of more than {limit} bytes", final=True)


@contextmanager
def _member(archive: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    """Open the regular file `name` of a zip or tar archive as a stream; nothing is unpacked."""
    try:
        with member(archive, name) as stream:
            if stream is None:
                raise _UnusableError(f"no member {name!r} in the archive", final=True)
            yield stream
    except NoArchiveError as error:
        raise _UnusableError(str(error), final=True) from None


class _Body(io.RawIOBase):
    """The body of a response as a readable stream, with a limit on the time of the whole."""

    def __init__(self, response: requests.Response, seconds: float) -> None:
        """Wrap `response`, whose every read has a time limit already; all of them together get `seconds`."""
        self._raw = response.raw
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if time.monotonic() > self._end:
            raise _UnusableError(f"not done after {self._seconds:.0f} seconds")
        into = memoryview(buffer)
        data = self._raw.read1(len(into), decode_content=True)
        into[: len(data)] = data
        return len(data)


@contextmanager
def _body(url: str, timeout: float, size: int) -> Iterator[_Body]:
    """Open a URL; the server has `timeout` for each response, and for the whole body the time of the slowest speed.

    Args:
        url: address without a fragment.
        timeout: seconds.
        size: bytes to allow time for; the server's own word counts where it is less.
    """
    with requests.get(url, stream=True, timeout=(timeout, timeout)) as response:
        status = response.status_code
        if status != requests.codes.ok:
            raise _UnusableError(f"HTTP status {status}", final=400 <= status < 500 and status not in (408, 425, 429))
        length = response.headers.get("Content-Length", "")
        yield _Body(response, timeout + min(size, int(length) if length.isdecimal() else size) / SLOWEST)


def _most(raw: RawFile) -> int:
    return LARGEST_UNKNOWN if raw.bytes is None else raw.bytes


def _matches(path: Path, raw: RawFile) -> bool:
    """Tell whether the file that is there may stay; one that cannot be verified may, unless it is empty."""
    size = path.stat().st_size
    if size != (raw.bytes or size) or not size:
        return False
    algorithm, _, expected = raw.checksum.partition(":")
    if not expected:
        return True
    with path.open("rb") as content:
        return hashlib.file_digest(content, algorithm).hexdigest() == expected


def _failure(raw: RawFile, mirror: Path | None, faults: dict[str, str]) -> DataError:
    """Return the one message: what was tried, what it should be, and how to do it by hand."""
    tried = (
        "; ".join(f"{source}: {fault}" for source, fault in faults.items())
        or f"{'downloads are off' if raw.urls else 'it is not offered for download'}, and no mirror is named"
    )
    folder = mirror or Path("<a folder of yours, named by data_mirror>")
    size = f"{raw.bytes} bytes" if raw.bytes else "a file"
    algorithm, _, digest = raw.checksum.partition(":")
    place = raw.urls[0].replace("#", ", in it ") + f" (see {raw.homepage})" if raw.urls else raw.homepage
    content = f"{size} with {algorithm} {digest}" if digest else f"{size}, of which no checksum is known"
    return DataError(
        f"{raw.dataset}/{raw.file}",
        f"no source has the right content ({tried})",
        f"Get the file ({content}) from {place} and put it at {folder / raw.mirror[0]}.",
    )
