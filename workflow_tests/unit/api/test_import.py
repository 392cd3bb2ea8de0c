"""`import dpmia` is light, and all that it offers is there, typed."""

import ast
import subprocess
import sys

import pytest

import dpmia
from dpmia.settings.generate import ROOT

#: Modules that take long to import, or that few users have.
HEAVY = ("torch", "pandas", "snakemake", "scipy", "sklearn", "pydantic", "matplotlib", "numpy")


def loaded(code):
    """Return which heavy modules a program has imported."""
    program = f"{code}\nimport sys\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    response = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(response.stdout.split())


def test_the_import_alone_loads_nothing():
    """Without any of these it is a matter of milliseconds, on any machine."""
    assert loaded("import dpmia; dir(dpmia)") == set()
    program = "import sys; before = set(sys.modules); import dpmia; print(*set(sys.modules) - before)"
    response = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    new = {name for name in response.stdout.split() if name.partition(".")[0] not in sys.stdlib_module_names}
    assert new == {"dpmia"}


ATTACK = """
import numpy as np
from dpmia import attack
rng = np.random.default_rng(0)
result = attack(rng.normal(size=(40, 3)), np.arange(40) % 3, np.arange(40) < 20,
                references=rng.normal(size=(8, 40, 3)), trained_on=rng.random((8, 40)) < 0.5,
                population=np.arange(40) >= 30)
assert "lira" in result, list(result)
"""


def test_attacks_on_arrays_import_neither_torch_nor_pandas():
    assert not loaded(ATTACK) & {"torch", "pandas", "sklearn", "snakemake", "matplotlib"}


def test_every_public_name_is_there_documented_and_in_the_types():
    stub = ast.parse((ROOT / "dpmia/__init__.pyi").read_text(encoding="utf-8"))
    typed = {
        alias.asname: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert typed == dpmia._MODULES
    assert sorted(dpmia.__all__) == sorted(dpmia._MODULES)
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    for name in dpmia.__all__:
        assert getattr(dpmia, name).__name__ == name
        assert "Examples:" in getattr(dpmia, name).__doc__
        assert f"`{name}" in page, name
        assert name in dir(dpmia)


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'dpmia' has no attribute 'atack'"):
        dpmia.atack  # noqa: B018
