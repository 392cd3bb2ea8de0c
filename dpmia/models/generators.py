"""Seeded random numbers for layers of the framework, which take no generator of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def drawing_from(generator: torch.Generator) -> Iterator[None]:
    """Let dropout and default initial weights draw from `generator`, and advance it; torch's own state is restored."""
    with torch.random.fork_rng(devices=[]):
        torch.set_rng_state(generator.get_state())
        yield
        generator.set_state(torch.get_rng_state())
