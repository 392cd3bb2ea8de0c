"""Files as a script sees them."""

from __future__ import annotations

from typing import Any


class Files(list):
    """Files by position and by name, as a script sees them."""

    def __init__(self, *paths: Any, **named: Any) -> None:
        super().__init__([*paths, *named.values()])
        self.__dict__.update(named)
