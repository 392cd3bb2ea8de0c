"""Mistakes: one clear message, a failing exit, and nothing written."""

from __future__ import annotations

import hashlib
import os

import pytest
from own_folder import OwnFolder


def change(experiment, *path, to):
    def apply(file):
        node = file["experiments"][experiment]
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = to

    return apply


@pytest.mark.parametrize(
    ("config", "phrases"),
    [
        ({"sclae": "smoke"}, ["config, sclae: ", "unknown key", "Did you mean 'scale'?"]),
        ({"data": "reel"}, ["config, data: 'reel' ", "Did you mean 'real'?"]),
        ({"seed": "-3"}, ["config, seed: -3 ", "non-negative integer"]),
    ],
)
def test_a_wrong_key_or_value_in_the_config(workspace, config, phrases):
    response = workspace.snakemake(**config)
    assert response.returncode == 2
    last = response.stdout.strip().splitlines()[-1]
    assert all(phrase in last for phrase in phrases), response.stdout
    assert "Traceback" not in response.stdout
    assert workspace.made == set()


def test_a_config_without_settings(workspace):
    (workspace.folder / "config.yaml").write_text("- scale\n")
    response = workspace.snakemake("help")
    assert response.returncode == 2
    message = "Error: config.yaml: it holds no settings. Write keys with values, as scale: smoke."
    assert response.stdout.strip().splitlines()[-1] == message
    assert "Traceback" not in response.stdout


#: An audit of a network of one's own, whose file imports another one.
OWN_MODEL = """
paper: audit
experiments:
  mine:
    dataset: {path: own.npz}
    membership: {kind: iid, members: 40, nonmembers: 40}
    arms: {iid: {}}
    iid_arms: false
    model: {kind: "my_model.py:make"}
    training: {epochs: 2, batch_size: 16, engine: plain}
    epsilons: [[inf]]
    replicates: 2
    block: 2
    attacks: {average_threshold: {}}
"""


@pytest.mark.slow
def test_a_mistake_that_planning_meets_is_no_model_above_a_limit(tmp_path):
    own = OwnFolder(tmp_path, OWN_MODEL, my_model_py="import helper\n\ndef make(): ...\n", helper_py="def make(:\n")
    response = own.audit("--dry-run")
    assert response.returncode == 2
    message = "Error: helper.py: SyntaxError: invalid syntax (helper.py, line 1)."
    assert response.stdout.strip().splitlines()[-1] == message
    assert "Traceback" not in response.stdout


@pytest.mark.parametrize("data", ["synthetic", "real"])
def test_a_broken_package_of_another_data_set(workspace, tmp_path, monkeypatch, data):
    metadata = tmp_path / "installed/coins-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: coins\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[dpmia.datasets]\ncoins = gone.data\n")
    monkeypatch.setenv("PYTHONPATH", f"{workspace.folder}{os.pathsep}{metadata.parent}")
    response = workspace.snakemake("--dry-run", "humphries_fig1", data=data)
    assert response.returncode == 2
    assert response.stdout.strip().splitlines()[-1] == (
        "Error: coins 1.0, data set coins: ModuleNotFoundError: No module named 'gone'. "
        "Repair or uninstall its package."
    )
    assert "Traceback" not in response.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("signals/student/1_inf/block-99999.npz", "1_inf/block-0.npz'?"),
        ("per_record/student.csv", ""),
    ],
)
def test_a_file_that_no_job_makes(workspace, target, message):
    response = workspace.snakemake(f"results/synthetic-smoke/{target}")
    assert response.returncode == 2
    last = response.stdout.strip().splitlines()[-1]
    assert f"target results/synthetic-smoke/{target}: student has no such file with these settings. " in last
    assert message in last
    assert "Traceback" not in response.stdout
    assert workspace.made == set()


@pytest.mark.parametrize(
    "second", [("--config=seed=-3",), pytest.param(("--config", "seed=-3"), marks=pytest.mark.slow)]
)
def test_keys_after_a_second_config_are_not_lost(workspace, second):
    response = workspace.snakemake("help", *second)
    assert response.returncode == 2
    assert response.stdout.strip().splitlines()[-1] == (
        "Error: --config: it is there more than once, and Snakemake takes the last one alone. "
        "Write all keys after one --config."
    )


@pytest.mark.slow
def test_a_paper_without_experiments_in_the_settings(workspace):
    response = workspace.snakemake("ye")
    assert response.returncode == 2
    message = "target ye: none of its figures and tables can be made. Name experiments/ye.yaml in the key experiments."
    assert message in response.stdout.strip().splitlines()[-1]
    assert workspace.made == set()


@pytest.mark.slow
def test_costs_before_any_job(workspace):
    response = workspace.snakemake("costs")
    assert response.returncode == 0
    assert "No job of this run has ended: logs/results/synthetic-smoke holds no times yet" in response.stdout


@pytest.mark.slow
def test_a_target_beside_the_forecast_is_not_made(workspace):
    response = workspace.snakemake("forecast", "humphries_fig7")
    assert response.returncode == 2
    last = response.stdout.strip().splitlines()[-1]
    assert "forecast: it is about all targets, and would make humphries_fig7." in last
    assert workspace.made == set()


@pytest.mark.parametrize(
    ("apply", "phrases"),
    [
        (change("student", "trainng", to={}), ["student.trainng: ", "Did you mean 'training'?"]),
        (change("student", "scales", to={"paper": {"epsilons": [[-1]]}}), ["epsilons.0.0", "positive number"]),
        (change("student", "privacy", to={"delta": 1}), ["privacy.delta", ": 1 ", "at most 0.1"]),
    ],
)
def test_a_wrong_experiment(workspace, apply, phrases):
    workspace.change_experiments(apply)
    response = workspace.snakemake()
    assert response.returncode == 2
    last = response.stdout.strip().splitlines()[-1]
    assert all(phrase in last for phrase in phrases), response.stdout
    assert "Traceback" not in response.stdout
    assert workspace.made == set()


@pytest.mark.parametrize(
    ("apply", "phrases"),
    [
        (change("student", "membership", "members", to=500), ["members from group 'GP'", ": 500 ", "423"]),
        (change("student", "arms", "gabriel_pereira", "group", to="XX"), ["group", "'XX'", "GP, MS"]),
        (change("student", "membership", "by", to="scool"), ["membership.by", "'scool'", "Did you mean 'school'?"]),
        (
            change("student", "training", "batch_size", to=424),
            [
                "Error in draw_splits: experiment student, training.batch_size: 424 is larger than",
                "target models (423 records, arm gabriel_pereira, group 'GP')",
            ],
        ),
    ],
)
@pytest.mark.slow  # runs a workflow for each mistake
def test_more_than_the_data_can_give(workspace, apply, phrases):
    workspace.change_experiments(apply)
    response = workspace.snakemake("results/synthetic-smoke/splits/student/block-0.npz")
    assert response.returncode == 2
    last = response.stdout.strip().splitlines()[-1]
    assert all(phrase in last for phrase in phrases), response.stdout
    assert "Traceback" not in response.stdout
    assert not any("results" in file for file in workspace.made)


@pytest.mark.slow  # tries the network several times
def test_a_missing_raw_file_without_a_network_is_reported_with_its_places(workspace):
    (workspace.folder / "empty").mkdir()
    response = workspace.snakemake("humphries_fig7", data="real", data_mirror="empty")
    assert response.returncode == 2
    assert "student-por.csv" in response.stdout
    assert "a7594a11d777" in response.stdout
    assert response.stdout.count("Error in fetch_raw_file:") == 1
    assert "Traceback" not in response.stdout
    assert workspace.made == set()


@pytest.mark.slow  # two starts of Snakemake with a job
def test_a_right_raw_file_stays_where_its_job_runs_again(workspace):
    content, published = b"a right file\n", "a7594a11d7771c0efe1a740824e0e833da9c4cad07c39a9766a874575563fb3f,93220"
    workspace.edit("dpmia/datasets/raw/sources.csv", published, f"{hashlib.sha256(content).hexdigest()},{len(content)}")
    path = "resources/real/raw/student/student-por.csv"
    file = workspace.folder / path
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    again = {"data": "real", "download": False}
    assert workspace.snakemake(path, "--forcerun", "fetch_raw_file", **again).returncode == 0
    assert file.read_bytes() == content
    file.write_bytes(b"a damaged one\n")
    assert workspace.snakemake(path, "--forcerun", "fetch_raw_file", **again).returncode == 2
    assert file.read_bytes() == b"a damaged one\n", "it may be all that there is"


@pytest.mark.parametrize(
    ("old", "new", "phrases"),
    [
        (";health;", ";helth;", ["student-por.csv", "helth"]),
        ("\n", "\n", ["student-por.csv", "row"]),
    ],
    ids=["wrong column", "truncated row"],
)
@pytest.mark.slow  # runs a workflow for each fault
def test_a_damaged_raw_file(workspace, old, new, phrases):
    assert workspace.snakemake("resources/synthetic-smoke/raw/student/student-por.csv").returncode == 0
    file = workspace.folder / "resources/synthetic-smoke/raw/student/student-por.csv"
    text = file.read_text()
    file.write_text(text.replace(old, new, 1) if old != new else text[: len(text) // 2])
    response = workspace.snakemake("resources/synthetic-smoke/prepared/student.npz")
    assert response.returncode == 2
    last = response.stdout.strip().splitlines()[-1]
    assert all(phrase in last for phrase in phrases), response.stdout
    assert "Traceback" not in response.stdout
    assert not any("prepared" in made for made in workspace.made)
