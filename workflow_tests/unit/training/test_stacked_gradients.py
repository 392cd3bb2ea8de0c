"""Norms and clipped sums of the stacked engine against gradients of single records."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from opacus.grad_sample import GradSampleModule
from torch.nn.functional import cross_entropy
from training_checks import mean_losses

from dpmia.formats.recipe import Recipe
from dpmia.models.mlp import MLP
from dpmia.training.engines import batch_layout
from dpmia.training.engines.batch_layout import Padded, Ragged
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.engines.stacked_network import StackedMLP
from dpmia.training.run import Run, Seeds
from dpmia.training.streams import Streams

SHAPE = MLP(12, (24, 16), 3)
BOTH_ACTIVATIONS = pytest.mark.parametrize("shape", [SHAPE, replace(SHAPE, activation="tanh")], ids=["relu", "tanh"])
RECORDS, EXPECTED = 200, 30
#: So large a step that the parameters after it are the gradient, free of the rounding of the ones before.
STEP = 1e4

BATCHES = {
    "ragged sizes": [31, 22, 40],
    "an empty batch": [25, 0, 33],
    "a last short batch": [30, 30, 7],
    "one record": [1, 30, 28],
    "nothing but one record": [1, 1, 1],
    "equal sizes": [30, 30, 30],
}


class GivenBatches(Streams):
    """Batches chosen by the test."""

    def __init__(self, run, recipe, batches):
        super().__init__(run.seeds, recipe, len(run.records))
        self.given = iter(batches)

    def batch(self):
        return next(self.given)


@pytest.fixture(scope="module")
def data():
    generator = torch.Generator().manual_seed(5)
    # Records of very different size, so that gradients are too.
    x = torch.randn(400, SHAPE.inputs, generator=generator) * torch.logspace(-1, 1, 400)[:, None]
    return x, torch.randint(0, SHAPE.outputs, (400,), generator=generator)


@pytest.fixture(params=["ragged", "padded"])
def layout(request, monkeypatch):
    monkeypatch.setattr(batch_layout, "PADDED_PARAMETERS", 10**9 if request.param == "padded" else 0)
    return {"ragged": Ragged, "padded": Padded}[request.param]


def make_runs(noise_multiplier, count=3):
    rng = np.random.default_rng(2)
    return [
        Run(f"r{k}", rng.permutation(400)[:RECORDS], Seeds(k, 100 + k, 200 + k), noise_multiplier) for k in range(count)
    ]


def draw(sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.permutation(RECORDS)[:size] for size in sizes]


def module_of(run, recipe, shape=SHAPE):
    module = shape.module()
    start = Streams(run.seeds, recipe, RECORDS).initial_parameters(SHAPE)
    with torch.no_grad():
        for parameter, value in zip(module.parameters(), start, strict=True):
            parameter.copy_(value)
    return module


def gradients_one_by_one(module, x, y):
    """Return the gradient of each record, flat: (records, P)."""
    rows = []
    for record, label in zip(x, y, strict=True):
        loss = cross_entropy(module(record[None]), label[None])
        rows.append(torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(module.parameters()))]))
    return torch.stack(rows) if rows else torch.zeros(0, SHAPE.parameter_count)


def gradients_by_opacus(module, x, y):
    if not len(x):
        return torch.zeros(0, SHAPE.parameter_count)
    wrapped = GradSampleModule(module, loss_reduction="sum")
    cross_entropy(wrapped(x.clone().requires_grad_()), y, reduction="sum").backward()
    return torch.cat([p.grad_sample.flatten(1) for p in module.parameters()], dim=1)


def relative_error(actual, reference):
    return ((actual - reference).abs().max() / reference.abs().max()).item()


@BOTH_ACTIVATIONS
@pytest.mark.parametrize("reference", [gradients_one_by_one, gradients_by_opacus])
@pytest.mark.parametrize("sizes", BATCHES.values(), ids=BATCHES)
def test_norms_are_those_of_single_records(data, layout, sizes, reference, shape):
    x, y = data
    recipe, runs, batches = Recipe("sgd", STEP, EXPECTED, 1), make_runs(0.0), draw(sizes)
    start = torch.stack(
        [torch.cat([p.detach().flatten() for p in module_of(run, recipe, shape).parameters()]) for run in runs]
    )
    network = StackedMLP(shape.widths, start, torch.zeros_like(start), shape.activation)
    laid = layout(batches)
    owner = laid.owner.numpy()
    rows = np.array([runs[k].records[p] for k, p in zip(owner, laid.positions.numpy(), strict=True)])
    with torch.no_grad():
        logits = network.forward(laid, x[rows])
        probabilities = logits.softmax(1)
        probabilities[torch.arange(len(rows)), y[rows]] -= 1
        network.backward(laid, probabilities)
        norms = network.gradient_norms()
    for k, (run, batch) in enumerate(zip(runs, batches, strict=True)):
        mine = norms[owner == k][: len(batch)]
        members = run.records[batch]
        expected = reference(module_of(run, recipe, shape), x[members], y[members]).norm(dim=1)
        torch.testing.assert_close(mine, expected, rtol=1e-5, atol=0)


@BOTH_ACTIVATIONS
@pytest.mark.parametrize("reference", [gradients_one_by_one, gradients_by_opacus])
@pytest.mark.parametrize("sizes", BATCHES.values(), ids=BATCHES)
def test_step_is_the_clipped_sum_over_the_expected_batch_size(data, layout, sizes, reference, shape):
    x, y = data
    runs, batches = make_runs(0.0), draw(sizes)
    recipe = Recipe("sgd", STEP, EXPECTED, 1)
    singles = []
    for run, batch in zip(runs, batches, strict=True):
        members = run.records[batch]
        singles.append(reference(module_of(run, recipe, shape), x[members], y[members]))
    norms = torch.cat(singles).norm(dim=1)
    clip_norm = float(norms.median()) * 1.01
    assert 0 < (norms > clip_norm).sum() < len(norms), "the batch must be mixed"

    recipe = Recipe("sgd", STEP, EXPECTED, 1, clip_norm=clip_norm)
    streams = [GivenBatches(run, recipe, [batch]) for run, batch in zip(runs, batches, strict=True)]
    engine = StackedEngine(shape, recipe, runs, x, y, streams)
    before = engine.parameters()
    engine.advance(1)
    for start, end, gradients in zip(before, engine.parameters(), singles, strict=True):
        factors = (clip_norm / (gradients.norm(dim=1) + 1e-6)).clamp(max=1)
        expected = (factors[:, None] * gradients).sum(0)
        total = (start - end) / STEP * EXPECTED
        if len(gradients):
            assert relative_error(total, expected) <= 1e-5
        else:
            assert torch.equal(start, end)


def test_a_gradient_as_long_as_the_bound_is_not_clipped(data):
    def engine_of(clip_norm):
        (run,), recipe = make_runs(0.0, count=1), Recipe("sgd", STEP, EXPECTED, 1, clip_norm=clip_norm)
        return StackedEngine(SHAPE, recipe, [run], *data, [GivenBatches(run, recipe, [np.array([0])])])

    engine = engine_of(1e9)
    engine.advance(1)
    norm = float(engine._network.gradient_norms()[0])
    for bound, clipped in ((norm, 0), (norm * (1 - 1e-6), 1)):
        engine = engine_of(bound)
        engine.advance(1)
        assert engine.tally.clipped == clipped


def test_clipping_without_privacy_is_privacy_without_noise(data, layout):
    recipe = Recipe("sgd", STEP, EXPECTED, 1, clip_norm=0.3, clip_all=True)
    batches, ends = draw([30, 0, 41]), []
    for sigma in (0.0, None):
        runs = make_runs(sigma)
        streams = [GivenBatches(run, recipe, [batch]) for run, batch in zip(runs, batches, strict=True)]
        engine = StackedEngine(SHAPE, recipe, runs, *data, streams)
        engine.advance(1)
        ends.append(torch.stack(engine.parameters()))
    torch.testing.assert_close(*ends, rtol=1e-6, atol=1e-7)


def test_without_privacy_nothing_is_clipped(data, layout):
    x, y = data
    runs, batches = make_runs(None), draw([30, 12, 41])
    recipe = Recipe("sgd", STEP, EXPECTED, 1, clip_norm=1e-3)
    streams = [GivenBatches(run, recipe, [batch]) for run, batch in zip(runs, batches, strict=True)]
    engine = StackedEngine(SHAPE, recipe, runs, x, y, streams)
    before = engine.parameters()
    engine.advance(1)
    for run, batch, start, end in zip(runs, batches, before, engine.parameters(), strict=True):
        members = run.records[batch]
        expected = gradients_one_by_one(module_of(run, recipe), x[members], y[members]).sum(0)
        assert relative_error((start - end) / STEP * EXPECTED, expected) <= 1e-5


def test_all_batches_empty(data, layout):
    x, y = data
    runs = make_runs(0.0)
    recipe = Recipe("sgd", 1.0, EXPECTED, 1)
    streams = [GivenBatches(run, recipe, [np.empty(0, dtype=np.int64)]) for run in runs]
    engine = StackedEngine(SHAPE, recipe, runs, x, y, streams)
    before = engine.parameters()
    assert np.isnan(mean_losses(engine, 1)).all()
    assert all(torch.equal(a, b) for a, b in zip(before, engine.parameters(), strict=True))
