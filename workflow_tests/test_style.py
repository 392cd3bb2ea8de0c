"""The tree is formatted and linted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["snakefmt", "--check", "Snakefile", "rules"],
        ["snakemake", "--lint"],
    ],
    ids=" ".join,
)
def test_style(command):
    program = Path(sys.executable).parent / command[0]
    answer = subprocess.run([program, *command[1:]], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_imports_go_downwards_only():
    """Settings know nothing; data sets, splits, models, training, attacks, papers each know those before them."""
    from dpmia.digest import ROOT, _imports

    layers = ["settings", "datasets", "splits", "models", "training", "attacks", "papers"]
    for level, layer in enumerate(layers):
        for file in (ROOT / "dpmia" / layer).rglob("*.py"):
            for module in _imports(file):
                parts = module.split(".")
                if parts[0] == "dpmia" and len(parts) > 1 and parts[1] in layers:
                    assert layers.index(parts[1]) <= level, f"{file.relative_to(ROOT)} imports {module}"


def test_the_library_knows_nothing_of_the_workflow_engine():
    for file in (REPOSITORY / "dpmia").rglob("*.py"):
        assert "import snakemake" not in file.read_text()
        assert "from snakemake" not in file.read_text()
