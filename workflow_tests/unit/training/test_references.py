"""Reference models: trained on further draws, asked about all targets' records, and told apart from the targets."""

import json
import math

import numpy as np
import pytest
import torch
from scipy import stats
from training_checks import experiment, logits_of, splits_of, toy, trained_alone

from dpmia.common.errors import TrainingError
from dpmia.common.registry import load
from dpmia.formats.model_card import ModelCard
from dpmia.planning import jobs, reference_jobs
from dpmia.splits.block import draw_block
from dpmia.splits.split import Split
from dpmia.training.model_spec import seeds
from dpmia.training.roles.references import draw_name, queries, train_references
from dpmia.training.roles.shadows import train_shadows
from dpmia.training.roles.targets import train_block

INF = math.inf
BERNOULLI = {
    "membership": {"kind": "bernoulli", "records": 200, "queries": 50},
    "arms": {"one": {"rate": 0.4}},
    "iid_arms": False,
}


@pytest.fixture(scope="module")
def dataset():
    return toy()


def train_all(dataset, given, epsilons=(INF,), block=0, seed=1, targets=None):
    targets = splits_of(dataset, given) if targets is None else targets
    return train_references(dataset, None, targets, reference_jobs.job(given, list(epsilons), block), seed)


def train(dataset, given, arm="one-iid", **options):
    """Return the models of one arm."""
    (models,) = (group for group in train_all(dataset, given, **options) if group.cards[0].arm == arm)
    return models


def drawn(dataset, given, arm="one-iid", numbers=range(3), seed=1):
    """Return the training sets of reference models, drawn here once more."""
    job = reference_jobs.job(given, [INF], 0)
    splits = draw_block(dataset, None, load(job.draw), job.arms, [draw_name(n) for n in numbers], seed)
    return [splits[arm, draw_name(n)].training for n in numbers]


@pytest.fixture(scope="module")
def references(dataset):
    return train(dataset, experiment(), epsilons=(1.0, INF))


def test_every_epsilon_and_number_is_trained_once_in_a_fixed_order(references):
    keys = [(card.arm, card.epsilon, card.number) for card in references.cards]
    assert keys == [("one-iid", epsilon, number) for epsilon in ("1", "inf") for number in range(3)]
    assert references.losses.shape == references.trained_on.shape == (6, len(references.records))


def test_losses_are_those_of_the_models_parameters(references, dataset):
    given = experiment()
    sets = drawn(dataset, given) * 2
    for row in (0, 2, 4):
        module = trained_alone(dataset, references.cards[row], sets[row])
        logits = logits_of(module, dataset, references.records).double()
        expected = torch.nn.functional.cross_entropy(
            logits, torch.from_numpy(dataset.y[references.records]), reduction="none"
        )
        np.testing.assert_allclose(references.losses[row], expected.numpy(), rtol=0, atol=1e-4)


def test_trained_on_is_membership_in_the_draw(references, dataset):
    for row, training in enumerate(drawn(dataset, experiment()) * 2):
        assert len(training) == 40
        expected = [record in set(training.tolist()) for record in references.records]
        assert references.trained_on[row].tolist() == expected
    assert 0 < references.trained_on.mean() < 1


@pytest.mark.parametrize("arm", ["one", "one-iid"])
def test_draws_are_those_of_the_experiment_and_none_of_a_target(dataset, arm):
    given = experiment(replicates=6, block=6, iid_arms=arm == "one-iid")
    sets = drawn(dataset, given, arm, range(6))
    hospital = dataset.attributes["hospital"]
    for training in sets:
        assert len(training) == 40
        assert ("b" in hospital[training]) == arm.endswith("-iid")
    targets = [split.training for split in splits_of(dataset, given).values()]
    assert len({tuple(rows) for rows in [*sets, *targets]}) == 6 + len(targets)


def test_all_records_of_all_targets_are_queried_once(references, dataset):
    targets = splits_of(dataset, experiment())
    queried = {record for split in targets.values() for part in (split.members, split.nonmembers) for record in part}
    assert references.records.tolist() == sorted(queried)
    assert references.records.dtype == np.int64


def test_population_is_queried_where_an_attack_needs_it_and_background_and_validation_never():
    splits = {("one", 0): Split([1], [5], [9, 7], [3], [11]), ("one", 1): Split([5], [2], [9], [3], [])}
    assert queries(splits, ["one"], population=False).tolist() == [1, 2, 5]
    assert queries(splits, ["one"], population=True).tolist() == [1, 2, 5, 7, 9]


def test_records_of_other_arms_are_not_queried():
    splits = {("one", 0): Split([1], [5], [9], [3], []), ("two", 0): Split([5], [2], [8], [3], [])}
    assert queries(splits, ["two"], population=False).tolist() == [2, 5]
    assert queries(splits, ["one", "two"], population=False).tolist() == [1, 2, 5]


def test_more_blocks_leave_the_earlier_models_as_they_are(references, dataset):
    more = experiment(references={"count": 9, "block": 3})
    again = train(dataset, more)
    assert again.cards == references.cards[3:]
    np.testing.assert_array_equal(again.losses, references.losses[3:])
    np.testing.assert_array_equal(again.trained_on, references.trained_on[3:])
    further = train(dataset, more, block=2)
    assert [card.number for card in further.cards] == [6, 7, 8]
    assert not (further.losses[:, None] == references.losses[None]).all(2).any()


def test_a_reference_model_is_the_same_in_blocks_of_any_size(references, dataset):
    six = train(dataset, experiment(references={"count": 6, "block": 6}))
    assert six.cards[:3] == references.cards[3:]
    np.testing.assert_allclose(six.losses[:3], references.losses[3:], rtol=0, atol=1e-5)


def test_more_targets_are_more_questions_to_the_same_models(references, dataset):
    given = experiment(replicates=4, block=2)
    targets = splits_of(dataset, given, 0) | splits_of(dataset, given, 1)
    more = train(dataset, given, targets=targets)
    assert more.cards == references.cards[3:]
    places = np.searchsorted(more.records, references.records)
    assert len(more.records) > len(references.records)
    np.testing.assert_allclose(more.losses[:, places], references.losses[3:], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(more.trained_on[:, places], references.trained_on[3:])


def test_a_renamed_arm_has_the_same_reference_models(references, dataset):
    renamed = train(dataset, experiment(arms={"uno": {"group": "a"}}), "uno-iid")
    np.testing.assert_array_equal(renamed.losses, references.losses[3:])
    assert [card.meaning for card in renamed.cards] == [card.meaning for card in references.cards[3:]]


def test_another_root_seed_gives_other_draws_and_other_models(references, dataset):
    other = train(dataset, experiment(), seed=2, targets=splits_of(dataset, experiment()))
    np.testing.assert_array_equal(other.records, references.records)
    assert not (other.trained_on == references.trained_on[3:]).all(1).any()
    assert not (other.losses == references.losses[3:]).any(1).all()


def test_what_is_recorded_of_a_model_is_plain_data_and_its_accounting_true(references):
    for card in references.cards:
        assert ModelCard.from_plain(json.loads(json.dumps(card.plain(), allow_nan=False))) == card
        assert (card.role, card.arm, card.iid) == ("reference", "one-iid", True)
        assert card.steps == 8
        assert (card.accounting is None) == (card.epsilon == "inf")
        if card.accounting:
            assert (card.accounting.rate, card.accounting.epsilon) == (0.25, 1.0)


def test_no_reference_shares_a_random_stream_with_another_model(references, dataset):
    given = experiment()
    splits = splits_of(dataset, given)
    models = [
        *train_block(dataset, splits, jobs.train_job(given, [1.0, INF], 0), 1),
        *train_shadows(dataset, splits, jobs.shadow_job(given, 0), 1),
    ]
    meanings = [*references.cards, *(model.card for model in models)]
    all_seeds = [seeds(1, card.meaning) for card in meanings]
    streams = [number for triple in all_seeds for number in (triple.weights, triple.batches, triple.noise)]
    assert len(set(streams)) == len(streams) == 3 * (6 + 8 + 12)


@pytest.mark.parametrize(("records", "expected"), [(200, 80), ("all", 96)])
def test_records_that_join_at_random_are_in_and_out_at_their_rate(records, expected, dataset):
    membership = BERNOULLI["membership"] | {"records": records}
    given = experiment(**BERNOULLI | {"membership": membership}, references={"count": 40, "block": 40})
    models = train(dataset, given, "one")
    assert models.records.tolist() == list(range(50))
    for row, training in enumerate(drawn(dataset, given, "one", range(40))):
        assert models.trained_on[row].tolist() == np.isin(models.records, training).tolist()
        assert models.cards[row].steps == expected // 10 * 2
    joined = int(models.trained_on.sum())
    assert stats.binomtest(joined, 40 * 50, 0.4).pvalue > 1e-6
    # A record is in the training sets of some models and not in those of others: all need both.
    assert models.trained_on.any(0).all()
    assert not models.trained_on.all(0).any()


def test_private_models_of_records_that_join_at_random_are_accounted_for_by_their_expected_number(dataset):
    models = train(dataset, experiment(**BERNOULLI, references={"count": 3, "block": 3}), "one", epsilons=(1.0,))
    assert {card.accounting.rate for card in models.cards} == {10 / 80}
    assert {card.accounting.steps for card in models.cards} == {card.steps for card in models.cards} == {80 // 10 * 2}


def test_a_batch_larger_than_the_training_set_is_reported(dataset):
    with pytest.raises(TrainingError, match=r"training set of 40 records makes no batch of 41\."):
        train(dataset, experiment(training={"batch_size": 41}))
