"""Opacus on convolutional networks: chunks of a batch give the step of the whole batch."""

import numpy as np
import pytest
import torch
from training_checks import mean_losses

from dpmia.formats.recipe import Recipe
from dpmia.models.cnn import CNN, TRAMER_BONEH_CIFAR10, TRAMER_BONEH_MNIST, Convolution, MaxPool
from dpmia.models.mlp import MLP
from dpmia.training.engines import opacus
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.run import Run, Seeds

SHAPE = CNN((2, 8, 8), (Convolution(6, 3, 1, 1), MaxPool(2, 2), Convolution(8, 2)), (10,), 3)


def make_engine(network, batch_size=30, **changes):
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(90, network.inputs, generator=generator)
    y = torch.randint(0, network.outputs, (90,), generator=generator)
    settings = {"optimiser": "sgd", "learning_rate": 0.3, "momentum": 0.9, "clip_norm": 1.0, **changes}
    recipe = Recipe(batch_size=batch_size, epochs=10, **settings)
    return OpacusEngine(network, recipe, [Run("r", np.arange(90), Seeds(1, 2, 3), 0.8)], x, y)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [1, 7, 64])
@pytest.mark.parametrize("sampling", ["poisson", "shuffle"])
def test_chunks_follow_whole_batches(chunk, sampling, monkeypatch):
    whole = make_engine(SHAPE, sampling=sampling)
    monkeypatch.setattr(opacus, "LARGEST_CHUNK", chunk)
    cut = make_engine(SHAPE, sampling=sampling)
    assert mean_losses(cut, 20)[0] == pytest.approx(mean_losses(whole, 20)[0], abs=1e-5)
    torch.testing.assert_close(cut.parameters()[0], whole.parameters()[0], rtol=0, atol=1e-4)


def test_a_chunk_is_what_memory_holds_and_one_record_at_least(monkeypatch):
    whole, count = make_engine(SHAPE), sum(p.numel() for p in SHAPE.module().parameters())
    whole.advance(3)
    for records, wanted in ((5, 5), (0, 1)):
        monkeypatch.setattr(opacus, "GRADIENTS_AT_ONCE", 4 * count * records)
        cut, taken = make_engine(SHAPE), []
        forward = cut.module.register_forward_hook(lambda _, given, out, taken=taken: taken.append(len(given[0])))
        cut.advance(3)
        forward.remove()
        assert max(taken) == wanted
        torch.testing.assert_close(cut.parameters()[0], whole.parameters()[0], rtol=0, atol=1e-4)


@pytest.mark.parametrize("network", [TRAMER_BONEH_MNIST, TRAMER_BONEH_CIFAR10], ids=["MNIST", "CIFAR-10"])
def test_gradients_of_single_records_stay_within_bounds(network, monkeypatch):
    engine, held = make_engine(network), []
    clip = engine.optimiser.clip_and_accumulate

    def watch():
        held.append(sum(p.grad_sample.numel() for p in engine.module.parameters()) * 4)
        clip()

    monkeypatch.setattr(engine.optimiser, "clip_and_accumulate", watch)
    engine.advance(2)
    assert len(held) >= 2
    assert 0 < max(held) <= opacus.GRADIENTS_AT_ONCE


def test_by_default_only_convolutions_form_the_gradients_of_single_records():
    assert make_engine(MLP(5, (4,), 2)).grad_sample_mode == "ghost"
    assert make_engine(SHAPE).grad_sample_mode == "hooks"
    assert make_engine(SHAPE, grad_sample_mode="ghost").grad_sample_mode == "ghost"


def test_a_rare_record_leaves_empty_batches_of_noise_alone():
    engine = make_engine(SHAPE, batch_size=1)
    losses = [mean_losses(engine, 1)[0] for _ in range(40)]
    assert np.isnan(losses).any()
    assert np.isfinite(losses).any()
    assert torch.isfinite(engine.parameters()[0]).all()
