"""Models without privacy take shuffled epochs, private ones Poisson batches: in every engine, for every role."""

import math

import numpy as np
import pytest
from training_checks import experiment, splits_of, toy

from dpmia.common.errors import TrainingError
from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.formats.recipe import Recipe
from dpmia.planning import jobs, reference_jobs
from dpmia.training.roles.distilled import train_distilled
from dpmia.training.roles.leave_one_out import train_leave_one_out
from dpmia.training.roles.references import train_references
from dpmia.training.roles.shadows import train_shadows
from dpmia.training.roles.targets import train_block
from dpmia.training.streams import Streams

INF = math.inf
ENGINES = ["stacked", "opacus", "convolution"]
MEMBERS, BATCH, EPOCHS = 43, 10, 3


@pytest.fixture(scope="module")
def dataset():
    return toy()


@pytest.fixture(scope="module")
def images():
    """Images of noise in two hospitals."""
    rng = np.random.default_rng(0)
    x = rng.integers(256, size=(240, 64), dtype=np.uint8)
    names = tuple(f"p{i}" for i in range(64))
    hospital = {"hospital": np.repeat(["a", "b"], [120, 120])}
    return Dataset("toy", x, rng.integers(2, size=240), names, ("no", "yes"), hospital, image=(1, 8, 8))


def given(engine, epsilons=(1, "inf"), **training):
    model = {"kind": "growing", "size": 1} if engine == "convolution" else {"hidden": [6]}
    return experiment(
        membership={"kind": "group", "by": "hospital", "members": MEMBERS, "nonmembers": 30},
        model=model,
        training={"engine": engine, "batch_size": BATCH, "epochs": EPOCHS, "learning_rate": 0.05, **training},
        epsilons=[list(epsilons)],
        iid_arms=False,
        replicates=1,
        block=1,
    )


def train(dataset, settings, epsilons=(1.0, INF)):
    signals = train_block(dataset, splits_of(dataset, settings), jobs.train_job(settings, list(epsilons), 0), 1)
    return {signal.card.epsilon: signal for signal in signals}


@pytest.fixture
def drawn(monkeypatch):
    """Return the batches of each model by the seed of its batches, filled by training."""
    batches, batch = {}, Streams.batch

    def recorded(stream):
        batches.setdefault(stream.seeds.batches, []).append(batch(stream))
        return batches[stream.seeds.batches][-1]

    monkeypatch.setattr(Streams, "batch", recorded)
    return batches


def batches_of(drawn, card):
    return drawn[derive_seed(card.seed, "batches", *card.meaning)]


@pytest.mark.parametrize("engine", ENGINES)
def test_without_privacy_each_record_comes_once_an_epoch_in_batches_of_one_size(engine, dataset, images, drawn):
    signals = train(images if engine == "convolution" else dataset, given(engine))
    card = signals["inf"].card
    batches = batches_of(drawn, card)
    steps = MEMBERS // BATCH
    assert len(batches) == card.steps == steps * EPOCHS
    assert {len(batch) for batch in batches} == {BATCH}
    for epoch in range(EPOCHS):
        records = np.concatenate(batches[epoch * steps : (epoch + 1) * steps])
        assert len(np.unique(records)) == len(records) == steps * BATCH, "the rest of an epoch is left out"
    private = signals["1"].card
    sizes = [len(batch) for batch in batches_of(drawn, private)]
    assert len(sizes) == card.steps == private.accounting.steps
    assert len(set(sizes)) > 1, "Poisson batches vary"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_card_of_each_model_states_its_sampler(engine, dataset, images):
    data = images if engine == "convolution" else dataset
    for other, settings in (("shuffle", {}), ("poisson", {"sampling_without_privacy": "poisson"})):
        signals = train(data, given(engine, **settings))
        assert signals["1"].card.recipe.sampling == signals["1"].card.accounting.sampler == "poisson"
        assert signals["inf"].card.recipe.sampling == other
        assert {signal.card.recipe.sampling_without_privacy for signal in signals.values()} == {None}


@pytest.mark.parametrize("engine", ENGINES)
def test_the_setting_changes_models_without_privacy_only(engine, dataset, images):
    data = images if engine == "convolution" else dataset
    shuffled, poisson = (
        train(data, given(engine, sampling_without_privacy=sampling)) for sampling in ("shuffle", "poisson")
    )
    assert np.array_equal(shuffled["1"].logits, poisson["1"].logits)
    assert shuffled["1"].card == poisson["1"].card
    assert np.abs(shuffled["inf"].logits - poisson["inf"].logits).max() > 1e-3


@pytest.mark.parametrize("sampling", ["shuffle", "poisson"])
@pytest.mark.parametrize(("fast", "slow"), [("stacked", "opacus"), ("stacked", "plain"), ("convolution", "plain")])
def test_engines_train_the_same_model_without_privacy(fast, slow, sampling, dataset, images):
    one = given(fast, ["inf"], sampling_without_privacy=sampling)
    other = one.model_copy(update={"training": one.training.model_copy(update={"engine": slow})})
    data = images if fast == "convolution" else dataset
    signals = [train(data, settings, [INF])["inf"] for settings in (one, other)]
    assert signals[0].card.engine != signals[1].card.engine
    np.testing.assert_allclose(signals[0].logits, signals[1].logits, rtol=0, atol=1e-4)


def test_models_of_attackers_without_privacy_are_shuffled_too(dataset):
    settings = experiment(attacks={"random": {}, "lira": {}, "distillation": {}})
    splits = splits_of(dataset, settings)
    targets = train_block(dataset, splits, jobs.train_job(settings, [INF], 0), 1)
    references = train_references(dataset, None, splits, reference_jobs.job(settings, [1.0, INF], 0), 1)
    cards = [card for group in references for card in group.cards]
    assert {(card.epsilon, card.recipe.sampling) for card in cards} == {("1", "poisson"), ("inf", "shuffle")}
    shadows = [signal.card for signal in train_shadows(dataset, splits, jobs.shadow_job(settings, 0), 1)]
    distilled = train_distilled(dataset, None, targets[:1], jobs.distilled_job(settings, 0), 1)
    looked_at = {"count": 8, "alphas": [0.1], "leave_one_out": {"records": 4, "block": 4, "models": 2, "targets": 1}}
    ninths = {"batch_size": 9, "epochs": 2, "learning_rate": 0.05}  # do not divide the members
    alone = experiment(
        attacks={"reference": {}}, per_record=looked_at, epsilons=[["inf"]], iid_arms=False, training=ninths
    )
    left_out = train_leave_one_out(dataset, targets[0], jobs.leave_one_out_job(alone, "one", 0, 0), 1)
    others = [*shadows, *(card for group in distilled for card in group.cards), *left_out.cards]
    assert {card.role for card in others} == {"shadow", "distilled", "leave_one_out"}
    assert {card.recipe.sampling for card in others} == {"shuffle"}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_training_set_that_makes_no_whole_batch_is_refused_before_any_training(engine, dataset, images, drawn):
    """Coins toss fewer records than expected: a sum over them, divided by more, is a lower learning rate."""
    settings = given(engine, ["inf"], sampling_without_privacy="shuffle").model_dump(exclude_unset=True)
    settings |= {"membership": {"kind": "bernoulli", "records": 20, "queries": 10}, "arms": {"half": {"rate": 0.5}}}
    settings = experiment(**settings | {"replicates": 8, "block": 8})
    problem = r"^model half/.*: its training set of \d records makes no batch of 10\. Take"
    with pytest.raises(TrainingError, match=problem):
        train(images if engine == "convolution" else dataset, settings, [INF])
    assert not drawn, "no model was trained"


def test_a_recipe_of_one_model_is_its_own():
    shared = Recipe("sgd", 0.1, 10, 1, sampling="poisson", sampling_without_privacy="shuffle")
    assert [shared.of(private).sampling for private in (True, False)] == ["poisson", "shuffle"]
    for private in (True, False):
        assert shared.of(private).of(private) == shared.of(private)
    assert Recipe("sgd", 0.1, 10, 1, sampling="shuffle").of(private=False).sampling == "shuffle"
