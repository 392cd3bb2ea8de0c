"""The workflow from other folders: by `--directory`, as a module of another workflow, from a wheel, by the command."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from workspace import REPOSITORY

MINE = """
paper: own
experiments:
  mine:
    dataset: heart
    membership: {kind: iid, members: 40, nonmembers: 40}
    arms: {iid: {}}
    iid_arms: false
    model: {kind: mlp, hidden: [8]}
    training: {batch_size: 10, epochs: 1}
    epsilons: [[inf]]
    replicates: 2
    block: 2
    attacks: {average_threshold: {}}
"""

SUMMARY = "results/synthetic-smoke/own/mine/summary/mine.csv"

OTHER = f"""
configfile: "config.yaml"


module dpmia:
    snakefile:
        "{REPOSITORY}/Snakefile"
    config:
        config["dpmia"]


use rule * from dpmia as dpmia_*


rule mine:
    input:
        "{SUMMARY}",
    output:
        "mine.txt",
    shell:
        "head -n 1 {{input}} > {{output}}"
"""

#: The command, wherever it is installed.
COMMAND = [sys.executable, "-c", "from dpmia.cli.main import main; main()"]


def checked(command, folder, **environment):
    """Run a command in a folder, and return what it prints."""
    given = {"PYTHONPATH": str(REPOSITORY), "SLURM_CONF": os.devnull, **environment}
    response = subprocess.run(
        command, cwd=folder, env={**os.environ, **given}, capture_output=True, text=True, check=False, timeout=900
    )
    assert response.returncode == 0, response.stdout + response.stderr
    return response.stdout + response.stderr


def snakemake(*arguments):
    return [sys.executable, "-m", "snakemake", *arguments]


def attacks(folder):
    lines = (folder / SUMMARY).read_text().splitlines()
    return {line.split(",")[4] for line in lines[1:]}


@pytest.mark.slow  # a run of its own
def test_another_folder_has_its_own_experiments_and_results(tmp_path):
    (tmp_path / "mine.yaml").write_text(MINE)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    # By the file where the catalog of workflows looks for it, which includes the other.
    given = ["--snakefile", f"{REPOSITORY}/workflow/Snakefile", "--directory", str(tmp_path), "--cores", "2", SUMMARY]
    checked(snakemake(*given, "--config", "scale=smoke", "experiments=mine.yaml"), elsewhere)
    assert attacks(tmp_path) == {"average_threshold", "model"}
    assert not [*elsewhere.iterdir()]


@pytest.mark.slow  # plans a whole run
def test_a_folder_without_settings_has_those_of_the_workflow(tmp_path):
    shown = checked([*COMMAND, "run", "audit", "humphries_fig7", "--dry-run", "--config", "scale=smoke"], tmp_path)
    assert "Making humphries_fig7" in shown
    assert f"{REPOSITORY}/examples/patients.csv" in shown or "prepare_dataset" in shown


@pytest.mark.slow  # plans a whole run
def test_a_folder_with_settings_has_its_own(tmp_path):
    (tmp_path / "config.yaml").write_text("data: synthetic\nscale: smoke\nseed: 77\n")
    planned = ["--snakefile", f"{REPOSITORY}/Snakefile", "--directory", str(tmp_path), "--dry-run", "--printshellcmds"]
    assert "Training student" in checked(snakemake(*planned, "results/synthetic-smoke/summary/student.csv"), tmp_path)


@pytest.mark.slow  # a run of its own
def test_another_workflow_uses_the_rules_as_a_module(tmp_path):
    (tmp_path / "Snakefile").write_text(OTHER)
    (tmp_path / "mine.yaml").write_text(MINE)
    (tmp_path / "config.yaml").write_text("unknown: 1\ndpmia: {scale: smoke, experiments: mine.yaml}\n")
    shown = checked(snakemake("mine", "--cores", "2"), tmp_path)
    assert "dpmia_train_block" in shown
    assert (tmp_path / "mine.txt").read_text().startswith("experiment,arm,iid,epsilon,attack,")
    assert attacks(tmp_path) == {"average_threshold", "model"}
    assert "Nothing to be done" in checked(snakemake("mine", "--cores", "2"), tmp_path)


@pytest.mark.slow  # two starts of Snakemake
def test_the_other_workflow_of_the_page_is_planned(tmp_path):
    page = (REPOSITORY / "docs/command.md").read_text(encoding="utf-8")
    for name, language in (("Snakefile", "snakemake"), ("mine.yaml", "yaml")):
        (tmp_path / name).write_text(re.search(f"```{language}\n(.*?)```", page, re.DOTALL)[1], encoding="utf-8")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for folder, options in ((tmp_path, []), (elsewhere, ["--snakefile", "../Snakefile", "--directory", "."])):
        shown = checked(snakemake("--dry-run", "--cores", "1", *options), folder)
        assert "dpmia_train_block" in shown
        assert "mine" in shown


@pytest.mark.slow  # builds and installs a wheel
def test_the_wheel_contains_the_workflow(tmp_path):
    source, installed, work = tmp_path / "source", tmp_path / "installed", tmp_path / "work"
    unbuilt = shutil.ignore_patterns(".*", "results", "resources", "logs", "build", "*.egg-info", "__pycache__")
    shutil.copytree(REPOSITORY, source, ignore=unbuilt)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    checked([*pip, "--no-build-isolation", "--target", str(installed), str(source)], tmp_path)
    shutil.rmtree(source)
    assert (installed / "bin/dpmia").is_file()
    there = {"PYTHONPATH": str(installed)}
    checked([*COMMAND, "init", "work"], tmp_path, **there)
    (work / "mine.yaml").write_text(MINE)
    shown = checked([*COMMAND, "run", SUMMARY, "--config", "scale=smoke", "experiments=mine.yaml"], work, **there)
    assert f"{installed}/dpmia/_workflow/profiles/default" in shown
    assert attacks(work) == {"average_threshold", "model"}
    # In a folder without settings, too.
    shown = checked([*COMMAND, "run", "audit", "--dry-run", "--config", "scale=smoke"], tmp_path, **there)
    assert "make_audit" in shown


@pytest.mark.slow  # trains the models of an audit
def test_an_audit_by_one_command(tmp_path):
    shutil.copy(REPOSITORY / "examples/patients.csv", tmp_path / "clinic.csv")
    given = ["audit", "clinic.csv", "--label", "readmitted", "--positive", "yes", "--group", "hospital"]
    small = ["--epsilon", "1", "inf", "--epochs", "2", "--replicates", "3"]
    shown = checked([*COMMAND, *given, *small], tmp_path)
    assert "Report: results/real-laptop/audit-clinic.html" in shown
    assert (tmp_path / "results/real-laptop/audit-clinic.html").is_file()
    above = subprocess.run(
        [*COMMAND, *given, *small, "--limit", "auc=0.1"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "SLURM_CONF": os.devnull},
    )  # fmt: skip
    assert above.returncode == 1
    assert "above a limit" in above.stderr
