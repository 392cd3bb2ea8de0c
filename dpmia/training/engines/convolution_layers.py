"""Layers of a convolutional network that work by hand on chunks of records, and can know every record's gradient.

The gradient of one record is formed for convolutions, where it is a product over all pixels, and never for
fully connected layers, where the outer product g a^T has the squared norm |a|² |g|² (Goodfellow 2015,
"Efficient per-example gradient computations").
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch

from dpmia.models.activations import ACTIVATIONS
from dpmia.models.cnn import Convolution, MaxPool


class Layer(ABC):
    """One layer with weights. Its methods are called in the order in which they stand here.

    A layer made for clipping keeps the gradient of each record until `add_scaled`; another one adds their sum at once,
    in `backward`, and has no norms.

    Attributes:
        clipped: whether the layer is made for clipping.
        weight_sum: clipped weight gradients, summed over the records since `load`; in the layer's own layout.
        bias_sum: the same of the biases.
    """

    clipped: bool
    weight_sum: torch.Tensor
    bias_sum: torch.Tensor

    def load(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
        """Use these parameters, and forget the sums."""
        self.weight, self.bias = weight, bias
        self.weight_sum.zero_()
        self.bias_sum.zero_()

    @abstractmethod
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the output for the records `x`."""

    @abstractmethod
    def backward(self, delta: torch.Tensor) -> torch.Tensor | None:
        """Turn the gradient of each record's loss at the output into that at the input; `delta` is overwritten.

        The first layer returns None: nobody asks.
        """

    @abstractmethod
    def square_norms(self) -> torch.Tensor:
        """Return the squared norm of each record's gradient over this layer's parameters, shape (records,)."""

    @abstractmethod
    def add_scaled(self, factors: torch.Tensor) -> None:
        """Add the records' gradients, each times its factor, to the sums; `factors` has shape (records,)."""

    def add_sums(self, weight_gradient: torch.Tensor, bias_gradient: torch.Tensor, scale: float) -> None:
        """Add `scale` times the sums to gradients that are shaped like the parameters."""
        weight_gradient.add_(self.weight_sum.view_as(weight_gradient), alpha=scale)
        bias_gradient.add_(self.bias_sum, alpha=scale)


class DenseLayer(Layer):
    """A fully connected layer and the activation after it."""

    def __init__(
        self, fan_in: int, fan_out: int, activation: str | None, clipped: bool, device: torch.device | None = None
    ) -> None:
        """Prepare a layer; `activation` None for logits."""
        self.clipped = clipped
        self.weight_sum = torch.empty(fan_out, fan_in, device=device)
        self.bias_sum = torch.empty(fan_out, device=device)
        self._activation = ACTIVATIONS[activation] if activation else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """See `Layer.forward`; `x` has shape (records, in)."""
        self._x = x
        self._a = torch.addmm(self.bias, x, self.weight.T)
        return self._activation.apply(self._a) if self._activation else self._a

    def backward(self, delta: torch.Tensor) -> torch.Tensor:
        """See `Layer.backward`."""
        if self._activation:
            self._activation.back(delta, self._a)
        self._delta = delta
        if not self.clipped:
            self.weight_sum.addmm_(delta.T, self._x)
            self.bias_sum.add_(delta.sum(0))
        return delta @ self.weight

    def square_norms(self) -> torch.Tensor:
        """See `Layer.square_norms`."""
        # The bias counts as a weight whose input is one.
        x_square = torch.linalg.vector_norm(self._x, dim=1).square_().add_(1)
        return torch.linalg.vector_norm(self._delta, dim=1).square_().mul_(x_square)

    def add_scaled(self, factors: torch.Tensor) -> None:
        """See `Layer.add_scaled`."""
        self.weight_sum.addmm_((self._delta * factors[:, None]).T, self._x)
        self.bias_sum.addmv_(self._delta.T, factors)


class ConvolutionLayer(Layer):
    """A convolution, the max-pool that may follow, and the activation after both.

    Images are (records, channels, height, width) with the channels of a pixel side by side in memory. A row of
    `columns` holds the pixels under the kernel at one place, so that a record's weight gradient is one product
    (filters, places) x (places, kernel * kernel * channels). Framework convolutions carry images forward
    and gradients back: they beat that product wherever there is more than one channel. The first layer, with
    few channels and nothing to carry back, is a product both times. Where no record's own gradient is needed,
    the framework also sums those of the other layers.
    """

    def __init__(
        self,
        layer: Convolution,
        pool: MaxPool | None,
        image: tuple[int, int, int],
        activation: str,
        chunk: int,
        columns: torch.Tensor | None,
        clipped: bool,
        device: torch.device | None = None,
    ) -> None:
        """Prepare buffers.

        Args:
            layer: the convolution.
            pool: what follows it.
            image: channels, height, width of the input.
            activation: a name in `dpmia.models.activations.ACTIVATIONS`.
            chunk: most records at once.
            columns: memory for `columns_size` numbers that may be lost between calls; None for the first layer,
                which keeps memory of its own.
            clipped: see `Layer`; without, only the first layer needs columns.
            device: of all buffers; the CPU where left out.
        """
        self.clipped = clipped
        channels, *sides = image
        self._layer, self._pool, self._image = layer, pool, image
        self._places = tuple((side + 2 * layer.padding - layer.kernel) // layer.stride + 1 for side in sides)
        self._activation = ACTIVATIONS[activation]
        self._first = columns is None
        if clipped or self._first:
            size = columns_size(layer, image, chunk)
            self._columns = torch.empty(size, device=device) if columns is None else columns[:size]
            self._columns = self._columns.view(chunk, -1, layer.kernel**2 * channels)
            # The margin stays zero.
            self._padded = torch.zeros(chunk, *(side + 2 * layer.padding for side in sides), channels, device=device)
        if clipped:
            self._gradients = torch.empty(chunk, layer.filters, layer.kernel**2 * channels, device=device)
        self.weight_sum = torch.empty(layer.filters * layer.kernel**2 * channels, device=device)
        self.bias_sum = torch.empty(layer.filters, device=device)

    def load(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
        """See `Layer.load`."""
        super().load(weight.contiguous(memory_format=torch.channels_last), bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """See `Layer.forward`; `x` has shape (records, channels, height, width)."""
        self._x = x
        if self._first:
            rows = self._fill_columns().flatten(0, 1)
            # A weight of shape (filters, channels, kernel, kernel), in the order of a row.
            z = torch.addmm(self.bias, rows, self.weight.permute(0, 2, 3, 1).flatten(1).T)
            z = z.view(len(x), *self._places, -1).permute(0, 3, 1, 2)
        else:
            z = torch.conv2d(x, self.weight, self.bias, self._layer.stride, self._layer.padding)
        if self._pool:
            self._z = z
            z, self._largest = torch.ops.aten.max_pool2d_with_indices(z, *_window(self._pool))
        self._a = self._activation.apply(z)
        return self._a

    def backward(self, delta: torch.Tensor) -> torch.Tensor | None:
        """See `Layer.backward`."""
        delta = delta.contiguous(memory_format=torch.channels_last)
        self._activation.back(delta, self._a)
        if self._pool:
            delta = torch.ops.aten.max_pool2d_with_indices_backward(
                delta, self._z, *_window(self._pool), [0, 0], [1, 1], False, self._largest
            )
        if self.clipped:
            self._keep_gradients(delta)
        elif self._first:
            rows = delta.permute(0, 2, 3, 1).reshape(-1, self._layer.filters)
            columns = self._columns[: len(delta)].flatten(0, 1)
            self.weight_sum.view(self._layer.filters, -1).addmm_(rows.T, columns)
            self.bias_sum.add_(rows.sum(0))
        if self._first:
            return None
        stride, padding = [self._layer.stride] * 2, [self._layer.padding] * 2
        asked = [True, not self.clipped, not self.clipped]
        back, weights, biases = torch.ops.aten.convolution_backward(
            delta, self._x, self.weight, [self._layer.filters], stride, padding, [1, 1], False, [0, 0], 1, asked
        )
        if not self.clipped:
            self.weight_sum.add_(weights.permute(0, 2, 3, 1).flatten())
            self.bias_sum.add_(biases)
        return back

    def _keep_gradients(self, delta: torch.Tensor) -> None:
        """Form each record's gradient from that of its loss at the convolution's output."""
        deltas = delta.permute(0, 2, 3, 1).reshape(len(delta), -1, self._layer.filters)
        columns = self._columns[: len(delta)] if self._first else self._fill_columns()
        torch.bmm(deltas.mT, columns, out=self._gradients[: len(delta)])
        self._bias_gradients = deltas.sum(1)

    def square_norms(self) -> torch.Tensor:
        """See `Layer.square_norms`."""
        squares = torch.linalg.vector_norm(self._bias_gradients, dim=1).square_()
        gradients = self._gradients[: len(squares)].flatten(1)
        return squares.add_(torch.linalg.vector_norm(gradients, dim=1).square_())

    def add_scaled(self, factors: torch.Tensor) -> None:
        """See `Layer.add_scaled`."""
        self.weight_sum.addmv_(self._gradients[: len(factors)].flatten(1).T, factors)
        self.bias_sum.addmv_(self._bias_gradients.T, factors)

    def add_sums(self, weight_gradient: torch.Tensor, bias_gradient: torch.Tensor, scale: float) -> None:
        """See `Layer.add_sums`."""
        super().add_sums(weight_gradient.permute(0, 2, 3, 1), bias_gradient, scale)

    def _fill_columns(self) -> torch.Tensor:
        """Lay the pixels under the kernel at each place in a row: (records, places, kernel * kernel * channels)."""
        records, (channels, height, width) = len(self._x), self._image
        margin, stride, kernel = self._layer.padding, self._layer.stride, self._layer.kernel
        padded, columns = self._padded[:records], self._columns[:records]
        padded[:, margin : margin + height, margin : margin + width].copy_(self._x.permute(0, 2, 3, 1))
        record, row, pixel, _ = padded.stride()
        # The pixels of one row of the kernel lie side by side: one run of kernel * channels numbers.
        shape = (records, *self._places, kernel, kernel * channels)
        windows = padded.as_strided(shape, (record, stride * row, stride * pixel, row, 1))
        columns.view(shape).copy_(windows)
        return columns


def columns_size(layer: Convolution, image: tuple[int, int, int], chunk: int) -> int:
    """Return how many numbers the columns of `chunk` images of shape `image` have."""
    channels, *sides = image
    height, width = ((side + 2 * layer.padding - layer.kernel) // layer.stride + 1 for side in sides)
    return chunk * height * width * layer.kernel**2 * channels


def _window(pool: MaxPool) -> tuple[list[int], list[int]]:
    return [pool.size] * 2, [pool.stride] * 2
