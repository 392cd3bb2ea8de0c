"""Where in a run a file stands. A file that says it stands elsewhere was moved, and is of another job."""

from __future__ import annotations

from pathlib import Path

from dpmia.common.reading.source import Source


def place_in_run(path: Path | str, stage: str, depth: int) -> str | None:
    """Return the path of a file inside the folder of its stage; None of a file outside, which runs may share.

    Args:
        path: of the file.
        stage: name of the folder, as `splits`.
        depth: how many names the path inside it has.
    """
    parent, *inside = Path(path).with_suffix("").parts[-depth - 1 :]
    return "/".join(inside) if parent == stage else None


def check_place(source: Source, stage: str, depth: int, written: str | None, what: str) -> None:
    """Refuse a file that stands elsewhere than it was written to; those of earlier versions do not say where.

    Args:
        source: the file.
        stage: see `place_in_run`.
        depth: see `place_in_run`.
        written: the place that the file states; None where it states none.
        what: what it holds, as `the models`.

    Raises:
        DataError: the two places differ.
    """
    here = place_in_run(source.path, stage, depth)
    if None not in (here, written) and here != written:
        raise source.error(f"it holds {what} of {written}")
