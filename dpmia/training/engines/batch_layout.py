"""How the batches of K models lie in memory, and the matrix products that follow from it.

Whatever treats records alike (ReLU, softmax, norms, clipping) works on matrices with one row for each record
of all K batches. Only products with weights must know whose record a row is; they are here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch

#: Up to this many parameters of a model, one batched product of padded batches is faster than K products.
#: Measured, padded against ragged: 2.0 times at 1 500 parameters, 1.3 at 7 600, 1.1 at 11 000, 1.04 at 31 000,
#: no difference at 93 000, where padding costs memory.
PADDED_PARAMETERS = 40_000


#: Writes what the gradients of a model, by its number, are added to.
Start = Callable[[int], None]


class LayerGradients(NamedTuple):
    """What the gradients of one layer are formed of, and where they belong.

    Attributes:
        deltas: float32 (rows, out), for each record the gradient of its loss at the output.
        inputs: float32 (rows, in).
        weights: float32 (K, out, in), where the gradients of the weights belong.
        biases: float32 (K, out).
    """

    deltas: torch.Tensor
    inputs: torch.Tensor
    weights: torch.Tensor
    biases: torch.Tensor


class BatchLayout(ABC):
    """K batches as the rows of one matrix.

    Attributes:
        owner: int64 (rows,), the model of each row.
        positions: int64 (rows,), for each row a position in the training set of its model.
        real: float32 (rows, 1), 0 for rows that only fill up a batch; None where there are none.
    """

    owner: torch.Tensor
    positions: torch.Tensor
    real: torch.Tensor | None = None

    @abstractmethod
    def affine(self, rows: torch.Tensor, weights: torch.Tensor, biases: torch.Tensor, out: torch.Tensor) -> None:
        """Put `rows W^T + b` of each model into `out`; weights (K, out, in), biases (K, out)."""

    @abstractmethod
    def back(self, deltas: torch.Tensor, weights: torch.Tensor, out: torch.Tensor) -> None:
        """Put `deltas W` of each model into `out`."""

    @abstractmethod
    def add_gradients(self, layers: Sequence[LayerGradients], scale: float, start: Start | None) -> None:
        """Put `scale` times the gradients of each model, summed over its records, where they belong.

        Args:
            layers: of all models.
            scale: one for all.
            start: is called once for each model; None for nothing to add to: whatever the memory holds is overwritten,
                which saves a pass over it.
        """


class Ragged(BatchLayout):
    """The batches one after another, nothing wasted: one product for each model."""

    def __init__(self, batches: Sequence[np.ndarray]) -> None:
        """Lay out `batches`, int64 positions, one array for each model."""
        self.sizes = [len(batch) for batch in batches]
        self.owner = torch.from_numpy(np.repeat(np.arange(len(batches)), self.sizes))
        self.positions = torch.from_numpy(np.concatenate(batches))

    def _split(self, rows: torch.Tensor) -> Sequence[torch.Tensor]:
        return rows.split_with_sizes(self.sizes)

    def affine(self, rows: torch.Tensor, weights: torch.Tensor, biases: torch.Tensor, out: torch.Tensor) -> None:
        """See `BatchLayout.affine`."""
        for a, w, b, z in zip(self._split(rows), weights, biases, self._split(out), strict=True):
            torch.addmm(b, a, w.T, out=z)

    def back(self, deltas: torch.Tensor, weights: torch.Tensor, out: torch.Tensor) -> None:
        """See `BatchLayout.back`."""
        for g, w, into in zip(self._split(deltas), weights, self._split(out), strict=True):
            torch.mm(g, w, out=into)

    def add_gradients(self, layers: Sequence[LayerGradients], scale: float, start: Start | None) -> None:
        """See `BatchLayout.add_gradients`."""
        by_layer = [
            zip(self._split(g), self._split(a), to_weight, to_bias, strict=True) for g, a, to_weight, to_bias in layers
        ]
        # One model after another: what `start` has written is still in the caches.
        for model, own in enumerate(zip(*by_layer, strict=True)):
            if start:
                start(model)
            for g, a, to_weight, to_bias in own:
                to_weight.addmm_(g.T, a, beta=1 if start else 0, alpha=scale)
                if not start:
                    to_bias.zero_()
                to_bias.add_(g.sum(0), alpha=scale)


class Padded(BatchLayout):
    """All batches filled up to the size of the largest: one batched product for all models."""

    def __init__(self, batches: Sequence[np.ndarray]) -> None:
        """Lay out `batches`, int64 positions, one array for each model."""
        sizes = np.array([len(batch) for batch in batches])
        self.models, self.size = len(batches), int(sizes.max())
        real = np.arange(self.size) < sizes[:, None]
        positions = np.zeros(real.shape, dtype=np.int64)
        positions[real] = np.concatenate(batches)
        self.owner = torch.from_numpy(np.repeat(np.arange(self.models), self.size))
        self.positions = torch.from_numpy(positions.ravel())
        if not real.all():
            self.real = torch.from_numpy(real.astype(np.float32).reshape(-1, 1))

    def _cube(self, rows: torch.Tensor) -> torch.Tensor:
        return rows.view(self.models, self.size, rows.shape[1])

    def affine(self, rows: torch.Tensor, weights: torch.Tensor, biases: torch.Tensor, out: torch.Tensor) -> None:
        """See `BatchLayout.affine`."""
        torch.baddbmm(biases[:, None], self._cube(rows), weights.mT, out=self._cube(out))

    def back(self, deltas: torch.Tensor, weights: torch.Tensor, out: torch.Tensor) -> None:
        """See `BatchLayout.back`."""
        torch.bmm(self._cube(deltas), weights, out=self._cube(out))

    def add_gradients(self, layers: Sequence[LayerGradients], scale: float, start: Start | None) -> None:
        """See `BatchLayout.add_gradients`."""
        if start:
            for model in range(self.models):
                start(model)
        for deltas, rows, to_weight, to_bias in layers:
            g = self._cube(deltas)
            # Not baddbmm_: into a part of the flat gradients it falls back to one product for each model.
            weights, biases = torch.bmm(g.mT, self._cube(rows)), g.sum(1)
            if start:
                to_weight.add_(weights, alpha=scale)
                to_bias.add_(biases, alpha=scale)
            else:
                torch.mul(weights, scale, out=to_weight)
                torch.mul(biases, scale, out=to_bias)


def suited(parameter_count: int) -> Callable[[list[np.ndarray]], BatchLayout]:
    """Return the faster layout for models of `parameter_count` weights and biases."""
    return Padded if parameter_count <= PADDED_PARAMETERS else Ragged
