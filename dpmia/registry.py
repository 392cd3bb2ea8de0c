"""Look-up of what is named in settings; nothing is imported before it is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from dpmia.errors import ConfigError


def load(registry: Mapping[str, str], name: str, where: str) -> Any:
    """Return the object that `registry` names for `name`.

    Args:
        registry: names to `module:object`, or to `module` where the module itself is meant.
        name: the name in the settings.
        where: the key that held it, for the message.

    Raises:
        ConfigError: `name` is not registered.
    """
    if name not in registry:
        raise ConfigError(where, repr(name), f"one of {', '.join(sorted(registry))}", suggestion(name, registry))
    module, _, attribute = registry[name].partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def suggestion(name: object, allowed: Iterable[str]) -> str:
    """Return `Did you mean 'x'?` for the nearest allowed name, or nothing where none is near."""
    near = difflib.get_close_matches(str(name), list(allowed), n=1)
    return f"Did you mean {near[0]!r}?" if near else ""
