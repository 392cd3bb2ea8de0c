"""Shadow models: what they are trained on, from which randomness, and what they are asked about."""

import json

import numpy as np
import pytest
from scipy import stats
from training_checks import experiment, logits_of, splits_of, toy, trained_alone

from dpmia.common.errors import TrainingError
from dpmia.formats.model_card import ModelCard
from dpmia.formats.signals import MEMBER, NONMEMBER
from dpmia.planning import jobs
from dpmia.splits.split import Split
from dpmia.training.model_spec import seeds
from dpmia.training.roles.shadows import draws, train_shadows
from dpmia.training.roles.targets import train_block

#: A correct draw fails a test of uniformity with this probability, were its seeds drawn anew.
FALSE_ALARM = 1e-6

# Drawing


@pytest.mark.parametrize(
    ("population", "count", "size"),
    [
        # Humphries et al. 2023: shadow data of table II, and records of each of five shadow models.
        *((15_132, 5, 3026), (10_772, 5, 2154), (11_192, 5, 2238), (20_000, 5, 4000)),
        (15_133, 5, 3026),  # of an odd number one record is left out
        (100, 2, 50),  # each has its whole half
        (7, 3, 2),
    ],
)
def test_each_model_has_its_share_of_either_half(population, count, size):
    rows = np.arange(1000, 1000 + population)
    pairs = draws(rows, count, seed=1)
    assert len(pairs) == count
    for side in (0, 1):
        for pair in pairs:
            assert len(pair[side]) == len(set(pair[side].tolist())) == size
            assert np.isin(pair[side], rows).all()
    inside, outside = (set(np.concatenate([pair[side] for pair in pairs]).tolist()) for side in (0, 1))
    assert not inside & outside, "no record trains one shadow model and is a non-member of another"
    assert max(len(inside), len(outside)) <= population // 2


def test_models_draw_differently_and_a_seed_decides():
    rows = np.arange(200)
    one, same, other = (draws(rows, 4, seed) for seed in (1, 1, 2))
    for side in (0, 1):
        assert len({tuple(pair[side]) for pair in one}) == 4
        assert all(np.array_equal(a[side], b[side]) for a, b in zip(one, same, strict=True))
        assert all(not np.array_equal(a[side], b[side]) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("model", [0, 2])
def test_every_record_is_equally_likely_on_either_side(model):
    tries = 3000
    for side in (0, 1):
        counts = np.zeros(12)
        for seed in range(tries):
            counts[draws(np.arange(12), 3, seed)[model][side]] += 1
        share = 4 / 12  # floor(2 * 6 / 3) of 12
        # Without replacement: the variance of each count is n p (1 - p), and counts have a fixed sum.
        statistic = ((counts - tries * share) ** 2).sum() / (tries * share * (1 - share)) * 11 / 12
        assert stats.chi2.sf(statistic, 11) > FALSE_ALARM


# Training


@pytest.fixture(scope="module")
def dataset():
    return toy()


def train(dataset, given, block=0, seed=1, splits=None):
    splits = splits_of(dataset, given, block, seed) if splits is None else splits
    return train_shadows(dataset, splits, jobs.shadow_job(given, block), seed)


@pytest.fixture(scope="module")
def shadows(dataset):
    return train(dataset, experiment())


def key(signal):
    return signal.card.arm, signal.card.replicate, signal.card.number


def test_every_split_has_its_shadow_models_in_a_fixed_order(shadows):
    assert [key(s) for s in shadows] == [(a, r, n) for a in ("one", "one-iid") for r in (0, 1) for n in range(3)]


def test_they_know_nothing_of_the_target_models_records(shadows, dataset):
    splits = splits_of(dataset, experiment())
    for shadow in shadows:
        split = splits[shadow.card.arm, shadow.card.replicate]
        assert np.isin(shadow.records, split.population).all()
        inside, outside = shadow.of(MEMBER).records, shadow.of(NONMEMBER).records
        assert len(inside) == len(outside) == len(split.population) // 2 * 2 // 3
        assert not np.intersect1d(inside, outside).size
        assert np.array_equal(shadow.labels, dataset.y[shadow.records])


def test_halves_of_a_split_are_disjoint_over_all_its_models(shadows):
    for arm in ("one", "one-iid"):
        for replicate in (0, 1):
            mine = [s for s in shadows if key(s)[:2] == (arm, replicate)]
            inside, outside = (np.concatenate([s.of(part).records for s in mine]) for part in (MEMBER, NONMEMBER))
            assert not np.intersect1d(inside, outside).size


def test_outputs_are_those_of_a_model_trained_on_its_members(shadows, dataset):
    for shadow in (shadows[0], shadows[-1]):
        module = trained_alone(dataset, shadow.card, shadow.of(MEMBER).records)
        np.testing.assert_allclose(logits_of(module, dataset, shadow.records), shadow.logits, rtol=0, atol=1e-4)


def test_they_are_trained_without_privacy_and_with_a_penalty_of_their_own(shadows):
    for shadow in shadows:
        assert shadow.card.accounting is None
        assert (shadow.card.epsilon, shadow.card.role) == ("inf", "shadow")
        assert shadow.card.recipe.l2 == 0.01
        assert shadow.card.steps == len(shadow.of(MEMBER).records) // 10 * 2
        assert ModelCard.from_plain(json.loads(json.dumps(shadow.card.plain(), allow_nan=False))) == shadow.card


def test_no_two_models_share_a_random_stream_neither_with_targets(shadows, dataset):
    given = experiment()
    targets = train_block(dataset, splits_of(dataset, given), jobs.train_job(given, [float("inf")], 0), 1)
    all_seeds = [seeds(1, model.card.meaning) for model in [*shadows, *targets]]
    streams = [number for triple in all_seeds for number in (triple.weights, triple.batches, triple.noise)]
    assert len(set(streams)) == len(streams) == 3 * (12 + 4)
    assert len({model.logits.tobytes() for model in shadows}) == 12


def test_a_shadow_model_is_the_same_in_any_block(shadows, dataset):
    alone = train(dataset, experiment(block=1), block=1)
    assert {shadow.card.replicate for shadow in alone} == {1}
    whole = {key(shadow): shadow for shadow in shadows}
    for shadow in alone:
        assert shadow.card == whole[key(shadow)].card
        np.testing.assert_array_equal(shadow.records, whole[key(shadow)].records)
        np.testing.assert_allclose(shadow.logits, whole[key(shadow)].logits, rtol=0, atol=1e-5)


def test_a_renamed_arm_has_the_same_shadow_models(shadows, dataset):
    renamed = train(dataset, experiment(arms={"uno": {"group": "a"}}))
    for one, other in zip(shadows, renamed, strict=True):
        assert np.array_equal(one.logits, other.logits)
        assert one.card.meaning == other.card.meaning


def test_another_root_seed_gives_other_models_of_the_same_population(shadows, dataset):
    given = experiment()
    for one, other in zip(shadows, train(dataset, given, seed=2, splits=splits_of(dataset, given)), strict=True):
        assert not np.array_equal(one.records, other.records)
        assert not np.array_equal(one.logits, other.logits)


def test_a_population_too_small_for_a_batch_is_reported(dataset):
    split = Split(np.arange(40), np.arange(120, 150), np.arange(40, 66), [])  # 26 records: 8 for each model
    with pytest.raises(TrainingError, match=r"training set of 8 records makes no batch of 10\."):
        train(dataset, experiment(), splits={(arm, r): split for arm in ("one", "one-iid") for r in (0, 1)})
