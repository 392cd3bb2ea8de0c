"""Look-up of what is named as text, and of the nearest name when there is none."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from dpmia.common.errors import UserError, shown
from dpmia.common.plugins import errors_of_file, module_of_file


def load(spec: str) -> Any:
    """Return what `spec` names: the object of `module:object` or `file.py:object`, or the module of `module`.

    Raises:
        UserError: a file or a module of another package is missing, its code fails, or it has no such object.
    """
    module, _, attribute = spec.partition(":")
    if module.endswith(".py"):
        loaded: Any = module_of_file(module)
        with errors_of_file(spec, f"object {attribute!r}"):  # a module may say for itself what it has
            if not hasattr(loaded, attribute):
                names = [name for name in vars(loaded) if not name.startswith("_")]
                raise UserError(module, f"it has no object {attribute!r}", suggestion(attribute, names))
            return getattr(loaded, attribute)
    with errors_of_file(spec, "import", every=True, remedy="Repair or uninstall the package that names it"):
        loaded = import_module(module)
        return getattr(loaded, attribute) if attribute else loaded


def check_part_of_file(file: str, name: str) -> None:
    """Refuse a file without the object that settings name, without running it: its imports may take seconds.

    Raises:
        ValueError: there is no such file, it is no Python, or it does not have the object.
    """
    if not Path(file).is_file():
        raise ValueError(f"{file!r} is not a file in {Path.cwd()}")
    try:
        names = _names_of(ast.parse(Path(file).read_bytes()))
    except SyntaxError as error:
        raise ValueError(f"{file}, line {error.lineno}: SyntaxError: {error.msg}") from None
    except ValueError as error:  # a null byte, or no text
        raise ValueError(f"{file} is no Python file: {error}") from None
    except (MemoryError, RecursionError):  # of Python's parser
        raise ValueError(f"{file} is no Python file: an expression is nested too deeply") from None
    if names is not None and name not in names:
        raise ValueError(f"{file} has no class or function {name!r}. {suggestion(name, names)}".strip())


def _names_of(tree: ast.Module) -> set[str] | None:
    """Return the names that a module gives to something; None where only running it tells."""
    names: set[str] = set()
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            continue  # what it names is its own
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Name) and node.id in ("globals", "exec", "vars"):
            return None
        todo += ast.iter_child_nodes(node)
    return None if names & {"*", "__getattr__"} else names


def suggestion(name: object, allowed: Iterable[object]) -> str:
    """Return `Did you mean 'x'?` for the nearest allowed name, or nothing where none is near.

    Args:
        name: that is not allowed.
        allowed: names; only those that are texts are suggested, as keys of a YAML file may be numbers.
    """
    names, text = [item for item in allowed if isinstance(item, str)], name if isinstance(name, str) else shown(name)
    begun = [item for item in names if item.startswith(text)]
    near = difflib.get_close_matches(text, names, n=1) or begun[: len(begun) == 1]
    return f"Did you mean {near[0]!r}?" if near else ""
