r"""Mutation testing: change one operator, number or truth value of a module at a time, and see whether tests notice.

    .venv/bin/python benchmarks/mutants.py dpmia/metrics dpmia/privacy --most 200

Without `--tests` they are those of `workflow_tests/unit/<package>`.

First the tests run once and note which of them reach which line. Then mutants are drawn at random, an equal share from
each package, and each is tried by the tests that reach its line, the fastest first, until one fails. A mutant that no
test notices is printed, a line to look at: a test is missing, or the change makes no difference. Those that are known
to make none (`docs/equivalent-mutants.csv`, with the reason) are counted apart. It is none of the tests.

With `--quick 3`, tests that take more than three seconds are left out, and of those that reach a line the first twelve
seconds are run: a score from below, in a tenth of the time.

Not mutated: type annotations, options of dataclasses, and texts.
"""

from __future__ import annotations

import argparse
import csv
import functools
import gc
import importlib.machinery
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from changes import ROOT, Mutant, mutants

EQUIVALENT = ROOT / "docs/equivalent-mutants.csv"
#: Bytes of memory, and CPU time that a test may take with a mutant: some seconds, and so many times what the slowest of
#: its file takes without.
MEMORY, SECONDS, TIMES = 24 << 30, 5, 3
#: Seconds of tests that do not reach a line themselves.
LONGEST = 30.0

_OPTIONS = ("-q", "-n", "0", "-p", "no:cacheprovider", "--no-header")


class Changed(importlib.machinery.PathFinder):
    """Imports one module of the library with a change."""

    mutant: Mutant

    @classmethod
    def find_spec(cls, name, path=None, target=None):  # type: ignore[no-untyped-def]
        """Find the changed module, and no other."""
        if f"{name.replace('.', '/')}.py" != cls.mutant.module:
            return None
        found = super().find_spec(name, path, target)
        found.loader.get_code = lambda name: cls.mutant.code()
        return found


class Loaded:
    """What the imported modules hold, found once: their functions, wherever they are kept, and what these remember."""

    def __init__(self) -> None:
        """Look at all that there is."""
        self.functions: dict[str, list[FunctionType]] = {}
        self.memories = []
        for each in gc.get_objects():
            if type(each) is FunctionType and each.__code__.co_filename.startswith(str(ROOT)):
                self.functions.setdefault(each.__code__.co_filename, []).append(each)
            elif type(each) is functools._lru_cache_wrapper:
                self.memories.append(each)

    def swap(self, mutant: Mutant) -> None:
        """Give all functions of a module their changed code; forget what functions remember."""
        codes = {code.co_qualname: code for code in _codes(mutant.code())}
        for each in self.functions.get(str(ROOT / mutant.module), ()):
            code = codes.get(each.__code__.co_qualname)
            if code is not None and len(code.co_freevars) == len(each.__code__.co_freevars):
                each.__code__ = code
        for memory in self.memories:
            memory.cache_clear()


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


class TooSlowError(Exception):
    """A test takes longer than those that are run."""


def _too_slow(number: int, frame: Any) -> None:
    while frame is not None:
        # Reports must not be interrupted, and pytest can report no error from between the lines.
        if frame.f_code.co_name == "pytest_runtest_makereport" or frame.f_lineno is None:
            signal.setitimer(signal.ITIMER_PROF, 0.1)
            return
        frame = frame.f_back
    raise TooSlowError


class Trial:
    """A plug-in of pytest: runs all tests once, notes which reach which line, and tries mutants by them.

    A mutant within functions is tried in a copy of this process, which has imported all there is; another, such as that
    of a constant of a module, in a new process.
    """

    def __init__(self, modules: list[Path], drawn: Iterable[Mutant], minutes: float, quick: float) -> None:
        """Try mutants for some minutes, by tests that take `quick` seconds at most (0: by all)."""
        self.modules, self.drawn, self.minutes, self.quick = modules, drawn, minutes, quick
        self.printed = os.fdopen(os.dup(1), "w", buffering=1)
        #: CPU time of each test.
        self.seconds: Counter[str] = Counter()
        self.failed: list[str] = []
        self.slow: set[str] = set()
        #: Tests that pass in a copy of this process.
        self.sound: set[str] = set()

    def pytest_runtest_logreport(self, report) -> None:  # type: ignore[no-untyped-def]
        """Note a test that fails."""
        if report.failed:
            (self.slow.add if TooSlowError.__name__ in str(report.longrepr) else self.failed.append)(report.nodeid)

    def pytest_runtestloop(self, session) -> bool:  # type: ignore[no-untyped-def]
        """Do all of it, in the place of running the tests."""
        import coverage

        measured = coverage.Coverage(data_file=None, config_file=False, include=[*map(str, self.modules)])
        measured.start()
        signal.signal(signal.SIGPROF, _too_slow)
        self._run(session.items, measured.switch_context, on=True)
        measured.stop()
        data = measured.get_data()
        self.reached = {}
        for name in data.measured_files():
            contexts = data.contexts_by_lineno(name)
            self.reached[Path(name).relative_to(ROOT).as_posix()] = {
                line: {*found} - {""} for line, found in contexts.items()
            }
        for slow in self.slow:
            del self.seconds[slow]
        if self.failed:
            self.printed.write(f"Tests fail without any change: {', '.join(self.failed)}\n")
        else:
            self._try({item.nodeid: item for item in session.items})
        return True

    def _run(self, items, before, on: bool = False) -> None:  # type: ignore[no-untyped-def]
        """Run tests until one fails; or all, and take their time."""
        for item, following in zip_longest(items, items[1:]):
            before(item.nodeid)
            started = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, self.quick if on else self._allowed([item]))
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if on:
                self.seconds[item.nodeid] = time.process_time() - started
            elif self.failed:
                return

    def _forked(self, items: list[Any], mutant: Mutant | None) -> list[str]:
        """Run tests in a copy of this process until one fails; return what failed, if any did."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            self.failed.append("ended otherwise")
            try:
                confine(self._allowed(items))
                signal.signal(signal.SIGPROF, signal.SIG_DFL)
                if mutant:
                    self.loaded.swap(mutant)
                for item in items:
                    item._initrequest()
                self.failed.clear()
                self._run(items, lambda test: None)
            finally:
                os.write(writer, "\n".join(self.failed[:1] or ["none"]).encode())
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as failed:
            found = failed.read().splitlines()
        os.waitpid(child, 0)
        return [] if found == ["none"] else found or ["killed"]

    def _allowed(self, items: Iterable[Any]) -> int:
        """Return the seconds of CPU time after which tests count as hanging."""
        return round(sum(SECONDS + TIMES * self._slowest[item.nodeid.partition("::")[0]] for item in items))

    @functools.cached_property
    def _slowest(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for test, seconds in self.seconds.items():
            file = test.partition("::")[0]
            found[file] = max(seconds, found.get(file, 0))
        return found

    def _try(self, items: dict[str, Any]) -> None:
        slow = f", {len(self.slow)} slower ones left out" if self.slow else ""
        self.printed.write(f"{len(self.seconds)} tests, {sum(self.seconds.values()):.0f} s{slow}\n")
        self.loaded = Loaded()
        gc.freeze()
        tried, alive, equal = Counter[str](), Counter[str](), Counter[str]()
        started, reasons = time.monotonic(), known()
        for mutant in self.drawn:
            if time.monotonic() - started > 60 * self.minutes:
                break
            tried[mutant.package] += 1
            if (mutant.module, mutant.text, mutant.change) in reasons:
                equal[mutant.package] += 1
            elif self._survives(mutant, items):
                alive[mutant.package] += 1
                tests = len(self._chosen(mutant))
                self.printed.write(f"{mutant.place_and_change}: {mutant.text}  [{tests} tests]\n")
            if sum(tried.values()) % 10 == 0:
                self._print_scores(tried, alive, equal)
        self._print_scores(tried, alive, equal)

    def _print_scores(self, tried: Counter[str], alive: Counter[str], equal: Counter[str]) -> None:
        for package, count in tried.items():
            counted = count - equal[package]
            self.printed.write(f"{package}: {score(counted - alive[package], counted)}, {equal[package]} equivalent\n")

    def _chosen(self, mutant: Mutant) -> list[str]:
        """Return the tests of a mutant: those that reach its line, then the others of their files, the fastest first.

        What a fixture reaches is noted for the first test that uses it, and others look at it, too.
        """
        lines = self.reached.get(mutant.module, {})
        direct = lines.get(mutant.line, set()) | lines.get(mutant.statement, set())
        direct = direct or (set() if mutant.inside else set().union(*lines.values()))
        files = {test.partition("::")[0] for test in direct}
        direct &= {*self.seconds}
        beside = {test for test in self.seconds if test.partition("::")[0] in files} - direct
        left, found = 4 * self.quick or LONGEST, [] if self.quick else sorted(direct, key=self.seconds.__getitem__)
        for part in (direct, beside) if self.quick else (beside,):
            for test in sorted(part, key=self.seconds.__getitem__):
                left -= self.seconds[test]
                found += [test] if left > 0 else []
        return found

    def _survives(self, mutant: Mutant, items: dict[str, Any]) -> bool:
        """Return whether all tests pass with a mutant."""
        if not mutant.inside:
            tests = self._chosen(mutant)
            place = f"{mutant.module}:{mutant.place[0]}:{mutant.place[1]}"
            # Of which importing takes some.
            seconds = str(round(4 * SECONDS + TIMES * sum(self.seconds[test] for test in tests)))
            command = [sys.executable, __file__, "--one", place, seconds, *tests]
            return (
                not tests
                or not subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
            )
        while failed := self._forked([items[test] for test in self._chosen(mutant)], mutant):
            test = failed[0]
            if test not in self.seconds or test in self.sound or not self._forked([items[test]], None):
                self.sound.add(test)
                return False
            self.printed.write(f"cannot run twice, and is not used: {test}\n")
            del self.seconds[test]
        return True


def confine(seconds: int) -> None:
    """Print nothing, and end when it takes too long or too much memory: a mutant that loops counts as noticed."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    signal.alarm(20 * seconds)


def score(noticed: int, tried: int) -> str:
    """Return how many mutants were noticed, with Wilson's 95 % interval of the share among all of them."""
    from scipy.stats import binomtest

    if not tried:
        return "none tried"
    limits = binomtest(noticed, tried).proportion_ci(method="wilson")
    share, low, high = (f"{100 * value:.1f} %" for value in (noticed / tried, limits.low, limits.high))
    return f"{noticed} of {tried} noticed ({share}, 95 % interval {low} to {high})"


def one(place: str, seconds: int, tests: list[str]) -> int:
    """Run tests with one mutant, in this process; return the exit code."""
    import pytest

    module, *numbers = place.split(":")
    Changed.mutant = next(each for each in mutants(module) if each.place == tuple(map(int, numbers)))
    confine(seconds)
    sys.meta_path.insert(0, Changed)
    return pytest.main([*_OPTIONS, "-x", *tests])


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
    import pytest

    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    if sys.argv[1:2] == ["--one"]:
        sys.exit(one(sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+", help="folders or modules of the library")
    parser.add_argument("--tests", nargs="+", help="files or folders")
    parser.add_argument("--most", type=int, default=10**6, help="try so many")
    parser.add_argument("--minutes", type=float, default=10**6, help="start none after that time")
    parser.add_argument("--again", type=Path, help="try those that a run has printed into this file, and no others")
    parser.add_argument("--quick", type=float, default=0, help="leave out tests that take more seconds")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    files = [file for name in given.packages for file in (ROOT / name, *(ROOT / name).rglob("*.py")) if file.is_file()]
    every = [mutant for file in sorted(files) for mutant in mutants(file.relative_to(ROOT).as_posix())]
    print(f"{len(every)} mutants, seed {given.seed}", flush=True)
    found = {(mutant.module, mutant.text, mutant.change) for mutant in every}
    for module, line, change in sorted({*known()} - found):
        if any(module == mutant.module for mutant in every):
            print(f"{EQUIVALENT.name}: no such mutant, delete it: {module}: {change}: {line}", flush=True)
    tests = given.tests or sorted({f"workflow_tests/unit/{mutant.package}" for mutant in every})
    drawn: Iterable[Mutant] = islice(sample(every, random.Random(given.seed)), given.most)
    if given.again:
        before = given.again.read_text(encoding="utf-8")
        drawn = (mutant for mutant in every if f"{mutant.place_and_change}: {mutant.text}  [" in before)
    sys.exit(
        pytest.main([*_OPTIONS, "--capture=no", *tests], plugins=[Trial(files, drawn, given.minutes, given.quick)])
    )


if __name__ == "__main__":
    main()
