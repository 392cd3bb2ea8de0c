"""How tests are spread over two processes: a file stays together, and so do all that share a finished run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# One process and one thread per core.
os.environ.setdefault("OMP_NUM_THREADS", "1")

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put each file into a group of its own, and the folder `workflow` into one."""
    for item in items:
        place = item.path.relative_to(HERE)
        group = "workflow" if place.parts[0] == "workflow" else str(place)
        item.add_marker(pytest.mark.xdist_group(group))
