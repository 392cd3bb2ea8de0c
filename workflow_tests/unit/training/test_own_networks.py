"""Networks with dropout and batch norm: trained in training mode, evaluated in eval mode, or refused with a remedy."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from own_networks import Network
from training_checks import experiment, mean_losses, splits_of, toy

from dpmia.common.errors import DataError, TrainingError
from dpmia.common.seeds import derive_seed
from dpmia.formats.model_card import Architecture
from dpmia.formats.provenance import Provenance
from dpmia.formats.recipe import Recipe
from dpmia.formats.signals import VALIDATION, load_signals, save_signals
from dpmia.jobs.training import Engines
from dpmia.planning import jobs
from dpmia.settings.names import ENGINES
from dpmia.splits.split import Split
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.convolution import ConvolutionEngine
from dpmia.training.engines.evaluation import evaluate, flat_buffers, set_state
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.engines.scikit_learn import ScikitLearnEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.lightning import fit
from dpmia.training.model_spec import seeds
from dpmia.training.roles import distilled
from dpmia.training.roles.targets import train_block
from dpmia.training.run import Run, Seeds
from dpmia.training.streams import Streams, full_generator
from dpmia.training.train_models import architecture_for

INF = float("inf")
BOTH = "batch norm and dropout"
SHUFFLED = {"batch_size": 10, "epochs": 5, "learning_rate": 0.05, "sampling": "shuffle"}
POISSON = {**SHUFFLED, "sampling": "poisson", "sampling_without_privacy": "poisson"}
CLASSIFIER = "dpmia.models.classifiers:random_forest"


@pytest.fixture(scope="module")
def dataset():
    return toy()


def given(engine, training):
    private = engine != "plain"
    return experiment(
        training={**training, "engine": engine},
        privacy={"relation": "add_remove" if training["sampling"] == "poisson" else "replace_one"},
        epsilons=[[1, "inf"]] if private else [["inf"]],
        attacks={"random": {}},
    )


def job_of(settings, layers, epsilons, build="own_networks:network", replicates=(0, 1)):
    """Return the job of a block whose models are an own network, with all parameters kept."""
    job = jobs.train_job(settings, epsilons, 0)
    shape = {"trees": 2} if build == CLASSIFIER else {"layers": layers}
    models = {arm: Architecture(build, shape) for arm in job.models}
    return replace(job, models=models, parameters=True, replicates=list(replicates))


def train(dataset, layers, engine="plain", training=SHUFFLED, epsilons=(INF,), replicates=(0, 1), **options):
    settings = given(engine, training)
    job = job_of(settings, layers, list(epsilons), replicates=replicates)
    return train_block(dataset, splits_of(dataset, settings), job, 1, **options)


def trained_copy(dataset, signal, layers):
    """Train the model of a signal once more by torch alone, without any engine, and return its module."""
    members = np.sort(signal.records[signal.is_member])
    training, own = signal.card.recipe, seeds(signal.card.seed, signal.card.meaning)
    streams = Streams(own, training, len(members))
    network = Network(len(dataset.features), len(dataset.classes), layers)
    with torch.random.fork_rng():
        torch.set_rng_state(full_generator(derive_seed(own.weights, "dropout")).get_state())
        module = network.module()
        dropout = torch.get_rng_state()
        torch.nn.utils.vector_to_parameters(
            torch.cat([part.flatten() for part in streams.initial_parameters(network)]), module.parameters()
        )
        torch.set_rng_state(dropout)
        optimiser = torch.optim.Adam(module.parameters(), lr=training.learning_rate)
        x, y = torch.from_numpy(dataset.inputs(members)), torch.from_numpy(dataset.y[members])
        for _ in range(signal.card.steps):
            batch = torch.from_numpy(streams.batch())
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(module(x[batch]), y[batch], reduction="sum").div(10).backward()
            optimiser.step()
    return module


# --- Evaluation ---------------------------------------------------------------------------------------------------


def test_logits_are_those_of_a_copy_trained_by_torch_alone_in_eval_mode(dataset):
    signals = train(dataset, BOTH)
    for signal in signals:
        module = trained_copy(dataset, signal, BOTH)
        x = torch.from_numpy(dataset.inputs(signal.records))
        with torch.inference_mode():
            expected = module.eval()(x).numpy()
            in_training_mode = module.train()(x).numpy()
        np.testing.assert_allclose(signal.logits, expected, rtol=0, atol=1e-5)
        assert np.abs(in_training_mode - expected).max() > 0.1, "the test would see training mode"
        accuracy = (expected.argmax(axis=1) == signal.labels)[signal.is_member].mean()
        assert signal.of(1).correct.mean() == accuracy


@pytest.mark.parametrize(("engine", "layers", "epsilon"), [("plain", BOTH, INF), ("opacus", "dropout", 1.0)])
def test_logits_are_those_of_the_kept_parameters_and_buffers_in_eval_mode(dataset, engine, layers, epsilon, tmp_path):
    signals = train(dataset, layers, engine, SHUFFLED if engine == "plain" else POISSON, [epsilon])
    save_signals(tmp_path / "block.npz", signals, Provenance())
    for signal, kept in zip(signals, load_signals(tmp_path / "block.npz"), strict=True):
        module = architecture_for(dataset, signal.card.model).module()
        torch.nn.utils.vector_to_parameters(torch.from_numpy(kept.parameters), module.parameters())
        if layers == BOTH:
            norm = module[1]
            mean, variance, batches = np.split(kept.buffers, [16, 32])
            norm.running_mean.copy_(torch.from_numpy(mean))
            norm.running_var.copy_(torch.from_numpy(variance))
            assert batches.tolist() == [signal.card.steps], "every model starts with buffers of its own"
        else:
            assert kept.buffers is None
        with torch.inference_mode():
            logits = module.eval()(torch.from_numpy(dataset.inputs(signal.records))).numpy()
        np.testing.assert_allclose(signal.logits, logits, rtol=0, atol=1e-6)
    assert len({signal.logits.tobytes() for signal in signals}) == len(signals)


def test_a_record_is_evaluated_alike_in_any_company(dataset):
    engine = engine_of(PlainEngine, BOTH)
    engine.advance(engine.steps)
    x = torch.from_numpy(dataset.inputs())
    parameters = engine.parameters()[0]
    together = engine.outputs_of(0, parameters, x)
    torch.testing.assert_close(together[:3], engine.outputs_of(0, parameters, x[:3]), rtol=0, atol=1e-6)
    assert torch.equal(together, engine.outputs_of(0, parameters, x))


def test_distillation_queries_the_model_that_was_trained(dataset):
    for signal in train(dataset, BOTH):
        records = np.sort(signal.records[signal.is_member])
        probabilities = distilled._QueriedTarget(dataset, signal, signal.card.model, 1).probabilities(records)
        logits = signal.logits[signal.is_member][np.argsort(signal.records[signal.is_member])]
        np.testing.assert_allclose(probabilities, torch.softmax(torch.from_numpy(logits), 1), rtol=0, atol=1e-6)


def test_state_of_another_network_is_refused(dataset):
    module = Network(3, 2, BOTH).module()
    state = torch.nn.utils.parameters_to_vector(module.parameters()).detach(), flat_buffers(module)
    set_state(module, *state)
    with pytest.raises(ValueError, match="0 values for buffers of 33"):
        set_state(module, state[0], torch.empty(0))
    with pytest.raises(ValueError, match=f"1 values for parameters of {len(state[0])}"):
        set_state(module, state[0][:1], state[1])
    (signal, *_) = train(dataset, BOTH)
    with pytest.raises(DataError, match=r"signals of the target model .*: it is no such network \(1 values for param"):
        distilled._QueriedTarget(dataset, replace(signal, parameters=signal.parameters[:1]), signal.card.model, 1)
    with pytest.raises(
        DataError, match=r"signals of the target model .*: it is no such network \(it has no parameters"
    ):
        distilled._QueriedTarget(dataset, replace(signal, parameters=None), signal.card.model, 1)


# --- Training -----------------------------------------------------------------------------------------------------

CASES = pytest.mark.parametrize(
    ("kind", "layers", "sigma"),
    [(PlainEngine, BOTH, None), (OpacusEngine, "dropout", 0.8)],
    ids=["plain", "opacus"],
)


def engine_of(kind, layers, sigma=None, seed=1, **recipe):
    data, sampling = toy(), "shuffle" if sigma is None else "poisson"
    run = Run("r", np.arange(60), Seeds(seed, 2, 3), sigma)
    recipe = Recipe(**{**SHUFFLED, "optimiser": "adam", "sampling": sampling, **recipe})
    return kind(Network(3, 2, layers), recipe, [run], torch.from_numpy(data.inputs()), torch.from_numpy(data.y))


def state_of(engine):
    return torch.cat([engine.parameters()[0].double(), engine.buffers()[0]])


@CASES
def test_dropout_draws_from_the_run_and_leaves_torchs_own_stream_alone(kind, layers, sigma):
    ends = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        engine = engine_of(kind, layers, sigma)
        before = torch.get_rng_state()
        engine.advance(engine.steps)
        assert torch.equal(torch.get_rng_state(), before)
        ends.append(state_of(engine))
    assert torch.equal(*ends)


@CASES
def test_dropout_is_active_in_training_and_fresh_in_every_step(kind, layers, sigma):
    engine = engine_of(kind, layers, sigma)
    masks = []
    dropout = next(layer for layer in engine.module.modules() if isinstance(layer, torch.nn.Dropout))
    dropout.register_forward_hook(lambda layer, given, out: masks.append((out == 0).sum().item()))
    without = engine_of(kind, layers, sigma)
    next(layer for layer in without.module.modules() if isinstance(layer, torch.nn.Dropout)).p = 0.0
    for fitted in (engine, without):
        fitted.advance(fitted.steps)
    assert not torch.equal(engine.parameters()[0], without.parameters()[0])
    assert len(set(masks)) > 5


@CASES
def test_dropout_of_two_models_differs(kind, layers, sigma):
    one, other = (engine_of(kind, layers, sigma, seed) for seed in (1, 2))
    with one.stream.dropout():
        first = torch.rand(9)
    with other.stream.dropout():
        assert not torch.equal(first, torch.rand(9))


@pytest.mark.parametrize(("engine", "layers", "epsilon"), [("plain", BOTH, INF), ("opacus", "dropout", 1.0)])
def test_a_model_does_not_depend_on_those_of_its_block(dataset, engine, layers, epsilon):
    training = SHUFFLED if engine == "plain" else POISSON
    whole = {signal.card.arm: signal for signal in train(dataset, layers, engine, training, [epsilon])[1::2]}
    alone = train(dataset, layers, engine, training, [epsilon], replicates=[1])
    for signal in alone:
        other = whole[signal.card.arm]
        assert signal.card == other.card
        for name in ("logits", "parameters", "buffers"):
            assert np.array_equal(getattr(signal, name), getattr(other, name))


@CASES
def test_an_interrupted_training_ends_with_the_same_bits(kind, layers, sigma, tmp_path, monkeypatch):
    monkeypatch.setattr("dpmia.training.lightning.MOST_STEPS_PER_CALL", 7)

    class Failing(kind):
        def backward(self, batches):
            if self.done >= 14:
                raise MemoryError
            super().backward(batches)

    whole, cut, resumed = (engine_of(engine_class, layers, sigma) for engine_class in (kind, Failing, kind))
    whole.advance(whole.steps)
    with pytest.raises(MemoryError):
        fit(cut, Checkpoints(tmp_path / "signals.npz", "code", every=0))
    torch.rand(5)
    fit(resumed, Checkpoints(tmp_path / "signals.npz", "code", every=0))
    assert resumed.done == whole.done == 30
    assert torch.equal(state_of(whole), state_of(resumed))


@pytest.mark.parametrize(("engine", "layers", "epsilon"), [("plain", BOTH, INF), ("opacus", "dropout", 1.0)])
def test_accuracy_after_each_epoch_is_that_in_eval_mode_and_changes_no_model(dataset, engine, layers, epsilon):
    settings = given(engine, SHUFFLED if engine == "plain" else POISSON)
    split = Split(np.arange(40), np.arange(40, 70), [], np.arange(130, 200))
    splits = {(arm, replicate): split for arm in ("one", "one-iid") for replicate in (0, 1)}
    job = job_of(settings, layers, [epsilon])
    unseen, watched = (train_block(dataset, splits, replace(job, by_epoch=by_epoch), 1) for by_epoch in (False, True))
    for one, other in zip(unseen, watched, strict=True):
        assert np.array_equal(one.logits, other.logits)
        assert other.accuracy_by_epoch.shape == (5,)
        assert other.accuracy_by_epoch[-1] == other.of(VALIDATION).correct.mean()


def test_an_empty_batch_leaves_running_statistics_and_gradients_alone():
    engine = engine_of(PlainEngine, BOTH, optimiser="sgd")
    engine.stream.batch = lambda: np.empty(0, dtype=np.int64)
    before = state_of(engine)
    assert np.isnan(mean_losses(engine, 3)).all()
    assert torch.equal(state_of(engine), before)


def test_a_batch_norm_network_learns():
    data = toy()
    engine = engine_of(PlainEngine, "batch norm", epochs=60)
    fit(engine)
    logits = engine.outputs_of(0, engine.parameters()[0], torch.from_numpy(data.inputs()[:60]))
    accuracy, share = (logits.argmax(1).numpy() == data.y[:60]).mean(), data.y[:60].mean()
    assert accuracy > max(share, 1 - share) + 0.1
    assert evaluate(engine.architecture.module(), torch.zeros(2, 3)).shape == (2, 2)


# --- Refusals -----------------------------------------------------------------------------------------------------

LARGE = {**POISSON, "batch_size": 32}
REFUSED = {
    "batch norm": ("opacus", "batch norm", LARGE, ["'1' (BatchNorm1d)", "GroupNorm", "engine 'plain' without"]),
    "batch norm without weights": ("opacus", "batch norm without weights", LARGE, ["'1' (BatchNorm1d)", "GroupNorm"]),
    "other buffers": ("opacus", "instance norm with statistics", POISSON, ["'2' (InstanceNorm1d)", "engine 'plain'"]),
    "small batches": (
        "plain",
        "batch norm",
        POISSON,
        ["'1' (BatchNorm1d)", "poisson batches of 10", "sampling_without_privacy: shuffle"],
    ),
    "batches of one": ("plain", "batch norm", {**SHUFFLED, "batch_size": 1}, ["batches of 1", "at least 2"]),
    "no statistics": (
        "plain",
        "batch norm without statistics",
        SHUFFLED,
        ["(BatchNorm1d)", "track_running_stats=True"],
    ),
    "float64": ("opacus", "float64", POISSON, ["parameter 1.weight is of type torch.float64, not torch.float32"]),
    "bfloat16": ("plain", "bfloat16", SHUFFLED, ["parameter 1.weight is of type torch.bfloat16", "convert in forward"]),
    "stacked": (
        "stacked",
        "neither",
        POISSON,
        ["Network cannot be combined with engine 'stacked'", "perceptron", "engine: opacus"],
    ),
    "convolution": (
        "convolution",
        "neither",
        POISSON,
        ["Network cannot be combined with engine 'convolution'", "engine: opacus"],
    ),
    "scikit-learn": (
        "scikit_learn",
        "neither",
        POISSON,
        ["Network cannot be combined with engine 'scikit_learn'", "classifier"],
    ),
}


@pytest.fixture
def untrained(monkeypatch):
    """Fail where any model is trained."""

    def advance(engine, steps):
        pytest.fail(f"{engine.runs[0].name} was trained")

    for kind in (PlainEngine, StackedEngine, ScikitLearnEngine, ConvolutionEngine, OpacusEngine):
        monkeypatch.setattr(kind, "advance", advance)


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize("case", REFUSED)
def test_what_an_engine_cannot_train_is_refused_before_any_model_of_the_job(case, dataset):
    engine, layers, training, reported = REFUSED[case]
    settings = given("opacus" if engine == "opacus" else "plain", training)
    # Models without privacy stand beside private ones, and would be trained first by another engine.
    epsilons = [INF, 1.0] if engine == "opacus" else [INF]
    job = job_of(settings, layers, epsilons)
    if engine != "opacus":
        job = replace(job, engines=Engines("", ENGINES[engine].plain))
    with pytest.raises(TrainingError) as error:
        train_block(dataset, splits_of(dataset, settings), job, 1)
    for text in ("model one", *reported):
        assert text in str(error.value)


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize("engine", ["plain", "opacus"])
def test_initial_parameters_of_other_shapes_than_the_modules_are_refused(dataset, engine):
    settings = given(engine, POISSON if engine == "opacus" else SHUFFLED)
    job = job_of(settings, "batch norm", [1.0 if engine == "opacus" else INF], "own_networks:forgetful")
    with pytest.raises(TrainingError, match="initial_parameters has the shapes"):
        train_block(dataset, splits_of(dataset, settings), job, 1)


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize("engine", ["plain", "opacus"])
def test_a_classifier_is_refused_by_engines_of_networks(dataset, engine):
    settings = given(engine, POISSON)
    job = job_of(settings, None, [1.0 if engine == "opacus" else INF], CLASSIFIER)
    with pytest.raises(TrainingError, match="Classifier is not a network"):
        train_block(dataset, splits_of(dataset, settings), job, 1)


@pytest.mark.parametrize("engine", ["plain", "opacus"])
def test_outputs_that_are_not_finite_are_refused_by_the_job_that_made_them(dataset, engine):
    epsilons = (1.0,) if engine == "opacus" else (INF,)
    with pytest.raises(TrainingError, match=r"model one/.*: its output for record \d+ is not finite.*Lower"):
        train(dataset, "broken", engine, POISSON, epsilons, [0])


def test_outputs_of_another_precision_are_kept_as_float32():
    class Precise(torch.nn.Linear):
        def forward(self, x):
            return super().forward(x).double()

    logits = evaluate(Precise(3, 2), torch.ones(5, 3))
    assert (logits.dtype, logits.shape) == (torch.float32, (5, 2))


def test_probabilities_are_refused_where_logits_are_wanted(dataset):
    settings = given("plain", SHUFFLED)
    job = job_of(settings, "neither", [INF], "own_networks:softmaxed")
    with pytest.raises(
        TrainingError, match=r"model one/.*: all its outputs are probabilities.*leave out the last softmax"
    ):
        train_block(dataset, splits_of(dataset, settings), job, 1)
