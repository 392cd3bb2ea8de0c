"""Seeded random numbers for layers of the framework, which take no generator of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def drawing_from(generator: torch.Generator, device: torch.device | None = None) -> Iterator[None]:
    """Let dropout and default initial weights draw from `generator`, and advance it; torch's own state is restored.

    Args:
        generator: on the CPU.
        device: of the layers, the CPU where left out. On another one they draw from a seed that `generator` draws.
    """
    with torch.random.fork_rng(devices=[] if device is None or device.type == "cpu" else [device]):
        if device is not None and device.type != "cpu":
            module = torch.get_device_module(device)
            with module.device(device):  # `manual_seed` is for the current one
                module.manual_seed(torch.randint(2**62, (), generator=generator).item())
        torch.set_rng_state(generator.get_state())
        yield
        generator.set_state(torch.get_rng_state())
