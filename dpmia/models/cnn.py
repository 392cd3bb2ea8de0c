"""Convolutional networks for images: convolutions and max-pools, then fully connected layers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import nn

from dpmia.models.activations import ACTIVATIONS
from dpmia.models.initial_weights import INITIAL_WEIGHTS


@dataclass(frozen=True)
class Convolution:
    """A convolution with square kernels.

    Attributes:
        filters: number of output channels.
        kernel: side of a kernel, in pixels.
        stride: pixels from one place of the kernel to the next.
        padding: rows and columns of zeros around the image.
    """

    filters: int
    kernel: int
    stride: int = 1
    padding: int = 0


@dataclass(frozen=True)
class MaxPool:
    """The largest value in each square window of a channel.

    Attributes:
        size: side of a window, in pixels.
        stride: pixels from one window to the next.
    """

    size: int
    stride: int


@dataclass(frozen=True)
class CNN:
    """The shape of a convolutional network; it returns logits, so a softmax is the caller's.

    An activation follows each convolution and each hidden layer. Where a max-pool follows a convolution, it
    comes before the activation: a monotone function of the largest value is the largest of the functions, and
    so it is computed once for each window instead of once for each pixel.

    Attributes:
        image: channels, height and width of the input; features come as flat rows in that order.
        layers: convolutions and max-pools, in order.
        hidden: widths of the fully connected hidden layers.
        outputs: number of classes.
        activation: a name in `dpmia.models.activations.ACTIVATIONS`.
        initial_weights: a name in `dpmia.models.initial_weights.INITIAL_WEIGHTS`.
        normalisation: mean and standard deviation of each channel, constants by which pixels are normalised before the
            first layer; none for pixels as they are.
    """

    image: tuple[int, int, int]
    layers: tuple[Convolution | MaxPool, ...]
    hidden: tuple[int, ...]
    outputs: int
    activation: str = "tanh"
    initial_weights: str = "glorot"
    normalisation: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no network."""
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"expected an activation of {sorted(ACTIVATIONS)}, got {self.activation!r}")
        if self.normalisation and len(self.normalisation) != self.image[0]:
            raise ValueError(f"normalisation of {len(self.normalisation)} channels for images of {self.image[0]}")
        for previous, layer in pairwise((None, *self.layers)):
            if isinstance(layer, MaxPool) and not isinstance(previous, Convolution):
                raise ValueError("a max-pool follows a convolution")
        if min(side for image in self.images for side in image) < 1:
            raise ValueError(f"the layers leave nothing of an image of {self.image}: {self.images}")

    @property
    def inputs(self) -> int:
        """Number of features."""
        return math.prod(self.image)

    @property
    def images(self) -> tuple[tuple[int, int, int], ...]:
        """Channels, height and width before the first layer and after each."""
        images = [self.image]
        for layer in self.layers:
            channels, *sides = images[-1]
            if isinstance(layer, Convolution):
                channels = layer.filters
                height, width = ((side + 2 * layer.padding - layer.kernel) // layer.stride + 1 for side in sides)
            else:
                height, width = ((side - layer.size) // layer.stride + 1 for side in sides)
            images.append((channels, height, width))
        return tuple(images)

    @property
    def widths(self) -> tuple[int, ...]:
        """Widths of the fully connected layers, their input (the last image) first."""
        return (math.prod(self.images[-1]), *self.hidden, self.outputs)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of all parameters: (filters, channels, kernel, kernel) or (out, in), each before its bias."""
        shapes: list[tuple[int, ...]] = []
        for (channels, _, _), layer in zip(self.images, self.layers, strict=False):
            if isinstance(layer, Convolution):
                shapes += [(layer.filters, channels, layer.kernel, layer.kernel), (layer.filters,)]
        for fan_in, fan_out in pairwise(self.widths):
            shapes += [(fan_out, fan_in), (fan_out,)]
        return tuple(shapes)

    @property
    def parameter_count(self) -> int:
        """Number of weights and biases."""
        return sum(math.prod(shape) for shape in self.shapes)

    def initial_parameters(self, generator: torch.Generator) -> list[torch.Tensor]:
        """Return weights and biases, float32, shaped as `shapes`."""
        return INITIAL_WEIGHTS[self.initial_weights](self, generator)

    def images_of(self, rows: torch.Tensor) -> torch.Tensor:
        """Return flat rows as normalised images: shape (records, channels, height, width)."""
        images = rows.unflatten(1, self.image)
        if not self.normalisation:
            return images
        means, deviations = torch.tensor(self.normalisation, device=rows.device).T[:, :, None, None]
        return (images - means) / deviations

    def module(self) -> nn.Sequential:
        """Return the network as a module on flat rows whose parameters are ordered as in `initial_parameters`."""
        modules: list[nn.Module] = [_Images(self)]
        for (channels, _, _), layer, following in zip(self.images, self.layers, (*self.layers[1:], None), strict=False):
            if isinstance(layer, Convolution):
                modules.append(nn.Conv2d(channels, layer.filters, layer.kernel, layer.stride, layer.padding))
            else:
                modules.append(nn.MaxPool2d(layer.size, layer.stride))
            if not isinstance(following, MaxPool):
                modules.append(ACTIVATIONS[self.activation].layer())
        modules.append(nn.Flatten())
        for fan_in, fan_out in pairwise(self.widths):
            modules += [nn.Linear(fan_in, fan_out), ACTIVATIONS[self.activation].layer()]
        return nn.Sequential(*modules[:-1])


class _Images(nn.Module):
    """Flat rows as images: in eval mode on a CPU with the channels last in memory, which max-pools are faster on."""

    def __init__(self, network: CNN) -> None:
        super().__init__()
        self.network = network

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return what `CNN.images_of` returns."""
        images = self.network.images_of(rows)
        if self.training or images.device.type != "cpu":
            return images
        # A copy also where there is one channel, whose order in memory `contiguous` would leave as it is.
        return images.clone(memory_format=torch.channels_last)


#: The network for grey images of Tramèr and Boneh (2021, "Differentially private learning needs better
#: features (or much more data)"): 26 010 parameters.
TRAMER_BONEH_MNIST = CNN(
    image=(1, 28, 28),
    layers=(Convolution(16, 8, 2, 2), MaxPool(2, 1), Convolution(32, 4, 2), MaxPool(2, 1)),
    hidden=(32,),
    outputs=10,
)

#: Their network for colour images: 550 570 parameters. They normalise pixels by the statistics of ImageNet.
TRAMER_BONEH_CIFAR10 = CNN(
    image=(3, 32, 32),
    layers=tuple(
        layer
        for filters in (32, 64, 128)
        for layer in (Convolution(filters, 3, 1, 1), Convolution(filters, 3, 1, 1), MaxPool(2, 2))
    ),
    hidden=(128,),
    outputs=10,
    normalisation=((0.485, 0.229), (0.456, 0.224), (0.406, 0.225)),
)
