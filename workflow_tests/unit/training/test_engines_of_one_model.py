"""The engines `plain` and `opacus`: what a step is, and what they refuse. The stacked engine has tests of its own."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tiny_training import SHAPE, make, make_data
from training_checks import mean_losses

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.models.mlp import MLP
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.run import Run, Seeds


@pytest.fixture(scope="module")
def data():
    return make_data()


def gradient_of(parameters, x, y):
    """Return the gradient of one record's loss, flat, by automatic differentiation."""
    module = SHAPE.module()
    torch.nn.utils.vector_to_parameters(parameters, module.parameters())
    torch.nn.functional.cross_entropy(module(x[None]), y[None]).backward()
    return torch.cat([p.grad.flatten() for p in module.parameters()])


def step_of(kind, data, sigma, clip_norm, batch):
    """Return the parameters before one step of plain gradient descent, and the change that it makes."""
    recipe = Recipe("sgd", 1.0, batch_size=10, epochs=1, clip_norm=clip_norm)
    engine = kind(SHAPE, recipe, [Run("r", np.arange(5, 55), Seeds(1, 2, 3), sigma)], *data)
    engine.streams[0].batch = lambda: np.asarray(batch, dtype=np.int64)
    normals = torch.randn(SHAPE.parameter_count, generator=torch.Generator().manual_seed(9))
    engine.streams[0].noise = lambda out: out.copy_(normals)
    before = engine.parameters()[0].clone()
    engine.advance(1)
    return before, engine.parameters()[0] - before, normals


@pytest.mark.parametrize("clip_norm", [0.05, 1.0, 100.0])
def test_opacus_takes_the_clipped_sum_of_single_records_plus_noise_over_the_expected_batch_size(data, clip_norm):
    batch, sigma = [0, 3, 4, 20, 21, 49], 0.7
    before, change, normals = step_of(OpacusEngine, data, sigma, clip_norm, batch)
    gradients = [gradient_of(before, data[0][5 + i], data[1][5 + i]) for i in batch]
    norms = [float(gradient.norm()) for gradient in gradients]
    clipped = sum(g * min(1, clip_norm / norm) for g, norm in zip(gradients, norms, strict=True))
    torch.testing.assert_close(change, -(clipped + sigma * clip_norm * normals) / 10, rtol=1e-4, atol=1e-5 * clip_norm)


def test_an_empty_batch_is_a_step_of_noise_alone_under_opacus(data):
    _, change, normals = step_of(OpacusEngine, data, 0.7, 2.0, [])
    torch.testing.assert_close(change, -0.7 * 2.0 * normals / 10)


def test_plain_training_takes_the_sum_of_single_records_over_the_expected_batch_size(data):
    batch = [0, 3, 49]
    before, change, _ = step_of(PlainEngine, data, None, 0.001, batch)
    total = sum(gradient_of(before, data[0][5 + i], data[1][5 + i]) for i in batch)
    torch.testing.assert_close(change, -total / 10, rtol=1e-4, atol=1e-6)


def test_losses_are_means_over_the_records_met(data):
    engine = make(PlainEngine, data, learning_rate=1e-12)
    batches = [np.array([0, 1]), np.array([2, 3, 4])]
    engine.streams[0].batch = iter(batches).__next__
    x, y = data[0][5:10], data[1][5:10]
    expected = torch.nn.functional.cross_entropy(engine.module(x), y).item()
    assert mean_losses(engine, 2) == pytest.approx([expected], rel=1e-5)


def test_engines_of_one_model_refuse_what_does_not_suit_them(data):
    recipe = Recipe("sgd", 0.1, batch_size=10, epochs=1)
    open_run, private = (
        Run(name, np.arange(50), Seeds(1, 2, 3), sigma) for name, sigma in [("open", None), ("dp", 1.0)]
    )
    with pytest.raises(ValueError, match="one model at a time, got 2"):
        PlainEngine(SHAPE, recipe, [open_run, open_run], *data)
    with pytest.raises(ValueError, match="dp: gradients of single records are clipped by other engines"):
        PlainEngine(SHAPE, recipe, [private], *data)
    with pytest.raises(ValueError, match="open: gradients of single records are clipped by other engines"):
        PlainEngine(SHAPE, replace(recipe, clip_all=True), [open_run], *data)
    with pytest.raises(ValueError, match="open: a run without privacy needs the engine 'plain'"):
        OpacusEngine(SHAPE, recipe, [open_run], *data)
    with pytest.raises(ValueError, match="optimiser 'lion'; expected 'adam' or 'sgd'"):
        make(PlainEngine, data, optimiser="lion")


def test_initial_weights_are_glorots():
    # Uniform on +-sqrt(6 / (in + out)): variance 2 / (in + out); biases zero.
    weights = MLP(300, (200,), 2).initial_parameters(torch.Generator().manual_seed(0))
    first, first_bias = weights[0], weights[1]
    assert first.shape == (200, 300)
    assert first.abs().max() <= np.sqrt(6 / 500)
    # The variance of a uniform distribution's sample variance is (kurtosis - 1) / n with kurtosis 1.8.
    assert first.var().item() == pytest.approx(2 / 500, rel=4 * np.sqrt(0.8 / 60_000))
    assert not first_bias.any()
    assert sum(w.numel() for w in weights) == MLP(300, (200,), 2).parameter_count
    module = MLP(300, (200,), 2).module()
    assert [p.shape for p in module.parameters()] == [w.shape for w in weights]


def test_steps_are_whole_batches_times_epochs():
    recipe = Recipe("sgd", 0.1, batch_size=32, epochs=100)
    assert recipe.steps(303) == 900  # Humphries et al. 2023: heart, Cleveland
    assert recipe.steps(423) == 1300
    assert recipe.steps(32) == 100
    assert recipe.rate(303) == 32 / 303
    with pytest.raises(TrainingError, match=r"^training\.batch_size: 32 is larger .* set of 31 .* Take 31 or less"):
        recipe.steps(31)
