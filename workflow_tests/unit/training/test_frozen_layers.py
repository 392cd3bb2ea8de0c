"""Networks of which some layers are frozen: these stay as they are, and the others are trained, privately, too."""

import numpy as np
import pytest
import torch
from torch import nn

from dpmia.formats.recipe import Recipe
from dpmia.models.building import OwnNetwork
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine
from dpmia.training.lightning import fit
from dpmia.training.run import Run, Seeds

RNG = np.random.default_rng(0)
X = torch.from_numpy(RNG.random((60, 4)).astype(np.float32))
Y = torch.from_numpy((X[:, 0].numpy() > 0.5).astype(np.int64))
FROZEN = 4 * 8 + 8


def network():
    layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    layers[0].requires_grad_(False)
    return layers


@pytest.mark.parametrize("given", [{"optimiser": "adam"}, {"optimiser": "sgd", "l2": 0.1, "batch_size": 2}])
@pytest.mark.parametrize(
    ("kind", "mode", "sigma"),
    [(PlainEngine, "auto", None), (OpacusEngine, "hooks", 0.8), (OpacusEngine, "ghost", 0.8)],
)
def test_frozen_layers_stay_as_they_are(kind, mode, sigma, given):
    # Of batches of two, some are empty.
    given = {"learning_rate": 0.05, "batch_size": 10, "epochs": 3} | given
    recipe = Recipe(**given, sampling="poisson", sampling_without_privacy="poisson", grad_sample_mode=mode)
    recipe = recipe.of(sigma is not None)
    architecture = OwnNetwork(network, None, 2, False)
    kind.check(architecture, recipe, "model one")
    engine = kind(architecture, recipe, [Run("one", np.arange(40), Seeds(1, 2, 3), sigma)], X, Y)
    start = engine.parameters()[0].clone()
    fit(engine)
    end = engine.parameters()[0]
    assert torch.equal(end[:FROZEN], start[:FROZEN])
    assert (end[FROZEN:] != start[FROZEN:]).any()
