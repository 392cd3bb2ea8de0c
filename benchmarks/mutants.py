r"""Mutation testing: change one operator, number or truth value of a module at a time, and see whether tests notice.

    .venv/bin/python benchmarks/mutants.py dpmia/metrics dpmia/privacy --tests workflow_tests/unit/metrics \
        workflow_tests/unit/privacy --minutes 20

First the tests run once and note which of them reach which line. Then mutants are drawn at random, an equal share from
each package, and each is tried by the tests that reach its line, the fastest first, until one fails. A mutant that no
test notices is printed, a line to look at: a test is missing, or the change makes no difference. Those that are known
to make none (`docs/equivalent-mutants.csv`, with the reason) are counted apart. It is none of the tests.

Not mutated: type annotations, options of dataclasses, and texts.
"""

from __future__ import annotations

import argparse
import ast
import copy
import csv
import importlib
import importlib.machinery
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parents[1]
EQUIVALENT = ROOT / "docs/equivalent-mutants.csv"
#: Seconds after which a mutant counts as noticed: it loops. Bytes of memory that it may take.
SECONDS, MEMORY = 300, 24 << 30
#: Seconds of tests that do not reach a line themselves.
LONGEST = 30.0
#: What tests import before the library, and what mutants share.
SHARED = (
    *("matplotlib.pyplot", "opacus", "pandas", "pytorch_lightning", "scipy.optimize", "scipy.stats"),
    *("seaborn", "sklearn.cluster", "sklearn.ensemble", "sklearn.linear_model", "torch"),
)

_OPTIONS = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--no-header")

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
    """

    module: str
    line: int
    statement: int
    change: str
    place: tuple[int, int]

    @property
    def text(self) -> str:
        """The line as it is written."""
        return (ROOT / self.module).read_text(encoding="utf-8").splitlines()[self.line - 1].strip()

    @property
    def package(self) -> str:
        """The package that the module belongs to."""
        return self.module.split("/")[1]

    def tree(self) -> ast.Module:
        """Return the syntax of the changed module."""
        tree = ast.parse((ROOT / self.module).read_text(encoding="utf-8"))
        _changed(list(ast.walk(tree))[self.place[0]], self.place[1])
        return ast.fix_missing_locations(tree)


def mutants(module: str) -> Iterator[Mutant]:
    """Yield the mutants of a module."""
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    statements = {id(node): each.lineno for each in ast.walk(tree) if isinstance(each, ast.stmt) for node in _own(each)}
    passed_over = {id(node) for top in _untouched(tree) for node in ast.walk(top)}
    for place, node in enumerate(ast.walk(tree)):
        for number in range(2) if id(node) not in passed_over else ():
            change = _changed(copy.deepcopy(node), number)
            if change:
                line = getattr(node, "lineno", 0)
                yield Mutant(module, line, statements.get(id(node), line), change, (place, number))


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


class Changed(importlib.machinery.PathFinder):
    """Imports one module of the library with a change."""

    mutant: Mutant

    @classmethod
    def find_spec(cls, name, path=None, target=None):  # type: ignore[no-untyped-def]
        """Find the changed module, and no other."""
        if f"{name.replace('.', '/')}.py" != cls.mutant.module:
            return None
        found = super().find_spec(name, path, target)
        code = compile(cls.mutant.tree(), str(ROOT / cls.mutant.module), "exec")
        found.loader.get_code = lambda name: code
        return found


class Times:
    """A plug-in of pytest that notes how long each test takes, and which fail."""

    def __init__(self) -> None:
        """Begin."""
        self.seconds: Counter[str] = Counter()
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report) -> None:  # type: ignore[no-untyped-def]
        """Add a part of a test."""
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.append(report.nodeid)


def reach(modules: list[str], tests: list[str], file: Path) -> int:
    """Run the tests once; write which reach each line of each module, and the seconds that each takes."""
    import coverage
    import pytest

    measured = coverage.Coverage(data_file=None, config_file=False, include=modules)
    times = Times()

    class Switch:
        def pytest_runtest_logstart(self, nodeid: str) -> None:
            measured.switch_context(nodeid)

    measured.start()
    pytest.main([*_OPTIONS, *tests], plugins=[times, Switch()])
    measured.stop()
    data = measured.get_data()
    reached = {}
    for name in data.measured_files():
        contexts = data.contexts_by_lineno(name)
        reached[Path(name).relative_to(ROOT).as_posix()] = {line: {*found} - {""} for line, found in contexts.items()}
    file.write_bytes(pickle.dumps((reached, dict(times.seconds), times.failed)))
    return 0


def chosen(mutant: Mutant, reached: dict[str, dict[int, set[str]]], seconds: dict[str, float]) -> list[str]:
    """Return the tests of a mutant: those that reach its line, then the others of their files, the fastest first.

    What a fixture reaches is noted for the first test that uses it, and others look at it, too.
    """
    lines = reached.get(mutant.module, {})
    direct = lines.get(mutant.line, set()) | lines.get(mutant.statement, set())
    direct = direct or set().union(*lines.values())  # of the module itself: it runs when it is imported
    files = {test.partition("::")[0] for test in direct}
    beside = {test for test in seconds if test.partition("::")[0] in files} - direct
    left, found = LONGEST, sorted(direct, key=seconds.__getitem__)
    for test in sorted(beside, key=seconds.__getitem__):
        left -= seconds[test]
        found += [test] if left > 0 else []
    return found


def forked(work, seconds: int = SECONDS, printed: str = os.devnull) -> int:  # type: ignore[no-untyped-def]
    """Return the exit code of some work in a copy of this process; 99 if it was killed."""
    child = os.fork()
    if not child:
        sink = os.open(printed, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(sink, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(seconds)
        code = 98
        try:
            code = int(work())
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 99


def survives(mutant: Mutant, tests: list[str]) -> bool:
    """Return whether all tests pass with a mutant."""
    import pytest

    def work() -> int:
        Changed.mutant = mutant
        sys.meta_path.insert(0, Changed)
        return pytest.main([*_OPTIONS, *tests])

    return forked(work) == 0


def sample(every: list[Mutant], rng: random.Random) -> Iterator[Mutant]:
    """Yield all mutants, one package after the other, in random order."""
    packages: dict[str, list[Mutant]] = {}
    for mutant in rng.sample(every, len(every)):
        packages.setdefault(mutant.package, []).append(mutant)
    while any(packages.values()):
        for left in packages.values():
            if left:
                yield left.pop()


def known() -> dict[tuple[str, str, str], str]:
    """Return why mutants make no difference, by module, line as it is written, and change."""
    if not EQUIVALENT.exists():
        return {}
    with EQUIVALENT.open(newline="", encoding="utf-8") as lines:
        return {(row["module"], row["line"], row["change"]): row["reason"] for row in csv.DictReader(lines)}


def main() -> None:
    """Try mutants, and print those that live, and the score of each package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+", help="folders or modules of the library")
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--most", type=int, default=10**6, help="try so many")
    parser.add_argument("--minutes", type=float, default=10**6, help="start none after that time")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    files = [file for name in given.packages for file in (ROOT / name, *(ROOT / name).rglob("*.py")) if file.is_file()]
    every = [mutant for file in sorted(files) for mutant in mutants(file.relative_to(ROOT).as_posix())]
    for name in SHARED:
        importlib.import_module(name)
    with tempfile.NamedTemporaryFile() as notes:
        log = f"{notes.name}.log"
        if forked(lambda: reach([*map(str, files)], given.tests, Path(notes.name)), 3600, log):
            sys.exit(Path(log).read_text(encoding="utf-8"))
        reached, seconds, failed = pickle.loads(Path(notes.name).read_bytes())
    if failed:
        sys.exit(f"tests fail without any change: {', '.join(failed)}")
    print(f"{len(every)} mutants, {len(seconds)} tests of {sum(seconds.values()):.0f} s, seed {given.seed}", flush=True)
    started, reasons = time.monotonic(), known()
    tried, alive, equal = Counter[str](), Counter[str](), Counter[str]()
    for mutant in islice(sample(every, random.Random(given.seed)), given.most):
        if time.monotonic() - started > 60 * given.minutes:
            break
        tried[mutant.package] += 1
        tests = chosen(mutant, reached, seconds)
        if (mutant.module, mutant.text, mutant.change) in reasons:
            equal[mutant.package] += 1
        elif not tests or survives(mutant, tests):
            alive[mutant.package] += 1
            print(f"{mutant.module}:{mutant.line}: {mutant.change}: {mutant.text}  [{len(tests)} tests]", flush=True)
    for package, count in tried.items():
        counted = count - equal[package]
        share = f"{counted - alive[package]} of {counted} noticed ({1 - alive[package] / counted:.1%})"
        print(f"{package}: {share}, {equal[package]} make no difference")


if __name__ == "__main__":
    main()
