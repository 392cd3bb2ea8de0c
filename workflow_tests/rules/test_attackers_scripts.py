"""Each rule alone: the attacker's models, the attacks with them, and what needs no model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from files import Files

from dpmia.formats.losses import load_losses
from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS, MEASURED
from dpmia.formats.signals import MEMBER, POPULATION, load_header, load_signals
from dpmia.formats.stages import NULLS, PER_RECORD
from dpmia.formats.tables import read_table
from dpmia.jobs.judging import JudgeJob
from dpmia.planning import jobs, reference_jobs
from dpmia.settings.experiment import Experiment
from dpmia.settings.messages import checked
from dpmia.splits.split import load_splits
from dpmia.workflow.failures import read_failure

INF = float("inf")
ATTACKS = ("shadow", "lira", "reference", "population", "distillation", "rmia", "quantile_regression")
EXPERIMENT = {
    "dataset": "heart",
    "membership": {"kind": "group", "by": "side", "members": 16, "nonmembers": 12},
    "arms": {"left": {"group": "left"}},
    "model": {"hidden": [4]},
    "training": {"batch_size": 4, "epochs": 2},
    "epsilons": [["inf"]],
    "replicates": 1,
    "block": 1,
    "blind": {"with_loss": ["inf"]},
    "shadows": {"count": 2, "attack_epochs": 1},
    "references": {"count": 6, "block": 3},
    # Of so small a population no threshold can be set at the usual rate of .1.
    "attacks": {name: {"alpha": 0.25} if name == "quantile_regression" else {} for name in ATTACKS},
}


@pytest.fixture
def given():
    return checked(Experiment, EXPERIMENT, "test")


@pytest.fixture
def prepared(dataset, tmp_path):
    dataset.save(tmp_path / "toy.npz")
    return str(tmp_path / "toy.npz")


@pytest.fixture
def splits(run_script, given, prepared, tmp_path):
    inputs = Files(dataset=prepared, clusters=[])
    output = Files(str(tmp_path / "splits.npz"))
    params = {"job": jobs.split_job(given, 0).plain(), "seed": 1}
    run_script("draw_splits", output, input=inputs, params=params, wildcards={"experiment": "toy"})
    return output[0]


@pytest.fixture
def targets(run_script, given, prepared, splits, tmp_path):
    output = Files(str(tmp_path / "targets.npz"))
    params = {"job": jobs.train_job(given, [INF], 0).plain(), "seed": 1}
    run_script("train_block", output, input=Files(dataset=prepared, splits=splits), params=params)
    return output[0]


@pytest.fixture
def shadows(run_script, given, prepared, splits, tmp_path):
    output = Files(str(tmp_path / "shadows.npz"))
    params = {"job": jobs.shadow_job(given, 0).plain(), "seed": 1}
    inputs = Files(dataset=prepared, splits=splits)
    run_script("train_shadows", output, input=inputs, params=params, wildcards={"experiment": "toy"})
    return output[0]


def test_batches_that_do_not_fit_into_shadow_models_training_sets_are_refused(run_script, prepared, splits, tmp_path):
    given = checked(Experiment, EXPERIMENT | {"shadows": {"count": 13}}, "test")  # of 28 records 28 // 13 = 2 each
    with pytest.raises(SystemExit) as caught:
        run_script(
            "train_shadows",
            Files(str(tmp_path / "shadows.npz")),
            input=Files(dataset=prepared, splits=splits),
            params={"job": jobs.shadow_job(given, 0).plain(), "seed": 1},
            wildcards={"experiment": "toy"},
        )
    assert caught.value.code == 2
    message = read_failure("train_shadows", tmp_path / "train_shadows.log").message
    assert "experiment toy, training.batch_size: 4 is larger than" in message
    assert "training set of shadow models (2 records, arm left)" in message
    assert "Lower training.batch_size or shadows.count." in message


@pytest.fixture
def references(run_script, given, prepared, splits, tmp_path):
    """Return the files of both blocks."""
    files = []
    for block in reference_jobs.blocks(given):
        files.append(str(tmp_path / f"references-{block}.npz"))
        params = {"job": reference_jobs.job(given, [INF], block).plain(), "seed": 1}
        inputs = Files(dataset=prepared, clusters=[], splits=[splits])
        run_script("train_references", Files(files[-1]), input=inputs, params=params)
    return files


@pytest.fixture
def distilled(run_script, given, prepared, targets, tmp_path):
    files = [str(tmp_path / f"distilled-{block}.npz") for block in reference_jobs.blocks(given)]
    for block, file in enumerate(files):
        params = {"job": jobs.distilled_job(given, block).plain(), "seed": 1}
        inputs = Files(dataset=prepared, clusters=[], targets=targets)
        run_script("train_distilled", Files(file), input=inputs, params=params)
    return files


def test_shadow_models_know_the_population_only(shadows, splits, dataset):
    split = load_splits(splits, dataset)
    signals = list(load_signals(shadows))
    assert [(s.card.arm, s.card.number) for s in signals] == [(arm, n) for arm in ("left", "left-iid") for n in (0, 1)]
    for signal in signals:
        assert np.isin(signal.records, split[signal.card.arm, 0].population).all()
        assert signal.is_member.sum() == signal.is_nonmember.sum() == len(split["left", 0].population) // 2
    assert load_header(shadows)["provenance"] == {"files": [], "synthetic": True}


def test_reference_models_are_evaluated_on_all_queries_of_targets(references, targets):
    queried = np.unique(np.concatenate([signal.records for signal in load_signals(targets)]))
    for file in references:
        (group,) = load_losses(file)
        assert group.cards[0].arm == "left-iid"
        assert np.array_equal(group.records, queried)
        assert group.losses.shape == (3, len(queried))
        assert np.isfinite(group.losses).all()


def test_targets_are_distilled_one_by_one(distilled, targets):
    keys = [(signal.card.arm, signal.card.epsilon) for signal in load_signals(targets)]
    for file in distilled:
        groups = load_losses(file)
        assert [(group.cards[0].arm, group.cards[0].epsilon) for group in groups] == keys
        assert all(group.losses.shape[0] == 3 for group in groups)


def test_every_attack_is_run_with_the_models_it_needs(
    run_script, given, prepared, targets, shadows, references, distilled, tmp_path
):
    needs = {"shadow": {"shadows": [shadows]}, "distillation": {"distilled": distilled}}
    needs |= {name: {"references": references} for name in ("lira", "reference", "rmia")}
    needs |= {"quantile_regression": {"dataset": [prepared]}}
    nothing = {"shadows": [], "references": [], "distilled": [], "dataset": []}
    for name in given.attacks:
        target = tmp_path / f"{name}.csv"
        run_script(
            "run_attack",
            Files(str(target)),
            input=Files(targets=[targets], **nothing | needs.get(name, {})),
            params={"job": jobs.attack_job(given, name).plain(), "seed": 1},
            wildcards={"experiment": "toy", "attack": name},
        )
        table = read_table(target)
        assert list(table.columns) == MEASURED
        assert set(table["arm"]) == {"left", "left-iid"}
        assert set(table["attack"]) == {name}
        values = table.set_index(["arm", "metric"])["value"]
        assert values[:, "auc"].between(0, 1).all()
        assert values[:, "advantage"].between(-1, 1).all()


def test_targets_keep_what_the_attacks_need(targets):
    for signal in load_signals(targets):
        assert (signal.membership == POPULATION).any()
        assert signal.parameters.dtype == np.float32
        assert (signal.membership == MEMBER).sum() == 16


def test_measure_blind_needs_no_model_but_for_what_losses_add(run_script, given, prepared, splits, targets, tmp_path):
    target = tmp_path / "blind.csv"
    run_script(
        "measure_blind",
        Files(str(target)),
        input=Files(dataset=prepared, splits=splits, targets=[targets]),
        params={"job": jobs.blind_job(given, 0).plain(), "seed": 1},
        wildcards={"experiment": "toy"},
    )
    table = read_table(target)
    assert list(table.columns) == MEASURED
    assert set(table["attack"]) == {BLIND, BLIND_WITH_LOSS}
    assert set(table["arm"]) == {"left", "left-iid"}


def test_run_study_writes_what_its_function_returns(run_script, tmp_path):
    target = tmp_path / "study.csv"
    sizes = {"records": 40, "dimension": 2, "steps": 3, "splits": 4, "runs": 2}
    options = sizes | {"learning_rate": 0.1, "moments": [2], "etas": [0.1], "delta": 1e-5}
    params = {"study": "dpmia.studies.linear_generator:run", "options": options, "seed": 1}
    run_script("run_study", Files(str(target)), params=params, wildcards={"study": "toy"})
    table = pd.read_csv(target)
    assert set(table["experiment"]) == {"toy"}
    run_script("run_study", Files(str(tmp_path / "again.csv")), params=params, wildcards={"study": "toy"})
    assert (tmp_path / "again.csv").read_bytes() == target.read_bytes()


def test_claims_of_a_run_without_tables_are_judged_as_not_run(run_script, tmp_path, capsys):
    folder = tmp_path / "results"
    folder.mkdir()
    params = {"run": JudgeJob(folder, synthetic=True, scale="smoke").plain(), "name": "claims"}
    run_script("judge_claims", Files(), params=params)
    assert {path.name for path in folder.iterdir()} == {"claims.csv", "claims.md", "claims.pdf", "claims.png"}
    verdicts = pd.read_csv(folder / "claims.csv")
    assert "not run" in set(verdicts["verdict"])
    assert "claims.md" in capsys.readouterr().out


ONE_BY_ONE = {
    key: value for key, value in EXPERIMENT.items() if key not in ("blind", "shadows", "arms", "membership", "attacks")
} | {
    "membership": {"kind": "iid", "members": 16, "nonmembers": 12, "population": 20},
    "training": {"batch_size": 5, "epochs": 2},
    "arms": {"any": {}},
    "iid_arms": False,
    "replicates": 2,
    "block": 2,
    "attacks": {"population": {}, "reference": {}, "distillation": {}, "random": {}},
    "per_record": {"count": 5, "alphas": [0.1, 0.3], "leave_one_out": {"records": 4, "block": 2, "models": 2}},
}


class TestAttacksRecordByRecord:
    """On an experiment of its own: one arm, one epsilon."""

    @pytest.fixture
    def given(self):
        return checked(Experiment, ONE_BY_ONE, "test")

    @pytest.fixture
    def leave_one_out(self, run_script, given, prepared, targets, tmp_path):
        files = []
        for arm, replicate, block in jobs.leave_one_out_blocks(given):
            files.append(str(tmp_path / f"left-out-{replicate}-{block}.npz"))
            params = {"job": jobs.leave_one_out_job(given, arm, replicate, block).plain(), "seed": 1}
            run_script(
                "train_leave_one_out", Files(files[-1]), input=Files(dataset=prepared, targets=[targets]), params=params
            )
        return files

    def test_each_member_has_models_without_it(self, leave_one_out, targets):
        first, _ = load_signals(targets)
        groups = [group for file in leave_one_out for group in load_losses(file)]
        assert [group.losses.shape for group in groups] == [(2, 4), (2, 4)]
        queried = np.concatenate([group.records for group in groups])
        assert len(set(queried)) == 8
        assert np.isin(queried, first.records[first.is_member]).sum() == 4
        assert not any(group.trained_on.any() for group in groups)

    def test_verdicts_and_null_losses_are_written(
        self, run_script, given, targets, references, distilled, leave_one_out, tmp_path
    ):
        output = Files(per_record=str(tmp_path / "per_record.csv"), nulls=str(tmp_path / "nulls.csv"))
        models = {"references": references, "distilled": distilled, "leave_one_out": leave_one_out}
        run_script(
            "measure_per_record",
            output,
            input=Files(targets=[targets], **models),
            params={"job": jobs.per_record_job(given).plain(), "seed": 1},
            wildcards={"experiment": "toy"},
        )
        per_record, nulls = (read_table(path) for path in output)
        assert list(per_record.columns) == PER_RECORD
        assert list(nulls.columns) == NULLS
        judged = per_record[per_record["alpha"] == 0.3].groupby(["attack", "target", "membership"]).size().to_dict()
        whole = {(name, target, part): 5 for name in ("population", "reference", "distillation")
                 for target in (0, 1) for part in ("member", "nonmember")}  # fmt: skip
        assert judged == whole | {(jobs.LEAVE_ONE_OUT, 0, part): 4 for part in ("member", "nonmember")}
        assert set(nulls["attack"]) == {"population", "reference", "distillation"}
        assert set(nulls["alpha"]) == {0.1}


def test_exposed_records_are_compared_over_all_replicates_there_are(run_script, targets, references, tmp_path):
    target = tmp_path / "exposure.csv"
    inputs = Files(targets=[targets], references=references)
    params, wildcards = {"seed": 1}, {"experiment": "toy"}
    run_script("measure_exposure", Files(str(target)), input=inputs, params=params, wildcards=wildcards)
    table = pd.read_csv(target)
    assert table["arm"].tolist() == ["left", "left-iid"]
    assert set(table["score"]) == {"lira_offline"}
    assert (table["verdict"] == "no list: 16 records are members in all of 1 replicates").all()
    # In the non-IID arm target and reference models are not exchangeable: no record is judged.
    assert table["judged"].isna().tolist() == [True, False]
    assert table["judged"][1] >= 0  # at most six models without a record: no p-value is as low as .1
