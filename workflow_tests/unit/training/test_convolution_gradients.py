"""Norms and clipped sums of the convolution engine against gradients of single records."""

from functools import cache

import numpy as np
import pytest
import torch
from opacus.grad_sample import GradSampleModule
from torch.nn.functional import cross_entropy
from training_checks import mean_losses

from dpmia.formats.recipe import Recipe
from dpmia.models.cnn import CNN, TRAMER_BONEH_CIFAR10, TRAMER_BONEH_MNIST, Convolution, MaxPool
from dpmia.training.engines.convolution import ConvolutionEngine
from dpmia.training.engines.convolution_network import ConvolutionNetwork, suited_chunk
from dpmia.training.engines.tally import Tally
from dpmia.training.run import Run, Seeds
from dpmia.training.streams import Streams

LAYERS = (Convolution(6, 3, 2, 1), MaxPool(3, 1), Convolution(5, 2, 1, 1), Convolution(4, 3), MaxPool(2, 2))
NETWORKS = {
    "tanh": CNN((2, 12, 11), LAYERS, (9, 7), 3),
    "relu": CNN((2, 12, 11), LAYERS, (9, 7), 3, "relu"),
    "one channel, nothing hidden": CNN((1, 12, 11), LAYERS[:2], (), 3),
    "no convolution": CNN((2, 3, 4), (), (9,), 3),
    "MNIST": TRAMER_BONEH_MNIST,
    "CIFAR-10": TRAMER_BONEH_CIFAR10,
}
RECORDS, EXPECTED, CHUNK = 40, 30, 8
SIZES = {"whole chunks": 16, "a last short chunk": 19, "less than a chunk": 5, "one record": 1, "no record": 0}
#: So large a step that the parameters after it are the gradient, free of the rounding of the ones before.
STEP = 1e4


class GivenBatch(Streams):
    """One batch, chosen by the test."""

    def __init__(self, run, recipe, batch):
        super().__init__(run.seeds, recipe, len(run.records))
        self.given = batch

    def batch(self):
        return self.given


@pytest.fixture(params=NETWORKS.values(), ids=NETWORKS)
def network(request):
    return request.param


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def batch(request):
    return np.random.default_rng(0).permutation(RECORDS)[: request.param]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr("dpmia.training.engines.convolution_network.suited_chunk", lambda *_: CHUNK)


@cache
def make_data(network):
    generator = torch.Generator().manual_seed(5)
    # Images of very different contrast, so that gradients differ too.
    x = torch.randn(80, network.inputs, generator=generator) * torch.logspace(-1, 0.5, 80)[:, None]
    x = x[~nearly_tied(module_of(network, make_run()).double(), x.double())][:60]
    return x, torch.randint(0, network.outputs, (60,), generator=generator)


@torch.no_grad()
def nearly_tied(module, x):
    """Return which records have two pixels in a window of a pool so close that rounding picks the larger one.

    Where it does, the gradient jumps: both values are right, and they differ by more than any tolerance.
    """
    tied = torch.zeros(len(x), dtype=torch.bool)
    for layer in module:
        if isinstance(layer, torch.nn.MaxPool2d):
            windows = x.unfold(2, layer.kernel_size, layer.stride).unfold(3, layer.kernel_size, layer.stride)
            first, second = windows.flatten(4).topk(2, dim=4).values.unbind(4)
            tied |= (first - second).flatten(1).amin(1) < 1e-6 * x.std()
        x = layer(x)
    return tied


def make_run(noise_multiplier=0.0):
    return Run("r", np.random.default_rng(2).permutation(60)[:RECORDS], Seeds(1, 2, 3), noise_multiplier)


def module_of(network, run):
    module = network.module()
    start = Streams(run.seeds, Recipe("sgd", STEP, EXPECTED, 1), RECORDS).initial_parameters(network)
    with torch.no_grad():
        for parameter, value in zip(module.parameters(), start, strict=True):
            parameter.copy_(value)
    return module


def gradients_one_by_one(module, x, y):
    """Return the gradient of each record, flat and in double precision: (records, P)."""
    module, rows = module.double(), []
    for record, label in zip(x.double(), y, strict=True):
        loss = cross_entropy(module(record[None]), label[None])
        rows.append(torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(module.parameters()))]))
    return torch.stack(rows)


def gradients_by_opacus(module, x, y):
    wrapped = GradSampleModule(module.double(), loss_reduction="sum")
    cross_entropy(wrapped(x.double().requires_grad_()), y, reduction="sum").backward()
    return torch.cat([p.grad_sample.flatten(1) for p in module.parameters()], dim=1)


REFERENCES = [gradients_one_by_one, gradients_by_opacus]


@pytest.mark.parametrize("reference", REFERENCES)
def test_norms_are_those_of_single_records(network, reference):
    (x, y), module = make_data(network), module_of(network, make_run())
    mine = ConvolutionNetwork(network, chunk=10)
    with torch.no_grad():
        mine.load(list(module.parameters()))
        (_, losses), norms = mine.forward_backward(x[:10], y[:10]), mine.norms()
        expected = cross_entropy(module(x[:10]), y[:10], reduction="none")
    torch.testing.assert_close(losses, expected)
    expected = reference(module, x[:10], y[:10]).norm(dim=1)
    torch.testing.assert_close(norms.double(), expected, rtol=1e-5, atol=0)


@pytest.mark.parametrize("reference", REFERENCES)
def test_step_is_the_clipped_sum_over_the_expected_batch_size(network, batch, reference):
    (x, y), run = make_data(network), make_run()
    members = run.records[batch]
    clip_norm = 1.0
    if len(batch):
        gradients = reference(module_of(network, run), x[members], y[members])
        norms = gradients.norm(dim=1)
        clip_norm = float(norms.median()) * 1.01
        assert len(batch) == 1 or 0 < (norms > clip_norm).sum() < len(norms), "the batch must be mixed"
        expected = ((clip_norm / (norms + 1e-6)).clamp(max=1)[:, None] * gradients).sum(0)
    recipe = Recipe("sgd", STEP, EXPECTED, 1, clip_norm=clip_norm)
    engine = ConvolutionEngine(network, recipe, [run], x, y, [GivenBatch(run, recipe, batch)])
    before = engine.parameters()[0]
    loss = mean_losses(engine, 1)
    total = (before - engine.parameters()[0]) / STEP * EXPECTED
    if len(batch):
        error = (total - expected).abs().max() / expected.abs().max()
        assert error <= 1e-5
        assert np.isfinite(loss).all()
    else:
        assert not total.any()
        assert np.isnan(loss).all()


def test_a_step_without_privacy_is_the_sum_of_all_gradients(network, batch):
    (x, y), run = make_data(network), make_run(noise_multiplier=None)
    members = run.records[batch]
    recipe = Recipe("sgd", STEP, EXPECTED, 1)
    engine = ConvolutionEngine(network, recipe, [run], x, y, [GivenBatch(run, recipe, batch)])
    before = engine.parameters()[0]
    engine.advance(1)
    total = (before - engine.parameters()[0]) / STEP * EXPECTED
    if not len(batch):
        assert not total.any()
        return
    expected = gradients_one_by_one(module_of(network, run), x[members], y[members]).sum(0)
    assert (total - expected).abs().max() / expected.abs().max() <= 1e-5


def test_clipping_without_privacy_is_privacy_without_noise(network, batch):
    x, y = make_data(network)
    recipe, ends = Recipe("sgd", STEP, EXPECTED, 1, clip_norm=0.3, clip_all=True), []
    for run in (make_run(0.0), make_run(None)):
        engine = ConvolutionEngine(network, recipe, [run], x, y, [GivenBatch(run, recipe, batch)])
        engine.advance(1)
        ends.append(engine.parameters()[0])
    torch.testing.assert_close(*ends, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("noise_multiplier", [0.0, None])
@pytest.mark.parametrize("chunk", [1, 3, 7, 64])
def test_chunks_change_nothing_but_rounding(chunk, noise_multiplier, monkeypatch):
    network = NETWORKS["tanh"]
    (x, y), run = make_data(network), make_run(noise_multiplier)
    recipe, batch = Recipe("sgd", STEP, EXPECTED, 1, clip_norm=0.5), np.arange(30)
    ends = []
    for size in (30, chunk):
        monkeypatch.setattr("dpmia.training.engines.convolution_network.suited_chunk", lambda *_, size=size: size)
        engine = ConvolutionEngine(network, recipe, [run], x, y, [GivenBatch(run, recipe, batch)])
        engine.advance(1)
        ends.append(engine.parameters()[0])
    torch.testing.assert_close(*ends, rtol=1e-5, atol=1e-5 * float(ends[0].abs().max()))


def test_of_equal_pixels_a_pool_follows_the_one_that_others_follow():
    network = NETWORKS["one channel, nothing hidden"]
    generator = torch.Generator().manual_seed(1)
    # Numbers that no order of summation rounds: pixels are exactly equal, or clearly not.
    x = torch.randint(0, 2, (10, network.inputs), generator=generator).float()
    y = torch.randint(0, 3, (10,), generator=generator)
    module = module_of(network, make_run())
    mine = ConvolutionNetwork(network, chunk=10)
    with torch.no_grad():
        module[1].weight.copy_(torch.randint(-1, 2, module[1].weight.shape, generator=generator) / 8)
        assert nearly_tied(module, x).all()
        mine.load(list(module.parameters()))
        mine.forward_backward(x, y)
        norms = mine.norms()
    expected = gradients_one_by_one(module, x, y).norm(dim=1)
    torch.testing.assert_close(norms.double(), expected, rtol=1e-5, atol=0)


def test_larger_networks_take_smaller_chunks():
    sizes = [
        suited_chunk(network) for network in (NETWORKS["no convolution"], TRAMER_BONEH_MNIST, TRAMER_BONEH_CIFAR10)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] >= 1


def test_a_record_that_exceeds_the_working_set_is_taken_alone(monkeypatch):
    monkeypatch.setattr("dpmia.training.engines.convolution_network.WORKING_SET", 1)
    assert suited_chunk(TRAMER_BONEH_MNIST) == 1


def test_a_gradient_as_long_as_the_bound_is_not_clipped():
    network = NETWORKS["tanh"]
    (x, y), module = make_data(network), module_of(network, make_run())
    mine = ConvolutionNetwork(network, chunk=1)
    with torch.no_grad():
        mine.load(list(module.parameters()))
        mine.forward_backward(x[:1], y[:1])
        norm = float(mine.norms())
        for bound, clipped in ((norm, 0), (norm * (1 - 1e-6), 1)):
            tally = Tally(1)
            mine.add_records(x[:1], y[:1], tally, bound)
            assert tally.clipped == clipped
