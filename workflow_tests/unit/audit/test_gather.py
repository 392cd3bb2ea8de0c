"""What an audit gathers from the files of a run: damaged ones."""

import json
from dataclasses import replace

import numpy as np
import pytest
from in_process import audit_job, prepare, run

from dpmia.attacks.threshold import AverageThreshold
from dpmia.audit import pictures
from dpmia.audit.gather import gather
from dpmia.audit.page import page
from dpmia.common.errors import DataError
from dpmia.planning.plan import make_plan
from dpmia.settings.generate import ROOT

EXPERIMENT = make_plan({"scale": "smoke", "experiments": ["experiments/patients.yaml"]}, ROOT).experiments["audit_mlp"]


def part_of(experiment, folder):
    """Return what an audit takes of a run of an experiment, and the prepared data."""
    dataset = prepare(experiment, ROOT / "examples")
    return run("audit_mlp", experiment, dataset, folder / "run"), dataset


def test_prepared_data_with_a_damaged_provenance_are_named(tmp_path):
    part, dataset = part_of(EXPERIMENT, tmp_path)
    dataset.save(tmp_path / "patients.npz")
    with np.load(tmp_path / "patients.npz") as archive:
        arrays = dict(archive)
    header = json.loads(str(arrays["header"]))
    header["provenance"]["own"]["columns"].append("no column")
    del header["digest"]
    np.savez(tmp_path / "patients.npz", **(arrays | {"header": np.array(json.dumps(header))}))
    with pytest.raises(DataError, match=r"patients\.npz, header: its provenance is damaged .*Delete it"):
        gather(audit_job({"audit_mlp": replace(part, dataset=str(tmp_path / "patients.npz"))}))


@pytest.mark.slow
def test_an_arm_with_fewer_epsilons_has_exposed_records_of_its_own_largest(tmp_path):
    few = {"north": EXPERIMENT.arms["north"].model_copy(update={"epsilons": [1.0]})}
    part, _ = part_of(EXPERIMENT.model_copy(update={"arms": EXPERIMENT.arms | few}), tmp_path)
    exposed = {arm.arm: arm.epsilon for arm in gather(audit_job({"audit_mlp": part})).exposed}
    assert exposed == {"north": "1", "north-iid": "1", "south": "inf", "south-iid": "inf"}


@pytest.mark.slow
def test_infinite_scores_of_an_attack_are_no_numbers_of_the_report(tmp_path, monkeypatch):
    def scores(attack, signal, *given):
        return np.where(signal.is_member, np.inf, 0.0)

    part, _ = part_of(EXPERIMENT, tmp_path)
    part = replace(part, attacks={"average_threshold": part.attacks["average_threshold"]})
    monkeypatch.setattr(AverageThreshold, "scores", scores)
    audit = gather(audit_job({"audit_mlp": part}))
    assert {record.score for arm in audit.exposed for record in arm.records} == {None}
    json.dumps(audit.plain(), allow_nan=False)
    assert "infinite" in page(audit)


def test_every_arm_has_exposed_records_and_a_curve_by_the_strongest_attack_that_is_run_again(tmp_path, monkeypatch):
    part, _ = part_of(EXPERIMENT, tmp_path)
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
