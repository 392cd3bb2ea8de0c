"""Where models are trained: choices, and tensors of two devices, which the framework's device without memory finds.

What a GPU computes is tested where there is one.
"""

import contextlib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.jobs.training import Engines
from dpmia.models.cnn import CNN, Convolution, MaxPool
from dpmia.models.generators import drawing_from
from dpmia.models.mlp import MLP
from dpmia.training.devices import chosen_device
from dpmia.training.engines.convolution import ConvolutionEngine
from dpmia.training.engines.convolution_network import ConvolutionNetwork
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.plain import PlainEngine, torch_optimiser
from dpmia.training.engines.scikit_learn import ScikitLearnEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.engines.tally import Tally
from dpmia.training.lightning import fit
from dpmia.training.run import Run, Seeds

CPU = torch.device("cpu")
NETWORK = MLP(5, (4,), 2)
IMAGES = CNN((1, 4, 5), (Convolution(3, 2), MaxPool(2, 1), Convolution(2, 2, padding=1)), (4,), 2)
RECIPE = Recipe("adam", 0.01, 20, 2)
KINDS = [
    (PlainEngine, None, "auto"),
    (ConvolutionEngine, None, "auto"),
    (ConvolutionEngine, 0.8, "auto"),
    (OpacusEngine, 0.8, "ghost"),
    (OpacusEngine, 0.8, "hooks"),
]


def engine_of(kind=PlainEngine, sigma=None, recipe=RECIPE, device=CPU):
    generator = torch.Generator().manual_seed(0)
    network = IMAGES if kind is ConvolutionEngine else NETWORK
    features = 20 if kind is ConvolutionEngine else 5
    x, y = torch.randn(60, features, generator=generator), torch.randint(2, (60,), generator=generator)
    return kind(network, recipe, [Run("r", np.arange(60), Seeds(1, 2, 3), sigma)], x, y, device=device)


def wanted(accelerator="auto", devices=1):
    return Engines("private", "nonprivate", accelerator, devices)


@pytest.mark.parametrize("kind", [ConvolutionEngine, PlainEngine, OpacusEngine])
@pytest.mark.parametrize(
    ("engines", "count", "expected"),
    [
        (wanted(), 0, "cpu"),
        (wanted(), 2, "cuda:0"),
        (wanted("cpu"), 2, "cpu"),
        (wanted("gpu"), 1, "cuda:0"),
        (wanted("auto", [1]), 2, "cuda:1"),
    ],
)
def test_a_gpu_is_used_where_there_is_one_and_it_is_wanted(monkeypatch, kind, engines, count, expected):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    assert chosen_device(kind, engines, "model a") == torch.device(expected)


@pytest.mark.parametrize("kind", [StackedEngine, ScikitLearnEngine])
def test_the_other_engines_stay_on_the_cpu(monkeypatch, kind):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert chosen_device(kind, wanted(), "model a") == CPU


@pytest.mark.parametrize(("engines", "count"), [(wanted("gpu"), 0), (wanted("gpu", [1]), 1), (wanted("auto", [3]), 2)])
def test_a_gpu_that_is_not_there_is_named(monkeypatch, engines, count):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    with pytest.raises(TrainingError, match=rf"model a: there is no GPU \d: {count} found\. Set training\.accelerator"):
        chosen_device(PlainEngine, engines, "model a")


@pytest.mark.parametrize(("kind", "sigma", "mode"), KINDS)
def test_a_step_mixes_no_tensors_of_two_devices(monkeypatch, kind, sigma, mode):
    """The device `meta` computes shapes only; a tensor of the CPU among its tensors is an error, as on a GPU."""
    monkeypatch.setattr("dpmia.training.streams.drawing_from", lambda *_: contextlib.nullcontext())
    for name in ("count", "count_clipped"):  # numbers of tensors without memory
        monkeypatch.setattr(Tally, name, lambda *_: None)
    # Fused steps need memory.
    unfused = lambda recipe, parameters, fused: torch_optimiser(recipe, parameters)  # noqa: E731
    monkeypatch.setattr("dpmia.training.engines.convolution.torch_optimiser", unfused)
    engine = engine_of(kind, sigma, Recipe("adam", 0.01, 20, 2, grad_sample_mode=mode), torch.device("meta"))
    for _ in range(3):
        engine.step(engine.draw())
    assert {parameter.device.type for parameter in engine.module.parameters()} == {"meta"}
    moments = [value for state in engine.optimiser.state.values() for value in state.values() if value.ndim]
    assert moments
    assert {value.device.type for value in moments} == {"meta"}


@pytest.mark.parametrize("index", [0, 1])
def test_layers_on_another_device_draw_from_a_seed_of_the_run(monkeypatch, index):
    """The framework seeds the current device, which need not be that of the layers."""
    current, seeds = [0], []

    @contextlib.contextmanager
    def device(chosen):
        current.append(chosen.index)
        yield
        current.pop()

    def manual_seed(seed):
        assert current[-1] == index
        seeds.append(seed)

    module = SimpleNamespace(device=device, manual_seed=manual_seed)
    monkeypatch.setattr(torch, "get_device_module", lambda _: module)
    monkeypatch.setattr(torch.random, "fork_rng", lambda devices: contextlib.nullcontext())
    before = torch.get_rng_state()
    for start in (1, 1, 2):
        with drawing_from(torch.Generator().manual_seed(start), torch.device("cuda", index)):
            pass
    torch.set_rng_state(before)
    assert seeds[0] == seeds[1] != seeds[2]
    assert current == [0]


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("kind", [StackedEngine, PlainEngine])
def test_matrix_products_use_all_bits_whatever_a_file_asks_for(monkeypatch, kind, count):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    torch.set_float32_matmul_precision("high")
    try:
        chosen_device(kind, wanted(), "model a")
        assert torch.get_float32_matmul_precision() == "highest"
    finally:
        torch.set_float32_matmul_precision("highest")


def test_bfloat16_rounds_products_and_keeps_weights():
    exact, rounded = (engine_of(recipe=replace(RECIPE, precision=precision)) for precision in ("32-true", "bf16-mixed"))
    for engine in (exact, rounded):
        fit(engine)
    (one,), (other,) = exact.parameters(), rounded.parameters()
    assert other.dtype == torch.float32
    assert not torch.equal(one, other)
    torch.testing.assert_close(one, other, rtol=0, atol=0.02)


GPU = torch.device("cuda", 0)
on_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def fitted_on(device, kind, sigma, mode):
    """Return parameters and outputs of a model that Lightning trained on a device."""
    chosen_device(kind, wanted("cpu" if device == CPU else "gpu"), "model a")
    engine = engine_of(kind, sigma, Recipe("adam", 0.01, 20, 3, grad_sample_mode=mode), device)
    fit(engine)
    (parameters,) = engine.parameters()
    return parameters, engine.outputs_of(0, parameters, engine.x)


@on_gpu
@pytest.mark.parametrize(("kind", "sigma", "mode"), KINDS)
def test_a_gpu_trains_the_model_of_the_cpu(kind, sigma, mode):
    for actual, expected in zip(*(fitted_on(device, kind, sigma, mode) for device in (GPU, CPU)), strict=True):
        assert actual.device == CPU
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)


@on_gpu
@pytest.mark.parametrize(("kind", "sigma", "mode"), KINDS)
def test_a_gpu_trains_the_same_model_twice(kind, sigma, mode):
    (one, _), (other, _) = (fitted_on(GPU, kind, sigma, mode) for _ in range(2))
    assert torch.equal(one, other)


@on_gpu
def test_no_gradient_is_longer_than_the_clip_norm_on_a_gpu():
    chosen_device(ConvolutionEngine, wanted("gpu"), "model a")
    network = CNN((3, 32, 32), (Convolution(32, 3, padding=1), MaxPool(2, 2), Convolution(32, 3, padding=1)), (), 10)
    x = torch.randn(40, 3 * 32 * 32, generator=torch.Generator().manual_seed(0))
    mine = ConvolutionNetwork(network, device=GPU)
    start = [parameter.to(GPU) for parameter in network.initial_parameters(torch.Generator().manual_seed(1))]
    for record in x:
        mine.load(start)
        mine.add_records(record[None].to(GPU), torch.tensor([3], device=GPU), Tally(1), clip_norm=0.1)
        gradients = [torch.zeros_like(parameter) for parameter in start]
        mine.add_sums(gradients, 1)
        assert torch.cat([gradient.double().flatten() for gradient in gradients]).norm() <= 0.1 * (1 + 1e-6)
