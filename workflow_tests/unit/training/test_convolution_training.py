"""Training by the convolution engine: the same models as Opacus gives, noise of the right size, exact resuming."""

import copy

import numpy as np
import pytest
import torch
from scipy.stats import chi2
from tiny_training import PowerCutError, failing_at
from training_checks import mean_losses

from dpmia.formats.recipe import Recipe
from dpmia.models.cnn import CNN, TRAMER_BONEH_CIFAR10, TRAMER_BONEH_MNIST, Convolution, MaxPool
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.convolution import ConvolutionEngine
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.lightning import fit
from dpmia.training.run import Run, Seeds

SHAPE = CNN((2, 8, 8), (Convolution(6, 3, 1, 1), MaxPool(2, 2), Convolution(8, 2), MaxPool(2, 1)), (10,), 3)
#: Without a pool no rounding decides which pixel is the largest. Clipping and noise make little of such a jump; Adam
#: alone can make much of it.
SMOOTH = CNN((2, 8, 8), (Convolution(6, 3, 2, 1), Convolution(8, 2)), (10,), 3)
OPTIMISERS = {
    "adam": {"optimiser": "adam", "learning_rate": 0.01},
    "adam, l2": {"optimiser": "adam", "learning_rate": 0.01, "l2": 0.01},
    "sgd": {"optimiser": "sgd", "learning_rate": 0.3},
    "sgd, momentum, l2": {"optimiser": "sgd", "learning_rate": 0.1, "momentum": 0.9, "l2": 0.01},
}
#: Chance that a right engine fails the test of its noise, were the seeds drawn anew.
FALSE_ALARM = 1e-6


def make_data(network, records=200):
    generator = torch.Generator().manual_seed(0)
    y = torch.randint(0, network.outputs, (records,), generator=generator)
    x = torch.rand(records, network.inputs, generator=generator)
    x[torch.arange(records), y] += 2
    return x, y


def make_recipe(batch_size=20, epochs=10, clip_norm=0.5, **changes):
    settings = {**OPTIMISERS["adam"], "batch_size": batch_size, "epochs": epochs, "clip_norm": clip_norm}
    return Recipe(**{**settings, **changes})


def make_run(sigma=0.8, records=150, noise_seed=3, **changes):
    return Run("r", np.random.default_rng(7).permutation(200)[:records], Seeds(1, 2, noise_seed), sigma, **changes)


@pytest.mark.parametrize("sampling", ["poisson", "shuffle"])
@pytest.mark.parametrize("settings", OPTIMISERS.values(), ids=OPTIMISERS)
@pytest.mark.parametrize(
    ("sigma", "reference", "network"),
    [(0.8, OpacusEngine, SHAPE), (None, PlainEngine, SMOOTH)],
    ids=["opacus", "plain"],
)
def test_fifty_steps_follow_the_other_engine(settings, sampling, sigma, reference, network):
    data, recipe, run = make_data(network), make_recipe(**settings, sampling=sampling), make_run(sigma)
    engine, other = (kind(network, recipe, [run], *data) for kind in (ConvolutionEngine, reference))
    assert mean_losses(engine, 50)[0] == pytest.approx(mean_losses(other, 50)[0], abs=1e-5)
    torch.testing.assert_close(engine.parameters()[0], other.parameters()[0], rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("network", "batch_size", "rate", "steps"),
    [(TRAMER_BONEH_MNIST, 40, 0.5, 20), (TRAMER_BONEH_CIFAR10, 8, 1.0, 4)],
    ids=["MNIST", "CIFAR-10"],
)
def test_published_networks_follow_opacus(network, batch_size, rate, steps):
    data, run = make_data(network), make_run()
    recipe = make_recipe(batch_size, clip_norm=0.1, optimiser="sgd", learning_rate=rate, momentum=0.9)
    engine, other = (kind(network, recipe, [run], *data) for kind in (ConvolutionEngine, OpacusEngine))
    assert mean_losses(engine, steps)[0] == pytest.approx(mean_losses(other, steps)[0], abs=1e-5)
    torch.testing.assert_close(engine.parameters()[0], other.parameters()[0], rtol=0, atol=1e-4)


def test_rare_records_and_empty_batches_follow_opacus():
    data, recipe, run = make_data(SHAPE), make_recipe(batch_size=1, epochs=1), make_run(records=50)
    engine, other = (kind(SHAPE, recipe, [run], *data) for kind in (ConvolutionEngine, OpacusEngine))
    spare = ConvolutionEngine(SHAPE, recipe, [run], *data).streams[0]
    sizes = [len(spare.batch()) for _ in range(50)]
    assert 0 in sizes
    assert mean_losses(engine, 50)[0] == pytest.approx(mean_losses(other, 50)[0], abs=1e-5)
    torch.testing.assert_close(engine.parameters()[0], other.parameters()[0], rtol=0, atol=1e-4)


@pytest.mark.parametrize(("sigma", "reference"), [(0.8, OpacusEngine), (None, PlainEngine)], ids=["opacus", "plain"])
def test_soft_labels_follow_the_other_engine(sigma, reference):
    labels = np.random.default_rng(1).dirichlet([1, 1, 1], 150).astype(np.float32)
    data, recipe, run = make_data(SMOOTH), make_recipe(), make_run(sigma, soft_labels=labels)
    engine, other = (kind(SMOOTH, recipe, [run], *data) for kind in (ConvolutionEngine, reference))
    assert mean_losses(engine, 30)[0] == pytest.approx(mean_losses(other, 30)[0], abs=1e-5)
    torch.testing.assert_close(engine.parameters()[0], other.parameters()[0], rtol=0, atol=1e-4)


def first_update(sigma, clip_norm, noise_seed=3):
    """Return the first update of a network, divided by the learning rate."""
    # So large a step that the parameters after it are the gradient.
    recipe = make_recipe(optimiser="sgd", learning_rate=1e4, clip_norm=clip_norm)
    engine = ConvolutionEngine(SHAPE, recipe, [make_run(sigma, noise_seed=noise_seed)], *make_data(SHAPE))
    before = engine.parameters()[0]
    engine.advance(1)
    return (before - engine.parameters()[0]).double() / 1e4


@pytest.mark.parametrize("sigma", [0.3, 1.0, 7.0])
@pytest.mark.parametrize("clip_norm", [0.1, 3.0])
def test_noise_has_sigma_times_clip_norm_over_expected_batch_size(sigma, clip_norm):
    noise = first_update(sigma, clip_norm) - first_update(0.0, clip_norm)
    statistic = float(((noise * 20 / (sigma * clip_norm)) ** 2).sum())
    low, high = chi2.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], SHAPE.parameter_count)
    assert low < statistic < high
    # Sharp enough to tell sigma from 1.3 sigma.
    assert not low < statistic * 1.3**2 < high


def test_noise_comes_from_the_stream_of_the_run():
    assert torch.equal(first_update(1.0, 0.5), first_update(1.0, 0.5))
    one, other = (first_update(1.0, 0.5, seed) - first_update(0.0, 0.5, seed) for seed in (3, 4))
    # 5 standard deviations of the correlation of independent samples.
    assert abs(np.corrcoef(one, other)[0, 1]) < 5 / np.sqrt(SHAPE.parameter_count)


@pytest.mark.parametrize("sampling", ["poisson", "shuffle"])
@pytest.mark.parametrize("settings", OPTIMISERS.values(), ids=OPTIMISERS)
def test_resuming_changes_no_bit(settings, sampling):
    data, recipe, run = make_data(SHAPE), make_recipe(**settings, sampling=sampling), make_run()
    whole = ConvolutionEngine(SHAPE, recipe, [run], *data)
    whole.advance(13)
    state, momenta = whole.state_dict(), copy.deepcopy(whole.optimiser.state_dict())
    kept = copy.deepcopy(state)
    whole.advance(17)
    resumed = ConvolutionEngine(SHAPE, recipe, [run], *data)
    resumed.load_state_dict(state)
    resumed.optimiser.load_state_dict(momenta)
    resumed.advance(17)
    assert resumed.done == 30
    assert torch.equal(whole.parameters()[0], resumed.parameters()[0])
    for name, tensor in kept["module"].items():
        assert torch.equal(tensor, state["module"][name]), "going on must not change a state taken before"


def test_lightning_resumes_from_its_checkpoint(tmp_path):
    small = CNN((1, 5, 5), (Convolution(3, 3),), (), 3)
    data, recipe, run = make_data(small), make_recipe(batch_size=4, epochs=4), make_run()
    whole = ConvolutionEngine(small, recipe, [run], *data)
    fit(whole)
    with pytest.raises(PowerCutError):
        fit(
            failing_at(ConvolutionEngine, 110)(small, recipe, [run], *data),
            Checkpoints(tmp_path / "signals.npz", "code", every=0),
        )
    assert list(tmp_path.rglob("*.ckpt")), "there is one to resume from"
    resumed = ConvolutionEngine(small, recipe, [run], *data)
    fit(resumed, Checkpoints(tmp_path / "signals.npz", "code", every=0))
    assert resumed.done == whole.done == whole.steps > 110
    assert torch.equal(whole.parameters()[0], resumed.parameters()[0])


def test_a_loss_that_breaks_down_is_infinite():
    x, y = make_data(SHAPE)
    x[:] = torch.nan
    assert np.isposinf(mean_losses(ConvolutionEngine(SHAPE, make_recipe(), [make_run()], x, y), 5)[0])


def test_an_empty_batch_without_privacy_changes_nothing():
    engine = ConvolutionEngine(SHAPE, make_recipe(batch_size=1, optimiser="sgd"), [make_run(None)], *make_data(SHAPE))
    changed = []
    for _ in range(30):
        before = engine.parameters()[0]
        loss = mean_losses(engine, 1)[0]
        changed.append(not torch.equal(before, engine.parameters()[0]))
        assert changed[-1] == bool(np.isfinite(loss))
    assert any(changed)
    assert not all(changed)
