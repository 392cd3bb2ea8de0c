"""Files of experiments: those in the working folder, else those that come with the workflow."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from glob import glob
from pathlib import Path
from typing import Any

from dpmia.common.errors import ConfigError
from dpmia.common.files import is_file


def file_names(patterns: Sequence[str], root: Path, home: Path | None) -> list[str]:
    """Return the names of experiment files, patterns replaced by what they match.

    Args:
        patterns: names, in which `*` stands for any text.
        root: working folder; names in it are relative to it.
        home: folder of the workflow, where a pattern is looked up that matches nothing in `root`; such names are
            absolute. None for no such folder.

    Returns:
        Each name once, in the order of the patterns.

    Raises:
        ConfigError: a pattern matches nothing.
    """
    names = []
    for pattern in patterns:
        matches = _matches(pattern, root)
        if not matches and home is not None:
            matches = [str(home / name) for name in _matches(pattern, home)]
        if not matches and "*" in pattern:
            raise ConfigError("config, experiments", f"{pattern!r} matches no file", f"Paths start at {root}")
        names += matches or [pattern]
    return list(dict.fromkeys(names))


def with_bundled_tables(content: Any, root: Path, home: Path) -> Any:
    """Return the content of a file of the workflow in which tables that come with it have whole paths.

    Args:
        content: of the file, as YAML.
        root: working folder; a table that is there counts.
        home: folder of the workflow.
    """
    if isinstance(content, list):
        return [with_bundled_tables(item, root, home) for item in content]
    if not isinstance(content, dict):
        return content
    resolved = {key: with_bundled_tables(value, root, home) for key, value in content.items()}
    table = resolved.get("dataset")
    if isinstance(table, dict) and isinstance(path := table.get("path"), str):
        bundled = home / path
        if not is_file(root / path) and is_file(bundled):
            resolved["dataset"] = table | {"path": str(bundled)}
    return resolved


def _matches(pattern: str, folder: Path) -> list[str]:
    if "*" in pattern:
        return sorted(glob(pattern, root_dir=folder))  # noqa: PTH207 (of pathlib none takes absolute patterns)
    with suppress(OSError):  # a name longer than the system takes
        return [pattern] if (folder / pattern).exists() else []
    return []
