"""Where files lie: results of the papers, of audits and of a user's other files never share one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from dpmia.common.errors import ConfigError
from dpmia.planning.plan import make_plan
from dpmia.settings.generate import ROOT
from dpmia.workflow.audited import audit_job
from dpmia.workflow.homes import split_home
from dpmia.workflow.layout import RunLayout

FILES = ["experiments/humphries.yaml", "experiments/patients.yaml", "experiments/izzo.yaml"]


def layout_of(folder, paper, name="student"):
    """Return the layout of a plan with one experiment in `mine.yaml`."""
    humphries = yaml.safe_load((ROOT / "experiments/humphries.yaml").read_text())
    settings = {**humphries, "paper": paper, "experiments": {name: humphries["experiments"]["student"]}, "studies": {}}
    (folder / "mine.yaml").write_text(yaml.safe_dump(settings))
    return RunLayout(make_plan({"scale": "smoke", "experiments": ["mine.yaml"]}, folder))


@pytest.fixture(scope="module")
def layout():
    return RunLayout(make_plan({"scale": "smoke", "experiments": FILES}, ROOT))


@pytest.mark.parametrize(
    ("paper", "home"),
    [("humphries", ""), ("yeom", ""), ("audit", "/audits/mine"), ("school", "/own/mine"), ("humphreys", "/own/mine")],
)
def test_the_home_follows_from_the_paper_and_the_file(tmp_path, paper, home):
    layout = layout_of(tmp_path, paper)
    run = "results/synthetic-smoke"
    assert layout.home("student") == run + home
    assert layout.keys == {"student": f"{home}/student".removeprefix("/")}
    assert layout.of_paper("student") == (home == "")
    assert layout.table("summary", "student") == f"{run}{home}/summary/student.csv"
    for file in (*layout.models("student"), *layout.metrics("student"), *layout.splits("student")):
        assert file.startswith(f"{run}{home}/")
        assert split_home(Path(file).relative_to(run))[0] == Path(home.removeprefix("/"))


def test_one_name_in_two_files_shares_no_result(tmp_path):
    of_paper, of_audit = layout_of(tmp_path, "humphries"), layout_of(tmp_path, "audit")
    made = [
        {*layout.models("student"), *layout.metrics("student"), *layout.splits("student")}
        for layout in (of_paper, of_audit)
    ]
    assert not made[0] & made[1]


@pytest.mark.parametrize(
    ("path", "home"),
    [
        ("results/synthetic-smoke/summary/student.csv", "results/synthetic-smoke"),
        ("results/synthetic-smoke/studies/izzo_fig2.csv", "results/synthetic-smoke"),
        (
            "results/synthetic-smoke/audits/patients/splits/audit_mlp/block-0.npz",
            "results/synthetic-smoke/audits/patients",
        ),
        ("results/synthetic-smoke/audits/patients/summary/student.csv", None),
        ("results/synthetic-smoke/summary/audit_mlp.csv", None),
        ("results/synthetic-smoke/summary/audit_mlp2.csv", None),
        ("results/real-smoke/summary/student.csv", None),
    ],
)
def test_the_pattern_finds_a_home_where_the_name_belongs_to_it(layout, path, home):
    match = re.match(layout.home_pattern, path)
    assert (match and match.group()) == home


def test_a_plan_without_experiments_has_no_home(tmp_path):
    (tmp_path / "empty.yaml").write_text("paper: mine\n")
    layout = RunLayout(make_plan({"experiments": ["empty.yaml"]}, tmp_path))
    assert re.match(layout.home_pattern, "results/synthetic-laptop/summary/student.csv") is None


def test_the_inputs_of_an_audit_are_its_files_each_once(layout):
    part = audit_job(layout, "patients", looks=False).parts["audit_mlp"]
    assert len(part.files) == len({*part.files})
    assert {part.summary, part.dataset, *part.splits, *part.signals} < {*part.files}
    assert {*part.attacks["lira_offline"].files} < {*part.files}
    assert part.attacks["average_threshold"].files == []
    assert layout.audit_report("patients", "html") == "results/synthetic-smoke/audit-patients.html"


def test_private_signals_are_those_of_groups_with_a_finite_epsilon():
    layout = RunLayout(make_plan({"scale": "paper", "experiments": FILES}, ROOT))
    signals = layout.signals("heart", 3)
    assert signals[-1] == "results/synthetic-paper/signals/heart/inf/block-3.npz"
    assert layout.private_signals("heart", 3) == signals[:-1]
    assert layout.private_signals("audit_forest", 0) == []


@pytest.mark.parametrize("name", ["my clinic", "{clinic}", ".clinic", "-clinic"])
def test_names_of_files_that_cannot_name_a_folder_are_refused(tmp_path, name):
    (tmp_path / f"{name}.yaml").write_text("paper: audit\n")
    with pytest.raises(ConfigError, match="letters, digits, dots, hyphens and underscores"):
        make_plan({"experiments": [f"{name}.yaml"]}, tmp_path)


def test_models_without_one_record_are_trained_and_counted_apart_from_those_with_a_card_each():
    layout = RunLayout(make_plan({"scale": "smoke", "experiments": ["experiments/ye.yaml"]}, ROOT))
    left_out = layout.leave_one_out("ye_purchase")
    assert left_out
    assert {*left_out} <= {*layout.stages(["ye_purchase"])["training"]}
    assert not {*left_out} & {*layout.models("ye_purchase")}
    assert layout.leave_one_out("ye_mnist") == []
