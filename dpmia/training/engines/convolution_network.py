"""A convolutional network by hand: gradients of one chunk of records after another, clipped or not, and summed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch

from dpmia.models.cnn import CNN, Convolution, MaxPool
from dpmia.training.engines.clipping import clip_factors
from dpmia.training.engines.convolution_layers import ConvolutionLayer, DenseLayer, Layer, columns_size
from dpmia.training.engines.loss import losses_and_gradients
from dpmia.training.engines.tally import Tally

#: Bytes that a chunk of records may work on. Measured: a quarter costs a tenth of the speed of both networks in
#: `dpmia.models.cnn`, four times as much gains less than that.
WORKING_SET = 64 * 2**20
#: By then the cost of starting an operation does not show.
LARGEST_CHUNK = 256


class ConvolutionNetwork:
    """The layers of one network, and the sum of the gradients of the records shown to them."""

    def __init__(
        self,
        architecture: CNN,
        clipped: bool = True,
        chunk: int | None = None,
        device: torch.device | None = None,
    ) -> None:
        """Prepare buffers.

        Args:
            architecture: of the network.
            clipped: whether gradients of single records are clipped; their sum alone is cheaper.
            chunk: records at once; None for a number suited to the architecture.
            device: of the network; the CPU where left out.
        """
        self._images_of, self._clipped = architecture.images_of, clipped
        self._chunk = chunk or suited_chunk(architecture, clipped)
        following = (*architecture.layers[1:], None)
        stages = [
            (layer, after if isinstance(after, MaxPool) else None, image)
            for layer, after, image in zip(architecture.layers, following, architecture.images, strict=False)
            if isinstance(layer, Convolution)
        ]
        # Columns live only from when they are filled to the product: all layers but the first share the memory.
        sizes = [columns_size(layer, image, self._chunk) for layer, _, image in stages[1:] if clipped]
        columns = torch.empty(max(sizes, default=0), device=device)
        self._convolutions = [
            ConvolutionLayer(*stage, architecture.activation, self._chunk, columns if i else None, clipped, device)
            for i, stage in enumerate(stages)
        ]
        *hidden, last = pairwise(architecture.widths)
        self._dense = [
            *(DenseLayer(fan_in, fan_out, architecture.activation, clipped, device) for fan_in, fan_out in hidden),
            DenseLayer(*last, None, clipped, device),
        ]

    @property
    def _layers(self) -> list[Layer]:
        return [*self._convolutions, *self._dense]

    def load(self, parameters: Sequence[torch.Tensor]) -> None:
        """Use these weights and biases, ordered as in `CNN.initial_parameters`, and forget all gradients."""
        for layer, weight, bias in zip(self._layers, parameters[::2], parameters[1::2], strict=True):
            layer.load(weight, bias)

    def add_records(self, x: torch.Tensor, y: torch.Tensor, tally: Tally, clip_norm: float = math.inf) -> None:
        """Add the gradient of each record to the sums, clipped if the network is made for that.

        Args:
            x: float32 (records, features), any number of records.
            y: labels, see `dpmia.training.engines.loss.record_losses`.
            tally: the records are added to it.
            clip_norm: C, the longest gradient a record may have; infinite for none.
        """
        for features, labels in zip(x.split(self._chunk), y.split(self._chunk), strict=True):
            if len(features):
                outputs, losses = self.forward_backward(features, labels)
                tally.count(losses, outputs, labels)
                if self._clipped:
                    norms = self.norms()
                    tally.count_clipped(norms, clip_norm)
                    factors = clip_factors(norms, clip_norm)
                    for layer in self._layers:
                        layer.add_scaled(factors)

    def forward_backward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return outputs and losses of one chunk of records; the layers keep their gradients, or sum them."""
        a = self._images_of(x)
        for convolution in self._convolutions:
            a = convolution.forward(a)
        last_image = a.shape
        a = a.flatten(1)  # channel by channel, whatever the order in memory
        for dense in self._dense:
            a = dense.forward(a)
        outputs = a
        losses, delta = losses_and_gradients(outputs, y)
        for dense in reversed(self._dense):
            delta = dense.backward(delta)
        back: torch.Tensor | None = delta.view(last_image)
        for convolution in reversed(self._convolutions):
            assert back is not None  # that of the first layer, which is the last of these
            back = convolution.backward(back)
        return outputs, losses

    def norms(self) -> torch.Tensor:
        """Return the norms of the gradients of the last chunk's records, of a network made for clipping."""
        first, *others = (layer.square_norms() for layer in self._layers)
        return sum(others, first).sqrt_()

    def add_sums(self, gradients: Sequence[torch.Tensor], scale: float) -> None:
        """Add `scale` times the sums to `gradients`, ordered and shaped as the parameters."""
        for layer, weight, bias in zip(self._layers, gradients[::2], gradients[1::2], strict=True):
            layer.add_sums(weight, bias, scale)


def suited_chunk(architecture: CNN, clipped: bool = True) -> int:
    """Return how many records to take at once, with gradients of single records or without."""
    convolutions = [
        (layer, image)
        for layer, image in zip(architecture.layers, architecture.images, strict=False)
        if isinstance(layer, Convolution)
    ]
    columns = [columns_size(layer, image, 1) for layer, image in convolutions[: None if clipped else 1]]
    # Gradients of one record, images and the gradients at them.
    weights = sum(math.prod(shape) for shape in architecture.shapes if clipped and len(shape) == 4)
    numbers = max(columns, default=0) + weights + 2 * sum(math.prod(image) for image in architecture.images)
    return min(LARGEST_CHUNK, max(1, WORKING_SET // (4 * numbers)))
