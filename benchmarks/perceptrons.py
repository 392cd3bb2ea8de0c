"""The perceptrons that are measured, for Pythons with torch and with JAX."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Perceptron:
    """Widths of all layers, optimiser, expected size of a batch, and size of the training set."""

    widths: tuple[int, ...]
    optimiser: str
    batch: int
    records: int


_LARGE = (600, 512, 256, 128, 64, 100)
PERCEPTRONS = {
    "104-256-256-2, batch 200, adam": Perceptron((104, 256, 256, 2), "adam", 200, 10_000),
    "600-512-256-128-64-100, batch 64, sgd": Perceptron(_LARGE, "sgd", 64, 5_000),
    "600-512-256-128-64-100, batch 256, sgd": Perceptron(_LARGE, "sgd", 256, 5_000),
    "20-64-2, batch 32, adam": Perceptron((20, 64, 2), "adam", 32, 1_000),
}

#: Ways of `jax_clipping.py`.
CLIPPED_GRAD, JAX_GHOST = "jax-privacy, clipped_grad", "JAX, ghost clipping"
