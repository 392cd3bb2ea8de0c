"""A digest of the code that a job runs: equal as long as its syntax trees are.

Snakemake does not see edits of imported modules, and takes a script that was merely touched for a changed one.
A digest over the syntax tree of the script and of every module it reaches sees the first and not the second;
comments, docstrings and formatting do not count. A TOML file beside a module of the same name belongs to it.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from dpmia.common.errors import UserError, words_of
from dpmia.common.files import remove_leftovers, whole_file
from dpmia.common.plugins import source_file
from dpmia.common.reading.source import made
from dpmia.workflow.root import LIBRARY

PACKAGE = "dpmia"
ROOT = LIBRARY.parent

#: Digests that this process computed: file -> digest of its syntax tree.
_behind: dict[str, dict[str, str]] = {}

#: File -> its size and times, the modules that it imports, and the digest of its syntax; and files parsed just now.
_file_syntax: dict[str, tuple[list[int], list[str], str]] = {}
_parsed: list[Path] = []


def code_digest(script: Path | str, specs: Iterable[str] = ()) -> str:
    """Return the digest of a script and of all modules of this package that it reaches.

    Args:
        script: path of the script.
        specs: further modules the job will load by name, as `module` or `module:object`, and TOML files likewise.

    Returns:
        16 hexadecimal digits.
    """
    return _digest(Path(script), tuple(specs))


@cache
def _digest(script: Path, specs: tuple[str, ...]) -> str:
    named = {spec.partition(":")[0] for spec in specs}
    of_files = {name for name in named if name.endswith(".py")}
    packages = frozenset({PACKAGE, *(name.partition(".")[0] for name in named - of_files)})
    starts = [*map(Path, of_files), *(_file_of(name, packages) for name in _with_packages(named - of_files))]
    files = {script, *reached([script, *starts], packages)}
    modules = {_name(file): _read(file)[1] for file in sorted(files)}
    digest = hashlib.sha256(json.dumps(modules).encode()).hexdigest()[:16]
    _behind[digest] = modules
    return digest


def remember(folder: Path | str) -> None:
    """Write what stands behind each digest of this process, for `edited_files` of later ones."""
    for digest, modules in _behind.items():
        file = Path(folder) / f"{digest}.json"
        if not file.exists():
            with whole_file(file) as part:
                part.write_text(json.dumps(modules, indent=1), encoding="utf-8")


def edited_files(digest: str, folder: Path | str) -> list[str]:
    """Return the files behind a digest of an earlier run whose syntax is another now, or that are gone.

    Args:
        digest: of an earlier run.
        folder: where `remember` wrote.

    Returns:
        Paths from the root of the repository; none for what is no digest of code, or was not remembered.
    """
    record = Path(folder) / f"{digest}.json"
    if not record.exists():
        return []
    source = made(record)
    behind = source.json()
    with source.faults("it is not what was written"):
        _check_texts(behind.values())
    files = {name: _file_named(name) for name in behind}
    return [name for name, file in files.items() if not file.exists() or _read(file)[1] != behind[name]]


def text_digest(files: Iterable[Path]) -> str:
    """Return the digest of files that are no code but shape what is made: templates of pages.

    Returns:
        16 hexadecimal digits.
    """
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}:".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def reached(starts: Iterable[Path | None], packages: frozenset[str] = frozenset({PACKAGE})) -> set[Path]:
    """Return the files of some packages that are imported from `starts`, directly or not, `starts` included.

    Of a file of one's own it follows those beside it, too.

    Args:
        starts: files; None is passed over.
        packages: names of this package, and of those that plug-ins come from.
    """
    files: set[Path] = set()
    queue = [file for file in starts if file is not None]
    while queue:
        file = queue.pop()
        if file not in files:
            files.add(file)
            table = file.with_suffix(".toml")  # of a module: numbers that it reads
            queue += [table] if table.is_file() else []
            own = _is_own(file, packages)
            for module in _read(file)[0]:
                below = _file_of(module, packages) or (_beside(file, module) if own else None)
                queue += [below] if below else []
    return files


def _is_own(file: Path, packages: frozenset[str]) -> bool:
    """Return whether a file is one of the user's own: none of this project, and none of an installed plug-in."""
    if any(file.resolve().is_relative_to(ROOT / folder) for folder in (PACKAGE, "scripts")):
        return False
    return _name(file).split("/")[0].removesuffix(".py") not in packages


def _beside(file: Path, module: str) -> Path | None:
    """Return the module that a file of one's own imports from its folder, or from where commands are typed."""
    bases = [folder.joinpath(*module.split(".")) for folder in (file.parent, Path.cwd())]
    files = (candidate for base in bases for candidate in (base.with_suffix(".py"), base / "__init__.py"))
    return next((candidate for candidate in files if candidate.is_file()), None)


def recall(file: Path | str) -> None:
    """Take from a file what `keep` wrote of the syntax of each module, so that only edited ones are parsed again."""
    path = Path(file)
    if path.is_file():
        source = made(path)
        kept = source.json()
        with source.faults("it is not what was written"):
            if kept["by"] == _parser():
                if kept["check"] != _check_of(kept["known"]):
                    raise ValueError("another checksum")
                _file_syntax.update(kept["known"])


def keep(file: Path | str) -> None:
    """Write what was read of each module, for `recall`; nothing where no module was parsed, or nothing can be written.

    It is called when all is done: the next start parses again, and says what is wrong with the disk.
    """
    if _parsed:
        with suppress(OSError):
            remove_leftovers([], alone=[Path(file).parent])  # of a start that was killed here, if nothing else is to do
            with whole_file(file) as part:
                kept = {"by": _parser(), "check": _check_of(_file_syntax), "known": _file_syntax}
                part.write_text(json.dumps(kept), encoding="utf-8")


def _check_of(entries: Mapping[str, Any]) -> str:
    """Return a checksum: with a damaged name of a module, what it imports would be missing from digests."""
    return hashlib.sha256(json.dumps(entries).encode()).hexdigest()[:16]


def _check_texts(values: Iterable[Any]) -> None:
    if not all(isinstance(value, str) for value in values):
        raise ValueError("what should be a text is none")


def _parser() -> list[Any]:
    """Return what a digest of syntax depends on beside the file: this module, and the version of Python."""
    return [sys.version, _stamp(Path(__file__))]


def _stamp(file: Path) -> list[int]:
    """Return what changes when a file is edited."""
    status = file.stat()
    # The last is set by the system whenever a file is written or replaced, whatever the time it claims.
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns]


@cache
def _read(file: Path) -> tuple[frozenset[str], str]:
    """Return the modules that `file` imports, and the digest of its syntax; of a TOML file, that of its content."""
    stamp, entry = _stamp(file), _file_syntax.get(str(file))
    if entry is None or entry[0] != stamp:
        modules, syntax = _parse(file)
        entry = _file_syntax[str(file)] = (stamp, sorted(modules), syntax)
        _parsed.append(file)
    return frozenset(entry[1]), entry[2]


def _parse(file: Path) -> tuple[frozenset[str], str]:
    if file.suffix == ".toml":
        content = repr(tomllib.loads(file.read_text(encoding="utf-8")))
        return frozenset(), hashlib.sha256(content.encode()).hexdigest()[:16]
    package = _name(file).removesuffix(".py").replace("/", ".").rpartition(".")[0]
    try:
        tree = ast.parse(file.read_bytes(), str(file))
        return imports(tree, package), hashlib.sha256(_syntax(tree).encode()).hexdigest()[:16]
    except (SyntaxError, ValueError) as error:
        raise UserError(str(file), words_of(error)) from None
    except (MemoryError, RecursionError):  # where Python's parser or its tree is too deep
        raise UserError(str(file), "an expression is nested too deeply") from None


def imports(tree: ast.Module, package: str = "") -> frozenset[str]:
    """Return the modules that a file imports anywhere, with the packages around them.

    Args:
        tree: of the file.
        package: that the file belongs to, from which its relative imports start.
    """
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".") if node.level else []
            source = ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])
            modules.add(source)
            modules.update(f"{source}.{alias.name}" for alias in node.names)
    return _with_packages(modules)


def _with_packages(modules: Iterable[str]) -> frozenset[str]:
    """Return `modules` and the packages around them, whose code runs first when they are imported."""
    return frozenset(
        ".".join(module.split(".")[:depth]) for module in modules for depth in range(1, module.count(".") + 2)
    )


@cache
def _file_of(module: str, packages: frozenset[str] = frozenset({PACKAGE})) -> Path | None:
    """Return the file of a module of some packages, or the TOML file of its name; None for all other names."""
    top = module.split(".")[0]
    if top not in packages:
        return None
    if top != PACKAGE:
        return source_file(module)
    base = ROOT.joinpath(*module.split("."))
    for file in (base.with_suffix(".py"), base / "__init__.py", base.with_suffix(".toml")):
        if file.is_file():
            return file
    return None


def _syntax(tree: ast.Module) -> str:
    """Return a syntax tree as text, without docstrings, which it loses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:]
    return ast.dump(tree)


@cache
def _name(file: Path) -> str:
    """Return the file's path from the root of the repository, so that a moved checkout has the same digests.

    Of a file of another package it is the path from above the package, of one below the working folder that from there,
    of any other the whole path: two files of one name in two folders are two files.
    """
    resolved, above = file.resolve(), file.parent
    if resolved.is_relative_to(ROOT):
        return resolved.relative_to(ROOT).as_posix()
    while (above / "__init__.py").exists():
        above = above.parent
    if above != file.parent:
        return file.relative_to(above).as_posix()
    here = Path.cwd().resolve()
    return (resolved.relative_to(here) if resolved.is_relative_to(here) else resolved).as_posix()


def _file_named(name: str) -> Path:
    """Return the file of a name that `_name` returned; one that is gone has the place where it would be."""
    for file in (ROOT / name, Path(name)):
        if file.exists():
            return file
    module = name.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    return _file_of(module, frozenset({module.partition(".")[0]})) or ROOT / name
