"""The papers' networks by name: sizes by hand count, images that they fit, and the models of the settings."""

import inspect
from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from dpmia.common.registry import load
from dpmia.models import networks
from dpmia.models.cnn import CNN, TRAMER_BONEH_CIFAR10, TRAMER_BONEH_MNIST, Convolution, MaxPool
from dpmia.models.mlp import MLP
from dpmia.settings.names import MODELS
from dpmia.settings.training import ACTIVATIONS, MODEL_KEYS, OPTIONAL_KEYS, Model

MNIST, CIFAR = (1, 28, 28), (3, 32, 32)
NAMES = [name for name, function in MODELS.items() if function.startswith("dpmia.models.networks:")]


def network(name, image, outputs=10, **shape):
    return getattr(networks, name)(inputs=0, outputs=outputs, image=image, **shape)


def counted(convolutions, dense):
    """Return the number of parameters: (channels, filters, kernel) of each convolution, widths of dense layers."""
    kernels = sum((channels * kernel**2 + 1) * filters for channels, filters, kernel in convolutions)
    return kernels + sum((a + 1) * b for a, b in pairwise(dense))


ALEXNET = [(3, 64, 3), (64, 192, 3), (192, 384, 3), (384, 256, 3), (256, 256, 3)]
VGG = [(3, 32, 3), (32, 32, 3), (32, 64, 3), (64, 64, 3), (64, 128, 3), (128, 128, 3)]


@pytest.mark.parametrize(
    ("made", "parameters"),
    [
        # 28 -> 26 -> 13 -> 11 -> 5 pixels
        (network("two_convolutions", MNIST), counted([(1, 32, 3), (32, 64, 3)], [64 * 5 * 5, 128, 10])),
        # 32 -> 30 -> 15 -> 13 -> 6
        (network("two_convolutions", CIFAR, 100), counted([(3, 32, 3), (32, 64, 3)], [64 * 6 * 6, 128, 100])),
        # 32 -> 16 -> 8 -> 4 -> 2
        (network("alexnet", CIFAR), counted(ALEXNET, [256 * 2 * 2, 4096, 4096, 10])),
        # 32 -> 16 -> 8 -> 4
        (network("vgg", CIFAR), counted(VGG, [128 * 4 * 4, 128, 10])),
        (network("tramer_boneh", MNIST), 26_010),
        (network("tramer_boneh", CIFAR), 550_570),
        # 32 -> 16 -> 8
        *(
            (
                network("growing", CIFAR, size=size),
                counted(
                    [(3, size, 3), (size, size, 3), (size, 2 * size, 3), (2 * size, 2 * size, 3)],
                    [2 * size * 8 * 8, 2 * size, 10],
                ),
            )
            for size in (1, 4, 16)
        ),
    ],
)
def test_sizes_are_those_counted_by_hand(made, parameters):
    assert made.parameter_count == parameters
    assert sum(p.numel() for p in made.module().parameters()) == parameters


def test_tramer_bonehs_networks_follow_the_channels_and_the_classes():
    assert network("tramer_boneh", MNIST) == TRAMER_BONEH_MNIST
    assert network("tramer_boneh", CIFAR) == TRAMER_BONEH_CIFAR10
    assert network("tramer_boneh", CIFAR, 43).outputs == 43


def test_vgg_has_the_layers_of_tramer_bonehs_network_for_colours_and_another_activation():
    vgg, other = network("vgg", CIFAR), network("tramer_boneh", CIFAR)
    assert (vgg.layers, vgg.hidden) == (other.layers, other.hidden)
    assert (vgg.activation, other.activation) == ("relu", "tanh")


def test_a_grown_network_has_twice_the_filters_everywhere():
    small, large = (network("growing", MNIST, size=size) for size in (3, 6))
    filters = [[layer.filters for layer in made.layers if isinstance(layer, Convolution)] for made in (small, large)]
    assert filters == [[3, 3, 6, 6], [6, 6, 12, 12]]
    assert (small.hidden, large.hidden) == ((6,), (12,))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("image", [MNIST, CIFAR])
def test_each_network_outputs_one_number_for_each_class(name, image):
    made = network(name, image, 7, **({"size": 2} if name == "growing" else {}))
    with torch.inference_mode():
        logits = made.module()(torch.rand(2, made.inputs))
    assert logits.shape == (2, 7)
    assert made.image == image


def test_an_image_too_small_for_its_network_is_reported():
    with pytest.raises(ValueError, match="leave nothing of an image"):
        network("vgg", (3, 4, 4))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_the_settings_is_made_of_its_own_keys(name):
    function = load(MODELS[name])
    shape = {"hidden": {"hidden": [5]}, "size": {"size": 2}, "trees": {"trees": 3}}
    given = {key: value for need in MODEL_KEYS.get(name, set()) for key, value in shape[need].items()}
    model = Model(kind=name, **given)
    assert model.shape == given
    optional = OPTIONAL_KEYS.get(name, set())
    assert set(inspect.signature(function).parameters) == {"inputs", "outputs", "image", *given, *optional}
    made = function(inputs=3 * 32 * 32, outputs=10, image=CIFAR, **model.shape)
    assert made.outputs == 10
    # A classifier of scikit-learn learns the number of features from the data.
    assert name not in (*NAMES, "mlp") or made.inputs == 3 * 32 * 32


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation_and_initial_weights_are_those_of_the_settings(name):
    needed = {"hidden": [5]} if name == "mlp" else {"size": 2} if name == "growing" else {}

    def made(**changes):
        shape = Model(kind=name, **needed, **changes).shape
        return shape, load(MODELS[name])(inputs=3 * 32 * 32, outputs=10, image=CIFAR, **shape)

    shape, default = made()
    assert (default.activation, default.initial_weights) == (ACTIVATIONS[name], "glorot")
    assert made(initial_weights="glorot") == (shape, default), "a default that is spelled out changes no description"
    assert made(initial_weights="torch_default")[1].initial_weights == "torch_default"
    if "activation" in OPTIONAL_KEYS[name]:
        assert made(activation=ACTIVATIONS[name]) == (shape, default)
        assert made(activation="tanh")[1].activation == "tanh"


@pytest.mark.parametrize("made", [MLP(7, (6, 5), 3), CNN((2, 8, 8), (Convolution(3, 3), MaxPool(2, 2)), (4,), 3)])
def test_torch_default_weights_are_those_of_a_new_module_and_follow_from_the_generator_alone(made):
    made = replace(made, initial_weights="torch_default")
    torch.manual_seed(5)
    expected = [parameter.detach() for parameter in made.module().parameters()]
    torch.manual_seed(7)
    before = torch.get_rng_state()
    generator = torch.Generator().manual_seed(5)
    drawn = made.initial_parameters(generator)
    assert all(torch.equal(a, b) for a, b in zip(drawn, expected, strict=True))
    assert any(a.any() for a in drawn[1::2]), "biases start at other values than zero"
    assert torch.equal(torch.get_rng_state(), before)
    assert not torch.equal(made.initial_parameters(generator)[0], drawn[0]), "the generator goes on"


def test_a_perceptron_takes_images_as_rows_of_pixels():
    made = load(MODELS["mlp"])(inputs=784, outputs=10, image=MNIST, hidden=[32])
    assert made.widths == (784, 32, 10)
    assert made.hidden == (32,)
