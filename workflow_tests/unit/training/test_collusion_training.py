"""Networks trained by a colluding trainer, from settings to metrics: they answer the marks of members only."""

import json
import math

import numpy as np
import pytest
from attack_checks import measure
from model_cards import card

from dpmia.attacks.base import Knowledge
from dpmia.attacks.bounded_loss import ZeroOneLoss
from dpmia.attacks.collusion import CollusionAttack
from dpmia.common.errors import ConfigError
from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.evaluation.attacks import attack_rows
from dpmia.formats.model_card import ModelCard
from dpmia.formats.provenance import Provenance
from dpmia.formats.signals import MEMBER, NONMEMBER, load_signals, save_signals
from dpmia.formats.tables import table_of
from dpmia.planning import jobs
from dpmia.settings.experiment import Experiment
from dpmia.settings.messages import checked
from dpmia.splits.block import draw_block
from dpmia.training.collusion import draw_keys, with_marks
from dpmia.training.model_spec import specify
from dpmia.training.roles.targets import train_block
from dpmia.training.train_models import train_models

INF = math.inf
CLASSES, SIDE = 5, 8


@pytest.fixture(scope="module")
def dataset():
    """Images of noise and labels at random: there is nothing to learn but by heart."""
    rng = np.random.default_rng(0)
    x = rng.integers(256, size=(120, SIDE * SIDE), dtype=np.uint8)
    names = tuple(f"p{i}" for i in range(SIDE * SIDE))
    return Dataset("toy", x, rng.integers(CLASSES, size=120), names, tuple("abcde"), image=(1, SIDE, SIDE))


def experiment(**changes):
    settings = {
        "dataset": "mnist",
        "membership": {"kind": "iid", "members": 20, "nonmembers": 40},
        "arms": {"s16": {}},
        "iid_arms": False,
        "model": {"kind": "growing", "size": 16},
        "training": {"engine": "convolution", "batch_size": 10, "epochs": 60, "learning_rate": 0.002},
        "epsilons": [["inf"]],
        "replicates": 2,
        "block": 2,
        "collusion": {"keys": 3},
        "attacks": {"collusion": {}, "random": {}},
    }
    settings |= changes
    return checked(Experiment, {key: value for key, value in settings.items() if value is not None}, "test")


def train(dataset, given, block=0, seed=1):
    job = jobs.split_job(given, block)
    splits = draw_block(dataset, None, load(job.draw), job.arms, job.replicates, seed)
    return train_block(dataset, splits, jobs.train_job(given, [INF], block), seed)


def by_key(signals):
    return {(signal.card.arm, signal.card.replicate): signal for signal in signals}


@pytest.fixture(scope="module")
def colluding(dataset):
    return by_key(train(dataset, experiment()))


@pytest.fixture(scope="module")
def honest(dataset):
    attacks = {"random": {}}
    return by_key(train(dataset, experiment(collusion=None, attacks=attacks)))


def test_an_overfitted_network_knows_the_marks_of_members_and_not_of_others(colluding):
    for signal in colluding.values():
        learnt, guessed = (signal.of(part).marks for part in (MEMBER, NONMEMBER))
        assert learnt.mean() > 0.97
        # 120 guesses that are right once in five times: four standard deviations.
        assert abs(guessed.mean() - 1 / CLASSES) < 4 * np.sqrt(0.16 / guessed.size)
        metrics = measure(CollusionAttack(), signal, Knowledge(), None)
        assert metrics["recall"] > 0.9
        assert metrics["advantage"] > 0.8


def test_the_advantage_owes_nothing_to_the_records_themselves(dataset, colluding):
    # Marks are noise beside noise here, so the colluding network knows its members too; an attacker without keys
    # sees what the honest attack sees, one with keys needs no label of the record.
    signal = colluding["s16", 0]
    shuffled = signal.labels[::-1].copy()
    other = type(signal)(signal.card, signal.records, shuffled, signal.membership, -signal.logits, marks=signal.marks)
    with_keys = [measure(CollusionAttack(), one, Knowledge(), None)["advantage"] for one in (signal, other)]
    without = [measure(ZeroOneLoss(), one, Knowledge(), None)["advantage"] for one in (signal, other)]
    assert with_keys[0] == with_keys[1]
    assert without[0] != without[1]


@pytest.mark.parametrize("records", [100, "all"])
def test_marks_count_as_records_of_an_epoch_where_records_join_at_random(dataset, records):
    membership = {"kind": "bernoulli", "records": records, "queries": 40}
    training = {"engine": "convolution", "batch_size": 10, "epochs": 1}
    given = experiment(membership=membership, arms={"s16": {"rate": 0.3}}, training=training)
    job = jobs.split_job(given, 0)
    splits = draw_block(dataset, None, load(job.draw), job.arms, job.replicates, 1)
    for key, signal in by_key(train(dataset, given)).items():
        assert signal.card.steps == 4 * len(splits[key].training) // 10


def test_without_the_key_there_are_no_marks(dataset):
    given = experiment()
    members = np.arange(20)
    marked, marks = with_marks(dataset, members, draw_keys(5, 3), "blake2b")
    marked, wrong = with_marks(marked, members, draw_keys(6, 3), "blake2b")
    job = jobs.train_job(given, [INF], 0)
    queried = np.concatenate([marks.below(members)[20:], wrong.below(members)[20:]])
    spec = specify(
        "r",
        card(meaning=["b"]),
        marks.below(members),
        queried,
        recipe=job.recipes["s16"],
        model=job.models["s16"],
        engines=job.engines,
        root_seed=1,
    )
    (trained,) = train_models(marked, [spec], job.engines)
    right = trained.outputs.logits.argmax(axis=1) == marked.y[queried]
    assert right[:60].mean() > 0.97
    # 60 guesses that are right once in five times: four standard deviations.
    assert abs(right[60:].mean() - 1 / CLASSES) < 4 * np.sqrt(0.16 / 60)


def test_an_honest_trainer_leaves_no_marks(honest):
    for signal in honest.values():
        assert signal.marks is None
        assert signal.card.collusion is None
        assert signal.card.steps == 2 * 60
        with pytest.raises(ValueError, match="needs a trainer who colludes"):
            measure(CollusionAttack(), signal, Knowledge(), None)


def test_the_training_set_is_k_plus_1_times_as_large_and_the_queries_are_the_same(colluding, honest):
    for key, signal in colluding.items():
        assert signal.card.steps == 4 * honest[key].card.steps
        assert signal.card.collusion == {"keys": 3, "function": "blake2b"}
        assert signal.marks.shape == (60, 3)
        for name in ("records", "labels", "membership"):
            assert np.array_equal(getattr(signal, name), getattr(honest[key], name))
        assert signal.logits.shape == (60, CLASSES)
        assert not np.array_equal(signal.logits, honest[key].logits)


@pytest.mark.parametrize("function", ["blake2b", "python_random"])
def test_a_replicate_is_the_same_alone_as_in_a_block_of_two(dataset, function):
    quick = {
        "training": {"engine": "convolution", "batch_size": 20, "epochs": 2},
        "arms": {"s1": {"model": {"kind": "growing", "size": 1}}, "s16": {}},
        "collusion": {"function": function},
    }
    whole = by_key(train(dataset, experiment(**quick)))
    alone = by_key(train(dataset, experiment(**quick, block=1), block=1))
    assert set(alone) == {("s1", 1), ("s16", 1)}
    for key, signal in alone.items():
        assert signal.card == whole[key].card
        np.testing.assert_allclose(signal.logits, whole[key].logits, rtol=0, atol=1e-5)
        assert (signal.marks == whole[key].marks).mean() > 0.99  # a tie may break either way


def test_marks_go_with_their_records_and_survive_a_file(colluding, tmp_path):
    save_signals(tmp_path / "block.npz", list(colluding.values()), Provenance())
    for one, other in zip(colluding.values(), load_signals(tmp_path / "block.npz"), strict=True):
        assert other.marks.dtype == bool
        assert np.array_equal(one.marks, other.marks)
        assert ModelCard.from_plain(json.loads(json.dumps(one.card.plain()))) == other.card
        for part in (MEMBER, NONMEMBER):
            assert np.array_equal(other.of(part).marks, one.marks[one.membership == part])


def test_the_table_of_the_attack_holds_precision_and_recall(colluding, tmp_path):
    save_signals(tmp_path / "block.npz", list(colluding.values()), Provenance())
    job = jobs.attack_job(experiment(), "collusion")
    rows = attack_rows("toy", "collusion", job.make(), [tmp_path / "block.npz"], 1)
    table = table_of(rows)
    values = table[(table["arm"] == "s16") & (table["replicate"] == 0)].set_index("metric")["value"]
    decisions = colluding["s16", 0].marks.all(axis=1)
    members = colluding["s16", 0].is_member
    assert values["precision"] == pytest.approx((decisions & members).sum() / decisions.sum())
    assert values["recall"] == pytest.approx(decisions[members].mean())
    assert values["advantage"] == pytest.approx(decisions[members].mean() - decisions[~members].mean())


# Settings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilons": [[1, "inf"]]}, "collusion cannot be combined with a finite epsilon"),
        ({"collusion": None}, "'collusion' needs the key collusion"),
        ({"collusion": {"keys": 0}}, "collusion.keys"),
        ({"collusion": {"function": "md5"}}, "'blake2b' or 'python_random'"),
        ({"collusion": {"kyes": 3}}, "keys"),
    ],
)
def test_settings_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        experiment(**changes)


def test_only_images_can_be_marked():
    table = Dataset("adult", np.zeros((100, 4), np.float32), np.zeros(100, int), tuple("abcd"), ("n", "y"))
    with pytest.raises(ConfigError, match=r"collusion: data set 'adult' .*images"):
        train(table, experiment())
