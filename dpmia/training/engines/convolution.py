"""The engine for convolutional networks, with or without privacy: one network and a chunk of records at a time."""

from __future__ import annotations

import copy
import math
from typing import Any

import torch

from dpmia.formats.recipe import Recipe
from dpmia.models.cnn import CNN
from dpmia.training.engines.base import refuse_others
from dpmia.training.engines.convolution_network import ConvolutionNetwork
from dpmia.training.engines.plain import PlainEngine, torch_optimiser
from dpmia.training.run import Run


class ConvolutionEngine(PlainEngine):
    """One convolutional network (`dpmia.models.cnn.CNN`), forward and backward by hand.

    The private step is that of the other engines: each record's gradient is shortened to the clip norm, the
    clipped gradients are summed, noise is added once, and all is divided by the expected batch size. Without
    privacy no noise is added, and gradients are clipped if the recipe says so. Of a larger batch only the features
    take more memory.
    """

    def _build(self) -> None:
        """Move the parameters of the module into one flat tensor; see `Engine._build`."""
        super()._build()
        self._flat = torch.cat([p.detach().flatten() for p in self.module.parameters()])
        self._gradient = self._flat.grad = torch.zeros_like(self._flat)
        self._parameters, self._gradients = (
            _views(tensor, self.architecture.shapes) for tensor in (self._flat, self._gradient)
        )
        for parameter, view in zip(self.module.parameters(), self._parameters, strict=True):
            parameter.data = view
        self.optimiser = torch_optimiser(self.recipe, [self._flat], fused=True)
        clipped = self.recipe.clips(self.run.private)
        self._network = ConvolutionNetwork(self.architecture, clipped, device=self.device)

    @classmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """Refuse all but networks of convolutions, max-pools and dense layers; see `Engine.check`."""
        refuse_others(architecture, CNN, where, "convolution", "a network of the class dpmia.models.cnn.CNN")

    def _refuse_unsuited(self, run: Run) -> None:
        """Take any run."""

    @torch.no_grad()
    def _gradients_of(self, x: torch.Tensor, y: torch.Tensor) -> None:
        sigma, expected = self.run.noise_multiplier, self.recipe.batch_size
        self._network.load(self._parameters)
        self._network.add_records(x, y, self.tally, self.recipe.clip_norm)
        if sigma is None:
            self._gradient.zero_()
        else:
            self.stream.noise(self._gradient, sigma * self.recipe.clip_norm / expected)
        self._network.add_sums(self._gradients, 1 / expected)

    def state_dict(self) -> dict[str, Any]:
        """See `Engine.state_dict`."""
        return copy.deepcopy(super().state_dict())  # going on changes tensors in place


def _views(flat: torch.Tensor, shapes: tuple[tuple[int, ...], ...]) -> list[torch.Tensor]:
    """Return one view of `flat` for each shape, in order."""
    parts = flat.split([math.prod(shape) for shape in shapes])
    return [part.view(shape) for part, shape in zip(parts, shapes, strict=True)]
