"""What mutation testing changes in a module: one operator, number or truth value at a time."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).parents[1]

_SWAPS: dict[type, type] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult},
    **{ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.FloorDiv: ast.Div},
}


@dataclass(frozen=True)
class Mutant:
    """One change of a module.

    Attributes:
        module: path from the root.
        line: of the change, and of the statement around it.
        change: in words.
        place: of the node in the order of `ast.walk`, and which of its changes.
        inside: whether it is within a function.
    """

    module: str
    line: int
    statement: int
    change: str
    place: tuple[int, int]
    inside: bool

    @property
    def text(self) -> str:
        """The line as it is written."""
        return (ROOT / self.module).read_text(encoding="utf-8").splitlines()[self.line - 1].strip()

    @property
    def place_and_change(self) -> str:
        """Where it is and what it does."""
        return f"{self.module}:{self.line}: {self.change}"

    @property
    def package(self) -> str:
        """The package that the module belongs to."""
        return self.module.split("/")[1]

    def code(self) -> CodeType:
        """Return the changed module, compiled."""
        tree = ast.parse((ROOT / self.module).read_text(encoding="utf-8"))
        _changed(list(ast.walk(tree))[self.place[0]], self.place[1])
        return compile(ast.fix_missing_locations(tree), str(ROOT / self.module), "exec")


def mutants(module: str) -> Iterator[Mutant]:
    """Yield the mutants of a module."""
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    statements = {id(node): each.lineno for each in ast.walk(tree) if isinstance(each, ast.stmt) for node in _own(each)}
    passed_over = {id(node) for top in _untouched(tree) for node in ast.walk(top)}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(node) for function in functions for part in function.body for node in ast.walk(part)}
    for place, node in enumerate(ast.walk(tree)):
        for number in range(2) if id(node) not in passed_over else ():
            change = _changed(copy.deepcopy(node), number)
            if change:
                line = getattr(node, "lineno", 0)
                yield Mutant(module, line, statements.get(id(node), line), change, (place, number), id(node) in inside)


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement without those of statements in it."""
    queue: list[ast.AST] = [statement]
    while queue:
        node = queue.pop()
        yield node
        queue += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _untouched(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from node.decorator_list
        for name in ("annotation", "returns"):
            if isinstance(part := getattr(node, name, None), ast.AST):
                yield part


def _changed(node: ast.AST, change: int) -> str:
    """Change a node in place and say how; nothing where there is no such change."""
    if isinstance(node, ast.Compare) and not change and type(node.ops[0]) in _SWAPS:
        old, node.ops[0] = node.ops[0], _SWAPS[type(node.ops[0])]()
        return f"{type(old).__name__} -> {type(node.ops[0]).__name__}"
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and not change and type(node.op) in _SWAPS:
        old_op, node.op = node.op, _SWAPS[type(node.op)]()
        return f"{type(old_op).__name__} -> {type(node.op).__name__}"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool) and not change:
        node.value = not node.value
        return f"{not node.value} -> {node.value}"
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        old_value = node.value
        node.value = old_value + 1 if not change else -old_value
        return f"{old_value} -> {node.value}" if old_value or not change else ""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert | ast.Not | ast.USub) and not change:
        old_unary, node.op = node.op, ast.UAdd()
        if isinstance(old_unary, ast.Not):
            node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
        return f"{type(old_unary).__name__} left out"
    return ""
