"""The convolutional networks of the papers, by name: each function makes the one that fits a data set's images."""

from __future__ import annotations

from dpmia.models.cnn import CNN, TRAMER_BONEH_CIFAR10, TRAMER_BONEH_MNIST, Convolution, MaxPool

Image = tuple[int, int, int]

_HALVED = MaxPool(2, 2)


def tramer_boneh(inputs: int, outputs: int, image: Image, initial_weights: str = "glorot") -> CNN:
    """Return the network of Tramèr and Boneh 2021 for grey or colour images (see `dpmia.models.cnn`).

    Colour images are normalised by the constants of its authors, those of SVHN likewise (our choice).

    Source: Thudi et al. 2024, 4.2.
    """
    spec = TRAMER_BONEH_MNIST if image[0] == 1 else TRAMER_BONEH_CIFAR10
    return CNN(image, spec.layers, spec.hidden, outputs, spec.activation, initial_weights, spec.normalisation)


def two_convolutions(inputs: int, outputs: int, image: Image, initial_weights: str = "glorot") -> CNN:
    """Return the network with 32 and 64 filters and max-pools; the hidden layer of 128 is our choice.

    Source: Ye et al. 2022, A.1 (MNIST, CIFAR-100).
    """
    layers = (Convolution(32, 3), _HALVED, Convolution(64, 3), _HALVED)
    return CNN(image, layers, (128,), outputs, "relu", initial_weights)


def alexnet(inputs: int, outputs: int, image: Image, initial_weights: str = "glorot") -> CNN:
    """Return AlexNet for images of 32 x 32 pixels, without dropout.

    Source: Ye et al. 2022, A.1 (CIFAR-10, configurations I and II); widths as in the authors' later test case.
    """
    layers = (
        *(Convolution(64, 3, 2, 1), _HALVED, Convolution(192, 3, 1, 1), _HALVED),
        *(Convolution(384, 3, 1, 1), Convolution(256, 3, 1, 1), Convolution(256, 3, 1, 1), _HALVED),
    )
    return CNN(image, layers, (4096, 4096), outputs, "relu", initial_weights)


def vgg(inputs: int, outputs: int, image: Image, initial_weights: str = "glorot") -> CNN:
    """Return three blocks of two convolutions (32, 64, 128 filters), each with a max-pool, and a hidden layer of 128.

    Source: Ye et al. 2022, A.1 (CIFAR-10, configuration III); the widths are our choice.
    """
    layers = tuple(
        layer
        for filters in (32, 64, 128)
        for layer in (Convolution(filters, 3, 1, 1), Convolution(filters, 3, 1, 1), _HALVED)
    )
    return CNN(image, layers, (128,), outputs, "relu", initial_weights)


def growing(inputs: int, outputs: int, image: Image, size: int, initial_weights: str = "glorot") -> CNN:
    """Return the network that grows with one number: two convolutions of `size` filters, then two of twice as many.

    Each pair ends in a max-pool; one hidden layer has twice `size` units.

    Source: Yeom et al. 2018, VI-A.
    """
    layers = tuple(
        layer
        for filters in (size, 2 * size)
        for layer in (Convolution(filters, 3, 1, 1), Convolution(filters, 3, 1, 1), _HALVED)
    )
    return CNN(image, layers, (2 * size,), outputs, "relu", initial_weights)
