"""The noise of the stacked engine: its size, and that no two models share it."""

import numpy as np
import pytest
import torch
from scipy.stats import chi2

from dpmia.formats.recipe import Recipe
from dpmia.models.mlp import MLP
from dpmia.training.engines import batch_layout
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.run import Run, Seeds

SHAPE = MLP(20, (40, 30), 2)
#: Chance that a right engine fails one of the tests below, were the seeds drawn anew.
FALSE_ALARM = 1e-6
STEP = 1e4  # the parameters after a step are the gradient: see test_stacked_gradients


@pytest.fixture(params=[0, 10**9], ids=["ragged", "padded"], autouse=True)
def _layout(request, monkeypatch):
    monkeypatch.setattr(batch_layout, "PADDED_PARAMETERS", request.param)


def updates(noise_multipliers, recipe, noise_seeds):
    """Return the first update of each model, divided by the learning rate: (models, P)."""
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(300, SHAPE.inputs, generator=generator)
    y = torch.randint(0, 2, (300,), generator=generator)
    runs = [
        Run(f"r{k}", np.arange(250), Seeds(1, 2, seed), sigma)
        for k, (sigma, seed) in enumerate(zip(noise_multipliers, noise_seeds, strict=True))
    ]
    engine = StackedEngine(SHAPE, recipe, runs, x, y)
    before = torch.stack(engine.parameters())
    engine.advance(1)
    return (before - torch.stack(engine.parameters())) / recipe.learning_rate


@pytest.mark.parametrize("clip_norm", [0.5, 3.0])
def test_standard_deviation_is_sigma_times_clip_norm_over_expected_batch_size(clip_norm):
    recipe = Recipe("sgd", STEP, 50, 1, clip_norm=clip_norm)
    sigmas, seeds = [0.3, 1.0, 7.0], [11, 12, 13]
    noise = updates(sigmas, recipe, seeds) - updates([0.0] * 3, recipe, seeds)
    for sigma, row in zip(sigmas, noise.double(), strict=True):
        statistic = float(((row * 50 / (sigma * clip_norm)) ** 2).sum())
        low, high = chi2.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], len(row))
        assert low < statistic < high
        # The test is sharp enough to tell sigma from 1.1 sigma.
        assert not low < statistic * 1.1**2 < high


def test_two_replicates_never_share_noise():
    recipe = Recipe("sgd", STEP, 50, 1)
    noise = updates([1.0] * 4, recipe, [21, 22, 23, 24]) - updates([0.0] * 4, recipe, [21, 22, 23, 24])
    correlations = np.corrcoef(noise.numpy())[np.triu_indices(4, 1)]
    # 5.5 standard deviations of the correlation of independent samples: 6 pairs, false alarm below 1e-6.
    assert np.abs(correlations).max() < 5.5 / np.sqrt(SHAPE.parameter_count)
    assert (noise[0] != noise[1]).float().mean() > 0.99


def test_noise_is_fresh_in_every_step():
    recipe = Recipe("sgd", STEP, 1, 1, sampling="shuffle", clip_norm=1e-9)  # nothing but noise
    x, y = torch.zeros(10, SHAPE.inputs), torch.zeros(10, dtype=torch.int64)
    engine = StackedEngine(SHAPE, recipe, [Run("r", np.arange(10), Seeds(1, 2, 3), 1e9)], x, y)
    parameters = [engine.parameters()[0]]
    for _ in range(3):
        engine.advance(1)
        parameters.append(engine.parameters()[0])
    steps = torch.diff(torch.stack(parameters), dim=0).numpy()
    correlations = np.corrcoef(steps)[np.triu_indices(3, 1)]
    assert np.abs(correlations).max() < 5.5 / np.sqrt(SHAPE.parameter_count)
