"""Turns what the schema finds wrong into one message that a user can act on."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from pydantic import BaseModel, ValidationError

from dpmia.common.errors import ConfigError
from dpmia.common.registry import suggestion

#: Kind of mistake -> what is expected, where pydantic's own words do not say what to write.
_EXPECTED = {
    "list_type": "a list: [{found}]",
    "dict_type": "keys with values: {{key: value}}",
    "model_type": "keys with values: {{key: value}}",
    "string_type": "a text; what is none by itself stands in quotes: '{found}'",
    "too_short": "at least {min_length}",
    "string_pattern_mismatch": "small letters, digits and _, a letter first (pattern {pattern})",
}


def checked(model: type[BaseModel], values: Any, where: str) -> Any:
    """Return `values` as `model`.

    Args:
        model: the settings to read them as.
        values: nested plain data.
        where: the file that holds them, for messages.

    Raises:
        ConfigError: one message with a line for each mistake: key, found, expected, nearest valid name.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        found = error.errors()
    # A value that fits none of several types is one mistake, told as often as there are types.
    by_place = groupby(found, key=lambda item: _path(values, item))
    problems = [_problem(model, path, list(items), where) for path, items in by_place]
    raise problems[0] if len(problems) == 1 else _SeveralMistakesError(problems)


class _SeveralMistakesError(ConfigError):
    """Several mistakes, one a line."""

    def __init__(self, problems: list[ConfigError]) -> None:
        Exception.__init__(self, "\n".join(map(str, problems)))


def _problem(model: type[BaseModel], path: list[Any], items: list[Any], where: str) -> ConfigError:
    kind, found = items[0]["type"], items[0]["input"]
    place = f"{where}, key {_spell(path)}" if path else where
    if kind == "extra_forbidden":
        allowed = _keys(model, path[:-1])
        return ConfigError(place, "an unknown key", f"one of {', '.join(allowed)}", suggestion(path[-1], allowed))
    if kind == "missing":
        return ConfigError(place, "nothing", "a value: the key is required")
    words = [item["ctx"]["expected"] for item in items if item["type"] == "literal_error"]
    allowed = [word.strip(" '\"") for text in words for word in text.replace(" or ", ",").split(",")]
    expected = " or ".join(dict.fromkeys(_expected(item) for item in items))
    shown = repr(found) if len(repr(found)) < 80 else f"a {type(found).__name__}"
    if kind == "value_error" and isinstance(found, dict):
        shown = "settings that do not fit together"
    return ConfigError(place, shown, expected, suggestion(found, allowed))


def _expected(item: Any) -> str:
    if item["type"] in _EXPECTED:
        return _EXPECTED[item["type"]].format(found=item["input"], **item.get("ctx", {}))
    return item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")


def _path(values: Any, item: Any) -> list[Any]:
    """Return where a mistake stands; pydantic also tells which of several types it tried, and that is no key."""
    path = []
    for step in item["loc"]:
        steps = values if isinstance(values, dict) else range(len(values)) if isinstance(values, list | tuple) else ()
        if step in steps:
            values = values[step]
        elif item["type"] != "missing":
            continue
        path.append(step)
    return path


def _spell(path: list[Any]) -> str:
    return repr(".".join(str(step) for step in path))


def _keys(model: type[BaseModel], path: list[Any]) -> list[str]:
    """Return the keys that are allowed at `path` below `model`."""
    schema = model.model_json_schema()
    node: dict[str, Any] = schema
    for step in path:
        node = _resolve(schema, node)
        named = node.get("properties", {}).get(step)
        node = named or node.get("additionalProperties") or next(iter(node.get("patternProperties", {}).values()), {})
    return list(_resolve(schema, node).get("properties", {}))


def _resolve(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    # An optional group of settings is one of two: the group, or null.
    node = next((option for option in node.get("anyOf", ()) if "$ref" in option), node)
    return schema["$defs"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node
