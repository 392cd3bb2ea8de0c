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


#: Each knows those before it; theory and mip need no model and so none of the others, but studies and all above them.
LAYERS = ("settings", "datasets", "splits", "models", "training", "attacks", "studies", "papers", "report")
WITHOUT_MODELS = ("theory", "mip")


def test_imports_go_downwards_only():
    from dpmia.digest import ROOT, _imports

    for level, layer in enumerate((*WITHOUT_MODELS, *LAYERS)):
        below = WITHOUT_MODELS if level < len(WITHOUT_MODELS) else (*WITHOUT_MODELS, *LAYERS)[: level + 1]
        for file in (ROOT / "dpmia" / layer).rglob("*.py"):
            for module in _imports(file):
                package, _, rest = module.partition(".")
                name = rest.partition(".")[0]
                if package == "dpmia" and name in (*WITHOUT_MODELS, *LAYERS):
                    assert name in below, f"{file.relative_to(ROOT)} imports {module}"


def test_the_library_knows_nothing_of_the_workflow_engine():
    for file in (REPOSITORY / "dpmia").rglob("*.py"):
        assert "import snakemake" not in file.read_text()
        assert "from snakemake" not in file.read_text()
