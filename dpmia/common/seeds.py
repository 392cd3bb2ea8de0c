"""Seeds from meaning: a number that depends on what is computed, never on when, where or in which order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

Meaning = str | int | float | bool | None | Sequence["Meaning"] | Mapping[str, "Meaning"]


def derive_seed(root: int, *meaning: Meaning) -> int:
    """Return a seed in [0, 2**63) for one random stream.

    Args:
        root: the user's seed (`seed` in `config.yaml`).
        meaning: what the stream is for, as plain data: the same words give the same seed in every
            process and on every machine. Numbers are compared by value, so 1 and 1.0 are one meaning.
    """
    text = json.dumps([root, *map(_plain, meaning)], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def _plain(value: Meaning) -> Meaning:
    """Return `value` with every whole float written as an int, in nested lists and mappings too."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
