"""Turns what the schema finds wrong into one message that a user can act on."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from pydantic import BaseModel, ValidationError

from dpmia.common.errors import ConfigError
from dpmia.common.registry import suggestion

#: Kind of mistake -> what the value is not.
_NOT = {
    "int_type": "an integer",
    "int_parsing": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "a string",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "less_than": "a number less than {lt:g}",
    "less_than_equal": "a number of at most {le:g}",
    "string_pattern_mismatch": "a name of the pattern {pattern}",
    "literal_error": "{expected}",
}

#: Kind of mistake -> what is wrong with the value, where it is more than what it is not.
_IS = {
    "too_short": "too short: at least {min_length} required",
    "too_long": "too long: at most {max_length} allowed",
    "string_too_short": "too short: at least {min_length} required",
    "string_too_long": "too long: at most {max_length} allowed",
}

#: Kind of mistake -> what to write.
_REMEDIES = {
    "string_type": "Put it in quotes: '{value}'",
    "list_type": "Write it as a list: [{value}]",
    "dict_type": "Write keys with values: {{key: value}}",
    "model_type": "Write keys with values: {{key: value}}",
}

#: Mistakes that one message names: a list of the wrong kind has as many as it has values.
MOST = 20
#: Signs from which on a value is not repeated.
LONG = 80

#: Type and value of the least number allowed -> what a number below it is not.
_AT_LEAST = {
    ("int", 0): "a non-negative integer",
    ("int", 1): "a positive integer",
    ("float", 0): "a non-negative number",
}


def place(where: str, key: str) -> str:
    """Return the place of a key: `file, experiment.key`.

    Args:
        where: the file, or the file and what `key` is part of, with a comma between.
        key: the key, with a dot before each key within another one.
    """
    return f"{where}{'.' if ', ' in where else ', '}{key}"


def checked(model: type[BaseModel], values: Any, where: str) -> Any:
    """Return `values` as `model`.

    Args:
        model: the settings to read them as.
        values: nested plain data.
        where: the file that holds them, for messages.

    Raises:
        ConfigError: one message with a line for each mistake: its place, what is wrong, what to do.
    """
    try:
        return _checked(model, values, where)
    except RecursionError:
        raise ConfigError(where, "a value is nested too deeply", "Remove lists within lists") from None


def _checked(model: type[BaseModel], values: Any, where: str) -> Any:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        errors = error.errors()
    # A value that fits none of several types is one mistake, which pydantic reports once for each type.
    by_place = groupby(errors, key=lambda item: _path(values, item))
    mistakes = [(path, list(items)) for path, items in by_place]
    problems = [_problem(model, path, items, where) for path, items in mistakes[:MOST]]
    raise problems[0] if len(mistakes) == 1 else _SeveralMistakesError(problems, len(mistakes) - len(problems))


class _SeveralMistakesError(ConfigError):
    """Several mistakes, one a line."""

    def __init__(self, problems: list[ConfigError], more: int) -> None:
        lines = [str(problem) for problem in problems]
        if more:
            lines.append(f"There are {more} more mistakes.")
        Exception.__init__(self, "\n".join(lines))


def _problem(model: type[BaseModel], path: list[Any], items: list[Any], where: str) -> ConfigError:
    where = place(where, ".".join(map(str, path))) if path else where
    kind, value = items[0]["type"], items[0]["input"]
    if kind == "extra_forbidden":
        allowed = _keys(model, path[:-1])
        near = suggestion(path[-1], allowed)
        if not near and "arguments" in allowed:
            near = f"Of a part of your own it is an argument: arguments: {{{path[-1]}: ...}}."
        return ConfigError(where, "unknown key", f"Valid keys: {', '.join(allowed)}. {near}".strip())
    if kind == "missing":
        return ConfigError(where, "required key is missing", _described(model, path))
    for item in items:
        if item["type"] == "value_error":
            return ConfigError(where, item["msg"].removeprefix("Value error, "))
        if item["type"] in _IS:
            return ConfigError(where, f"{_shown(value)} is {_IS[item['type']].format(**item['ctx'])}")
    *others, last = dict.fromkeys(map(_what, items))
    problem = f"{_shown(value)} is not {', '.join(others)}{' or ' if others else ''}{last}"
    expected = [item["ctx"]["expected"] for item in items if item["type"] == "literal_error"]
    near = _nearest(value, [word.strip(" '\"") for text in expected for word in text.replace(" or ", ",").split(",")])
    if len(expected) == len(items):
        noun = "key" if items[0]["loc"][-1] == "[key]" else "value" if isinstance(path[-1], int) else path[-1]
        return ConfigError(where, f"{_shown(value)} is not a valid {noun}", near or f"Valid: {', '.join(expected)}")
    short = len(items) == 1 and _is_short(value)
    remedy = _REMEDIES.get(kind, "").format(value=value) if short else ""
    if kind == "dict_type" and isinstance(value, list) and value and all(map(_is_short_name, value)):
        remedy = f"Write keys with values: {{{', '.join(f'{name}: {{}}' for name in value)}}}"
    return ConfigError(where, problem, near or remedy)


def _is_short_name(value: Any) -> bool:
    return isinstance(value, str) and _is_short(value)


def _nearest(value: Any, allowed: list[str]) -> str:
    return suggestion(value, allowed) if _is_short(value) else ""


def _what(item: Any) -> str:
    """Return what the value of a mistake is not."""
    kind, context = item["type"], item.get("ctx", {})
    if kind == "greater_than":
        return f"a number greater than {context['gt']}" if context["gt"] else "a positive number"
    if kind == "greater_than_equal":
        least = context["ge"]
        noun = "an integer" if isinstance(least, int) else "a number"
        return _AT_LEAST.get((type(least).__name__, least), f"{noun} of at least {least:g}")
    if kind in _NOT:
        return _NOT[kind].format(**context)
    return f"valid: {item['msg']}"


def _shown(value: Any) -> str:
    """Return a value as it is written in YAML, unless it is long."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    long = "this list" if isinstance(value, list) else "this mapping" if isinstance(value, dict) else "this value"
    return repr(value) if _is_short(value) else long


def _is_short(value: Any) -> bool:
    try:
        return len(repr(value)) < LONG
    except ValueError:  # an integer of more digits than Python writes
        return False


def _path(values: Any, item: Any) -> list[Any]:
    """Return the keys that lead to a mistake; those that pydantic adds for the types it tried are left out."""
    path = []
    for step in item["loc"]:
        steps = values if isinstance(values, dict) else range(len(values)) if isinstance(values, list | tuple) else ()
        if step in steps:
            values = values[step]
        elif item["type"] != "missing":
            continue
        path.append(step)
    return path


def _keys(model: type[BaseModel], path: list[Any]) -> list[str]:
    """Return the keys that are allowed at `path` below `model`."""
    schema = model.model_json_schema()
    return list(_resolve(schema, _node(schema, path)).get("properties", {}))


def _described(model: type[BaseModel], path: list[Any]) -> str:
    """Return the first line of the description of the key at `path` below `model`, or nothing where it has none."""
    description = _node(model.model_json_schema(), path).get("description", "").partition("\n")[0]
    return f"Add it: {description}" if description else ""


def _node(schema: dict[str, Any], path: list[Any]) -> dict[str, Any]:
    node = schema
    for step in path:
        node = _resolve(schema, node)
        named = node.get("properties", {}).get(step)
        node = named or node.get("additionalProperties") or next(iter(node.get("patternProperties", {}).values()), {})
    return node


def _resolve(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    # An optional group of settings is one of two: the group, or null.
    node = next((option for option in node.get("anyOf", ()) if "$ref" in option), node)
    return schema["$defs"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node
