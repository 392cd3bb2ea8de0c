"""Blocks of target models: which are trained, from which randomness, and what is kept of them."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from dpmia.common.errors import TrainingError
from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.formats.model_card import Architecture, ModelCard
from dpmia.formats.provenance import Provenance
from dpmia.formats.signals import CURVE, MEMBER, NONMEMBER, POPULATION, VALIDATION, load_signals, save_signals
from dpmia.planning import jobs
from dpmia.privacy.accounting import Mechanism
from dpmia.settings.experiment import Experiment
from dpmia.settings.messages import checked
from dpmia.splits.block import draw_block
from dpmia.splits.split import Split
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.model_spec import specify
from dpmia.training.roles.targets import train_block
from dpmia.training.run import Run
from dpmia.training.train_models import _digest, _name_on_queries, architecture_for

INF = math.inf
ENGINES = ["stacked", "opacus"]


@pytest.fixture(scope="module")
def dataset():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    x = (rng.random((120, 3)) + y[:, None] * [0.5, 0, 0]).astype(np.float32)
    hospital = np.repeat(["a", "b"], [50, 70])
    return Dataset("toy", x, y, ("p", "q", "r"), ("no", "yes"), {"hospital": hospital})


def experiment(engine="stacked", **changes):
    settings = {
        "dataset": "heart",
        "membership": {"kind": "group", "by": "hospital", "members": 40, "nonmembers": 30},
        "arms": {"one": {"group": "a"}},
        "model": {"hidden": [6]},
        "training": {"engine": engine, "batch_size": 10, "epochs": 2},
        "privacy": {"relation": "add_remove"},
        "epsilons": [[1, "inf"]],
        "replicates": 3,
        "block": 3,
        "attacks": {"random": {}},
    }
    return checked(Experiment, settings | changes, "test")


def train(dataset, given, epsilons=(1.0, INF), block=0, seed=1, splits=None, **options):
    split_job = jobs.split_job(given, block)
    if splits is None:
        splits = draw_block(dataset, None, load(split_job.draw), split_job.arms, split_job.replicates, seed)
    return train_block(dataset, splits, jobs.train_job(given, list(epsilons), block), seed, **options)


def by_key(signals):
    indexed = {(s.card.arm, s.card.epsilon, s.card.replicate): s for s in signals}
    assert len(indexed) == len(signals)
    return indexed


@pytest.fixture(scope="module", params=ENGINES)
def trained(request, dataset):
    return request.param, train(dataset, experiment(request.param))


def test_every_arm_epsilon_and_replicate_is_trained_once_in_a_fixed_order(trained):
    _, signals = trained
    keys = [(arm, epsilon, r) for arm in ("one", "one-iid") for epsilon in ("1", "inf") for r in range(3)]
    assert list(by_key(signals)) == keys


def test_models_are_evaluated_on_their_own_records(trained, dataset):
    given = experiment()
    job = jobs.split_job(given, 0)
    splits = draw_block(dataset, None, load(job.draw), job.arms, job.replicates, 1)
    for (arm, _, replicate), signal in by_key(trained[1]).items():
        split = splits[arm, replicate]
        assert signal.of(MEMBER).records.tolist() == split.members.tolist()
        assert signal.of(NONMEMBER).records.tolist() == split.nonmembers.tolist()
        assert len(signal.of(VALIDATION).records) == 0
        assert np.array_equal(signal.labels, dataset.y[signal.records])
        assert signal.logits.shape == (70, 2)
        assert signal.logits.dtype == np.float32
        assert np.isfinite(signal.logits).all()


def test_all_models_differ(trained):
    logits = {signal.logits.tobytes() for signal in trained[1]}
    assert len(logits) == len(trained[1])


def test_training_without_privacy_learns(dataset):
    signals = train(dataset, experiment(training={"batch_size": 10, "epochs": 60}), epsilons=[INF])
    accuracy = [signal.of(MEMBER).correct.mean() for signal in signals]
    shares = [max(m := s.of(MEMBER).labels.mean(), 1 - m) for s in signals]
    assert np.mean(accuracy) > np.mean(shares) + 0.05


def test_accounting_is_kept_beside_every_private_model_and_is_true(trained):
    for (_, epsilon, _), signal in by_key(trained[1]).items():
        record = signal.card.accounting
        if epsilon == "inf":
            assert record is None
            continue
        names = ("sampler", "rate", "steps", "epochs", "relation", "delta", "accountant")
        mechanism = Mechanism(**{name: getattr(record, name) for name in names})
        assert mechanism == Mechanism("poisson", 10 / 40, 8, 2, "add_remove", 1e-5, "pld")
        assert 0.99 < mechanism.epsilon(record.noise_multiplier) <= 1 == record.epsilon
        assert record.noise_sd == record.noise_multiplier * record.clip_norm
        assert signal.card.steps == 8


def test_what_is_recorded_of_a_model_is_plain_data_and_survives_a_file(trained, tmp_path):
    _, signals = trained
    save_signals(tmp_path / "block.npz", signals, Provenance())
    for one, other in zip(signals, load_signals(tmp_path / "block.npz"), strict=True):
        assert ModelCard.from_plain(json.loads(json.dumps(one.card.plain(), allow_nan=False))) == other.card
        assert np.array_equal(one.logits, other.logits)
        assert one.card.role == "target"
        assert one.card.compares == "replace_one"
        assert one.card.model == Architecture("dpmia.models.mlp:perceptron", {"hidden": [6]})
        assert one.card.iid == one.card.arm.endswith("-iid")
        assert one.card.recipe.epochs == 2


def assert_same(one, other):
    """Same model up to rounding: products over other numbers of models may add in another order."""
    assert one.card == other.card
    np.testing.assert_array_equal(one.records, other.records)
    np.testing.assert_allclose(one.logits, other.logits, rtol=0, atol=1e-5)


def test_a_replicate_is_the_same_model_in_a_block_of_one_and_of_three(trained, dataset):
    engine, signals = trained
    whole = by_key(signals)
    alone = by_key(train(dataset, experiment(engine, block=1), block=2))
    assert {replicate for _, _, replicate in alone} == {2}
    for key, signal in alone.items():
        assert_same(signal, whole[key])


def test_the_order_and_company_of_epsilons_do_not_matter(trained, dataset):
    engine, signals = trained
    whole = by_key(signals)
    for epsilons in ([INF, 1.0], [10.0, 1.0]):
        for key, signal in by_key(train(dataset, experiment(engine), epsilons)).items():
            if key in whole:
                assert_same(signal, whole[key])


def test_models_of_other_records_labels_or_queries_share_no_checkpoint():
    given = jobs.train_job(experiment(), [INF], 0)
    card = ModelCard(arm="one", iid=False, epsilon="inf", role="target", meaning=["m"], replicate=0)
    spec = specify(
        "model",
        card,
        np.arange(20),
        np.arange(30),
        recipe=given.recipes["one"],
        model=given.models["one"],
        engines=given.engines,
        root_seed=1,
    )
    hard, soft = (np.full((20, 2), share, dtype=np.float32) for share in (1.0, 0.5))
    changes = ({"records": np.arange(1, 21)}, {"soft_labels": hard}, {"soft_labels": soft})
    others = [replace(spec, run=replace(spec.run, **change)) for change in changes]
    others += [replace(spec, validation=np.arange(count)) for count in (5, 6)]  # accuracy by epoch is kept, too
    assert len({_digest([one]) for one in (spec, *others)}) == 6
    assert _name_on_queries(spec) != _name_on_queries(replace(spec, queries=np.arange(29)))


@pytest.mark.parametrize("width", [2, 9])
def test_the_model_that_is_followed_has_the_largest_epsilon(dataset, width, monkeypatch):
    monkeypatch.setattr(StackedEngine, "width", lambda *args: width)
    signals = train(dataset, experiment(), epsilons=(0.5, 2.0, 1.0))
    followed = [float(signal.card.epsilon) for signal in signals if signal.curve is not None]
    assert max(followed) == 2.0
    assert len(followed) == math.ceil(len(signals) / width)
    for signal in signals:
        if signal.curve is not None:
            assert signal.curve[-1, CURVE.index("epsilon")] == pytest.approx(float(signal.card.epsilon), rel=0.01)


def test_a_renamed_arm_is_the_same_model(trained, dataset):
    engine, signals = trained
    whole = by_key(signals)
    renamed = by_key(train(dataset, experiment(engine, arms={"uno": {"group": "a"}})))
    for (arm, epsilon, replicate), signal in renamed.items():
        other = whole[arm.replace("uno", "one"), epsilon, replicate]
        assert np.array_equal(signal.logits, other.logits)
        assert signal.card.meaning == other.card.meaning


def test_another_root_seed_gives_other_models_on_the_same_splits(trained, dataset):
    engine, signals = trained
    given = experiment(engine)
    job = jobs.split_job(given, 0)
    splits = draw_block(dataset, None, load(job.draw), job.arms, job.replicates, 1)
    for one, other in zip(signals, train(dataset, given, seed=2, splits=splits), strict=True):
        assert np.array_equal(one.records, other.records)
        assert not np.array_equal(one.logits, other.logits)


def test_training_sets_of_different_sizes_share_a_block(dataset):
    given = experiment(membership={"kind": "group", "by": "hospital", "members": "all", "nonmembers": "all"},
                       arms={"one": {"group": "a"}, "two": {"group": "b"}})  # fmt: skip
    signals = by_key(train(dataset, given, epsilons=[1.0]))
    assert signals["one", "1", 0].card.steps == 10
    assert signals["two", "1", 0].card.steps == 14
    sigmas = {arm: signals[arm, "1", 0].card.accounting.noise_multiplier for arm in ("one", "one-iid", "two")}
    assert sigmas["one"] == sigmas["one-iid"] != sigmas["two"]


def test_validation_records_are_queried_too(dataset):
    given = experiment(block=1, replicates=1)
    split = Split(np.arange(40), np.arange(40, 70), [], np.arange(70, 82))
    signals = train(dataset, given, [INF], splits={("one", 0): split, ("one-iid", 0): split})
    assert signals[0].of(VALIDATION).records.tolist() == list(range(70, 82))


def test_the_population_is_queried_where_an_attack_needs_it(dataset):
    given = experiment(block=1, replicates=1, attacks={"population": {}})
    split = Split(np.arange(40), np.arange(40, 70), np.arange(70, 90), [])
    signals = train(dataset, given, [INF], splits={("one", 0): split, ("one-iid", 0): split})
    assert signals[0].of(POPULATION).records.tolist() == list(range(70, 90))
    without = train(
        dataset, experiment(block=1, replicates=1), [INF], splits={("one", 0): split, ("one-iid", 0): split}
    )
    assert len(without[0].of(POPULATION).records) == 0
    np.testing.assert_allclose(signals[0].of(MEMBER).logits, without[0].of(MEMBER).logits, rtol=0, atol=1e-6)


def test_kept_parameters_are_those_of_the_model(dataset):
    changes = {"attacks": {"distillation": {}}, "references": {"count": 1, "block": 1}, "block": 1, "replicates": 1}
    signals = train(dataset, experiment(**changes))
    for signal in signals:
        module = architecture_for(dataset, signal.card.model).module()
        torch.nn.utils.vector_to_parameters(torch.from_numpy(signal.parameters), module.parameters())
        with torch.inference_mode():
            logits = module(torch.from_numpy(dataset.inputs(signal.records))).numpy()
        np.testing.assert_allclose(logits, signal.logits, rtol=0, atol=1e-5)
    assert len({signal.parameters.tobytes() for signal in signals}) == len(signals)
    assert train(dataset, experiment(block=1, replicates=1))[0].parameters is None


def test_arms_may_have_models_of_different_shapes(dataset):
    arms = {"one": {"group": "a"}, "wide": {"group": "a", "model": {"hidden": [8, 5]}}}
    given = experiment(arms=arms, iid_arms=False, block=1, replicates=1)
    both = by_key(train(dataset, given, [INF]))
    assert_same(both["one", "inf", 0], train(dataset, experiment(iid_arms=False, block=1, replicates=1), [INF])[0])
    assert both["wide", "inf", 0].card.model.shape == {"hidden": [8, 5]}
    assert both["wide", "inf", 0].card.meaning == both["one", "inf", 0].card.meaning
    assert not np.allclose(both["wide", "inf", 0].logits, both["one", "inf", 0].logits, atol=1e-3)


@pytest.mark.parametrize(("records", "expected"), [(100, 50), ("all", 60)])
def test_records_that_join_at_random_are_trained_on_though_only_some_are_queried(
    records, expected, dataset, monkeypatch
):
    trained_on = {}

    class Remembered(Run):
        def __post_init__(self):
            trained_on[self.name] = self.records

    monkeypatch.setattr("dpmia.training.model_spec.Run", Remembered)
    given = experiment(
        membership={"kind": "bernoulli", "records": records, "queries": 30},
        arms={"half": {"rate": 0.5}},
        iid_arms=False,
    )
    job = jobs.split_job(given, 0)
    splits = draw_block(dataset, None, load(job.draw), job.arms, job.replicates, 1)
    sizes = set()
    for (_, epsilon, replicate), signal in by_key(train(dataset, given, splits=splits)).items():
        split = splits["half", replicate]
        assert sorted(signal.records.tolist()) == list(range(30))
        assert signal.of(MEMBER).records.tolist() == split.members.tolist()
        training = trained_on[f"half/epsilon {epsilon}/replicate {replicate}"]
        assert training.tolist() == sorted([*split.members, *split.background])
        assert signal.card.compares == "add_remove"
        # How many joined is secret: steps and sampling rate follow from their expected number.
        sizes.add(len(training))
        assert signal.card.steps == expected // 10 * 2
        assert epsilon == "inf" or signal.card.accounting.rate == 10 / expected
    assert len(sizes) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_accuracy_after_each_epoch_ends_with_that_of_the_outputs(dataset, engine):
    given = experiment(
        membership={"kind": "bernoulli", "records": 80, "queries": 30, "validation": 40},
        arms={"one": {"rate": 0.5}, "few": {"rate": 0.5, "epsilons": ["inf"]}},
        training={"engine": engine, "batch_size": 10, "epochs": 4},
        iid_arms=False,
        accuracy_by_epoch=True,
    )
    watched = by_key(train(dataset, given))
    assert list(watched) == [
        *(("one", epsilon, r) for epsilon in ("1", "inf") for r in range(3)),
        *(("few", "inf", r) for r in range(3)),
    ]
    for signal in watched.values():
        assert signal.accuracy_by_epoch.shape == (4,)
        assert signal.accuracy_by_epoch[-1] == signal.of(VALIDATION).correct.mean()
    assert len({signal.accuracy_by_epoch.tobytes() for signal in watched.values()}) > 1
    for key, signal in by_key(train(dataset, given.model_copy(update={"accuracy_by_epoch": False}))).items():
        assert signal.accuracy_by_epoch is None
        assert np.array_equal(signal.logits, watched[key].logits)


def test_an_arm_without_validation_records_is_not_measured(dataset, tmp_path):
    given = experiment(
        membership={"kind": "bias", "by": "hospital", "members": 40, "nonmembers": 20, "validation": 10},
        arms={"one": {"group": "a", "share": 0.5}},
        accuracy_by_epoch=True,
    )
    signals = train(dataset, given, [INF])
    assert [signal.accuracy_by_epoch is None for signal in signals] == [signal.card.iid for signal in signals]
    save_signals(tmp_path / "a.npz", signals, Provenance())
    for signal, kept in zip(signals, load_signals(tmp_path / "a.npz"), strict=True):
        assert np.array_equal(signal.accuracy_by_epoch, kept.accuracy_by_epoch)


def test_logits_do_not_depend_on_how_many_records_are_queried_at_once(dataset, monkeypatch):
    given = experiment(block=1, replicates=1)
    at_once = train(dataset, given)
    monkeypatch.setattr("dpmia.training.engines.evaluation.FEATURES_AT_ONCE", 7)
    for one, other in zip(at_once, train(dataset, given), strict=True):
        np.testing.assert_allclose(one.logits, other.logits, rtol=0, atol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_checkpoints_change_nothing(dataset, engine, tmp_path):
    given = experiment(engine, block=1, replicates=1)
    kept = Checkpoints(tmp_path / "signals.npz", "code", every=0)
    for one, other in zip(train(dataset, given), train(dataset, given, checkpoints=kept), strict=True):
        assert np.array_equal(one.logits, other.logits)


def test_an_interrupted_block_goes_on_and_takes_no_step_twice(dataset, tmp_path, monkeypatch):
    given = experiment("opacus")
    whole = train(dataset, given, [INF])
    taken, backward = [], PlainEngine.backward

    def counted(most):
        def step(engine, batches):
            if len(taken) == most:
                raise MemoryError
            taken.append((engine.runs[0].name, engine.done))
            backward(engine, batches)

        return step

    steps = whole[0].card.steps
    monkeypatch.setattr(PlainEngine, "backward", counted(most=2 * steps))
    with pytest.raises(MemoryError), Checkpoints(tmp_path / "signals.npz", "code", every=0) as kept:
        train(dataset, given, [INF], checkpoints=kept)
    monkeypatch.setattr(PlainEngine, "backward", counted(most=None))
    with Checkpoints(tmp_path / "signals.npz", "code", every=0) as kept:
        resumed = train(dataset, given, [INF], checkpoints=kept)
    assert len(set(taken)) == len(taken) == len(whole) * steps == 6 * steps
    assert all(np.array_equal(one.logits, other.logits) for one, other in zip(whole, resumed, strict=True))


@pytest.mark.parametrize("epsilon", [1.0, INF])
def test_a_batch_larger_than_the_training_set_is_reported(dataset, epsilon):
    given = experiment(training={"batch_size": 41, "epochs": 2})
    with pytest.raises(
        TrainingError, match=r"(batch_size: 41 .*training set of 40 |training set of 40 records makes no batch of 41\.)"
    ):
        train(dataset, given, [epsilon])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_model_that_breaks_down_is_reported_by_name(dataset, engine):
    given = experiment(
        engine, training={"engine": engine, "batch_size": 10, "epochs": 5, "optimiser": "sgd", "learning_rate": 1e30}
    )
    with pytest.raises(TrainingError, match=r"model one/epsilon inf/replicate 0, step 4: .*Lower learning_rate"):
        train(dataset, given, [INF])


def test_a_guarantee_that_cannot_be_kept_is_reported(dataset):
    given = experiment(privacy={"delta": 1e-11}, training={"batch_size": 40, "epochs": 20_000})
    with pytest.raises(TrainingError, match=r"epsilon 0\.0001, delta 1e-11, 20000 steps at rate 1: no noise multip"):
        train(dataset, given, [1e-4])


def test_the_same_block_gives_the_same_bits_whatever_the_global_random_states(trained, dataset):
    engine, signals = trained
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002 (the very state that must not matter)
    for one, other in zip(signals, train(dataset, experiment(engine)), strict=True):
        assert np.array_equal(one.logits, other.logits)
