"""Runs a script as its rule does, on tiny inputs and without the workflow engine."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from files import Files

from dpmia.datasets.dataset import Dataset
from dpmia.formats.provenance import Provenance

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def run_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that runs `scripts/<name>.py` with what Snakemake would hand it."""
    monkeypatch.syspath_prepend(str(SCRIPTS))

    def run(name: str, output: Files, *, input: Files | None = None, params: dict | None = None, **rest: Any) -> None:
        handed = SimpleNamespace(
            input=input or Files(),
            output=output,
            params=SimpleNamespace(**{"code": "code", **(params or {})}),
            wildcards=SimpleNamespace(**rest.pop("wildcards", {})),
            resources=SimpleNamespace(**rest.pop("resources", {})),
            log=[str(tmp_path / f"{name}.log")],
            threads=1,
            rule=name,
        )
        runpy.run_path(str(SCRIPTS / f"{name}.py"), init_globals={"snakemake": handed})

    return run


@pytest.fixture
def dataset() -> Dataset:
    """Return 80 records of two groups and two classes."""
    rng = np.random.default_rng(0)
    group = np.repeat(["left", "right"], 40)
    x = rng.normal(size=(80, 3)).astype(np.float32) + (group == "right")[:, None]
    y = (x[:, 0] + rng.normal(size=80) > 0.5).astype(np.int64)
    return Dataset("toy", x, y, ("a", "b", "c"), ("no", "yes"), {"side": group}, Provenance(synthetic=True))
