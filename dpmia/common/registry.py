"""Look-up of what is named as text, and of the nearest name when there is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from dpmia.common.errors import UserError
from dpmia.common.plugins import module_of_file


def load(spec: str) -> Any:
    """Return what `spec` names: the object of `module:object` or `file.py:object`, or the module of `module`.

    Raises:
        UserError: a file is missing, its code fails, or it has no such object.
    """
    module, _, attribute = spec.partition(":")
    if module.endswith(".py"):
        found: Any = module_of_file(module)
        if not hasattr(found, attribute):
            names = [name for name in vars(found) if not name.startswith("_")]
            raise UserError(module, f"it has no object {attribute!r}", suggestion(attribute, names))
        return getattr(found, attribute)
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def suggestion(name: object, allowed: Iterable[str]) -> str:
    """Return `Did you mean 'x'?` for the nearest allowed name, or nothing where none is near."""
    known = list(allowed)
    begun = [each for each in known if each.startswith(str(name))]
    near = difflib.get_close_matches(str(name), known, n=1) or begun[: len(begun) == 1]
    return f"Did you mean {near[0]!r}?" if near else ""
