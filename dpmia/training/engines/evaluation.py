"""Networks as they are evaluated: in eval mode, with the parameters and buffers of one trained model."""

from __future__ import annotations

import torch

#: Features in one forward pass: few enough that what convolutions work on stays near the processor.
FEATURES_AT_ONCE = 2**18


def flat_buffers(module: torch.nn.Module) -> torch.Tensor:
    """Return all buffers of a network, such as the running statistics of batch norm, in one flat float64 tensor."""
    buffers = [buffer.detach().flatten().double() for buffer in module.buffers()]
    return torch.cat(buffers) if buffers else torch.empty(0, dtype=torch.float64)


def set_state(module: torch.nn.Module, parameters: torch.Tensor, buffers: torch.Tensor) -> None:
    """Make a network that of a trained model.

    Args:
        module: of the model's architecture.
        parameters: all weights and biases, flat.
        buffers: as `flat_buffers` returns them.

    Raises:
        ValueError: the network has other parameters or buffers.
    """
    weights = sum(parameter.numel() for parameter in module.parameters())
    if weights != len(parameters):
        raise ValueError(f"{len(parameters)} values for parameters of {weights}")
    torch.nn.utils.vector_to_parameters(parameters, module.parameters())
    set_buffers(module, buffers)


def set_buffers(module: torch.nn.Module, buffers: torch.Tensor) -> None:
    """Set the buffers of a network to those that `flat_buffers` returned.

    Raises:
        ValueError: the network has other buffers.
    """
    own = list(module.buffers())
    sizes = [buffer.numel() for buffer in own]
    if sum(sizes) != len(buffers):
        raise ValueError(f"{len(buffers)} values for buffers of {sum(sizes)}")
    with torch.no_grad():
        for buffer, values in zip(own, buffers.split(sizes) if own else (), strict=True):
            buffer.copy_(values.view_as(buffer))


def evaluate(module: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Return the logits of a network in eval mode: float32, shape (len(x), classes).

    Args:
        module: is left in eval mode.
        x: float32, features.
    """
    module.eval()
    at_once = max(1, FEATURES_AT_ONCE // max(1, x[:1].numel()))
    with torch.inference_mode():
        return torch.cat([module(chunk) for chunk in x.split(at_once)]).float()  # a user's network may return float64
