"""What an audit gathers from the files of a run: damaged ones."""

from dataclasses import replace

import pytest
from in_process import prepare, run

from dpmia.audit import pictures
from dpmia.audit.gather import gather
from dpmia.common.errors import DataError
from dpmia.settings.generate import ROOT
from dpmia.settings.resolve import make_plan

AUDIT = {
    **{"fail_above": {}, "epsilons": None, "looks": False},
    "plan": {"bound": 0.75, "acceptance": 0.01, "relation": "add_remove"},
}


def test_prepared_data_with_a_damaged_provenance_are_named(tmp_path):
    plan = make_plan({"scale": "smoke", "experiments": ["experiments/patients.yaml"]}, ROOT)
    dataset = prepare(plan.experiments["audit_mlp"], ROOT / "examples")
    part = run("audit_mlp", plan.experiments["audit_mlp"], dataset, tmp_path / "run")
    own = dataset.provenance["own"]
    damaged = {"columns": [*own["columns"], "no column"]}
    replace(dataset, provenance=dataset.provenance | {"own": own | damaged}).save(tmp_path / "patients.npz")
    with pytest.raises(DataError, match=r"patients\.npz, header: its provenance is damaged .*Delete it"):
        gather(
            {"audit_mlp": part | {"dataset": tmp_path / "patients.npz"}},
            {"data": "synthetic", "scale": "smoke", "seed": 1},
            AUDIT,
        )


def test_every_arm_has_exposed_records_and_a_curve_by_the_strongest_attack_that_is_run_again(tmp_path, monkeypatch):
    plan = make_plan({"scale": "smoke", "experiments": ["experiments/patients.yaml"]}, ROOT)
    dataset = prepare(plan.experiments["audit_mlp"], ROOT / "examples")
    part = run("audit_mlp", plan.experiments["audit_mlp"], dataset, tmp_path / "run")
    drawn = []
    monkeypatch.setattr(pictures, "_curve", lambda panel, curve, *look: drawn.append((curve["arm"], curve["attack"])))
    for name, attack in part["attacks"].items():
        audit = gather(
            {"audit_mlp": part | {"attacks": {name: attack}}},
            {"data": "synthetic", "scale": "smoke", "seed": 1},
            AUDIT,
        )
        assert len({entry["attack"] for entry in audit["results"]}) > 1
        assert {arm["arm"] for arm in audit["exposed"]} == {entry["arm"] for entry in audit["results"]}
        assert {arm["attack"] for arm in audit["exposed"]} == {name}
        drawn.clear()
        assert pictures.roc_picture(audit, "audit_mlp") is not None
        assert {*drawn} == {(entry["arm"], name) for entry in audit["results"]}
