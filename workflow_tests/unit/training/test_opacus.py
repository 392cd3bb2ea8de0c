"""The engine of Opacus: its gradient modes, any network, and the same model as the fast engine."""

import numpy as np
import pytest
import torch
from opacus.grad_sample import GradSampleModule, GradSampleModuleFastGradientClipping
from opacus.optimizers import DPOptimizer
from torch import nn

from dpmia.formats.recipe import Recipe
from dpmia.models.cnn import CNN, Convolution, MaxPool
from dpmia.models.initial_weights import torch_default
from dpmia.models.mlp import MLP
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.run import Run, Seeds

PERCEPTRON = MLP(8, (10, 6), 3)
CONVOLUTIONAL = CNN((2, 6, 6), (Convolution(4, 3), MaxPool(2, 2)), (6,), 3)


class Normalised:
    """A network of layers that no other engine trains: convolution over a row, GroupNorm, LayerNorm, GELU."""

    inputs, outputs = 8, 3

    def module(self):
        convolution = nn.Unflatten(1, (1, 8)), nn.Conv1d(1, 4, 3), nn.GroupNorm(2, 4), nn.GELU(), nn.Flatten()
        return nn.Sequential(*convolution, nn.LayerNorm(24), nn.Linear(24, 3))

    def initial_parameters(self, generator):
        return torch_default(self, generator)


def make_engine(network, mode, kind=OpacusEngine, **changes):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(90, network.inputs, generator=generator)
    y = torch.randint(0, network.outputs, (90,), generator=generator)
    settings = {"optimiser": "sgd", "learning_rate": 0.3, "clip_norm": 0.5, "batch_size": 12, "epochs": 4, **changes}
    run = Run("r", np.arange(90), Seeds(1, 2, 3), 0.8)
    return kind(network, Recipe(**settings, grad_sample_mode=mode), [run], x, y)


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
@pytest.mark.parametrize("batch_size", [1, 12])
@pytest.mark.parametrize("network", [PERCEPTRON, CONVOLUTIONAL, Normalised()], ids=lambda value: type(value).__name__)
def test_both_gradient_modes_train_the_same_model(network, batch_size, optimiser):
    rate = 0.3 if optimiser == "sgd" else 0.02
    ends = []
    for mode in ("hooks", "ghost"):
        engine = make_engine(network, mode, batch_size=batch_size, optimiser=optimiser, learning_rate=rate)
        start = engine.parameters()[0]
        engine.advance(20)  # of expected size 1, some batches are empty
        ends.append(engine.parameters()[0])
        assert (ends[-1] - start).abs().max() > 0.1
    torch.testing.assert_close(*ends, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("mode", "kind"), [("hooks", GradSampleModule), ("ghost", GradSampleModuleFastGradientClipping)]
)
def test_a_mode_is_a_class_of_opacus(mode, kind):
    engine = make_engine(PERCEPTRON, mode)
    assert type(engine.wrapped) is kind
    assert isinstance(engine.optimiser, DPOptimizer)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="grad_sample_mode: hook"):
        make_engine(PERCEPTRON, "hook")


@pytest.mark.parametrize("mode", ["hooks", "ghost"])
def test_it_trains_the_model_of_the_fast_engine(mode):
    ends = []
    for kind in (OpacusEngine, StackedEngine):
        engine = make_engine(PERCEPTRON, mode, kind)
        engine.advance(20)
        ends.append(engine.parameters()[0])
    torch.testing.assert_close(*ends, rtol=0, atol=1e-5)
