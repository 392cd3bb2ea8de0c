"""The random streams of one run: initial weights, batches, noise.

Each stream has a generator of its own, so a model does not depend on the models trained beside it, and
two runs can be given the same stream on purpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from dpmia.training.recipe import Recipe, Seeds


class Streams:
    """Everything random in one run. Replace a method to inject batches, weights or noise."""

    def __init__(self, seeds: Seeds, recipe: Recipe, records: int) -> None:
        """Open the streams of a run whose training set has `records` records."""
        self.recipe = recipe
        self.records = records
        self._weights = torch.Generator().manual_seed(seeds.weights)
        self._batches = np.random.Generator(np.random.SFC64(seeds.batches))
        self._noise = torch.Generator().manual_seed(seeds.noise)
        self._order = np.empty(0, dtype=np.int64)  # what is left of the epoch's permutation

    def initial_parameters(self, architecture: Any) -> list[torch.Tensor]:
        """Return the weights and biases to start from."""
        return architecture.initial_parameters(self._weights)

    def batch(self) -> np.ndarray:
        """Return the next batch: int64 positions in 0..records-1, without repetition.

        A Poisson batch is drawn exactly, in two steps: its size from Binomial(records, q), then a uniform
        subset of that size. It may be empty.
        """
        if self.recipe.sampling == "poisson":
            size = self._batches.binomial(self.records, self.recipe.rate(self.records))
            return self._batches.choice(self.records, size=size, replace=False, shuffle=False)
        if len(self._order) < self.recipe.batch_size:
            self._order = self._batches.permutation(self.records)
        batch, self._order = np.split(self._order, [self.recipe.batch_size])
        return batch

    def noise(self, out: torch.Tensor) -> None:
        """Fill `out` (flat, one entry for each parameter) with independent standard normals."""
        out.normal_(generator=self._noise)

    def state_dict(self) -> dict[str, Any]:
        """Return where the streams stand, for a checkpoint."""
        return {
            "batches": self._batches.bit_generator.state,
            "noise": self._noise.get_state(),
            "order": self._order,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict`."""
        self._batches.bit_generator.state = state["batches"]
        self._noise.set_state(state["noise"])
        self._order = state["order"]
