"""Parts that are not of this library: of installed packages, by entry points, and of files that settings name.

An entry point is text, `name = package.module:object` in a group. Nothing is imported before a part is used.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from dpmia.common.errors import ConfigError, MemoryShortError, PlaceError, UserError, words_of

_Part = TypeVar("_Part")

#: A part of a file: its path from the working folder, and the object there.
FILE = re.compile(r"(?P<file>[^:]+\.py):(?P<object>[A-Za-z_]\w*)")

#: Where built-in parts come from.
BUILT_IN = "dpmia"

#: What the names of modules of files begin with.
_OF_FILE = "dpmia_file:"

#: Folders of such files, which `_import_from` added to Python's path; the latest first.
_folders: list[str] = []


@dataclass(frozen=True)
class EntryPoint:
    """A part of an installed package.

    Attributes:
        spec: `module` or `module:object`, as `dpmia.common.registry.load` takes it.
        package: name and version of the distribution.
    """

    spec: str
    package: str


@cache
def installed(group: str) -> Mapping[str, EntryPoint]:
    """Return the parts of a group that installed packages offer, by name."""
    from importlib.metadata import entry_points  # here: most jobs need no part of others

    parts = {}
    for point in sorted(entry_points(group=group)):
        package = f"{point.dist.name} {point.dist.version}" if point.dist else "an installed package"
        parts[point.name] = EntryPoint(point.value.replace(" ", ""), package)
    return parts


class Parts(Mapping[str, _Part], Generic[_Part]):
    """Parts by name: those of this library, then those of installed packages; and any in a file, `file.py:Object`.

    Iterating yields no files.
    """

    def __init__(self, group: str, built_in: Mapping[str, _Part], described: Callable[[str], _Part]) -> None:
        """Describe the parts.

        Args:
            group: of entry points.
            built_in: the parts of this library.
            described: returns the part that a spec of another package or of a file names.
        """
        self.group = group
        self.built_in = built_in
        self._described = described

    def __getitem__(self, name: str) -> _Part:
        """Return a part; a name of this library stands for its part, whatever packages offer (see `check`)."""
        if name in self.built_in:
            return self.built_in[name]
        if FILE.fullmatch(name):
            return self._described(name)
        return self._described(installed(self.group)[name].spec)

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in installed(self.group) or is_part_of_file(name)

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from (name for name in installed(self.group) if name not in self.built_in)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def origins(self) -> dict[str, str]:
        """Return where each part comes from: this library, or a package with its version and the object there."""
        built_in = dict.fromkeys(self.built_in, BUILT_IN)
        others = {
            name: f"{entry_point.package} ({entry_point.spec})" for name, entry_point in installed(self.group).items()
        }
        return others | built_in

    def check(self) -> None:
        """Refuse a package that offers a part under a name of this library.

        Raises:
            ConfigError: one does.
        """
        for name, entry_point in installed(self.group).items():
            if name in self.built_in:
                problem = f"the name {name!r} is already used by dpmia"
                remedy = "Rename the entry point, or uninstall the package"
                raise ConfigError(f"{entry_point.package}, entry point of group {self.group}", problem, remedy)


def is_part_of_file(name: object) -> bool:
    """Return whether a name is that of a part in a file."""
    return isinstance(name, str) and FILE.fullmatch(name) is not None


def module_of_file(path: str) -> ModuleType:
    """Return the module of a file that settings name, run once in each process.

    It may import other files of its folder; an installed module of the same name goes first.

    Raises:
        UserError: there is no such file, or its code fails; the message names the line.
    """
    file = Path(path)
    name = f"{_OF_FILE}{file.absolute()}"
    if name in sys.modules:
        return sys.modules[name]
    if not file.is_file():
        raise UserError(path, "there is no such file", f"Paths start at {Path.cwd()}")
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UserError(path, "it is no Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    folder = Path.cwd()
    _import_from(file.absolute().parent)
    try:
        spec.loader.exec_module(module)
        if Path.cwd() != folder:  # results would be written elsewhere
            os.chdir(folder)
            raise RuntimeError(f"the code leaves {folder}; paths from there name files, so leave os.chdir out")
    except Exception as error:
        del sys.modules[name]
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == spec.origin]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
        where = f"{path}, line {line}" if line else path
        raise UserError(where, words_of(error)) from error
    return module


def _import_from(folder: Path) -> None:
    """Let the code of a folder import its other files: after installed modules, without those of other folders."""
    if str(folder) in sys.path and str(folder) not in _folders:
        return
    others = [other for other in _folders if other != str(folder)]
    for name in [name for name in sys.modules if _folder_of(name) in others]:
        del sys.modules[name]
    sys.path[:] = [path for path in sys.path if path not in _folders]
    _folders[:] = [str(folder), *others]
    sys.path += _folders


def _folder_of(module: str) -> str:
    """Return the folder of a loaded module, for one in a package that around the package; nothing where it has none."""
    spec = getattr(sys.modules.get(module.partition(".")[0]), "__spec__", None)
    places = [*(spec.submodule_search_locations or ()), spec.origin] if spec else []
    return str(Path(places[0]).parent) if places and places[0] else ""


def source_file(module: str) -> Path | None:
    """Return the file of a module of another package, or the file that settings name; None where it has no source.

    Nothing is imported.
    """
    if module.endswith(".py"):
        return Path(module)
    if module in sys.modules:  # also the script itself, `__main__`, which cannot be found by name
        return _python_file(getattr(sys.modules[module], "__file__", None))
    top, *below = module.split(".")
    package = find_spec(top)
    if package is None or package.origin is None:
        return None
    base = Path(package.origin)
    if below and package.submodule_search_locations:
        base = base.parent.joinpath(*below)
        base = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    return _python_file(base)


def _python_file(path: Path | str | None) -> Path | None:
    """Return a module's file if it is one in Python."""
    file = Path(path or "")
    return file if file.suffix == ".py" and file.is_file() else None


def spec_of(part: Any) -> str:
    """Return what `errors_of_file` takes for a class or a function, whose file is named from the working folder."""
    module = str(getattr(part, "__module__", BUILT_IN))
    if module.startswith(_OF_FILE):
        module = os.path.relpath(module.removeprefix(_OF_FILE))
    return f"{module}:{getattr(part, '__qualname__', '')}"


@contextmanager
def errors_of_file(spec: str, where: str, every: bool = False, remedy: str = "") -> Iterator[None]:
    """Report an error of a part that is not of this library as its own: with file, line and what was going on.

    Args:
        spec: of the part.
        where: the job, for the message.
        every: whether an error that did not pass through the file is also the part's: a call that does not fit it.
        remedy: what to do, where it is known.

    Raises:
        UserError: the block failed in the file of the part, other than by too little memory; with `every` also where it
            failed elsewhere, other than by a full disk and the like (see `PlaceError`).
    """
    try:
        yield
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        if MemoryShortError.of(error):
            raise
        module = spec.partition(":")[0]
        if module.partition(".")[0] == BUILT_IN:
            raise
        file = source_file(module)
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if file is not None and Path(frame.filename).resolve() == file.resolve()
        ]
        of_system = isinstance(error, OSError) and PlaceError.of(error)
        if not lines and (of_system or not every):
            raise
        place = f"{file}, line {lines[-1]}" if lines else str(file or spec)
        raise UserError(f"{place}, {where}", words_of(error), remedy) from error
