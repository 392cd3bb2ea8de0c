"""Initial weights by name: each function draws those of an architecture from a generator."""

from __future__ import annotations

import math
from typing import Any

import torch

from dpmia.models.generators import drawing_from


def glorot(architecture: Any, generator: torch.Generator) -> list[torch.Tensor]:
    """Return weights uniform on ±sqrt(6 / (in + out)) and zero biases.

    Of a convolution, in and out count the pixels of its kernel too.

    Source: Glorot and Bengio 2010; the default of the framework in which the papers' code is written.

    Args:
        architecture: with `shapes`: (out, in) or (filters, channels, kernel, kernel), each before its bias.
        generator: to draw from.
    """
    parameters = []
    for shape in architecture.shapes:
        if len(shape) == 1:
            parameters.append(torch.zeros(shape))
            continue
        limit = math.sqrt(6 / ((shape[0] + shape[1]) * math.prod(shape[2:])))
        parameters.append(torch.empty(shape).uniform_(-limit, limit, generator=generator))
    return parameters


def torch_default(architecture: Any, generator: torch.Generator) -> list[torch.Tensor]:
    """Return the weights and biases with which the framework's own layers start.

    Args:
        architecture: with `module()`.
        generator: to draw from.
    """
    with drawing_from(generator):
        return [parameter.detach() for parameter in architecture.module().parameters()]


INITIAL_WEIGHTS = {"glorot": glorot, "torch_default": torch_default}
