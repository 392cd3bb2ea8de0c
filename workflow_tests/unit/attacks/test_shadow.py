"""The shadow-model attack: attack models for each class, trained once, aligned, together as well as alone."""

import numpy as np
import pytest
import torch
from attack_checks import measure
from gaussian_law import GaussianLaw
from model_cards import card
from scipy import stats

from dpmia.attacks.attack_models import Task, train_classifiers
from dpmia.attacks.base import Knowledge
from dpmia.attacks.shadow import ShadowModels, probabilities
from dpmia.attacks.threshold import OptimalThreshold
from dpmia.common.errors import AttackError
from dpmia.common.seeds import derive_seed
from dpmia.formats.recipe import Recipe
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, Signal
from dpmia.models.mlp import MLP
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.run import Run, Seeds

#: Classes far apart: a loss that is small in class 0 is large in class 1.
LAW = GaussianLaw(shift=2.0, noise=1.0, between=4.0)


def rng(seed=0):
    return np.random.default_rng(seed)


def shadows_of(law, count=5, records=400, meaning="set"):
    drawn = [law.draw(rng(100 + number), records, records)[0] for number in range(count)]
    return tuple(
        Signal(card(seed=1, meaning=[meaning, number]), one.records, one.labels, one.membership, one.logits)
        for number, one in enumerate(drawn)
    )


@pytest.fixture(scope="module")
def shadows():
    return shadows_of(LAW)


@pytest.fixture(scope="module")
def attack(shadows):
    attack = ShadowModels(epochs=15)
    attack.fit(shadows)
    return attack


def test_it_finds_the_best_threshold_of_each_class_without_using_the_membership(attack, shadows):
    signal, _ = LAW.draw(rng(1), 4000, 4000)
    metrics = measure(attack, signal, Knowledge(shadows=shadows), rng())
    best = 2 * stats.norm.cdf(LAW.shift / 2) - 1
    assert best - 0.06 < metrics["advantage"] < best + 0.04
    assert metrics["advantage"] > measure(OptimalThreshold(), signal, Knowledge(), rng())["advantage"] + 0.1
    assert metrics["auc"] == pytest.approx(LAW.auc(1.0), abs=0.02)


def test_features_and_labels_stay_together_whatever_the_sizes():
    """Members and non-members lie apart. Sizes are no multiples of the batch, and differ between models."""
    shadows = []
    for number, (members, nonmembers) in enumerate([(130, 77), (53, 211), (99, 101)]):
        part = rng(number).permutation(np.repeat(np.array([MEMBER, NONMEMBER], np.uint8), [members, nonmembers]))
        labels = rng(number).integers(0, 3, len(part))
        logits = np.zeros((len(part), 3), dtype=np.float32)
        logits[np.arange(len(part)), labels] = np.where(part == MEMBER, 4, 0)
        shadows.append(Signal(card(seed=0, meaning=[number]), np.arange(len(part)), labels, part, logits))
    metrics = measure(ShadowModels(epochs=20), shadows[0], Knowledge(shadows=tuple(shadows[1:])), rng())
    assert metrics["advantage"] == 1


def test_only_members_and_nonmembers_of_shadow_models_are_learnt_from(shadows):
    misleading = []
    for signal in shadows:
        extra = np.concatenate([signal.membership, np.full(500, POPULATION, dtype=np.uint8)])
        logits = np.concatenate([signal.logits, np.full((500, 2), np.nan, dtype=np.float32)])
        places = np.arange(len(extra))
        labels = np.concatenate([signal.labels, np.zeros(500, dtype=np.int64)])
        misleading.append(Signal(signal.card, places, labels, extra, logits))
    signal, _ = LAW.draw(rng(2), 50, 50)
    scores = [
        ShadowModels(epochs=1).scores(signal, Knowledge(shadows=models), rng())
        for models in (shadows, tuple(misleading))
    ]
    np.testing.assert_array_equal(*scores)


def test_a_class_that_cannot_be_learnt_is_undecided_and_reported(caplog):
    law = GaussianLaw(shift=2.0)
    shadows = []
    for signal in shadows_of(law, count=2, records=60):
        # Class 1 has lost its members, class 2 never was.
        keep = (signal.labels == 0) | ~signal.is_member
        logits = np.pad(signal.logits[keep], ((0, 0), (0, 1)))
        places = np.arange(keep.sum())
        shadows.append(Signal(signal.card, places, signal.labels[keep], signal.membership[keep], logits))
    signal, _ = law.draw(rng(3), 30, 30)
    labels = np.arange(60) % 3
    signal = Signal(card(), signal.records, labels, signal.membership, np.pad(signal.logits, ((0, 0), (0, 1))))
    attack = ShadowModels(epochs=2)
    scores = attack.scores(signal, Knowledge(shadows=tuple(shadows)), rng())
    assert (scores[labels > 0] == 0.5).all()
    assert (scores[labels == 0] != 0.5).all()
    assert not attack.decisions(signal, scores)[labels > 0].any()
    assert "2 of 3 classes have no members or no non-members" in caplog.text
    assert caplog.text.rstrip().endswith("attack model: 1, 2")


def test_one_member_and_one_nonmember_make_a_class_that_is_learnt():
    part = np.array([MEMBER, NONMEMBER, NONMEMBER, MEMBER, MEMBER], dtype=np.uint8)
    labels = np.array([0, 0, 0, 1, 1])
    shadow = Signal(card(seed=1, meaning=["few"]), np.arange(5), labels, part, np.zeros((5, 2), dtype=np.float32))
    assert ShadowModels(epochs=1).fit((shadow,)).parameters.keys() == {0}


def test_attack_models_are_trained_once_for_all_targets_that_share_their_shadows(shadows, monkeypatch):
    trained = []
    import dpmia.attacks.shadow as module

    def counted(architecture, recipe, tasks, x, y):
        trained.append(len(tasks))
        return train_classifiers(architecture, recipe, tasks, x, y)

    monkeypatch.setattr(module, "train_classifiers", counted)
    attack = ShadowModels(epochs=1)
    one, other = Knowledge(shadows=shadows), Knowledge(shadows=shadows)
    signals = [LAW.draw(rng(seed), 20, 20)[0] for seed in (4, 5)]
    first = [attack.scores(signal, knowledge, rng()) for signal, knowledge in zip(signals, (one, other), strict=True)]
    assert trained == [2]
    # Whichever target comes first, and whatever the generator it is given.
    again = ShadowModels(epochs=1)
    second = [again.scores(signal, one, rng(9)) for signal in signals[::-1]][::-1]
    assert trained == [2, 2]
    np.testing.assert_array_equal(first, second)
    attack.scores(signals[0], Knowledge(shadows=list(shadows)), rng())
    assert trained == [2, 2, 2], "other objects are other shadow models"


def test_sets_prepared_together_give_what_each_gives_alone(shadows):
    others = shadows_of(GaussianLaw(shift=1.0), count=3, records=150, meaning="others")
    sets = [Knowledge(shadows=shadows), Knowledge(shadows=others)]
    together = ShadowModels(epochs=2)
    together.prepare(sets)
    signal, _ = LAW.draw(rng(6), 50, 50)
    for knowledge in sets:
        alone = ShadowModels(epochs=2).scores(signal, knowledge, rng())
        np.testing.assert_allclose(together.scores(signal, knowledge, rng()), alone, atol=1e-3)


def test_nothing_to_prepare_is_no_mistake():
    ShadowModels().prepare([])


def test_other_shadow_models_start_elsewhere(shadows):
    renamed = tuple(
        Signal(card(seed=1, meaning=["other", number]), one.records, one.labels, one.membership, one.logits)
        for number, one in enumerate(shadows)
    )
    signal, _ = LAW.draw(rng(7), 50, 50)
    one, other = (
        ShadowModels(epochs=1).scores(signal, Knowledge(shadows=models), rng()) for models in (shadows, renamed)
    )
    assert (one != other).any()


def test_classifiers_of_different_sizes_are_what_they_are_alone():
    random = rng(8)
    x = torch.from_numpy(random.random((2000, 4), dtype=np.float32))
    y = (x[:, 0] > 0.5).long()
    recipe = Recipe("adam", 0.01, 50, 3, sampling="shuffle", l2=1e-6)
    sizes = [50, 99, 100, 420, 1000, 20, 7]
    tasks = [Task(f"{size}", random.choice(2000, size, replace=False), size) for size in sizes]
    architecture = MLP(4, (8, 8), 2)
    trained = train_classifiers(architecture, recipe, tasks, x, y)
    for task, parameters in zip(tasks, trained, strict=True):
        seeds = Seeds(*(derive_seed(task.seed, stream) for stream in ("weights", "batches", "noise")))
        own = Recipe("adam", 0.01, min(50, len(task.rows)), 3, sampling="shuffle", l2=1e-6)
        engine = StackedEngine(architecture, own, [Run(task.name, task.rows, seeds)], x, y)
        engine.advance(engine.steps)
        assert engine.steps == 3 * max(1, len(task.rows) // 50)
        torch.testing.assert_close(parameters, engine.parameters()[0], rtol=0, atol=1e-4)


def test_probabilities_are_those_of_the_softmax():
    signal, _ = LAW.draw(rng(9), 10, 10)
    softmax = probabilities(signal)
    assert softmax.dtype == np.float32
    np.testing.assert_allclose(softmax.sum(1), 1, rtol=1e-6)
    np.testing.assert_allclose(softmax[np.arange(20), signal.labels], np.exp(-signal.losses), rtol=1e-5)


def test_shadow_models_must_be_there_and_output_numbers(shadows, attack):
    signal, _ = LAW.draw(rng(10), 5, 5)
    with pytest.raises(AttackError, match=r"knowledge\.shadows: the attack needs shadow models, and there are none\."):
        attack.scores(signal, Knowledge(), rng())
    logits = shadows[0].logits.copy()
    logits[3] = np.inf
    broken = Signal(shadows[0].card, shadows[0].records, shadows[0].labels, shadows[0].membership, logits)
    with pytest.raises(ValueError, match="1 outputs are not numbers"):
        attack.fit((broken, *shadows[1:]))
    wide = Signal(card(), signal.records, signal.labels, signal.membership, np.pad(signal.logits, ((0, 0), (0, 1))))
    with pytest.raises(ValueError, match="shadow models with 2 classes, target with 3"):
        attack.scores(wide, Knowledge(shadows=shadows), rng())
    with pytest.raises(ValueError, match=r"different numbers of classes, \[2, 3\]"):
        attack.fit((*shadows, wide))
    assert ShadowModels.uses == ("shadows",)
    assert not ShadowModels.oracle


@pytest.mark.parametrize(
    "options", [{"epochs": 0}, {"batch_size": 0}, {"learning_rate": 0}, {"l2": -1}, {"hidden": (64, 0)}]
)
def test_options_that_are_not_allowed_are_named(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        ShadowModels(**options)


def test_without_options_the_settings_are_those_of_humphries_et_al():
    attack = ShadowModels()
    assert attack.hidden == (64, 64)
    assert attack.recipe == Recipe("adam", 0.01, 100, 100, sampling="shuffle", l2=1e-6)
    assert ShadowModels(l2=0).recipe.l2 == 0
