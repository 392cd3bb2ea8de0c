"""Activations by name: as a layer of the framework, and by hand for engines without automatic differentiation."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import nn


class Activation(NamedTuple):
    """One activation. It is monotone, and its derivative follows from its output.

    Attributes:
        layer: the framework's layer.
        apply: replaces a tensor by its activation, in place.
        back: multiplies a gradient by the derivative, in place, given the output of the activation.
    """

    layer: type[nn.Module]
    apply: Callable[[torch.Tensor], torch.Tensor]
    back: Callable[[torch.Tensor, torch.Tensor], None]


def _tanh_back(delta: torch.Tensor, a: torch.Tensor) -> None:
    torch.ops.aten.tanh_backward.grad_input(delta, a, grad_input=delta)


def _relu_back(delta: torch.Tensor, a: torch.Tensor) -> None:
    # delta where a > 0, else 0, in one pass; the public operations need two.
    torch.ops.aten.threshold_backward.grad_input(delta, a, 0, grad_input=delta)


ACTIVATIONS = {
    "relu": Activation(nn.ReLU, torch.Tensor.relu_, _relu_back),
    "tanh": Activation(nn.Tanh, torch.Tensor.tanh_, _tanh_back),
}
