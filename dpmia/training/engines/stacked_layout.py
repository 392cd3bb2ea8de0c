"""How the batches of K models lie in memory, and the matrix products that follow from it.

Whatever treats records alike (ReLU, softmax, norms, clipping) works on matrices with one row for each record
of all K batches. Only products with weights must know whose record a row is; they are here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
import torch

#: Up to this many parameters of a model, one batched product of padded batches is faster than K products.
#: Measured, padded against ragged: 2.0 times at 1 500 parameters, 1.3 at 7 600, 1.1 at 11 000, 1.04 at 31 000,
#: no difference at 93 000, where padding costs memory.
PADDED_PARAMETERS = 40_000


class Layout(ABC):
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
    def add_gradients(
        self,
        deltas: torch.Tensor,
        rows: torch.Tensor,
        weight_gradients: torch.Tensor,
        bias_gradients: torch.Tensor,
        scale: float,
        fresh: bool,
    ) -> None:
        """Add `scale` times the gradients of each model, summed over its records, to what stands there.

        With `fresh` nothing stands there: whatever the memory holds is overwritten, which saves a pass over it.
        """


class Ragged(Layout):
    """The batches one after another, nothing wasted: one product for each model."""

    def __init__(self, batches: Sequence[np.ndarray]) -> None:
        """Lay out `batches`, int64 positions, one array for each model."""
        self.sizes = [len(batch) for batch in batches]
        self.owner = torch.from_numpy(np.repeat(np.arange(len(batches)), self.sizes))
        self.positions = torch.from_numpy(np.concatenate(batches))

    def affine(self, rows: torch.Tensor, weights: torch.Tensor, biases: torch.Tensor, out: torch.Tensor) -> None:
        """See `Layout.affine`."""
        for a, w, b, z in zip(rows.split(self.sizes), weights, biases, out.split(self.sizes), strict=True):
            torch.addmm(b, a, w.T, out=z)

    def back(self, deltas: torch.Tensor, weights: torch.Tensor, out: torch.Tensor) -> None:
        """See `Layout.back`."""
        for g, w, into in zip(deltas.split(self.sizes), weights, out.split(self.sizes), strict=True):
            torch.mm(g, w, out=into)

    def add_gradients(
        self,
        deltas: torch.Tensor,
        rows: torch.Tensor,
        weight_gradients: torch.Tensor,
        bias_gradients: torch.Tensor,
        scale: float,
        fresh: bool,
    ) -> None:
        """See `Layout.add_gradients`."""
        parts = zip(deltas.split(self.sizes), rows.split(self.sizes), weight_gradients, bias_gradients, strict=True)
        for g, a, to_weight, to_bias in parts:
            to_weight.addmm_(g.T, a, beta=0 if fresh else 1, alpha=scale)
            if fresh:
                to_bias.zero_()
            to_bias.add_(g.sum(0), alpha=scale)


class Padded(Layout):
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
        """See `Layout.affine`."""
        torch.baddbmm(biases[:, None], self._cube(rows), weights.mT, out=self._cube(out))

    def back(self, deltas: torch.Tensor, weights: torch.Tensor, out: torch.Tensor) -> None:
        """See `Layout.back`."""
        torch.bmm(self._cube(deltas), weights, out=self._cube(out))

    def add_gradients(
        self,
        deltas: torch.Tensor,
        rows: torch.Tensor,
        weight_gradients: torch.Tensor,
        bias_gradients: torch.Tensor,
        scale: float,
        fresh: bool,
    ) -> None:
        """See `Layout.add_gradients`."""
        cube = self._cube(deltas)
        if fresh:
            weight_gradients.zero_()
            bias_gradients.zero_()
        # Not baddbmm_: into a part of the flat gradients it falls back to one product for each model.
        weight_gradients.add_(torch.bmm(cube.mT, self._cube(rows)), alpha=scale)
        bias_gradients.add_(cube.sum(1), alpha=scale)


def suited(parameter_count: int) -> Callable[[list[np.ndarray]], Layout]:
    """Return the faster layout for models of `parameter_count` weights and biases."""
    return Padded if parameter_count <= PADDED_PARAMETERS else Ragged
