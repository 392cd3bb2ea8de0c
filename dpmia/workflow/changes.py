"""Which settings are others now than when a file was made, from the records that Snakemake keeps of each file."""

from __future__ import annotations

import ast
import base64
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpmia.common.reading.source import made

#: A digest of code or templates, which are no settings.
DIGEST = re.compile("'[0-9a-f]{16}'")

_LONGEST = 60


def records(metadata: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path of each file that was made, and its record: `rule`, `params` as texts, ...

    Raises:
        DataError: a record is damaged.
    """
    for file in sorted(path for path in metadata.rglob("*") if path.is_file()):
        # The name is the path, encoded; one that is too long for a file is cut into folders.
        name = "".join(part.removeprefix("@") for part in file.relative_to(metadata).parts)
        source = replace(made(file), remedy="Delete it: Snakemake wrote it, and does without.")
        with source.faults("it is no record of a file that was made"):
            path, record = base64.b64decode(name).decode(), source.json()
            if not isinstance(record["rule"], str) or not all(isinstance(text, str) for text in record["params"]):
                raise ValueError("its rule or its parameters are no texts")
        yield path, record


def changed_settings(metadata: Path, current: Callable[[str, str], Mapping[str, Any] | None]) -> list[tuple[str, str]]:
    """Return each change of a setting, and the rule of the file that was made with another: once for each file.

    Args:
        metadata: folder of Snakemake's records.
        current: returns the parameters by name that a rule has for a file now; None where it makes it no more.
    """
    changes = []
    for path, record in records(metadata):
        params = current(record["rule"], path)
        if params is not None:
            changes += [(change, record["rule"]) for change in differences(record["params"], params)]
    return changes


def differences(recorded: list[str], current: Mapping[str, Any]) -> list[str]:
    """Return what changed between the parameters of a job then and now, as `key: old -> new`.

    Old values have no names: each changed value is paired with the one most like it, of its type if there is one.

    Args:
        recorded: their texts, without names.
        current: by name.
    """
    left, new = Counter(recorded), {}
    for name, value in current.items():
        if left[repr(value)]:
            left[repr(value)] -= 1
        elif not _is_digest(value):
            new[name] = value
    old = [_value(text) for text in left.elements() if not DIGEST.fullmatch(text)]
    changes, others = [], []
    for name, value in new.items():
        alike = [candidate for candidate in old if type(candidate) is type(value)]
        if alike:
            before = max(alike, key=lambda candidate: len({*candidate} & {*value}) if isinstance(value, dict) else 0)
            old.remove(before)
            changes += _changes("" if isinstance(value, dict) else name, before, value)
        else:
            others.append(name)
    changes += [f"{name}: {_short(before)} -> {_short(new[name])}" for name, before in zip(others, old, strict=False)]
    return changes


def _changes(key: str, old: Any, new: Any) -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            change
            for part in dict.fromkeys([*old, *new])
            if repr(old.get(part)) != repr(new.get(part))
            for change in _changes(f"{key}.{part}" if key else str(part), old.get(part), new.get(part))
        ]
    return [f"{key}: {_short(old)} -> {_short(new)}"]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and DIGEST.fullmatch(repr(value)) is not None


def _value(text: str) -> Any:
    """Return the value of a text as `repr` wrote it, infinities included; the text itself where it is no literal."""
    try:
        tree = ast.parse(text, mode="eval")
        return ast.literal_eval(_Infinities().visit(tree).body)
    except (SyntaxError, ValueError):
        return text


class _Infinities(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant({"inf": math.inf, "nan": math.nan}.get(node.id, node.id))
