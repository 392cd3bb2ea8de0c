"""K multilayer perceptrons at once, forward and backward by hand, with the gradient norm of every record.

For a linear layer with input a and output gradient g, one record's weight gradient is the outer product
g a^T and its bias gradient is g, so their squared norm is (1 + |a|²) |g|²: no gradient of a single record is
ever formed (Goodfellow 2015, "Efficient per-example gradient computations").
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch

from dpmia.models.activations import ACTIVATIONS
from dpmia.training.engines.batch_layout import BatchLayout, LayerGradients, Start


class Workspace:
    """Scratch matrices, kept from step to step: fresh memory in every step costs more than some of the work."""

    def __init__(self) -> None:
        """Start without any."""
        self._matrices: dict[str, torch.Tensor] = {}

    def matrix(self, name: str, rows: int, columns: int) -> torch.Tensor:
        """Return the float32 matrix `name` of shape (rows, columns), with whatever content it has."""
        kept = self._matrices.get(name)
        if kept is None or kept.shape[0] < rows:
            # Poisson batches vary: a little room saves most of the enlargements to come.
            kept = self._matrices[name] = torch.empty(rows + rows // 8, columns)
        return kept[:rows]


class StackedMLP:
    """The layers of K perceptrons over one flat (K, P) parameter and one flat (K, P) gradient tensor."""

    def __init__(
        self, widths: Sequence[int], parameters: torch.Tensor, gradients: torch.Tensor, activation: str = "relu"
    ) -> None:
        """Look into the flat tensors.

        Args:
            widths: of all layers, the input first.
            parameters: float32 (K, P), each row W1, b1, W2, b2, ... flattened, W of shape (out, in).
            gradients: of the same shape and order; `add_gradients` adds to it.
            activation: between layers, a name in `dpmia.models.activations.ACTIVATIONS`.
        """
        self.widths = tuple(widths)
        self.weights, self.biases = layer_views(parameters, self.widths)
        self.weight_gradients, self.bias_gradients = layer_views(gradients, self.widths)
        self.activation = ACTIVATIONS[activation]
        self.scratch = Workspace()
        self.inputs: list[torch.Tensor] = []
        self.deltas: list[torch.Tensor] = []

    def forward(self, layout: BatchLayout, x: torch.Tensor) -> torch.Tensor:
        """Return the logits (rows, classes) of the records `x`; keeps the input of every layer."""
        self.inputs = []
        for layer, width in enumerate(self.widths[1:]):
            if layer:
                self.activation.apply(x)
            self.inputs.append(x)
            z = self.scratch.matrix(f"output {layer}", len(x), width)
            layout.affine(x, self.weights[layer], self.biases[layer], z)
            x = z
        return x

    def backward(self, layout: BatchLayout, output_gradient: torch.Tensor) -> None:
        """Keep the gradient of each record's loss at the output of every layer, the last one given."""
        self.deltas = [output_gradient]
        for layer in range(len(self.widths) - 2, 0, -1):
            a = self.inputs[layer]
            delta = self.scratch.matrix(f"delta {layer}", len(a), self.widths[layer])
            layout.back(self.deltas[0], self.weights[layer], delta)
            self.activation.back(delta, a)
            self.deltas.insert(0, delta)

    def gradient_norms(self) -> torch.Tensor:
        """Return the Euclidean norm of each record's gradient over all parameters, shape (rows,)."""
        squares = torch.empty(2, len(self.deltas), len(self.deltas[0]))
        of_inputs, of_deltas = squares
        for layer, (a, delta) in enumerate(zip(self.inputs, self.deltas, strict=True)):
            torch.linalg.vector_norm(a, dim=1, out=of_inputs[layer])
            torch.linalg.vector_norm(delta, dim=1, out=of_deltas[layer])
        squares.square_()
        return of_inputs.add_(1).mul_(of_deltas).sum(0).sqrt_()

    def scale_records(self, factors: torch.Tensor) -> None:
        """Multiply the gradient of each record by its factor; `factors` has shape (rows,)."""
        for delta in self.deltas:
            delta.mul_(factors[:, None])

    def add_gradients(self, layout: BatchLayout, scale: float, start: Start | None) -> None:
        """Put `scale` times the sum of the records' gradients of each model in its row of gradients.

        What `start` writes there is added to; see `BatchLayout.add_gradients`.
        """
        parts = zip(self.deltas, self.inputs, self.weight_gradients, self.bias_gradients, strict=True)
        layout.add_gradients([LayerGradients(*part) for part in parts], scale, start)


def layer_views(flat: torch.Tensor, widths: Sequence[int]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return views of the weights (K, out, in) and of the biases (K, out) of each layer in `flat` (K, P)."""
    weights, biases, start = [], [], 0
    for fan_in, fan_out in pairwise(widths):
        stop = start + fan_in * fan_out
        weights.append(flat[:, start:stop].unflatten(1, (fan_out, fan_in)))
        biases.append(flat[:, stop : stop + fan_out])
        start = stop + fan_out
    return weights, biases
