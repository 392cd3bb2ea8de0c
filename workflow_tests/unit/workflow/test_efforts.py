"""What `decide` judges, and what more replicates would take."""

import pytest

from dpmia.claims.deciding import Effort
from dpmia.formats.looks import Look, Looks
from dpmia.planning.added_replicates import with_added_replicates
from dpmia.planning.plan import make_plan
from dpmia.settings.generate import ROOT
from dpmia.workflow.efforts import audits_to_judge, efforts_of, replicated, tables_to_judge
from dpmia.workflow.layout import RunLayout
from dpmia.workflow.scope import Scope

RUN = "results/synthetic-smoke"
CONFIG = {"scale": "smoke", "audit": {"fail_above": {"advantage": 0.9}}}
FILES = ["experiments/humphries.yaml", "experiments/yeom.yaml", "experiments/patients.yaml"]


@pytest.fixture(scope="module")
def plan():
    return make_plan(CONFIG | {"experiments": FILES}, ROOT)


@pytest.fixture
def scope(plan, tmp_path, monkeypatch):
    """A run in which the tables of a figure, of a study and of a user's audit are there."""
    run_scope = Scope(RunLayout(plan))
    assert "audit_mlp" not in run_scope.not_run  # is worked out here, beside the example's file
    monkeypatch.chdir(tmp_path)
    for name in ("replicates/adult_cluster", "studies/yeom_iwpc", "audits/patients/replicates/audit_mlp"):
        (tmp_path / RUN / name).parent.mkdir(parents=True)
        (tmp_path / RUN / f"{name}.csv").touch()
    return run_scope


def test_tables_of_claims_that_are_there_are_judged(scope):
    assert tables_to_judge(scope, None) == {
        "adult_cluster": f"{RUN}/replicates/adult_cluster.csv",
        "yeom_iwpc": f"{RUN}/studies/yeom_iwpc.csv",
    }


def test_what_a_look_gave_replicates_to_is_judged_once_it_is_made(scope):
    looks = Looks([Look(0.1, {"heart": 2, "audit_mlp": 2})])
    assert set(tables_to_judge(scope, looks)) == {"adult_cluster", "yeom_iwpc", "heart"}
    assert audits_to_judge(scope, None) == {}
    assert audits_to_judge(scope, looks) == {"patients": f"{RUN}/audit-patients.json"}


def test_an_effort_is_what_new_files_take_and_what_is_made_again(plan):
    tables = {"adult_cluster_strong": "unused", "adult_gender": "unused", "yeom_iwpc": "studies/yeom_iwpc.csv"}
    doubled = with_added_replicates(plan, dict.fromkeys(tables, 2))
    asked = []

    def core_hours(files):
        asked.append([*files])
        return float(len(asked[-1]))

    efforts = efforts_of(plan, doubled, tables, core_hours)
    strong = plan.experiments["adult_cluster_strong"]
    new, again = asked[:2]
    assert efforts["adult_cluster_strong"] == Effort(strong.replicates, len(new), len(again))
    assert not {*new} & {*replicated(RunLayout(plan), "adult_cluster_strong")}
    assert {*again} >= {*RunLayout(plan).all_references("adult_cluster_strong")}, "evaluated on all targets' records"
    assert efforts["adult_gender"].again == 0, "it has no reference models"
    assert asked[-1] == ["studies/yeom_iwpc.csv"]
    assert efforts["yeom_iwpc"] == Effort(plan.studies["yeom_iwpc"].splits, 1.0)
