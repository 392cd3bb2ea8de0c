"""The audit as a target: what it plans, and that made-up and real records never mix."""

from __future__ import annotations

import shutil

import pytest
from workspace import REPOSITORY


@pytest.fixture
def clinic(workspace):
    """Return a copy of the project with the example of an audit."""
    shutil.copytree(REPOSITORY / "examples", workspace.folder / "examples")
    shutil.copy(REPOSITORY / "experiments/patients.yaml", workspace.folder / "experiments")
    return workspace


def test_an_audit_is_planned_for_every_group_that_is_large_enough(clinic):
    jobs = clinic.planned("audit", experiments="[experiments/patients.yaml]")
    assert jobs["prepare_dataset"] == 1
    assert jobs["train_block"] == jobs["measure_blind"] == jobs["summarise_experiment"] == 2
    assert jobs["train_references"] == 1  # north, south, and the IID arm of each
    assert jobs["run_attack"] == 3
    assert jobs["make_audit"] == jobs["audit"] == 1


def test_answers_only_need_no_experiment(clinic):
    text = (
        "paper: audit\npredictions:\n  mine: {path: a.csv, classes: {a: a, b: b}, attacks: {average_threshold: {}}}\n"
    )
    (clinic.folder / "a.yaml").write_text(text)
    (clinic.folder / "a.csv").write_text("a,b,label,member\n")
    answer = clinic.snakemake("--dry-run", "audit", experiments="[a.yaml]", data="real")
    assert answer.returncode == 0, answer.stdout
    assert "Exception" not in answer.stdout
    assert "attack_predictions" in answer.stdout


def test_an_audit_of_nothing_is_refused(clinic):
    text = (clinic.folder / "experiments/patients.yaml").read_text()
    (clinic.folder / "a.yaml").write_text(text.replace("paper: audit", "paper: mine"))
    answer = clinic.snakemake("--dry-run", "audit", experiments="[a.yaml]")
    assert answer.returncode != 0
    assert "found no experiment or predictions in a file with the line 'paper: audit' (a.yaml)" in answer.stdout
    assert not clinic.made


def test_made_up_records_are_not_for_a_run_on_real_data(clinic):
    older = clinic.folder / "results/real-smoke/audit-patients.html"
    older.parent.mkdir(parents=True)
    for file in (older, older.with_suffix(".json")):
        file.write_text("{}")
    answer = clinic.snakemake("--dry-run", "audit", experiments="[experiments/patients.yaml]", data="real")
    assert answer.returncode != 0
    assert "examples/patients.csv is made up" in answer.stdout
    assert clinic.made == {"results/real-smoke/audit-patients.html", "results/real-smoke/audit-patients.json"}
