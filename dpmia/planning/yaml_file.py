"""Files of settings in YAML: each key once, nothing that runs, and no aliases that explode."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from dpmia.common.errors import ConfigError, DataError
from dpmia.common.reading.source import GZIP, ReadLimits, Source

#: Bytes of the longest file of settings, and keys and values in it: a parser in Python takes seconds for them.
LARGEST_FILE, MOST_NODES = 256 << 10, 200_000


def read_yaml(path: Path, name: str) -> Any:
    """Return what a file of settings holds.

    Args:
        path: the file.
        name: as it is written in `config.yaml`.

    Raises:
        ConfigError: it cannot be read, is no YAML, has a key twice, or is too long.
    """
    source = Source(path, name, "", limits=ReadLimits(bytes=LARGEST_FILE))
    try:
        with source.packed() as stream:  # Snakemake unpacks none
            if stream.read(len(GZIP)) == GZIP:
                raise source.error("it is a gzip file", remedy="Unpack it")
        text = source.text()
        with source.faults("not valid YAML"):
            if text.startswith("\ufeff"):  # PyYAML drops one, and Snakemake reads the file with both
                raise source.error("it begins with two byte order marks", remedy="Save it as UTF-8 with one, or none")
            loader = _EachKeyOnce(text)
            try:
                node = loader.get_single_node()
                if node is not None and _nodes(node, {}) > MOST_NODES:
                    raise source.error(f"aliases make it longer than {MOST_NODES} keys and values")
                return None if node is None else loader.construct_document(node)
            except yaml.MarkedYAMLError as error:
                problem, mark = error.problem or str(error.context), error.problem_mark or error.context_mark
                row = f", row {mark.line + 1}" if mark else ""
                raise source.error(f"not valid YAML ({problem})", row, _remedy(error)) from None
    except DataError as error:
        if error.where.partition(",")[0] == name and path.is_file():
            raise ConfigError.of(error) from None
        raise ConfigError("config, experiments", f"{name!r} cannot be read ({error.problem})", error.remedy) from None


def read_keys(path: Path, name: str, example: str) -> dict[str, Any]:
    """Return the keys and values of a file of settings.

    Args:
        path: the file.
        name: as it is written in `config.yaml`, or typed.
        example: what such settings look like, for the message.

    Raises:
        ConfigError: see `read_yaml`; or it holds no keys.
    """
    content = read_yaml(path, name)
    if not isinstance(content, dict):
        raise ConfigError(name, "it holds no settings", f"Write keys with values, as {example}")
    return content


def _remedy(error: yaml.MarkedYAMLError) -> str:
    if not isinstance(error, yaml.scanner.ScannerError | yaml.parser.ParserError):
        return ""
    if r"'\t'" in str(error.problem):
        return "Indent by spaces, not by tabs"
    return "Look for a missing colon, quote or bracket, or an indent that differs"


def _nodes(node: yaml.Node, counts: dict[int, float]) -> float:
    """Return how many keys and values a node has once its aliases are written out; infinity if it holds itself."""
    if id(node) not in counts:
        counts[id(node)] = float("inf")
        parts = node.value if isinstance(node, yaml.CollectionNode) else ()
        within = (child for part in parts for child in (part if isinstance(part, tuple) else (part,)))
        counts[id(node)] = 1 + sum(_nodes(child, counts) for child in within)
    return counts[id(node)]


#: Of an integer; those of settings need 64, and Python does not write very long ones.
_MOST_BITS = 1024

#: A surrogate, as an escape can write it: one of two 16-bit halves of a character.
_HALF = re.compile("[\ud800-\udfff]")


class _EachKeyOnce(yaml.SafeLoader):
    """YAML in which a key that stands twice is a mistake; by itself the parser lets the last one win."""

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        value = super().construct_yaml_int(node)
        if value.bit_length() > _MOST_BITS:
            problem = f"an integer of more than {_MOST_BITS} bits"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return value

    def construct_yaml_str(self, node: yaml.ScalarNode) -> str:
        text = super().construct_yaml_str(node)
        if _HALF.search(text):
            problem = f"{text!r} holds half a character, a surrogate,"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return text

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen and key.tag != "tag:yaml.org,2002:merge":
                    raise yaml.constructor.ConstructorError(
                        None, None, f"key {key.value!r} is given twice", key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


_EachKeyOnce.add_constructor("tag:yaml.org,2002:int", _EachKeyOnce.construct_yaml_int)
_EachKeyOnce.add_constructor("tag:yaml.org,2002:str", _EachKeyOnce.construct_yaml_str)
