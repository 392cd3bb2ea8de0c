"""Convolutional networks as data: their sizes, modules and initial weights."""

import math
from dataclasses import replace

import pytest
import torch

from dpmia.models.cnn import CNN, TRAMER_BONEH_CIFAR10, TRAMER_BONEH_MNIST, Convolution, MaxPool

SMALL = CNN((2, 9, 8), (Convolution(3, 3, 2, 1), MaxPool(2, 1), Convolution(4, 2)), (6,), 5)


@pytest.mark.parametrize(
    ("network", "parameters", "widths"),
    [(TRAMER_BONEH_MNIST, 26_010, (512, 32, 10)), (TRAMER_BONEH_CIFAR10, 550_570, (2048, 128, 10))],
)
def test_published_networks_have_their_published_sizes(network, parameters, widths):
    assert network.parameter_count == parameters
    assert sum(p.numel() for p in network.module().parameters()) == parameters
    assert network.widths == widths


@pytest.mark.parametrize("network", [SMALL, TRAMER_BONEH_MNIST, TRAMER_BONEH_CIFAR10])
def test_images_shapes_and_module_agree(network):
    module, image = network.module(), torch.zeros(3, network.inputs)
    assert module(image).shape == (3, network.outputs)
    assert tuple(p.shape for p in module.parameters()) == network.shapes
    shapes = [tuple(image.shape[1:]) for image in _after_each(module[:-1], image) if image.ndim == 4]
    # The activations between repeat the shape before them.
    assert list(dict.fromkeys(shapes)) == list(dict.fromkeys(network.images))


def _after_each(module, x):
    for layer in module:
        x = layer(x)
        yield x


def test_features_are_rows_of_channels_of_rows_of_pixels():
    module = SMALL.module()
    images = torch.randn(4, *SMALL.image)
    torch.testing.assert_close(module(images.flatten(1)), module[1:](images))


def test_pixels_are_normalised_channel_by_channel():
    x, images = torch.rand(4, SMALL.inputs), torch.empty(4, *SMALL.image)
    network = replace(SMALL, normalisation=((0.5, 0.2), (0.4, 0.1)))
    for channel, (mean, deviation) in enumerate(network.normalisation):
        images[:, channel] = (x.view(4, *SMALL.image)[:, channel] - mean) / deviation
    plain, module = SMALL.module(), network.module()
    module.load_state_dict(plain.state_dict())
    torch.testing.assert_close(module(x), plain(images.flatten(1)))
    with pytest.raises(ValueError, match="normalisation of 1 channels for images of 2"):
        replace(SMALL, normalisation=((0.5, 0.2),))


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_pooling_before_the_activation_is_pooling_after_it(activation):
    module = CNN((1, 8, 8), (Convolution(3, 3), MaxPool(2, 2)), (), 2, activation).module()
    unflatten, convolution, pool, activate, *rest = module
    x = torch.randn(10, 64)
    usual = torch.nn.Sequential(unflatten, convolution, activate, pool, *rest)
    torch.testing.assert_close(module(x), usual(x))


@pytest.mark.parametrize("network", [SMALL, TRAMER_BONEH_MNIST, TRAMER_BONEH_CIFAR10])
def test_images_in_another_order_in_memory_have_the_same_outputs(network):
    module, rows = network.module(), torch.rand(5, network.inputs)
    trained, seen = module.train()(rows), []
    module[1].register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    evaluated = module.eval()(rows)
    torch.testing.assert_close(evaluated, trained)
    images = network.images_of(rows)
    assert torch.equal(seen[0], images)
    assert seen[0].stride()[1] == 1 != images.stride()[1]


def test_initial_weights_are_glorot_uniform_and_biases_zero():
    generator = torch.Generator().manual_seed(1)
    for parameter, shape in zip(
        TRAMER_BONEH_CIFAR10.initial_parameters(generator), TRAMER_BONEH_CIFAR10.shapes, strict=True
    ):
        assert parameter.shape == shape
        if len(shape) == 1:
            assert not parameter.any()
            continue
        kernel = math.prod(shape[2:])
        limit = math.sqrt(6 / (kernel * shape[0] + kernel * shape[1]))
        assert 0.98 * limit < parameter.abs().max() <= limit
        assert parameter.std() == pytest.approx(limit / math.sqrt(3), rel=0.05)


def test_same_generator_same_weights():
    draws = [SMALL.initial_parameters(torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)]
    assert all(torch.equal(a, b) for a, b in zip(draws[0], draws[1], strict=True))
    assert not torch.equal(draws[0][0], draws[2][0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"activation": "sine"}, "expected an activation of"),
        ({"layers": (MaxPool(2, 2),)}, "follows a convolution"),
        ({"layers": (Convolution(3, 3), MaxPool(2, 2), MaxPool(2, 2))}, "follows a convolution"),
        ({"layers": (Convolution(3, 10),)}, "leave nothing"),
    ],
)
def test_what_is_no_network_is_refused(changes, message):
    settings = {"image": (1, 8, 8), "layers": (), "hidden": (4,), "outputs": 2}
    with pytest.raises(ValueError, match=message):
        CNN(**{**settings, **changes})
