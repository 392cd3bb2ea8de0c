"""One file that is read: what it must be, how much it may hold, and what to do if it is damaged."""

from __future__ import annotations

import gzip
import io
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from dpmia.common.errors import DataError, UserError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GZIP = b"\x1f\x8b"
#: Unpacked bytes for each packed one of a gzip file: the published tables have 4 to 15, images fewer.
GZIP_RATIO = 100
#: Bytes that may be unpacked whatever the ratio: they are read within seconds.
UNPACKED = 16 << 20
#: More than any file has: what jobs make of sparse features may be packed very well.
ANY_RATIO = 2_000

#: Where the system shows what it does as files; some of them never end.
_NO_DISK = ("/proc/", "/sys/")

_CHUNK = 1 << 20


@dataclass(frozen=True)
class ReadLimits:
    """The most that is read of one file.

    Attributes:
        bytes: of its content, unpacked.
        ratio: unpacked bytes for each packed one of other formats than gzip, beyond the first `UNPACKED`.
        members: of an archive.
        rows: of a table.
        columns: of a table.
    """

    bytes: int = 64 << 30
    ratio: int = 200
    members: int = 1_000_000
    rows: int = 100_000_000
    columns: int = 100_000


@dataclass(frozen=True)
class Source:
    """A file to read.

    Attributes:
        path: where it is.
        shown: how messages name it.
        remedy: what to do about a damaged one.
        absent: what to do where there is none.
        limits: how much it may hold.
    """

    path: Path
    shown: str
    remedy: str
    absent: str = ""
    limits: ReadLimits = ReadLimits()

    def error(self, problem: str, where: str = "", remedy: str | None = None) -> DataError:
        """Return the message `<file><where>: <problem>. <remedy>.`"""
        if remedy is None:
            remedy = self.remedy
            if self._is_link():
                remedy = f"It is a link to {os.path.realpath(self.path)}: look there, too. {remedy}"
        return DataError(f"{self.shown}{where}", problem, remedy)

    @contextmanager
    def faults(self, problem: str, where: str = "") -> Iterator[None]:
        """Turn any error of a library inside the block into the message `<file><where>: <problem> (<error>)`.

        Around decoders only, which raise whatever comes to them on a damaged file; errors of ours pass unchanged.
        """
        try:
            yield
        except UserError:
            raise
        except Exception as error:
            raise self.error(f"{problem} ({_words(error)})", where) from None

    def size(self) -> int:
        """Return the bytes of the file as it lies there.

        Raises:
            DataError: there is none, it is a folder, a pipe or a device, or it is larger than the limit.
        """
        try:
            status, place = self.path.stat(), os.path.realpath(self.path)
        except (OSError, ValueError) as error:
            raise self._absent(error) from None
        if place.startswith(_NO_DISK):
            raise self.error(f"{place} is no file on a disk", remedy="Put the file in its place")
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or a device"
            raise self.error(f"this is {kind}, not a file", remedy="Put the file in its place")
        if status.st_size > self.limits.bytes:
            raise self._too_large(status.st_size)
        return status.st_size

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the file, unpacked where its first bytes say that it is a gzip file, whatever its name says.

        Raises:
            DataError: it cannot be opened; or, while it is read, it is damaged, or larger than the limit.
        """
        with self.packed() as plain:
            with self.faults("the file cannot be read"):
                first = plain.read(len(GZIP))
                plain.seek(0)
            if first != GZIP:
                yield plain
                return
            inflating = _Inflating(self, plain, self.size())
            try:
                yield io.BufferedReader(inflating, _CHUNK)
            except Exception:
                # A decoder may have put words of its own over it.
                if inflating.fault is not None:
                    raise inflating.fault from None
                raise

    @contextmanager
    def packed(self) -> Iterator[IO[bytes]]:
        """Open the file as it lies there.

        Raises:
            DataError: it cannot be opened.
        """
        self.size()
        try:
            plain = self.path.open("rb")
        except OSError as error:
            raise self._absent(error) from None
        with plain:
            yield plain

    def content(self) -> bytes:
        """Return all bytes of the file, unpacked.

        Raises:
            DataError: it cannot be read, is damaged, or larger than the limit.
        """
        with self.opened() as stream, self.faults("the file cannot be read"):
            return stream.read()

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes of the file in parts, unpacked: a large file never stands in memory as a whole.

        Raises:
            DataError: see `content`.
        """
        with self.opened() as stream, self.faults("the file cannot be read"):
            while part := stream.read(_CHUNK):
                yield part

    def text_content(self) -> bytes:
        """Return all bytes of a file of text, unpacked; of one with a zero byte, which no text has, as far as that.

        Raises:
            DataError: it cannot be read, is damaged, or larger than the limit.
        """
        parts: list[bytes] = []
        with self.opened() as stream, self.faults("the file cannot be read"):
            while not (parts and 0 in parts[-1]) and (part := stream.read(16 * _CHUNK)):
                parts.append(part)
        return b"".join(parts)

    def text(self) -> str:
        """Return the content as text.

        Raises:
            DataError: it cannot be read, or is not UTF-8; the message names the row.
        """
        return self.decoded(self.text_content())

    def decoded(self, content: bytes) -> str:
        """Return the content of the file as text.

        Raises:
            DataError: it is not UTF-8, or holds bytes of zero, as UTF-16 does; the message names the row.
        """
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            place, problem = error.start, f"byte 0x{content[error.start]:02X} is not UTF-8 text"
        else:
            place, problem = content.find(0), "byte 0x00 is not UTF-8 text"
            if place < 0:
                return text
        row = content.count(b"\n", 0, place) + 1
        raise self.error(problem, f", row {row}", "Save the file as UTF-8")

    def json(self) -> Any:
        """Return what a file of JSON holds.

        Raises:
            DataError: it cannot be read, or is damaged.
        """
        text = self.text()
        with self.faults("not readable as JSON"):
            return json.loads(text)

    def _absent(self, error: Exception) -> DataError:
        problem = f"the file cannot be read ({_words(error)})"
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            problem = "the link leads to no file" if self._is_link() else "the file does not exist"
        return DataError(str(self.path), problem, self.absent)

    def _is_link(self) -> bool:
        try:
            return self.path.is_symlink()
        except OSError:
            return False

    def _too_large(self, size: int) -> DataError:
        return self.error(f"{size} bytes are more than the {self.limits.bytes} that are read", remedy="")


def made(path: Path | str) -> Source:
    """Return a file that a job of this workflow has made."""
    remedy = "Delete it and start again: what made it runs once more."
    return Source(
        Path(path), str(path), remedy, "Start again: what makes it runs once more.", ReadLimits(ratio=ANY_RATIO)
    )


def raw(path: Path, remedy: str = "Delete the file and fetch it again.") -> Source:
    """Return a raw file of a published data set, whose every byte may be wrong."""
    return Source(path, path.name, remedy, "Fetch the data set first", ReadLimits(bytes=8 << 30, rows=10_000_000))


def own(path: Path) -> Source:
    """Return a file of the user."""
    return Source(path, path.name, "Save it again.", "", ReadLimits(bytes=4 << 30, rows=20_000_000, columns=20_000))


class _Inflating(io.RawIOBase):
    """A gzip file as a readable stream that stops at damage, and where it holds more than it may."""

    def __init__(self, source: Source, plain: IO[bytes], size: int) -> None:
        self._source, self._stream = source, gzip.GzipFile(fileobj=plain)
        self._most = max(UNPACKED, size * GZIP_RATIO)
        self._count = 0
        self.fault: DataError | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if self.fault is not None:
            raise self.fault
        try:
            count = self._stream.readinto(buffer)
        except Exception as error:
            self.fault = self._source.error(f"the gzip file is damaged ({_words(error)})")
            raise self.fault from None
        self._count += count
        if self._count > self._source.limits.bytes:
            self.fault = self._source._too_large(self._count)
            raise self.fault
        if self._count > self._most:
            problem = f"the gzip file holds over {GZIP_RATIO} times as many bytes as it has"
            self.fault = self._source.error(problem, remedy="If that is right, unpack it and use the unpacked file.")
            raise self.fault
        return count

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self.read(_CHUNK) or b"", b""))


def _words(error: Exception) -> str:
    """Return what a library says of a file, in one line, and short."""
    if isinstance(error, MemoryError):
        return "it asks for more memory than there is"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    line = " ".join(str(text).split())
    return line if len(line) <= 200 else f"{line[:200]}..."
