"""Arrays in `.npz` archives: what a file claims is compared with what it has before memory is taken."""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from dpmia.common.reading.source import UNPACKED, Source, made

_ENDING = ".npy"
#: Kinds of numbers and texts that arrays may hold; none of them needs a pickle.
KINDS = "biufSU"
_CHUNK = 1 << 18


class Arrays:
    """The arrays of one open file, each read when it is needed."""

    def __init__(self, source: Source, archive: zipfile.ZipFile) -> None:
        """Look at the names.

        Raises:
            DataError: there are too many, they hold too much, one stands twice, or one is no array.
        """
        self.source, self._archive = source, archive
        members = archive.infolist()
        total = sum(member.file_size for member in members)
        if len(members) > source.limits.members or total > source.limits.bytes:
            raise source.error(f"{len(members)} arrays of {total} bytes are more than are read")
        if total > max(UNPACKED, source.size() * source.limits.ratio):
            problem = f"it holds over {source.limits.ratio} times as many bytes as it has"
            raise source.error(problem, remedy="If that is right, save it without compression.")
        self._members = {member.filename.removesuffix(_ENDING): member for member in members}
        if len(self._members) < len(members):
            raise source.error("two arrays have the same name")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arrays, in the order of the file."""
        return tuple(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def __getitem__(self, name: str) -> np.ndarray:
        """Return one array.

        Raises:
            DataError: there is none of this name, or it is damaged or of objects.
        """
        if name not in self._members:
            raise self.source.error(f"the array {name!r} is missing")
        member = self._members[name]
        with self.source.faults("the array is damaged", f", array {name!r}"), self._archive.open(member) as stream:
            return _read(stream, member.file_size)

    def array(self, name: str, kind: str, shape: Sequence[int | None], gaps: bool = False) -> np.ndarray:
        """Return one array of a given type and shape.

        Args:
            name: of the array.
            kind: name of its type, as `numpy.dtype.name` says, or `text`; several as `float64 or float32`.
            shape: length along each axis; None where any is right.
            gaps: whether numbers that are not finite may stand in it.

        Raises:
            DataError: it is missing or damaged, or another.
        """
        array = self[name]
        fits = array.ndim == len(shape) and all(
            wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
        )
        if not fits or (array.dtype.kind != "U" if kind == "text" else array.dtype.name not in kind.split(" or ")):
            wanted = ", ".join("any" if length is None else str(length) for length in shape)
            problem = f"{array.dtype} of shape ({', '.join(map(str, array.shape))}), not {kind} of shape ({wanted})"
            raise self.source.error(problem, f", array {name!r}")
        # NaN is the smallest and the largest; a mask of all would take as long as reading them.
        ends = (array.min(), array.max()) if array.dtype.kind == "f" and array.size and not gaps else ()
        if not all(map(np.isfinite, ends)):
            raise self.source.error("not all of its numbers are finite", f", array {name!r}")
        # Bytes in the order of another machine are the same numbers, but torch takes none of them.
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))

    def only(self, names: Collection[str]) -> None:
        """Refuse arrays of other names: one that may be missing could be there under a damaged name.

        Raises:
            DataError: there is such an array.
        """
        for name in self._members:
            if name not in names:
                raise self.source.error(f"the array {name!r} does not belong there")

    def rows(self, name: str) -> np.ndarray:
        """Return rows of a data set: int64, one axis, none below 0.

        Raises:
            DataError: it is missing or damaged, or another.
        """
        rows = self.array(name, "int64", (None,))
        if len(rows) and rows.min() < 0:
            raise self.source.error(f"row {rows.min()} is below 0", f", array {name!r}")
        return rows

    def header(self, expected: tuple[str, int] | None = None) -> dict[str, Any]:
        """Return the JSON of the array `header`.

        Args:
            expected: format and version that it must state; None where it states none.

        Raises:
            DataError: it is missing, damaged or changed, or of another format or version.
        """
        text = str(self.array("header", "text", ()))
        with self.source.faults("it is not readable as JSON", ", header"):
            header = json.loads(text)
        if not isinstance(header, dict):
            raise self.source.error("it is no mapping", ", header")
        stated = header.get("format"), header.get("version")
        if expected is not None and stated != expected:
            problem = f"format {stated[0]!r} version {stated[1]!r} is not {expected[0]!r} version {expected[1]}"
            raise self.source.error(problem)
        if header.pop("digest", None) not in (None, _digest(header)):  # earlier versions wrote none
            raise self.source.error("it is not what was written", ", header")
        return header


@contextmanager
def arrays(source: Source) -> Iterator[Arrays]:
    """Open an `.npz` file.

    Raises:
        DataError: it is absent or damaged.
    """
    with source.packed() as stream:
        with source.faults("not readable as .npz"):
            archive = zipfile.ZipFile(stream)
        with archive:
            yield Arrays(source, archive)


def header_array(header: dict[str, Any]) -> np.ndarray:
    """Return the array `header` of a file: JSON, and a digest by which `Arrays.header` sees that it was changed."""
    return np.array(json.dumps({**header, "digest": _digest(header)}))


def _digest(header: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(header).encode()).hexdigest()[:32]


def header_of(path: Path | str) -> dict[str, Any]:
    """Return the header alone of a file that a job has made.

    Raises:
        DataError: the file is absent or damaged.
    """
    with arrays(made(path)) as archive:
        return archive.header()


def _read(stream: IO[bytes], size: int) -> np.ndarray:
    """Return the array that a member of `size` bytes holds; any error means that it is damaged."""
    version = np.lib.format.read_magic(stream)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[version]
    shape, by_columns, dtype = read_header(stream)
    if dtype.kind not in KINDS:
        raise ValueError(f"it holds {dtype}, not numbers or texts")
    count = math.prod(shape)
    if min(shape, default=0) < 0 or count * dtype.itemsize != size - stream.tell():
        raise ValueError(f"{dtype} of shape {shape} does not fit its {size} bytes")
    array = np.empty(count, dtype=dtype)
    into = memoryview(array.view(np.uint8).data if array.nbytes else bytearray())
    done = 0
    while done < len(into):
        read = stream.read(min(_CHUNK, len(into) - done))
        if not read:
            raise EOFError("it ends too early")
        into[done : done + len(read)] = read
        done += len(read)
    stream.read(1)  # the checksum is compared at the end
    if dtype.kind == "U" and array.nbytes:
        signs = array.view(dtype.byteorder.replace("|", "=") + "u4")
        if ((signs > 0x10FFFF) | ((signs >= 0xD800) & (signs < 0xE000))).any():
            raise ValueError("its texts hold what is no character")
    return array.reshape(shape[::-1]).T if by_columns else array.reshape(shape)
