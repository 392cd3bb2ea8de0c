"""Values that are there by the time they are used."""

from __future__ import annotations

from typing import TypeVar

_Value = TypeVar("_Value")


def needed(value: _Value | None) -> _Value:
    """Return a value that cannot be missing here.

    Raises:
        ValueError: it is None.
    """
    if value is None:
        raise ValueError("a value is missing that this step needs")
    return value
