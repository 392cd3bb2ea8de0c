"""Typed data in the library that are plain JSON data in files and in the parameters of rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

#: Type in an annotation -> types of plain data that it takes; True is no number.
_SIMPLE: dict[Any, tuple[type, ...]] = {str: (str,), int: (int,), float: (int, float), bool: (bool,)}


class PlainData:
    """A dataclass that can be written as plain JSON data and read back."""

    def plain(self) -> dict[str, Any]:
        """Return all fields as dicts, lists, strings, numbers, booleans and None, in the order of the fields.

        Paths are strings.
        """
        return {name: to_plain(getattr(self, name)) for name in _names(type(self))}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Self:
        """Return what `plain` wrote.

        Raises:
            TypeError: an entry is missing, unknown or of another type, or these are no entries.
        """
        if not isinstance(data, Mapping):
            raise TypeError(f"{cls.__name__} is written as a mapping, got {data!r}")
        kind: type = cls
        hints = _hints(kind)
        return cls(**{name: _typed(hints.get(name), value) for name, value in data.items()})


def to_plain(value: Any) -> Any:
    """Return dataclasses, mappings, sequences and paths, nested ones too, as plain JSON data."""
    if isinstance(value, PlainData):
        return value.plain()
    if is_dataclass(value) and not isinstance(value, type):
        return {name: to_plain(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def _names(kind: Any) -> list[str]:
    return [field.name for field in fields(kind)]


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _typed(hint: Any, value: Any) -> Any:
    """Return plain data as its annotation says: dataclasses, alone or optional, in dicts or in lists; tuples; paths.

    Raises:
        TypeError: a text, a number or a truth value is wanted, and it is none.
    """
    if hint in _SIMPLE and not (isinstance(value, _SIMPLE[hint]) and (hint is bool or not isinstance(value, bool))):
        raise TypeError(f"{value!r} is of type {type(value).__name__}, not {hint.__name__}")
    if hint is Path:
        return Path(_typed(str, value))
    if get_origin(hint) in (Union, UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not NoneType]
        return value if value is None or len(kinds) > 1 else _typed(kinds[0], value)
    if get_origin(hint) is dict:
        return {key: _typed(get_args(hint)[1], item) for key, item in value.items()}
    if get_origin(hint) is list:
        return [_typed(get_args(hint)[0], item) for item in value]
    if get_origin(hint) is tuple:
        return tuple(value)
    read = getattr(hint, "from_plain", None)
    return value if read is None else read(value)
