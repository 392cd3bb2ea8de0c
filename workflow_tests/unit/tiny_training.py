"""Engines with one tiny perceptron, for tests of training."""

import numpy as np
import torch

from dpmia.formats.recipe import Recipe
from dpmia.models.mlp import MLP
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.run import Run, Seeds

SHAPE = MLP(4, (8,), 3)
ENGINES = [(PlainEngine, None), (OpacusEngine, 1.0), (StackedEngine, None), (StackedEngine, 1.0)]
IDS = ["plain", "opacus", "stacked", "stacked, private"]


def make_data():
    """Return features and labels of sixty records of noise."""
    generator = torch.Generator().manual_seed(0)
    return torch.randn(60, 4, generator=generator), torch.randint(0, 3, (60,), generator=generator)


def make(kind, data, sigma=None, steps=55, sampling="poisson", learning_rate=0.01, optimiser="adam"):
    """Return an engine with one model of fifty records."""
    recipe = Recipe(optimiser, learning_rate, batch_size=10, epochs=steps // 5, sampling=sampling)
    run = Run("va/epsilon 1/replicate 3", np.arange(5, 55), Seeds(1, 2, 3), sigma)
    return kind(SHAPE, recipe, [run], *data)


class PowerCutError(Exception):
    """Ends a training in its midst."""


def failing_at(kind, done):
    """Return a kind of engine that is cut off after some steps."""

    class Failing(kind):
        def backward(self, batches):
            if self.done >= done:
                raise PowerCutError
            super().backward(batches)

    return Failing
