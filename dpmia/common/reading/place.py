"""Where in a run a file stands. A file that says it stands elsewhere was moved, and is of another job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpmia.common.reading.arrays import Arrays
from dpmia.common.reading.source import Source

#: The array that states the place, in archives without a header.
PLACE = "place"


@dataclass(frozen=True)
class Stage:
    """Folders of a run for files of one format, in which each file has a place of its own.

    Attributes:
        depths: folder, as `splits` -> how many names the path of a file inside it has.
        holds: what a file holds, as `the models`.
    """

    depths: Mapping[str, int]
    holds: str

    def place(self, path: Path | str) -> str | None:
        """Return the path of a file inside its folder; None of a file outside of all."""
        names = Path(path).with_suffix("").parts
        for folder, depth in self.depths.items():
            parent, *inside = names[-depth - 1 :]
            if parent == folder:
                return "/".join(inside)
        return None

    def stated(self, path: Path | str) -> dict[str, np.ndarray]:
        """Return the array that states the place of a file; none of a file outside."""
        place = self.place(path)
        return {} if place is None else {PLACE: np.array(place)}

    def check(self, source: Source, stated: str | None) -> None:
        """Refuse a file that stands elsewhere than it states; those of earlier versions state nothing.

        A link out of all folders leads to a cache that runs share: where its file was made does not matter.

        Raises:
            DataError: the two places differ.
        """
        if source.path.is_symlink() and self.place(source.path.resolve()) is None:
            return
        here = self.place(source.path)
        if None not in (here, stated) and here != stated:
            raise source.error(f"it holds {self.holds} of {stated}")

    def check_arrays(self, archive: Arrays) -> None:
        """Refuse an archive that stands elsewhere than its array `PLACE` states; see `check`."""
        self.check(archive.source, str(archive.array(PLACE, "text", ())) if PLACE in archive else None)
