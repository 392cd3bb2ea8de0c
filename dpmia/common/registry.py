"""Look-up of what is named as text, and of the nearest name when there is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from importlib import import_module
from typing import Any


def load(spec: str) -> Any:
    """Return what `spec` names: the object of `module:object`, or the module of `module`."""
    module, _, attribute = spec.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def suggestion(name: object, allowed: Iterable[str]) -> str:
    """Return `Did you mean 'x'?` for the nearest allowed name, or nothing where none is near."""
    near = difflib.get_close_matches(str(name), list(allowed), n=1)
    return f"Did you mean {near[0]!r}?" if near else ""
