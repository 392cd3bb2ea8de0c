"""Multilayer perceptrons: fully connected layers with ReLU between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class MLP:
    """The shape of a perceptron; it returns logits, so a softmax is the caller's.

    Attributes:
        inputs: number of features.
        hidden: widths of the hidden layers, each followed by a ReLU.
        outputs: number of classes.
    """

    inputs: int
    hidden: tuple[int, ...]
    outputs: int

    @property
    def widths(self) -> tuple[int, ...]:
        """Widths of all layers, the input first."""
        return (self.inputs, *self.hidden, self.outputs)

    @property
    def parameter_count(self) -> int:
        """Number of weights and biases."""
        return sum((a + 1) * b for a, b in zip(self.widths, self.widths[1:], strict=False))

    def initial_parameters(self, generator: torch.Generator) -> list[torch.Tensor]:
        """Return `[W1, b1, W2, b2, ...]`, float32, W of shape (out, in).

        Weights are uniform on ±sqrt(6 / (in + out)) and biases zero (Glorot and Bengio 2010), as in the
        framework of the published code of the papers.
        """
        parameters = []
        for fan_in, fan_out in zip(self.widths, self.widths[1:], strict=False):
            limit = math.sqrt(6 / (fan_in + fan_out))
            parameters.append(torch.empty(fan_out, fan_in).uniform_(-limit, limit, generator=generator))
            parameters.append(torch.zeros(fan_out))
        return parameters

    def module(self) -> nn.Sequential:
        """Return the perceptron as a module whose parameters are ordered as in `initial_parameters`."""
        layers: list[nn.Module] = []
        for fan_in, fan_out in zip(self.widths, self.widths[1:], strict=False):
            layers += [nn.Linear(fan_in, fan_out), nn.ReLU()]
        return nn.Sequential(*layers[:-1])


def perceptron(inputs: int, outputs: int, image: tuple[int, int, int] | None, hidden: Sequence[int]) -> MLP:
    """Return the perceptron for a data set; images are rows of pixels to it."""
    return MLP(inputs, tuple(hidden), outputs)
