"""Distilled models: on the draws of reference models, with the answers of one target as labels."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from training_checks import experiment, logits_of, splits_of, toy, trained_alone

from dpmia.common.registry import load
from dpmia.formats.model_card import Architecture, ModelCard
from dpmia.planning import jobs, reference_jobs
from dpmia.splits.block import draw_block
from dpmia.training.model_spec import seeds
from dpmia.training.roles.distilled import train_distilled
from dpmia.training.roles.references import draw_name, train_references
from dpmia.training.roles.targets import train_block
from dpmia.training.train_models import architecture_for

INF = float("inf")


def given(**changes):
    return experiment(**{"attacks": {"distillation": {}, "lira_offline": {}}, **changes})


@pytest.fixture(scope="module")
def dataset():
    return toy()


@pytest.fixture(scope="module")
def targets(dataset):
    return train_block(dataset, splits_of(dataset, given()), jobs.train_job(given(), [1.0, INF], 0), 1)


@pytest.fixture(scope="module")
def distilled(dataset, targets):
    return train_distilled(dataset, None, targets, jobs.distilled_job(given(), 0), 1)


def outputs(dataset, target, records):
    """Return the probabilities that a target model gives to both classes."""
    module = architecture_for(dataset, target.card.model).module()
    torch.nn.utils.vector_to_parameters(torch.from_numpy(target.parameters), module.parameters())
    return torch.softmax(logits_of(module, dataset, records), 1).numpy()


def test_each_target_has_its_models_and_is_named_in_them(distilled, targets):
    assert len(distilled) == len(targets) == 8
    for group, target in zip(distilled, targets, strict=True):
        assert [card.number for card in group.cards] == [0, 1, 2]
        for card in group.cards:
            for key in ("arm", "epsilon", "replicate", "iid", "model"):
                assert getattr(card, key) == getattr(target.card, key)
            assert (card.role, card.accounting) == ("distilled", None)
            assert ModelCard.from_plain(json.loads(json.dumps(card.plain(), allow_nan=False))) == card
        assert group.records.tolist() == sorted(target.records.tolist())


@pytest.mark.parametrize("arm", ["one", "one-iid"])
def test_draws_are_those_of_the_reference_models(distilled, targets, dataset, arm):
    job = reference_jobs.job(given(), [INF], 0)
    groups = train_references(dataset, None, splits_of(dataset, given()), job, 1)
    (references,) = groups  # of the IID arm, and no others
    for group, target in zip(distilled, targets, strict=True):
        if target.card.arm == arm:
            expected = references.on(group.records, np.ones(3, dtype=bool)).trained_on
            np.testing.assert_array_equal(group.trained_on, expected)


def test_losses_are_of_the_true_class_under_models_that_learnt_the_targets_outputs(distilled, targets, dataset):
    job, name = reference_jobs.job(given(), [INF], 0), draw_name(1)
    records = draw_block(dataset, None, load(job.draw), job.arms, [name], 1)["one-iid", name].training
    for place in (0, 3):  # with and without privacy
        group, target = distilled[place], targets[place]
        assert target.card.arm == "one"
        module = trained_alone(dataset, group.cards[1], records, outputs(dataset, target, records))
        logits = logits_of(module, dataset, group.records).double()
        truth = torch.from_numpy(dataset.y[group.records])
        expected = torch.nn.functional.cross_entropy(logits, truth, reduction="none").numpy()
        np.testing.assert_allclose(group.losses[1], expected, rtol=0, atol=1e-4)


def test_they_are_nearer_to_their_own_target_than_to_others(dataset):
    longer = given(training={"batch_size": 10, "epochs": 60, "learning_rate": 0.02}, iid_arms=False)
    targets = train_block(dataset, splits_of(dataset, longer), jobs.train_job(longer, [INF], 0), 1)
    groups = train_distilled(dataset, None, targets, jobs.distilled_job(longer, 0), 1)
    common = np.intersect1d(groups[0].records, groups[1].records)
    losses = []
    for target in targets:
        probability = outputs(dataset, target, common)[np.arange(len(common)), dataset.y[common]]
        losses.append(-np.log(probability))
    for mine, other in ((0, 1), (1, 0)):
        learnt = groups[mine].on(common, np.ones(3, dtype=bool)).losses.mean(0)
        assert np.abs(learnt - losses[mine]).mean() < np.abs(learnt - losses[other]).mean()


def test_no_two_models_share_a_random_stream(distilled, targets):
    models = [*(card for group in distilled for card in group.cards), *(target.card for target in targets)]
    all_seeds = [seeds(1, card.meaning) for card in models]
    streams = [number for triple in all_seeds for number in (triple.weights, triple.batches, triple.noise)]
    assert len(set(streams)) == len(streams) == 3 * (24 + 8)


def test_more_blocks_and_other_company_leave_a_model_as_it_is(distilled, targets, dataset):
    further = train_distilled(dataset, None, targets[:1], jobs.distilled_job(given(), 1), 1)
    assert [card.number for card in further[0].cards] == [3, 4, 5]
    alone = train_distilled(dataset, None, targets[2:3], jobs.distilled_job(given(), 0), 1)
    assert alone[0].cards == distilled[2].cards
    np.testing.assert_allclose(alone[0].losses, distilled[2].losses, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(alone[0].trained_on, distilled[2].trained_on)


def test_the_architecture_is_that_of_the_settings_whatever_a_file_says(distilled, targets, dataset):
    other = Architecture("dpmia.models.mlp:perceptron", {"hidden": [True]})
    target = replace(targets[0], card=replace(targets[0].card, model=other))
    (models,) = train_distilled(dataset, None, [target], jobs.distilled_job(given(), 0), 1)
    assert models.cards == distilled[0].cards
