"""Where records come from: the files they were read from, and whether they are synthetic. It stays with the records."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpmia.common.plain import PlainData
from dpmia.formats.detected import Detected

#: A file of this name in a folder says that the records beside it are synthetic.
SYNTHETIC_MARK = "SYNTHETIC.txt"


def marked_synthetic(folder: Path) -> bool:
    """Return whether the records in a folder are marked as synthetic."""
    return (folder / SYNTHETIC_MARK).exists()


@dataclass(frozen=True)
class SourceFile(PlainData):
    """A file that records were read from.

    Attributes:
        name: of the file.
        sha256: of its content, uncompressed.
        bytes: of its content, uncompressed.
        rows: number of records.
        md5: of its content, where the publisher gives that; None where it is not computed.
    """

    name: str
    sha256: str
    bytes: int
    rows: int
    md5: str | None = None

    def plain(self) -> dict[str, Any]:
        """See `PlainData.plain`; without a checksum that is not computed."""
        md5 = {} if self.md5 is None else {"md5": self.md5}
        return {"name": self.name, "sha256": self.sha256, **md5, "bytes": self.bytes, "rows": self.rows}

    def checksum(self, algorithm: str) -> str | None:
        """Return the checksum by `sha256` or `md5`; None where it is not computed."""
        return {"sha256": self.sha256, "md5": self.md5}[algorithm]


@dataclass(frozen=True)
class Provenance(PlainData):
    """Where records come from.

    Attributes:
        files: that they were read from, in order.
        synthetic: whether they are.
        records: how many the files hold and how many are used, by what data sets call them; None where all are used.
        own: what was detected in a file of one's own; None of published data and of predictions.
    """

    files: list[SourceFile] = field(default_factory=list)
    synthetic: bool = False
    records: dict[str, int | dict[str, int]] | None = None
    own: Detected | None = None

    def plain(self) -> dict[str, Any]:
        """See `PlainData.plain`; without what is None."""
        return {name: value for name, value in super().plain().items() if value is not None}
