"""What holds for all tests: one process and one thread per core."""

from __future__ import annotations

import os
import shutil
from itertools import islice
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that start programs: a long file at the end would leave the other core idle."""
    items.sort(key=lambda item: item.path.parent.name in {"unit", "workflow", "workflow_tests"}, reverse=True)


@pytest.fixture(scope="session")
def small_table() -> str:
    """Return a table of 200 rows: of the example's patients 46, 74 and 80 of three hospitals, by new names."""
    header, *rows = (Path(__file__).parents[1] / "examples/patients.csv").read_text(encoding="utf-8").splitlines()
    table = [header]
    for hospital, (name, count) in {
        "island": ("St. Mary's", 46),
        "north": ("North", 74),
        "south": ("South", 80),
    }.items():
        whole = (row for row in rows if row.startswith(f"{hospital},"))
        table += [row.replace(hospital, name, 1) for row in islice(whole, count)]
    return "\n".join(table) + "\n"


@pytest.fixture(scope="session")
def unprivileged() -> tuple[str, ...]:
    """Return what comes before a command for which permissions count, as for anyone but root."""
    if os.geteuid():
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root reads and writes everywhere, and there is no setpriv")
    lost = "-dac_override,-dac_read_search"
    return ("setpriv", f"--bounding-set={lost}", f"--inh-caps={lost}")
