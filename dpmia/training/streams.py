"""The random streams of one run: initial weights, batches, noise, dropout.

Each stream has a generator of its own, so a model does not depend on the models trained beside it, and
two runs can be given the same stream on purpose.
"""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from dpmia.common.seeds import derive_seed
from dpmia.formats.recipe import Recipe
from dpmia.models.generators import drawing_from
from dpmia.training.run import Seeds

#: Poisson batches are drawn ahead for so many steps that they hold about this many records together.
RECORDS_AHEAD = 4096

#: Where the 624 words of the twister stand in a generator's state, after its seed and two counters; 8 bytes each.
_TWISTER = slice(24, 24 + 624 * 8)


class Streams:
    """Everything random in one run. Replace a method to inject batches, weights or noise."""

    def __init__(self, seeds: Seeds, recipe: Recipe, records: int, expected: int | None = None) -> None:
        """Open the streams of a run whose training set has `records` records; the rate follows from `expected`."""
        self.seeds = seeds
        self.recipe = recipe
        self.records = records
        self.rate = recipe.rate(records if expected is None else expected)
        self._weights = full_generator(seeds.weights)
        self._batches = np.random.Generator(np.random.SFC64(seeds.batches))
        self._noise = full_generator(seeds.noise)
        self._order = np.empty(0, dtype=np.int64)  # what is left of the epoch's permutation
        self._ahead: list[np.ndarray] = []  # Poisson batches drawn and not yet used, the next one last

    def initial_parameters(self, architecture: Any) -> list[torch.Tensor]:
        """Return the weights and biases to start from."""
        return architecture.initial_parameters(self._weights)

    def batch(self) -> np.ndarray:
        """Return the next batch: int64 positions in 0..records-1, without repetition.

        A Poisson batch is drawn exactly, each record on its own with probability q. It may be empty.
        """
        size = self.recipe.batch_size
        if self.recipe.sampling == "poisson":
            if not self._ahead:
                self._ahead = self._poisson_batches(max(1, RECORDS_AHEAD // size))[::-1]
            return self._ahead.pop()
        if len(self._order) < size:
            self._order = self._batches.permutation(self.records)
        batch, self._order = self._order[:size], self._order[size:]
        return batch

    def _poisson_batches(self, steps: int) -> list[np.ndarray]:
        """Return the batches of `steps` steps, at a cost that does not grow with the number of records.

        The tosses of one coin for each record and step, in a row, show heads after gaps that are geometric:
        1 + floor(E / -log(1 - q)) with E standard exponential.
        """
        scale = -math.log1p(-self.rate) if self.rate < 1 else math.inf
        tosses = steps * self.records
        heads, last = [], -1
        while last < tosses:
            gaps = 1 + (self._batches.standard_exponential(RECORDS_AHEAD) / scale).astype(np.int64)
            heads.append(last + np.cumsum(gaps))
            last = heads[-1][-1]
        places = np.concatenate(heads)
        ends = np.searchsorted(places, np.arange(steps + 1) * self.records).tolist()
        members = places % self.records
        return [members[start:stop] for start, stop in pairwise(ends)]

    def noise(self, out: torch.Tensor, deviation: float = 1) -> None:
        """Fill `out` (flat, one entry for each parameter) with independent normals of a standard deviation.

        They are drawn on the CPU, so that they do not depend on the device of `out`.
        """
        on_cpu = out if out.device.type == "cpu" else torch.empty(out.shape)
        on_cpu.normal_(std=deviation, generator=self._noise)
        if on_cpu is not out:
            out.copy_(on_cpu)

    @cached_property
    def _dropout(self) -> torch.Generator:
        """Opened when first used: most networks have no dropout, and thousands are trained at once."""
        return full_generator(derive_seed(self.seeds.weights, "dropout"))

    def dropout(self, device: torch.device | None = None) -> AbstractContextManager[None]:
        """Return a context in which layers on a device draw from the run: dropout, and all that take no generator."""
        return drawing_from(self._dropout, device)

    def state_dict(self) -> dict[str, Any]:
        """Return where the streams stand; only tensors and plain values, which load without running code."""
        batches = self._batches.bit_generator.state
        return {
            "batches": {**batches, "state": batches["state"]["state"].tolist()},
            "noise": self._noise.get_state(),
            "dropout": self._dropout.get_state(),
            "order": torch.from_numpy(self._order),
            "ahead": [torch.from_numpy(batch) for batch in self._ahead],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict`.

        Raises:
            ValueError: a batch has other positions than those of the training set, or one twice.
        """
        numbers = np.array(state["batches"]["state"], dtype=np.uint64)
        self._batches.bit_generator.state = {**state["batches"], "state": {"state": numbers}}
        self._noise.set_state(state["noise"])
        self._dropout.set_state(state["dropout"])
        self._order, *self._ahead = [self._positions(order) for order in (state["order"], *state["ahead"])]

    def _positions(self, kept: torch.Tensor) -> np.ndarray:
        positions = kept.numpy()
        wrong = positions.dtype != np.int64 or positions.ndim != 1 or len(np.unique(positions)) != len(positions)
        if wrong or (len(positions) and not 0 <= positions.min() <= positions.max() < self.records):
            raise ValueError(f"batches are no positions of {self.records} records")
        return positions


def full_generator(seed: int) -> torch.Generator:
    """Return a generator on the CPU that is seeded from all bits of `seed`.

    `manual_seed` takes the low 32 bits only: among 10 000 models two would share their noise with a probability
    of 1 %. So the 624 words of the Mersenne Twister's state are drawn here, by a generator that uses all bits.
    """
    generator = torch.Generator().manual_seed(0)
    state = generator.get_state()
    state_words = np.random.SFC64(seed).random_raw(624) >> np.uint64(32)
    state.numpy()[_TWISTER].view(np.uint64)[:] = state_words
    generator.set_state(state)
    return generator
