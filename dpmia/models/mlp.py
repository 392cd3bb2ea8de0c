"""Multilayer perceptrons: fully connected layers with an activation between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import nn

from dpmia.models.activations import ACTIVATIONS
from dpmia.models.initial_weights import INITIAL_WEIGHTS


@dataclass(frozen=True)
class MLP:
    """The shape of a perceptron; it returns logits, so a softmax is the caller's.

    Attributes:
        inputs: number of features.
        hidden: widths of the hidden layers, each followed by the activation.
        outputs: number of classes.
        activation: a name in `dpmia.models.activations.ACTIVATIONS`.
        initial_weights: a name in `dpmia.models.initial_weights.INITIAL_WEIGHTS`.
    """

    inputs: int
    hidden: tuple[int, ...]
    outputs: int
    activation: str = "relu"
    initial_weights: str = "glorot"

    @property
    def widths(self) -> tuple[int, ...]:
        """Widths of all layers, the input first."""
        return (self.inputs, *self.hidden, self.outputs)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of all parameters: (out, in), each before its bias."""
        return tuple(shape for a, b in pairwise(self.widths) for shape in ((b, a), (b,)))

    @property
    def parameter_count(self) -> int:
        """Number of weights and biases."""
        return sum(math.prod(shape) for shape in self.shapes)

    def initial_parameters(self, generator: torch.Generator) -> list[torch.Tensor]:
        """Return `[W1, b1, W2, b2, ...]`, float32, shaped as `shapes`."""
        return INITIAL_WEIGHTS[self.initial_weights](self, generator)

    def module(self) -> nn.Sequential:
        """Return the perceptron as a module whose parameters are ordered as in `initial_parameters`."""
        layers: list[nn.Module] = []
        for fan_in, fan_out in pairwise(self.widths):
            layers += [nn.Linear(fan_in, fan_out), ACTIVATIONS[self.activation].layer()]
        return nn.Sequential(*layers[:-1])


def perceptron(
    inputs: int,
    outputs: int,
    image: tuple[int, int, int] | None,
    hidden: Sequence[int],
    activation: str = "relu",
    initial_weights: str = "glorot",
) -> MLP:
    """Return the perceptron for a data set; images are rows of pixels to it."""
    return MLP(inputs, tuple(hidden), outputs, activation, initial_weights)
