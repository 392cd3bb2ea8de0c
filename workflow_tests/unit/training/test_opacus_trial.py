"""Networks whose clipped gradients would not bound what one record does: tried on a few records, and refused."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.models.building import OwnNetwork
from dpmia.models.cnn import CNN, Convolution, MaxPool
from dpmia.models.mlp import MLP
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.run import Run, Seeds

RNG = np.random.default_rng(0)
X = torch.from_numpy(RNG.normal(size=(60, 16)).astype(np.float32))
Y = torch.from_numpy((X[:, 0].numpy() > 0).astype(np.int64))


class Own(nn.Module):
    """Two layers that a function uses, in its own way."""

    def __init__(self, use):
        super().__init__()
        self.use, self.first, self.last = use, nn.Linear(16, 16), nn.Linear(16, 2)

    def forward(self, x):
        return self.use(self, x)


class Patches(nn.Module):
    """Calls its layers on sixteen patches of each record, one below the other."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv2d(1, 4, 1), nn.Linear(4, 2)

    def forward(self, x):
        of_patches = self.last(torch.relu(self.first(x.reshape(-1, 1, 1, 1))).flatten(1))
        return of_patches.view(len(x), 16, 2).mean(1)


def tied(net, x):
    return functional.linear(10 * torch.tanh(net.first(x)), net.first.weight)[:, :2] + net.last(x)


def mixing(net, x):
    hidden = torch.relu(net.first(x))
    return net.last(hidden - hidden.mean(0))


def mixing_at_random(net, x):
    hidden = torch.relu(net.first(x))
    return net.last(hidden + 0.1 * hidden[torch.randperm(len(x))])


def unused(net, x):
    return net.last(x)


def twice(net, x):
    return net.last(torch.relu(net.first(torch.relu(net.first(x)))))


def dropout(net, x):
    return net.last(functional.dropout(torch.relu(net.first(x)), 0.5, net.training))


def plain(net, x):
    return net.last(torch.relu(net.first(x)))


ALONE = "the gradient of a record changes with another record of the batch: clipping would not bound"
NOT_FOUND = "Opacus does not find the gradient of each record"
GHOST = r"ghost clipping cannot train it \(.*Set grad_sample_mode: hooks"


def try_out(architecture, mode):
    recipe = Recipe("sgd", 0.1, 10, 1, sampling="poisson", clip_norm=0.1, grad_sample_mode=mode)
    OpacusEngine.check(architecture, recipe, "model one")
    state = torch.get_rng_state()
    try:
        OpacusEngine.try_out(architecture, recipe, "model one", X, Y)
    finally:
        assert torch.equal(torch.get_rng_state(), state), "what is trained draws as if nothing had been tried"


@pytest.mark.parametrize("mode", ["hooks", "ghost"])
@pytest.mark.parametrize(
    ("make", "hooks", "ghost"),
    [
        (Patches, NOT_FOUND, GHOST),
        (lambda: Own(tied), NOT_FOUND, NOT_FOUND),
        (lambda: Own(mixing), ALONE, ALONE),
        (lambda: Own(mixing_at_random), ALONE, ALONE),
        (lambda: Own(unused), NOT_FOUND, GHOST),
        (lambda: Own(twice), None, GHOST),
        (lambda: Own(dropout), None, None),
        (lambda: Own(plain), None, None),
    ],
    ids=["patches", "tied", "mixing", "mixing at random", "unused", "twice", "dropout", "plain"],
)
def test_a_network_is_refused_whose_records_are_not_clipped_one_by_one(make, hooks, ghost, mode):
    message = hooks if mode == "hooks" else ghost
    architecture = OwnNetwork(make, None, 2, False)
    if message is None:
        try_out(architecture, mode)
    else:
        with pytest.raises(TrainingError, match=message):
            try_out(architecture, mode)


@pytest.mark.parametrize("mode", ["hooks", "ghost"])
def test_networks_of_the_library_pass(mode):
    try_out(MLP(16, (8, 8), 2), mode)
    try_out(CNN((1, 4, 4), (Convolution(4, 3), MaxPool(2, 2)), (8,), 2), mode)


class Centred(nn.Module):
    """Subtracts a running mean of the records, a buffer that may be left out of state dicts."""

    def __init__(self, persistent):
        super().__init__()
        self.register_buffer("mean", torch.zeros(16), persistent=persistent)

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.mean.mul_(0.9).add_(0.1 * x.mean(0))
        return x - self.mean


def normed(affine):
    norm = nn.InstanceNorm2d(1, affine=affine, track_running_stats=True)
    norm.requires_grad_(False)
    return nn.Sequential(nn.Unflatten(1, (1, 4, 4)), norm, nn.Flatten(), nn.Linear(16, 2))


@pytest.mark.parametrize("mode", ["hooks", "ghost"])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: normed(affine=False), r"1\.running_mean"),
        (lambda: normed(affine=True), r"1\.running_mean"),
        (lambda: nn.Sequential(Centred(persistent=True), nn.Linear(16, 2)), r"0\.mean"),
        (lambda: nn.Sequential(Centred(persistent=False), nn.Linear(16, 2)), r"0\.mean"),
    ],
    ids=["norm without parameters", "frozen norm", "persistent buffer", "buffer that is not saved"],
)
def test_running_statistics_are_refused_in_layers_that_are_not_trained_too(make, name, mode):
    """They reach the outputs, and have no noise."""
    with pytest.raises(TrainingError, match=rf"model one: it changes {name} itself, which would keep something"):
        try_out(OwnNetwork(make, None, 2, False), mode)


def test_the_message_names_the_buffer_as_its_author_does():
    norm = nn.InstanceNorm2d(1, track_running_stats=True)
    network = OwnNetwork(lambda: nn.Sequential(norm, nn.Flatten(), nn.Linear(16, 2)), (1, 4, 4), 2, False)
    with pytest.raises(TrainingError, match=r"it changes 0\.running_mean itself"):
        try_out(network, "hooks")


def test_buffers_that_stay_as_they_are_pass():
    class Masked(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mask", torch.ones(16), persistent=False)

        def forward(self, x):
            return x * self.mask

    try_out(OwnNetwork(lambda: nn.Sequential(Masked(), nn.Linear(16, 2)), None, 2, False), "hooks")


def test_frozen_layers_pass():
    def network():
        module = Own(plain)
        module.first.requires_grad_(False)
        return module

    try_out(OwnNetwork(network, None, 2, False), "hooks")
    try_out(OwnNetwork(network, None, 2, False), "ghost")


def moved(network, rows):
    """Return the step, without noise, on some of twenty records: in clip norms, of the sum of clipped gradients."""
    recipe = Recipe("sgd", 0.1, 20, 1, sampling="poisson", clip_norm=0.01, grad_sample_mode="hooks")
    engine = OpacusEngine(network, recipe, [Run("one", np.arange(20), Seeds(1, 2, 3), 1e-9)], X, Y)
    start = engine.parameters()[0].clone()
    engine.step([np.array(rows)])
    return (engine.parameters()[0] - start) * 20 / 0.1 / 0.01


def test_what_passes_moves_the_sum_by_the_clip_norm_at_most():
    whole = moved(OwnNetwork(lambda: Own(twice), None, 2, False), range(20))
    for left_out in range(20):
        without = moved(OwnNetwork(lambda: Own(twice), None, 2, False), [i for i in range(20) if i != left_out])
        assert (whole - without).norm() < 1 + 1e-3


def test_rows_that_are_not_records_are_refused_in_training_too():
    with pytest.raises(TrainingError, match=NOT_FOUND):
        moved(OwnNetwork(Patches, None, 2, False), range(20))
