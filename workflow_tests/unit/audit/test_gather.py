"""What an audit gathers from the files of a run: damaged ones."""

from dataclasses import replace

import pytest
from in_process import audit_job, prepare, run

from dpmia.audit import pictures
from dpmia.audit.gather import gather
from dpmia.common.errors import DataError
from dpmia.settings.generate import ROOT
from dpmia.settings.resolve import make_plan


def test_prepared_data_with_a_damaged_provenance_are_named(tmp_path):
    plan = make_plan({"scale": "smoke", "experiments": ["experiments/patients.yaml"]}, ROOT)
    dataset = prepare(plan.experiments["audit_mlp"], ROOT / "examples")
    part = run("audit_mlp", plan.experiments["audit_mlp"], dataset, tmp_path / "run")
    own = dataset.provenance["own"]
    damaged = {"columns": [*own["columns"], "no column"]}
    replace(dataset, provenance=dataset.provenance | {"own": own | damaged}).save(tmp_path / "patients.npz")
    with pytest.raises(DataError, match=r"patients\.npz, header: its provenance is damaged .*Delete it"):
        gather(audit_job({"audit_mlp": replace(part, dataset=str(tmp_path / "patients.npz"))}))


def test_every_arm_has_exposed_records_and_a_curve_by_the_strongest_attack_that_is_run_again(tmp_path, monkeypatch):
    plan = make_plan({"scale": "smoke", "experiments": ["experiments/patients.yaml"]}, ROOT)
    dataset = prepare(plan.experiments["audit_mlp"], ROOT / "examples")
    part = run("audit_mlp", plan.experiments["audit_mlp"], dataset, tmp_path / "run")
    drawn = []
    monkeypatch.setattr(pictures, "_curve", lambda panel, curve, *look: drawn.append(curve))
    for name, attack in part.attacks.items():
        audit = gather(audit_job({"audit_mlp": replace(part, attacks={name: attack})}))
        assert len({entry.attack for entry in audit.results}) > 1
        assert {arm.arm for arm in audit.exposed} == {entry.arm for entry in audit.results}
        assert {arm.attack for arm in audit.exposed} == {of_arm.attack for of_arm in audit.roc} == {name}
        drawn.clear()
        assert pictures.roc_picture(audit, "audit_mlp") is not None
        assert len(drawn) == len(audit.roc)
        assert all(of_arm.curve in drawn for of_arm in audit.roc)
