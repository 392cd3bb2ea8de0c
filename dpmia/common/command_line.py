"""A command line with placeholders, `python train.py {train}`: split as a shell splits it, and run without one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

#: `{name}`; or a doubled brace, which stands for one.
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(?P<name>[A-Za-z_]\w*)\}")


def split_command(command: str) -> list[str]:
    """Return the words of a command line.

    Raises:
        ValueError: a quote is not closed, or there is no word.
    """
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"{command!r} is no command line: {str(error).lower()}") from None
    if not argv:
        raise ValueError("the command line is empty. Write a program and its arguments")
    return argv


def placeholders(argv: list[str]) -> list[str]:
    """Return the names of the placeholders in the words of a command line, each once."""
    return list(dict.fromkeys(match["name"] for word in argv for match in _matches(word) if match["name"]))


def fill(argv: list[str], values: Mapping[str, str]) -> list[str]:
    """Return the words with values in place of the placeholders. A value stays within its word, whatever it holds."""
    return [_PLACEHOLDER.sub(lambda match: _value(match, values), word) for word in argv]


def _matches(word: str) -> Iterator[re.Match[str]]:
    return _PLACEHOLDER.finditer(word)


def _value(match: re.Match[str], values: Mapping[str, str]) -> str:
    return values[match["name"]] if match["name"] else match[0][0]
