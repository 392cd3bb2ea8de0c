"""The audit as a target: what it plans, and that synthetic and real records never mix."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml
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
    assert jobs["train_references"] == 1  # north, south, and the IID arm of each, one group of epsilons
    assert jobs["run_attack"] == 3
    assert jobs["make_audit"] == jobs["audit"] == 1


@pytest.mark.slow
def test_a_limit_for_an_epsilon_that_no_model_has_is_refused_before_anything_is_made(clinic):
    asked = "{epsilons: [3], fail_above: {auc: 0.6}}"
    response = clinic.snakemake("audit", experiments="[experiments/patients.yaml]", audit=asked)
    assert response.returncode == 2
    message = "Error: config, audit.epsilons: no audited model has epsilon 3. They have 1, inf."
    assert response.stdout.strip().splitlines()[-1] == message
    assert clinic.made == set()


def example_of_the_page(clinic, small_table, **training):
    """Write the table and the settings of docs/audit.md to the copy."""
    page = (REPOSITORY / "docs/audit.md").read_text(encoding="utf-8")
    settings = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])
    settings["defaults"]["training"] |= training
    (clinic.folder / "clinic.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))
    (clinic.folder / "clinic.csv").write_text(small_table)


@pytest.mark.slow  # a whole audit
def test_the_example_of_the_page_runs_on_a_small_table_in_one_go(clinic, small_table):
    example_of_the_page(clinic, small_table)
    response = clinic.snakemake("audit", scale="laptop", experiments="[clinic.yaml]", data="real")
    assert response.returncode == 0, response.stdout
    report = json.loads((clinic.folder / "results/real-laptop/audit-clinic.json").read_text())
    assert report["without_arm"] == []
    assert {group["group"] for group in report["groups"]} == {"St. Mary's", "North", "South"}
    assert {row["epsilon"] for row in report["results"] if row["attack"] == "lira_offline"} == {"1", "10", "inf"}


def test_a_batch_that_does_not_fit_is_refused_before_anything_is_made(clinic, small_table):
    example_of_the_page(clinic, small_table, batch_size=32)
    response = clinic.snakemake("audit", scale="laptop", experiments="[clinic.yaml]", data="real")
    assert response.returncode != 0
    assert (
        "clinic.yaml, clinic.training.batch_size: 32 is larger than the smallest training set of "
        'target models (23 records, arm st_mary_s, group "St. Mary\'s"). '
        "Lower training.batch_size, or raise membership.smallest." in response.stdout
    )
    assert not clinic.made


@pytest.mark.slow
def test_predictions_only_need_no_experiment(clinic):
    text = (
        "paper: audit\npredictions:\n  mine: {path: a.csv, classes: {a: a, b: b}, attacks: {average_threshold: {}}}\n"
    )
    (clinic.folder / "a.yaml").write_text(text)
    (clinic.folder / "a.csv").write_text("a,b,label,member\n")
    response = clinic.snakemake("--dry-run", "audit", experiments="[a.yaml]", data="real")
    assert response.returncode == 0, response.stdout
    assert "Exception" not in response.stdout
    assert "attack_predictions" in response.stdout


@pytest.mark.slow
def test_an_audit_of_nothing_is_refused(clinic):
    text = (clinic.folder / "experiments/patients.yaml").read_text()
    (clinic.folder / "a.yaml").write_text(text.replace("paper: audit", "paper: mine"))
    response = clinic.snakemake("--dry-run", "audit", experiments="[a.yaml]")
    assert response.returncode != 0
    assert "config, experiments: nothing to audit in a.yaml" in response.stdout
    assert not clinic.made


def test_synthetic_records_are_not_for_a_run_on_real_data(clinic):
    older = clinic.folder / "results/real-smoke/audit-patients.html"
    older.parent.mkdir(parents=True)
    for file in (older, older.with_suffix(".json")):
        file.write_text("{}")
    response = clinic.snakemake("--dry-run", "audit", experiments="[experiments/patients.yaml]", data="real")
    assert response.returncode != 0
    assert "examples/patients.csv is synthetic" in response.stdout
    assert clinic.made == {"results/real-smoke/audit-patients.html", "results/real-smoke/audit-patients.json"}
