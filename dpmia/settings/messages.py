"""Turns what the schema finds wrong into one message that a user can act on."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from dpmia.errors import ConfigError
from dpmia.registry import suggestion


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
        problems = [_problem(model, item, where) for item in error.errors()]
    raise problems[0] if len(problems) == 1 else _SeveralErrors(problems)


class _SeveralErrors(ConfigError):
    """Several mistakes, one a line."""

    def __init__(self, problems: list[ConfigError]) -> None:
        Exception.__init__(self, "\n".join(map(str, problems)))


def _problem(model: type[BaseModel], item: Any, where: str) -> ConfigError:
    path, kind, found = list(item["loc"]), item["type"], item["input"]
    if kind == "extra_forbidden":
        allowed = _keys(model, path[:-1])
        place = f"{where}, key {_spell(path)}"
        return ConfigError(place, "an unknown key", f"one of {', '.join(allowed)}", suggestion(path[-1], allowed))
    if kind == "missing":
        return ConfigError(f"{where}, key {_spell(path)}", "nothing", "a value: the key is required")
    hint = ""
    if kind == "literal_error":
        allowed = [word.strip(" '\"") for word in item["ctx"]["expected"].replace(" or ", ",").split(",")]
        hint = suggestion(found, allowed)
    expected = item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    shown = repr(found) if len(repr(found)) < 80 else f"a {type(found).__name__}"
    return ConfigError(f"{where}, key {_spell(path)}" if path else where, shown, expected, hint)


def _spell(path: list[Any]) -> str:
    return repr(".".join(str(step) for step in path))


def _keys(model: type[BaseModel], path: list[Any]) -> list[str]:
    """Return the keys that are allowed at `path` below `model`."""
    schema = model.model_json_schema()
    node: dict[str, Any] = schema
    for step in path:
        node = _resolve(schema, node)
        node = node.get("properties", {}).get(step) or node.get("additionalProperties") or {}
    return list(_resolve(schema, node).get("properties", {}))


def _resolve(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    return schema["$defs"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node
