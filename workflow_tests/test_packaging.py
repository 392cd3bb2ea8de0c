"""What is installed: limits in `pyproject.toml`, exact versions and hashes, the environment of jobs, the core alone."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def pinned(file):
    """Return the exact version of each package that a file names."""
    text = (ROOT / file).read_text(encoding="utf-8")
    lines = [line.split()[0].partition("==") for line in text.splitlines() if re.match(r"[A-Za-z]", line)]
    assert all(equals for _, equals, _ in lines)
    versions = {canonicalize_name(name): version for name, _, version in lines}
    assert len(versions) == len(lines), "no package stands there twice"
    return versions


def requirements(extra=None):
    return [Requirement(line) for line in (EXTRAS[extra] if extra else PROJECT["dependencies"])]


def test_the_tested_version_of_each_library_is_within_its_limits():
    versions = pinned("constraints.txt")
    named = [
        requirement for extra in (None, *EXTRAS) for requirement in requirements(extra) if requirement.name != "dpmia"
    ]
    assert len(named) > 30
    for requirement in named:
        assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), str(requirement)


def test_libraries_have_lower_and_upper_limits_and_no_exact_version():
    for extra in (None, *EXTRAS):
        for requirement in requirements(extra):
            if extra == "dev" or requirement.name == "dpmia":
                continue
            assert {specifier.operator for specifier in requirement.specifier} == {">=", "<"}, str(requirement)


def test_the_lock_has_the_versions_of_the_constraints_and_a_hash_of_each():
    versions = pinned("constraints.txt")
    del versions["torch"]  # which build: of CPUs or a GPU, is the user's choice
    assert pinned("requirements.lock") == versions, "make lock"
    entries = re.split(r"\n(?=[A-Za-z])", (ROOT / "requirements.lock").read_text(encoding="utf-8"))[1:]
    assert len(entries) == len(versions)
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry) for entry in entries)


def test_torch_of_the_lock_is_the_tested_one():
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    (torch,) = tool["uv"]["dependency-metadata"]
    assert torch["version"] == pinned("constraints.txt")["torch"]
    assert {Requirement(line).name for line in torch["requires-dist"]} <= pinned("constraints.txt").keys()


def test_the_environment_of_jobs_is_that_of_the_project():
    generate = runpy.run_path(str(ROOT / "envs/generate.py"))
    assert (ROOT / "envs/dpmia.yaml").read_text(encoding="utf-8") == generate["environment"](), "make lock"


def test_what_a_job_imports_is_in_its_environment():
    listed = set(re.findall(r"- (\S+)==", (ROOT / "envs/dpmia.yaml").read_text(encoding="utf-8")))
    assert {"torch", "opacus", "numpy", "pydantic", "seaborn", "joblib"} <= listed
    assert "snakemake" not in listed


#: Runs a program as if only the core, and what it needs, were installed.
CORE_ALONE = """
import sys
from importlib.abc import MetaPathFinder

CORE = {"absl", "attr", "dateutil", "dp_accounting", "dpmia", "mpmath", "numpy", "pandas", "scipy", "tree", "wrapt"}


class Block(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if path is None and top not in CORE and top not in sys.stdlib_module_names and not top.startswith("_"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Block())
"""

DATA = """
import tempfile
from pathlib import Path
import numpy as np
import dpmia
from dpmia.datasets.dataset import Dataset
rng = np.random.default_rng(0)
logits, labels, is_member = rng.normal(size=(200, 3)), np.arange(200) % 3, np.arange(200) < 100
"""

WORKS = """
results = dpmia.attack(logits, labels, is_member, references=rng.normal(size=(8, 200, 3)),
                       trained_on=rng.random((8, 200)) < 0.5, population=np.arange(200) >= 150)
assert {"average_threshold", "lira", "rmia", "population"} <= {*results}
assert len(results.to_frame())
bound = dpmia.upper_bound(noise_multiplier=2.0, sampling_rate=0.1, steps=10)
assert 0 < bound.epsilon(1e-5) < dpmia.plan_noise(target="epsilon", value=2, delta=1e-5, noise_multiplier=2.0,
                                                   sampling_rate=0.1).epsilon
assert dpmia.bounds(1.0).advantage > bound.advantage
assert len(dpmia.split(100, members=10, nonmembers=10)[0].members) == 10
assert dpmia.audit_epsilon(rng.random(200), rng.random(200) < 0.5).epsilon >= 0
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "data.npz")
    Dataset("data", logits.astype(np.float32), labels, ("a", "b", "c"), ("x", "y", "z"), {}).save(path)
    assert np.array_equal(Dataset.load(path).y, labels)
print("works")
"""


def alone(program):
    code = CORE_ALONE + program
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)


def test_the_core_alone_attacks_bounds_and_plans():
    response = alone(DATA + WORKS)
    assert response.stdout == "works\n", response.stderr


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("dpmia.attack(logits, labels, is_member).plot()", "plot: matplotlib is not installed. {}[figures]'."),
        (
            "dpmia.attack(logits, labels, is_member, features=logits, attacks='quantile_regression',"
            " population=np.arange(200) >= 150)",
            "attack, quantile_regression: sklearn is not installed. {}[train]'.",
        ),
        ("dpmia.MIPEstimator", "dpmia.MIPEstimator: joblib is not installed. {}[train]'."),
        ("from dpmia.cli.start import main; main()", "Error: dpmia: yaml is not installed. {}[workflow]'."),
    ],
)
def test_what_needs_more_than_the_core_names_the_extra(program, message):
    response = alone(DATA + program)
    assert response.returncode > 0
    assert message.format("Type: pip install 'dpmia") in response.stderr.splitlines()[-1]


def test_the_command_is_the_one_that_checks_its_extra():
    assert PROJECT["scripts"] == {"dpmia": "dpmia.cli.start:main"}
    code = "from dpmia.cli.start import main; main()"
    response = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False)
    assert response.stdout.startswith("dpmia "), response.stderr


@pytest.mark.slow  # installs
def test_the_core_works_with_the_oldest_versions_that_its_limits_allow(tmp_path):
    uv = shutil.which("uv", path=Path(sys.executable).parent)
    assert uv, "make install"
    python = tmp_path / "bin/python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, tmp_path], check=True)
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "results", "resources", "workflow_tests", "site"))
    install = [uv, "pip", "install", "--quiet", "--python", python, "--resolution", "lowest-direct", source]
    subprocess.run(install, check=True)
    code = [python, "-c", DATA + WORKS + "print(np.__version__)"]
    response = subprocess.run(code, capture_output=True, text=True, check=False, cwd=tmp_path)
    oldest = next(str(requirement.specifier) for requirement in requirements() if requirement.name == "numpy")
    assert response.stdout == f"works\n{re.search('>=([0-9.]+)', oldest)[1]}.0\n", response.stderr
