"""Audits that are run: every membership kind, exit codes, and what a failed run leaves and says."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml
from workspace import REPOSITORY, Workspace

from dpmia.formats.provenance import SYNTHETIC_MARK
from dpmia.settings import names

pytestmark = pytest.mark.slow  # an audit of five experiments, and starts of Snakemake after it

#: Membership kind -> its settings, and one arm.
KINDS = {
    "iid": ({"members": 60, "nonmembers": 60, "population": 60}, {}),
    "group": ({"members": 60, "nonmembers": 60}, {"group": "north"}),
    "cluster": (
        {"members": 30, "nonmembers": 30, "clusters": 2, "pairing": "nearest", "cluster_seed": 0, "restarts": 1},
        {"group": "1"},
    ),
    "bias": ({"members": 60, "nonmembers": 60, "validation": 20}, {"group": "north", "share": 0.8}),
    "bernoulli": ({"records": 200}, {"rate": 0.5}),
}
GROUPS = {"north": ["north"], "others": ["south", "island"]}


def experiment(kind):
    membership, arm = KINDS[kind]
    by = {"by": "hospital"} if kind in ("group", "bias") else {}
    merge = {"merge": GROUPS} if kind == "bias" else {}
    independent = {"iid_arms": False} if kind in ("iid", "bernoulli") else {}
    return {"membership": {"kind": kind, **membership, **by, **merge}, "arms": {"one": arm}, **independent}


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """Return a copy of the project in which an audit of every membership kind was run."""
    workspace = Workspace(tmp_path_factory.mktemp("audited") / "dpmia")
    # Without the mark of synthetic data the table counts as a user's own records.
    shutil.copytree(
        REPOSITORY / "examples", workspace.folder / "examples", ignore=shutil.ignore_patterns(SYNTHETIC_MARK)
    )
    settings = {
        "paper": "audit",
        "defaults": {
            "dataset": {
                "path": "examples/patients.csv", "label": "readmitted", "positive": "yes", "group": "hospital",
            },
            "model": {"kind": "mlp", "hidden": [8]},
            "training": {"batch_size": 20, "epochs": 2},
            "epsilons": [["inf"]],
            "replicates": 3,
            "block": 3,
            "attacks": {"average_threshold": {}},
        },
        "experiments": {kind: experiment(kind) for kind in KINDS},
    }  # fmt: skip
    (workspace.folder / "kinds.yaml").write_text(yaml.safe_dump(settings))
    response = run_audit(workspace)
    assert response.returncode == 0, response.stdout
    return workspace


def run_audit(workspace, *arguments, **config):
    return workspace.snakemake("audit", *arguments, **{"experiments": "[kinds.yaml]", "data": "real"} | config)


def report(workspace, ending):
    return workspace.folder / f"results/real-smoke/audit-kinds.{ending}"


def test_what_is_made_of_ones_own_records_is_for_oneself_alone(audited):
    made = [path for folder in ("results", "resources", "logs") for path in (audited.folder / folder).rglob("*")]
    assert {path.stat().st_mode & 0o777 for path in made if path.is_file()} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in made if path.is_dir()} == {0o700}


def test_every_membership_kind_is_reported(audited):
    assert set(KINDS) == set(names.MEMBERSHIP)
    audit = json.loads(report(audited, "json").read_text())
    assert set(audit["experiments"]) == set(KINDS)
    sizes = {kind: audit["experiments"][kind]["sizes"]["one"] for kind in KINDS}
    assert all(sizes[kind]["members"] == [KINDS[kind][0]["members"]] for kind in set(KINDS) - {"bernoulli"})
    least, most = sizes["bernoulli"]["members"]
    assert 70 < least < most < 130
    assert f">{least} to {most}</td>" in report(audited, "html").read_text()


def test_above_a_limit_the_exit_code_is_1_and_the_last_words_say_why(audited):
    response = run_audit(audited, audit="{fail_above: {auc: 0.1}}")
    assert response.returncode == 1, response.stdout
    last = response.stdout.strip().splitlines()[-1]
    assert last.startswith("Error in audit: audit.fail_above: ")
    assert "results/real-smoke/audit-kinds.html" in last
    assert "CalledProcessError" not in response.stdout


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"audit": "{fail_above: {tpr_at_0.1pct_fpr: 1.0}}"}, "cannot be evaluated for every model"),
        ({"data": "synthetic"}, "examples/patients.csv is your own: run with data: real"),
    ],
)
def test_what_cannot_be_run_or_evaluated_has_the_exit_code_2(audited, config, message):
    response = run_audit(audited, **config)
    assert response.returncode == 2, response.stdout
    assert message in response.stdout.strip().splitlines()[-1]
    for noise in ("Traceback", "Exception", ".smk"):
        assert noise not in response.stdout


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"experiments": {"mine": {"dataset": {"path": "nowhere.csv", "label": "y"}}}}, "dataset.path: 'nowhere.csv' "),
        (
            {"predictions": {"mine": {"path": "no.csv", "classes": {"a": "a", "b": "b"},
                                      "attacks": {"average_threshold": {}}}}},
            "a.yaml, mine.path: 'no.csv' ",
        ),
    ],
)  # fmt: skip
def test_a_file_of_a_user_that_is_missing_is_one_line(audited, settings, message):
    (audited.folder / "a.yaml").write_text(yaml.safe_dump({"paper": "audit", **settings}))
    response = audited.snakemake("audit", experiments="[a.yaml]", data="real")
    assert response.returncode == 2, response.stdout
    assert message in response.stdout.strip().splitlines()[-1]
    assert "Exception" not in response.stdout


def test_a_report_that_fails_keeps_the_last_page(audited, tmp_path):
    folder = tmp_path / "dpmia"
    shutil.copytree(audited.folder, folder)
    workspace = Workspace.at(folder)
    before = report(workspace, "html").read_bytes()
    workspace.edit("dpmia/audit/gather.py", "origins = _origins(job.parts, datasets)", "origins = 1 / 0")
    response = run_audit(workspace)
    assert response.returncode == 2, response.stdout
    assert "ZeroDivisionError" in response.stdout.strip().splitlines()[-1]
    assert report(workspace, "html").read_bytes() == before
    workspace.edit("dpmia/audit/gather.py", "origins = 1 / 0", "origins = _origins(job.parts, datasets)")
    response = run_audit(workspace)
    assert response.returncode == 0, response.stdout


def test_an_audit_and_an_experiment_of_a_paper_share_a_name_and_no_file(audited):
    text = (audited.folder / "kinds.yaml").read_text()
    settings = yaml.safe_load(text)
    settings["experiments"] = {"student": settings["experiments"]["iid"]}
    # A run on synthetic data, as that of the paper: with the mark beside the table.
    shutil.copytree(REPOSITORY / "examples", audited.folder / "marked", dirs_exist_ok=True)
    settings["defaults"]["dataset"]["path"] = "marked/patients.csv"
    (audited.folder / "school.yaml").write_text(yaml.safe_dump(settings))
    plans = {
        target: audited.snakemake("--dry-run", target, experiments=f"[{file}]").stdout
        for target, file in (
            ("audit", "school.yaml"),
            ("results/synthetic-smoke/summary/student.csv", "experiments/humphries.yaml"),
        )
    }
    assert all("summarise_experiment" in plan for plan in plans.values())
    response = audited.snakemake(
        "--dry-run", "results/synthetic-smoke/summary/student.csv", experiments="[school.yaml]"
    )
    assert "summary/student.csv: no rule makes this file" in response.stdout  # the audit's own lies in audits/school
    path = "results/synthetic-smoke/audits/school/summary/student.csv"
    assert audited.snakemake("--dry-run", path, experiments="[school.yaml]").returncode == 0


def test_two_files_or_experiments_of_one_name_are_refused(audited):
    (audited.folder / "other").mkdir(exist_ok=True)
    shutil.copy(audited.folder / "kinds.yaml", audited.folder / "other/kinds.yaml")
    shutil.copy(audited.folder / "kinds.yaml", audited.folder / "again.yaml")
    for files, message in (
        ("[kinds.yaml,other/kinds.yaml]", "kinds.yaml and other/kinds.yaml have the same name"),
        ("[kinds.yaml,again.yaml]", "experiments.bernoulli: the name 'bernoulli' is already used in kinds.yaml"),
    ):
        response = audited.snakemake("audit", experiments=files)
        assert response.returncode == 2
        assert message in response.stdout.strip().splitlines()[-1]
