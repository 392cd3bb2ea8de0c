"""`snakemake decide`: replicates are added until claims and limits are decided or the budget is spent, and stay."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
import yaml
from filelock import FileLock
from workspace import heed_interrupts

from dpmia.claims.limits import ERROR, ERROR_OF_LOOK
from dpmia.claims.release_limits import HeldMean
from dpmia.formats.looks import read_looks
from dpmia.metrics.intervals import Estimate

RUN = "results/real-laptop"
TABLE = f"{RUN}/replicates/student.csv"
REAL = {"scale": "laptop", "data": "real", "download": False}

#: A table of the user's own in place of the students, as claims are judged on real data only.
STUDENT = {
    "dataset": {"path": "pupils.csv", "label": "passed"},
    "attributes": ["school"],
    "membership": {"kind": "group", "by": "school", "members": "all", "nonmembers": "all"},
    "arms": {"gabriel_pereira": {"group": "GP"}},
    "model": {"kind": "mlp", "hidden": [8]},
    "training": {"engine": "stacked", "batch_size": 16, "epochs": 4},
    "privacy": {"relation": "replace_one", "delta": 1.0e-5, "accountant": "pld"},
    "epsilons": [[1], ["inf"]],
    "replicates": 3,
    "block": 3,
    "attacks": {"average_threshold": {}, "optimal_threshold": {}, "random": {}},
}


@pytest.fixture
def school(workspace):
    """Return a copy of the project with pupils of two schools."""
    for file in (workspace.folder / "experiments").glob("*.yaml"):
        file.unlink()
    settings = {"paper": "humphries", "experiments": {"student": STUDENT}}
    (workspace.folder / "experiments/humphries.yaml").write_text(yaml.safe_dump(settings))
    rng = np.random.default_rng(0)
    records = pd.DataFrame(rng.normal(size=(240, 3)).round(3), columns=["absences", "age", "studytime"])
    records["school"] = np.repeat(["GP", "MS"], 120)
    studied = records["studytime"].where(records["school"] == "GP", 0)  # what the models learn of GP fails for MS
    records["passed"] = np.where(studied + rng.normal(size=240) > 0, "yes", "no")
    records.to_csv(workspace.folder / "pupils.csv", index=False)
    return workspace


@pytest.mark.slow
def test_there_is_nothing_to_decide_before_a_run(school):
    early = school.snakemake("decide", **REAL, budget=0.5)
    assert early.returncode != 0
    assert f"{RUN}: no results that claims or limits of audits could be judged on are here." in early.stdout
    assert not school.made


def replicates(workspace):
    return pd.read_csv(workspace.folder / TABLE)


@pytest.mark.slow  # trains and judges several times
def test_replicates_are_added_look_by_look_through_an_interruption(school):
    assert school.snakemake(TABLE, **REAL).returncode == 0
    before = replicates(school)
    planned = school.snakemake("decide", "--dry-run", **REAL, budget=0.9)
    assert "student: 6 replicates, 3 now (look 2 of 4)" in planned.stdout, planned.stdout
    without = school.snakemake("decide", **REAL)
    assert without.returncode != 0
    assert "config, budget: decide needs a budget. Add --config budget=0.5, in core-hours." in without.stdout
    with FileLock(school.folder / ".snakemake/run.lock"):
        beside = school.snakemake("decide", **REAL, budget=0.9)
        assert beside.returncode == 2, "it would change the plan of the live run"
        assert "another run is at work in this folder" in beside.stdout
        assert school.snakemake("claims", **REAL).returncode == 0
    assert read_looks(school.folder / RUN, 1) is None

    command = [sys.executable, "-m", "snakemake", "--cores", "1", "decide", "--config", "scale=laptop", "data=real"]
    run = subprocess.Popen(
        [*command, "download=False", "budget=0.9"], cwd=school.folder, preexec_fn=heed_interrupts,
        env={**os.environ, "SLURM_CONF": school.slurm_conf}, start_new_session=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    while not (school.folder / RUN / "looks.json").exists():
        assert run.poll() is None
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait(timeout=120) != 0
    assert read_looks(school.folder / RUN, 1).times == {"student": 2}
    assert replicates(school).equals(before)

    planned = school.snakemake("decide", "--dry-run", **REAL, budget=0.9)
    assert "The last look is not complete: replicates of student are to be made first." in planned.stdout
    assert school.snakemake(TABLE, **REAL).returncode == 0
    after = replicates(school)
    assert sorted(after["replicate"].unique()) == [*range(6)]
    of_block = after[after["replicate"] < 3].reset_index(drop=True)
    keys = ["arm", "epsilon", "attack", "metric", "replicate"]
    assert of_block.set_index(keys)["value"].sort_index().equals(before.set_index(keys)["value"].sort_index())

    response = school.snakemake("decide", **REAL, budget=0.9)
    assert response.returncode == 0, response.stdout
    assert "all added replicates: the same command with the target all" in response.stdout
    assert replicates(school)["replicate"].nunique() == 3 * read_looks(school.folder / RUN, 1).times["student"] > 6
    assert school.planned(TABLE, **REAL) == {}


#: An audit whose limit three replicates leave undecided.
CLINIC = {
    "dataset": {"path": "pupils.csv", "label": "passed"},
    "membership": {"kind": "iid", "members": 60, "nonmembers": 60},
    "arms": {"iid": {}},
    "iid_arms": False,
    "model": {"kind": "mlp", "hidden": [8]},
    "training": {"batch_size": 16, "epochs": 4},
    "epsilons": [["inf"]],
    "replicates": 3,
    "block": 3,
    "attacks": {"average_threshold": {}},
}


def limit_for_six(mean):
    """Return a limit that three replicates do not show to be kept, and six of the same mean and scatter would."""
    later = HeldMean(**{**mean, "estimate": Estimate.from_plain(mean["estimate"]).with_replicates(2)})
    now = HeldMean(**{**mean, "estimate": Estimate.from_plain(mean["estimate"])})
    least, most = later.interval(ERROR_OF_LOOK)[1], now.interval(ERROR)[1]
    assert least < most
    return round((least + most) / 2, 4)


@pytest.mark.slow  # trains and audits several times
def test_limits_of_an_audit_are_decided_by_more_replicates(school):
    settings = {"paper": "audit", "experiments": {"clinic": CLINIC}}
    (school.folder / "clinic.yaml").write_text(yaml.safe_dump(settings))
    ours = {**REAL, "experiments": "[clinic.yaml]"}
    report = school.folder / RUN / "audit-clinic.json"
    first = school.snakemake("audit", **ours, audit="{fail_above: {auc: 1.0}}")
    assert first.returncode == 0, first.stdout
    (mean,) = json.loads(report.read_text())["limits"]["held"]["means"]
    limit = {**ours, "audit": f"{{fail_above: {{auc: {limit_for_six(mean)}}}}}"}

    undecided = school.snakemake("audit", **limit)
    assert undecided.returncode == 1
    assert "not shown to be within a limit, nor above it: auc " in undecided.stdout
    planned = school.snakemake("decide", "--dry-run", **limit, budget=0.5)
    assert "Limits of audits: 0 decided, 1 undecided, 0 cannot be judged." in planned.stdout, planned.stdout
    assert "clinic: 6 replicates, 3 now (look 2 of 4)" in planned.stdout
    assert "  audit clinic: 2 times the planned replicates, " in planned.stdout

    response = school.snakemake("decide", **limit, budget=0.5)
    assert response.returncode == 0, response.stdout
    looks = read_looks(school.folder / RUN, 1)
    limits = json.loads(report.read_text())["limits"]
    assert limits["error"] == ERROR_OF_LOOK
    assert {held["estimate"]["count"] for held in limits["held"]["means"]} == {3 * looks.times["audits/clinic/clinic"]}
