"""Captions of figures as Markdown files: beside the pictures, where they can be searched, copied and read aloud."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dpmia.common.reading.source import made

#: Signs that Markdown would take for marks of its own.
_MARKS = "\\`*_<>|#"


def markdown(caption: str, paragraphs: Sequence[str]) -> str:
    """Return the caption of a figure: what it shows, and the paragraphs that the figure was drawn with."""
    return "\n\n".join(map(_escaped, (caption, *paragraphs))) + "\n"


def read(path: Path | str) -> list[str]:
    """Return the paragraphs of what `markdown` returned, the first one left out, as plain text.

    Raises:
        DataError: the file is damaged.
    """
    return [_plain(part) for part in made(path).text().strip().split("\n\n")[1:]]


def _escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in _MARKS else sign for sign in text)


def _plain(text: str) -> str:
    characters, signs = [], iter(text)
    for sign in signs:
        characters.append(next(signs) if sign == "\\" else sign)
    return "".join(characters)
