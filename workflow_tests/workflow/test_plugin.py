"""The example of a plug-in, installed as users install theirs, and run."""

import os
import shutil
import subprocess
import sys

import pytest
from workspace import REPOSITORY, Workspace


@pytest.fixture(scope="module")
def with_plugin(tmp_path_factory):
    """Return a copy of the project that sees the installed example, and the folder where it is installed."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(
        REPOSITORY / "examples/plugin", folder / "plugin", ignore=shutil.ignore_patterns("build", "*.egg-info")
    )
    installed = folder / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--target", installed, folder / "plugin"], check=True)
    workspace = Workspace(folder / "dpmia")
    shutil.copy2(folder / "plugin/coins.yaml", workspace.folder / "coins.yaml")
    return workspace, installed


@pytest.mark.slow  # plans and runs audits
def test_every_part_of_the_example_is_listed_and_run(with_plugin, monkeypatch):
    workspace, installed = with_plugin
    monkeypatch.setenv("PYTHONPATH", f"{workspace.folder}{os.pathsep}{installed}")
    listed = workspace.snakemake("list_parts").stdout
    for kind, name in (
        ("attack", "sureness"),
        ("data set", "coins"),
        ("membership", "first_rows"),
        ("model", "normalised"),
    ):
        (line,) = (line for line in listed.splitlines() if line.split(" " * 2)[0] == kind and f" {name} " in line)
        assert "dpmia-example 1.0.0 (dpmia_example." in line
    response = workspace.snakemake("audit", experiments="[coins.yaml]")
    assert response.returncode == 0, response.stdout
    summary = (workspace.folder / "results/synthetic-smoke/audits/coins/summary/coins.csv").read_text()
    assert "coins,first,False,inf,sureness,False,auc," in summary
    # An edit of the attack runs the attack again, and trains nothing.
    module = installed / "dpmia_example/sureness.py"
    module.write_text(module.read_text().replace("two[:, 1] - two[:, 0]", "two[:, 1] + two[:, 0]"))
    planned = workspace.planned("audit", experiments="[coins.yaml]")
    assert planned["run_attack"] == 1
    assert not {"train_block", "prepare_dataset", "draw_splits"} & set(planned)


def test_without_the_package_its_names_are_refused(with_plugin):
    workspace, _ = with_plugin
    response = workspace.snakemake("audit", "--dry-run", experiments="[coins.yaml]")
    assert response.returncode == 2
    assert "coins.yaml, coins.dataset: 'coins' is not a valid dataset" in response.stdout
