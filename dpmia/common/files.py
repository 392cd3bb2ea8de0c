"""Files that are either complete or absent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """Yield a temporary name beside `path`; move it into place only when the block ends without an error.

    The folder of `path` is made if needed. After an error the temporary file is removed and
    whatever stood at `path` before is untouched.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # The suffix stays last: numpy and matplotlib choose the format, or append one, by it.
    part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
