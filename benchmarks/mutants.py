"""Mutation testing: change one operator, number or truth value of a module at a time, and see whether tests notice.

    .venv/bin/python benchmarks/mutants.py dpmia/metrics/ranking.py workflow_tests/unit/metrics --most 40

Each mutant is a copy of the library in a folder of its own, tried by the tests that are named, until the first fails.
The script lists the survivors, each a line to look at: a test is missing, or the change makes no difference. It is
none of the tests: forty mutants take minutes.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: A mutant that loops is killed.
SECONDS = 600

_LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".snakemake", "results", "resources")

_SWAPS: dict[type, type] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult},
    **{ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.FloorDiv: ast.Div},
}


def mutants(code: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, description and code of each mutant of a module; docstrings stay as they are."""
    tree = ast.parse(code)
    for place, node in enumerate(ast.walk(tree)):
        for change in range(2):
            mutant = copy.deepcopy(tree)
            found = list(ast.walk(mutant))[place]
            words = _changed(found, change)
            if words:
                yield getattr(node, "lineno", 0), words, ast.unparse(mutant)


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


def survives(module: Path, code: str, tests: list[str], folder: Path) -> bool:
    """Return whether all tests pass with this code in the place of the module."""
    file = folder / module
    whole = file.read_text(encoding="utf-8")
    file.write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    finally:
        file.write_text(whole, encoding="utf-8")
    return ended.returncode == 0


def main() -> None:
    """Try mutants of one module, and print those that live."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", type=Path)
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--most", type=int, default=10**6, help="try so many, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    code = (ROOT / given.module).read_text(encoding="utf-8")
    every = list(mutants(code))
    chosen = sorted(random.Random(given.seed).sample(every, min(given.most, len(every))), key=lambda one: one[0])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "copy"
        shutil.copytree(
            ROOT, folder, ignore=shutil.ignore_patterns(".git", ".venv", ".snakemake", "results", "resources")
        )
        if not survives(given.module, ast.unparse(ast.parse(code)), given.tests, folder):
            sys.exit("the tests fail without any change")
        lines = code.splitlines()
        alive = 0
        for line, words, mutant in chosen:
            if survives(given.module, mutant, given.tests, folder):
                alive += 1
                print(f"{given.module}:{line}: {words}: {lines[line - 1].strip()}", flush=True)
    killed = len(chosen) - alive
    print(f"{given.module}: {killed} of {len(chosen)} mutants killed ({len(every)} in all), seed {given.seed}")


if __name__ == "__main__":
    main()
