"""Models that leave one record out: trained on all other members, asked about that record alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from training_checks import experiment, logits_of, splits_of, toy, trained_alone

from dpmia.attacks.hypothesis import LeaveOneOut
from dpmia.common.errors import TrainingError
from dpmia.evaluation.attacks import AttackersModels
from dpmia.evaluation.per_record import per_record_table
from dpmia.formats.losses import save_losses
from dpmia.formats.model_card import Architecture
from dpmia.formats.provenance import Provenance
from dpmia.formats.signals import save_signals
from dpmia.jobs.training import LeaveOneOutJob
from dpmia.planning import jobs
from dpmia.splits.sampled_records import draw_records
from dpmia.training.roles.leave_one_out import train_leave_one_out
from dpmia.training.roles.targets import train_block

INF = float("inf")
COUNT = 2


def settings(batch_size=9):
    """Return settings whose batches do not divide the 40 members."""
    return experiment(training={"batch_size": batch_size, "epochs": 2, "learning_rate": 0.05})


@pytest.fixture(scope="module")
def dataset():
    return toy()


@pytest.fixture(scope="module")
def target(dataset):
    return train_block(dataset, splits_of(dataset, settings()), jobs.train_job(settings(), [INF], 0), 1)[0]


def job(first=0, last=3, batch_size=9):
    reported = jobs.train_job(settings(batch_size), [INF], 0)
    return LeaveOneOutJob(
        "one", 0, first, last, COUNT, reported.models["one"], reported.engines, reported.recipes["one"]
    )


@pytest.fixture(scope="module")
def leave_one_out(dataset, target):
    return train_leave_one_out(dataset, target, job(), 1)


def losses_of(dataset, target, number, whom, training, records):
    """Return what a model trained once more, alone, loses on records. Its seeds are those of published numbers."""
    card = replace(target.card, meaning=[*target.card.meaning, "left_out", number, whom])
    logits = logits_of(trained_alone(dataset, card, training), dataset, records).double()
    return torch.nn.functional.cross_entropy(logits, torch.from_numpy(dataset.y[records]), reduction="none").numpy()


def test_points_are_drawn_without_replacement_and_few_are_the_first_of_many(target):
    members, nonmembers = draw_records(target, 10, 1)
    assert len(set(members)) == len(set(nonmembers)) == 10
    assert set(members) <= set(target.records[target.is_member])
    assert set(nonmembers) <= set(target.records[target.is_nonmember])
    for few, many in zip(draw_records(target, 4, 1), (members, nonmembers), strict=True):
        np.testing.assert_array_equal(few, many[:4])
    assert not np.array_equal(draw_records(target, 10, 2)[0], members)
    assert [len(part) for part in draw_records(target, 1000, 1)] == [40, 30]


def test_a_member_is_evaluated_by_models_trained_without_it(leave_one_out, dataset, target):
    members, nonmembers = draw_records(target, 3, 1)
    training = np.sort(target.records[target.is_member])
    assert leave_one_out.records.tolist() == sorted([*members, *nonmembers])
    assert leave_one_out.losses.shape == (COUNT, 6)
    assert {card.role for card in leave_one_out.cards} == {"leave_one_out"}
    for number, record in ((0, members[0]), (1, members[2])):
        rest = training[training != record]
        assert len(rest) == 39
        losses = leave_one_out.losses[number, leave_one_out.records == record]
        expected = losses_of(dataset, target, number, int(record), rest, np.array([record]))
        np.testing.assert_allclose(losses, expected, rtol=0, atol=1e-4)


def test_of_a_nonmember_models_of_the_whole_training_set_speak(leave_one_out, dataset, target):
    _, nonmembers = draw_records(target, 3, 1)
    training = np.sort(target.records[target.is_member])
    expected = losses_of(dataset, target, 1, "nobody", training, np.sort(nonmembers))
    np.testing.assert_allclose(
        leave_one_out.losses[1, np.isin(leave_one_out.records, nonmembers)], expected, rtol=0, atol=1e-4
    )


def test_no_model_was_trained_on_its_queries_and_no_two_are_alike(leave_one_out):
    assert not leave_one_out.trained_on.any()
    assert np.isfinite(leave_one_out.losses).all()
    assert len(np.unique(leave_one_out.losses)) == leave_one_out.losses.size


def test_blocks_of_points_are_parts_of_the_whole(leave_one_out, dataset, target):
    parts = [train_leave_one_out(dataset, target, job(first=first, last=last), 1) for first, last in ((0, 2), (2, 3))]
    assert sorted(np.concatenate([part.records for part in parts])) == leave_one_out.records.tolist()
    for part in parts:
        whole = leave_one_out.losses[:, np.isin(leave_one_out.records, part.records)]
        np.testing.assert_allclose(part.losses, whole, rtol=0, atol=1e-5)


def test_the_attack_judges_the_points_that_there_are_models_of(leave_one_out, target, tmp_path):
    save_signals(tmp_path / "t.npz", [target], Provenance())
    save_losses(tmp_path / "l.npz", [leave_one_out], Provenance())
    attacks = {"leave_one_out": LeaveOneOut(estimator="logit_gaussian")}
    table = per_record_table(
        "one",
        attacks,
        [tmp_path / "t.npz"],
        1,
        AttackersModels(leave_one_out=[tmp_path / "l.npz"]),
        arms=["one"],
        alphas=(0.3,),
        count=10,
    )
    assert sorted(table["record"]) == leave_one_out.records.tolist()
    members = draw_records(target, 3, 1)[0]
    assert sorted(table.loc[table["membership"] == "member", "record"]) == sorted(members)
    assert (table["decision"] == (table["loss"] <= table["threshold"])).all()


def test_models_without_one_record_take_as_many_steps_as_the_target_or_are_refused(leave_one_out, dataset, target):
    assert {card.steps for card in leave_one_out.cards} == {target.card.steps} == {39 // 9 * 2}
    with pytest.raises(TrainingError, match="10 divides the 40 members"):
        train_leave_one_out(dataset, target, job(batch_size=10), 1)


def test_models_that_fit_themselves_take_no_batches_that_could_divide_the_members(dataset):
    fitted = experiment(
        model={"kind": "random_forest", "trees": 2},
        training={"engine": "scikit_learn"},
        epsilons=[["inf"]],
        shadows=None,
        references=None,
        attacks={"random": {}},
    )
    training = jobs.train_job(fitted, [INF], 0)
    target = train_block(dataset, splits_of(dataset, fitted), training, 1)[0]
    job = LeaveOneOutJob("one", 0, 0, 3, COUNT, training.models["one"], training.engines, training.recipes["one"])
    losses = train_leave_one_out(dataset, target, job, 1)
    assert losses.losses.shape == (COUNT, 6)
    assert np.isfinite(losses.losses).all()


def test_a_block_beyond_the_members_has_no_results(leave_one_out, dataset, target, tmp_path):
    beyond = train_leave_one_out(dataset, target, job(first=40, last=45), 1)
    assert beyond.losses.shape == (COUNT, 0)
    save_signals(tmp_path / "t.npz", [target], Provenance())
    for name, part in (("first", leave_one_out), ("beyond", beyond)):
        save_losses(tmp_path / f"{name}.npz", [part], Provenance())
    files = [tmp_path / "first.npz", tmp_path / "beyond.npz"]
    attacks = {"leave_one_out": LeaveOneOut(estimator="logit_gaussian")}
    settings = {"arms": ["one"], "alphas": (0.3,), "count": 45}
    models = AttackersModels(leave_one_out=files)
    table = per_record_table("one", attacks, [tmp_path / "t.npz"], 1, models, **settings)
    assert sorted(table["record"]) == leave_one_out.records.tolist()


def test_the_architecture_is_that_of_the_settings_whatever_a_file_says(leave_one_out, dataset, target):
    other = Architecture("dpmia.models.mlp:perceptron", {"hidden": [True]})
    retrained = train_leave_one_out(dataset, replace(target, card=replace(target.card, model=other)), job(), 1)
    assert retrained.cards == leave_one_out.cards
