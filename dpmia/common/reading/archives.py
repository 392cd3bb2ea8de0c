"""Members of zip and tar archives as streams: nothing is unpacked to the disk, and no link is followed."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Self

from dpmia.common.reading.source import GZIP, Source

#: What damaged gzip files and archives raise.
BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError, NotImplementedError, RuntimeError)


class NoArchiveError(Exception):
    """A file is no archive."""


def inflated(stream: IO[bytes] | io.RawIOBase, chunk: int) -> IO[bytes]:
    """Return a stream from elsewhere, through gzip where its first bytes say so; who reads it limits its size.

    Args:
        stream: it.
        chunk: bytes that are read ahead.
    """
    buffered = io.BufferedReader(stream, chunk) if isinstance(stream, io.RawIOBase) else stream
    assert isinstance(buffered, io.BufferedReader | zipfile.ZipExtFile), "a stream that can be read ahead"
    return gzip.GzipFile(fileobj=buffered) if buffered.peek(2)[:2] == GZIP else buffered  # type: ignore[return-value]


@contextmanager
def member(archive: IO[bytes], name: str) -> Iterator[IO[bytes] | None]:
    """Open the regular file `name` of a zip or tar archive as a stream; None where there is no such member.

    Raises:
        NoArchiveError: it is neither a zip nor a tar archive.
    """
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            if name not in opened.namelist():
                yield None
                return
            with opened.open(name) as stream:
                yield stream
        return
    archive.seek(0)
    if not tarfile.is_tarfile(archive):
        raise NoArchiveError("neither a zip nor a tar archive")
    archive.seek(0)
    with tarfile.open(fileobj=archive, mode="r:*") as packed:
        packed_file = next((entry for entry in packed if entry.name == name and entry.isfile()), None)
        content = packed.extractfile(packed_file) if packed_file is not None else None
        yield content


def check_archive(source: Source) -> None:
    """Compare every member of a zip archive with its checksum.

    Raises:
        DataError: the archive is absent or damaged.
    """
    with source.packed() as stream, source.faults("the file is damaged"), zipfile.ZipFile(stream) as archive:
        if (damaged := archive.testzip()) is not None:
            raise source.error(f"its part {damaged!r} is damaged")


def checkpoint(source: Source) -> Any:
    """Return what a checkpoint of torch holds, every part compared with its checksum; tensors stay in the file.

    Raises:
        DataError: it is absent or damaged.
    """
    import torch  # here: most archives are none of torch

    check_archive(source)
    with source.faults("torch cannot read it"):
        return torch.load(source.path, map_location="cpu", weights_only=True, mmap=True)


def members(source: Source, largest: int) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each regular file of a tar archive, in its order; folders are passed over.

    Args:
        source: the archive, plain or gzipped.
        largest: most bytes of one member.

    Raises:
        DataError: it is absent or damaged, holds too many or too large members, or links or devices.
    """
    problem = "not readable as tar archive"
    with source.opened() as stream:
        with source.faults(problem):
            packed = tarfile.open(fileobj=stream, mode="r|", tarinfo=_Entry)  # noqa: SIM115
        with packed:
            for number in range(source.limits.members + 1):
                with source.faults(problem):
                    entry = packed.next()
                if entry is None:
                    with source.faults(problem):
                        _expect_zeros(packed.fileobj)
                    return
                packed.members = []  # type: ignore[attr-defined]  # it would keep every one
                if entry.isdir():
                    continue
                where = f", {entry.name}"
                if not entry.isreg() or entry.issparse():
                    raise source.error("this is a link, a device or a file with holes", where)
                if entry.size > largest or number == source.limits.members:
                    raise source.error(f"{entry.size} bytes in member {number + 1} are more than are read", where)
                with source.faults(problem, where):
                    content = packed.extractfile(entry)
                    assert content is not None, "that of a regular file"
                    held = content.read()
                yield entry.name, held


class _Entry(tarfile.TarInfo):
    """A header; a damaged or missing one is an error, where tarfile takes it for the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"member at byte {archive.offset}: {error}") from None


def _expect_zeros(stream: Any) -> None:
    while rest := stream.read(1 << 20):
        if rest.strip(b"\0"):
            raise tarfile.ReadError("something follows its end")
