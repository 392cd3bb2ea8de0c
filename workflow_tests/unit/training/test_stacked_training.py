"""Training by the stacked engine: the same models as the engines that train one at a time, whatever K is."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from tiny_training import PowerCutError, failing_at
from training_checks import mean_losses

from dpmia.formats.recipe import Recipe
from dpmia.models.mlp import MLP
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines import batch_layout
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.lightning import fit
from dpmia.training.run import Run, Seeds

SHAPE = MLP(20, (32, 16), 3)
OPTIMISERS = {
    "adam": {"optimiser": "adam", "learning_rate": 0.01},
    "adam, l2": {"optimiser": "adam", "learning_rate": 0.01, "l2": 0.01},
    "sgd": {"optimiser": "sgd", "learning_rate": 0.3},
    "sgd, momentum, l2": {"optimiser": "sgd", "learning_rate": 0.1, "momentum": 0.9, "l2": 0.01},
}


@pytest.fixture(params=[0, 10**9], ids=["ragged", "padded"])
def layout(request, monkeypatch):
    monkeypatch.setattr(batch_layout, "PADDED_PARAMETERS", request.param)


@pytest.fixture(scope="module")
def data():
    generator = torch.Generator().manual_seed(0)
    y = torch.randint(0, 3, (600,), generator=generator)
    x = torch.randn(600, 20, generator=generator) + 0.5 * torch.nn.functional.one_hot(y, 20)
    return x, y


def make_recipe(batch_size=40, epochs=12, **changes):
    return Recipe(**{**OPTIMISERS["adam"], "batch_size": batch_size, "epochs": epochs, **changes})


def make_runs(count, sigma=0.8, records=500, **changes):
    """Return runs with training sets of their own and, where private, noise of their own size."""
    rng = np.random.default_rng(7)
    return [
        Run(
            f"r{k}",
            rng.permutation(600)[: records + k],
            Seeds(k, 10 + k, 20 + k),
            sigma and sigma * (1 + 0.1 * k),
            **changes,
        )
        for k in range(count)
    ]


def assert_close(models, others, tolerance):
    for mine, other in zip(models, others, strict=True):
        torch.testing.assert_close(mine, other, rtol=0, atol=tolerance)


@pytest.mark.parametrize("sampling", ["poisson", "shuffle"])
@pytest.mark.parametrize("settings", OPTIMISERS.values(), ids=OPTIMISERS)
@pytest.mark.parametrize(("sigma", "other"), [(0.8, OpacusEngine), (None, PlainEngine)], ids=["opacus", "plain"])
@pytest.mark.usefixtures("layout")
def test_fifty_steps_follow_the_other_engine(data, settings, sigma, other, sampling):
    recipe = make_recipe(**settings, sampling=sampling)
    runs = make_runs(3, sigma)
    engine = StackedEngine(SHAPE, recipe, runs, *data)
    losses = mean_losses(engine, 50)
    for k, run in enumerate(runs):
        single = other(SHAPE, recipe, [run], *data)
        assert losses[k] == pytest.approx(mean_losses(single, 50)[0], abs=1e-5)
        assert_close([engine.parameters()[k]], single.parameters(), 1e-4)


@pytest.mark.parametrize(("sigma", "other"), [(0.8, OpacusEngine), (None, PlainEngine)], ids=["opacus", "plain"])
@pytest.mark.usefixtures("layout")
def test_numbers_are_learnt_as_by_the_other_engine(data, sigma, other):
    x = data[0]
    y = x[:, 0] - 2 * x[:, 1].square()
    shape, recipe, runs = MLP(20, (32, 16), 1), make_recipe(), make_runs(3, sigma)
    engine = StackedEngine(shape, recipe, runs, x, y)
    first, losses = mean_losses(engine, 1), mean_losses(engine, 49)
    for k, run in enumerate(runs):
        single = other(shape, recipe, [run], x, y)
        assert first[k] == pytest.approx(mean_losses(single, 1)[0], rel=1e-5)
        assert losses[k] == pytest.approx(mean_losses(single, 49)[0], rel=1e-4)
        assert_close([engine.parameters()[k]], single.parameters(), 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("settings", OPTIMISERS.values(), ids=OPTIMISERS)
@pytest.mark.parametrize(("sigma", "other"), [(0.8, OpacusEngine), (None, PlainEngine)], ids=["opacus", "plain"])
@pytest.mark.usefixtures("layout")
def test_tanh_and_default_weights_of_torch_are_trained_as_by_the_other_engine(data, settings, sigma, other):
    shape = replace(SHAPE, activation="tanh", initial_weights="torch_default")
    recipe, runs = make_recipe(**settings), make_runs(3, sigma)
    engine = StackedEngine(shape, recipe, runs, *data)
    rectified = StackedEngine(SHAPE, recipe, runs, *data)
    starts = torch.stack(engine.parameters())
    assert (starts.std(dim=0) > 0).all(), "biases start at random, too, each model with its own"
    engine.advance(50)
    rectified.advance(50)
    for k, run in enumerate(runs):
        single = other(shape, recipe, [run], *data)
        assert torch.equal(single.parameters()[0], starts[k])
        single.advance(50)
        assert_close([engine.parameters()[k]], single.parameters(), 1e-4)
        assert not torch.allclose(engine.parameters()[k], rectified.parameters()[k], atol=1e-2)


def test_rare_records_and_empty_batches_follow_opacus(data):
    recipe = make_recipe(batch_size=1, epochs=1)
    run = Run("r", np.arange(60), Seeds(1, 2, 3), 0.5)
    engine, single = StackedEngine(SHAPE, recipe, [run], *data), OpacusEngine(SHAPE, recipe, [run], *data)
    sizes = [len(engine.streams[0].batch()) for _ in range(60)]
    assert 0 in sizes
    engine = StackedEngine(SHAPE, recipe, [run], *data)
    assert mean_losses(engine, 60)[0] == pytest.approx(mean_losses(single, 60)[0], abs=1e-5)
    assert_close(engine.parameters(), single.parameters(), 1e-4)


@pytest.mark.parametrize("sigma", [0.8, None])
@pytest.mark.usefixtures("layout")
def test_models_do_not_depend_on_those_beside_them(data, sigma):
    recipe, runs = make_recipe(), make_runs(8, sigma)
    together = StackedEngine(SHAPE, recipe, runs, *data)
    together.advance(50)
    for width in (1, 3):
        alone = [StackedEngine(SHAPE, recipe, runs[i : i + width], *data) for i in range(0, 8, width)]
        for engine in alone:
            engine.advance(50)
        assert_close(together.parameters(), [p for e in alone for p in e.parameters()], 1e-4)
        streams = [s for e in alone for s in e.state_dict()["streams"]]
        for mine, other in zip(together.state_dict()["streams"], streams, strict=True):
            assert mine["batches"] == other["batches"]
            assert torch.equal(mine["noise"], other["noise"])


@pytest.mark.usefixtures("layout")
def test_same_runs_same_bits(data):
    ends = []
    for _ in range(2):
        engine = StackedEngine(SHAPE, make_recipe(), make_runs(3), *data)
        engine.advance(30)
        ends.append(torch.stack(engine.parameters()))
    assert torch.equal(*ends)


@pytest.mark.parametrize("sampling", ["poisson", "shuffle"])
@pytest.mark.parametrize("settings", OPTIMISERS.values(), ids=OPTIMISERS)
def test_resuming_changes_no_bit(data, settings, sampling):
    recipe, runs = make_recipe(**settings, sampling=sampling), make_runs(3)
    whole = StackedEngine(SHAPE, recipe, runs, *data)
    whole.advance(13)
    state, momenta = whole.state_dict(), copy.deepcopy(whole.optimiser.state_dict())
    kept = copy.deepcopy(state)
    whole.advance(17)
    resumed = StackedEngine(SHAPE, recipe, runs, *data)
    resumed.load_state_dict(state)
    resumed.optimiser.load_state_dict(momenta)
    resumed.advance(17)
    assert resumed.done == 30
    assert torch.equal(torch.stack(whole.parameters()), torch.stack(resumed.parameters()))
    assert torch.equal(kept["parameters"], state["parameters"]), "going on must not change a state taken before"


def test_lightning_resumes_from_its_checkpoint(data, tmp_path):
    recipe, runs = make_recipe(epochs=17), make_runs(2)
    whole = StackedEngine(SHAPE, recipe, runs, *data)
    fit(whole)
    assert whole.done == whole.steps == 204
    with pytest.raises(PowerCutError):
        fit(
            failing_at(StackedEngine, 130)(SHAPE, recipe, runs, *data),
            Checkpoints(tmp_path / "signals.npz", "code", every=0),
        )
    assert list(tmp_path.rglob("*.ckpt")), "there is one to resume from"
    resumed = StackedEngine(SHAPE, recipe, runs, *data)
    fit(resumed, Checkpoints(tmp_path / "signals.npz", "code", every=0))
    assert resumed.done == 204
    assert torch.equal(torch.stack(whole.parameters()), torch.stack(resumed.parameters()))


@pytest.mark.parametrize("sigma", [0.8, None])
@pytest.mark.usefixtures("layout")
def test_soft_labels_that_are_hard_change_nothing(data, sigma):
    x, y = data
    certain = np.eye(3, dtype=np.float32)[y.numpy()]
    hard = make_runs(3, sigma)
    soft = [Run(r.name, r.records, r.seeds, r.noise_multiplier, certain[r.records]) for r in hard]
    ends = []
    for runs in (hard, soft, [hard[0], *soft[1:]]):
        engine = StackedEngine(SHAPE, make_recipe(), runs, x, y)
        losses = mean_losses(engine, 20)
        ends.append((torch.stack(engine.parameters()), losses))
    for parameters, losses in ends[1:]:
        torch.testing.assert_close(parameters, ends[0][0], rtol=0, atol=1e-5)
        np.testing.assert_allclose(losses, ends[0][1], rtol=1e-5)


@pytest.mark.parametrize(("sigma", "other"), [(0.8, OpacusEngine), (None, PlainEngine)])
def test_soft_labels_follow_the_other_engine(data, sigma, other):
    rng = np.random.default_rng(1)
    runs = [
        Run(r.name, r.records, r.seeds, r.noise_multiplier, rng.dirichlet([1, 1, 1], len(r.records)).astype(np.float32))
        for r in make_runs(2, sigma)
    ]
    engine = StackedEngine(SHAPE, make_recipe(), runs, *data)
    losses = mean_losses(engine, 50)
    for k, run in enumerate(runs):
        single = other(SHAPE, make_recipe(), [run], *data)
        assert losses[k] == pytest.approx(mean_losses(single, 50)[0], abs=1e-5)
        assert_close([engine.parameters()[k]], single.parameters(), 1e-4)


@pytest.mark.usefixtures("layout")
def test_a_loss_that_breaks_down_is_infinite(data):
    x, y = data[0].clone(), data[1]
    broken, sound = np.arange(0, 300), np.arange(300, 600)
    x[150] = torch.inf
    runs = [Run("broken", broken, Seeds(1, 2, 3)), Run("sound", sound, Seeds(4, 5, 6))]
    losses = mean_losses(StackedEngine(SHAPE, make_recipe(), runs, x, y), 50)
    assert np.isposinf(losses[0])
    assert np.isfinite(losses[1])


def test_soft_labels_of_other_records_are_refused():
    with pytest.raises(ValueError, match="2 soft labels for 5 records"):
        Run("r", np.arange(5), Seeds(1, 2, 3), soft_labels=np.ones((2, 3), dtype=np.float32))


def test_a_mixture_of_private_and_other_runs_is_refused(data):
    with pytest.raises(ValueError, match="all private or all without privacy"):
        StackedEngine(SHAPE, make_recipe(), [*make_runs(1), *make_runs(1, None)], *data)


def test_different_numbers_of_steps_are_refused(data):
    with pytest.raises(ValueError, match="one number of steps"):
        StackedEngine(SHAPE, make_recipe(), [*make_runs(1), *make_runs(1, records=100)], *data)


def test_width_falls_with_the_size_of_the_model():
    recipe = make_recipe()
    widths = [
        StackedEngine.width(MLP(20, (64,), 2), recipe),
        StackedEngine.width(MLP(104, (256, 256), 2), recipe),
        StackedEngine.width(MLP(600, (512, 256, 128, 64), 100), recipe),
        StackedEngine.width(MLP(4000, (4000, 4000), 100), recipe),
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > widths[1] > widths[2] >= widths[3] == 1
