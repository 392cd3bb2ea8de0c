"""DP-SGD and DP-Adam by Opacus with ghost clipping: any module it supports, and the reference for our own engine."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from opacus.grad_sample import GradSampleModuleFastGradientClipping
from opacus.optimizers import DPOptimizerFastGradientClipping
from opacus.utils.fast_gradient_clipping_utils import DPTensorFastGradientClipping
from torch.nn.functional import cross_entropy

from dpmia.training.plain import PlainEngine, torch_optimiser
from dpmia.training.recipe import Recipe, Run
from dpmia.training.streams import Streams


class OpacusEngine(PlainEngine):
    """One private model: per-record clipping and noise by Opacus, batches and noise from the run's streams.

    Opacus' own data loader and privacy accountant are not used: batches come from `Streams`, and the noise
    multiplier was computed before training for exactly that sampler (`dpmia.training.accounting`).
    """

    def __init__(self, architecture: Any, recipe: Recipe, runs: list[Run], x, y, streams=None) -> None:
        """Wrap the module and the optimiser; see `Engine`."""
        super().__init__(architecture, recipe, runs, x, y, streams)
        self.wrapped = GradSampleModuleFastGradientClipping(
            self.module, max_grad_norm=recipe.clip_norm, loss_reduction="sum", use_ghost_clipping=True
        )
        self.optimiser = _InjectedNoise(
            torch_optimiser(recipe, self.module.parameters()),
            stream=self.stream,
            noise_multiplier=self.run.noise_multiplier,
            max_grad_norm=recipe.clip_norm,
            expected_batch_size=recipe.batch_size,
        )

    def _refuse_unsuited(self, run: Run) -> None:
        if not run.private:
            raise ValueError(f"{run.name}: a run without privacy needs the engine 'plain'")

    def advance(self, steps: int) -> np.ndarray:
        """See `Engine.advance`."""
        with warnings.catch_warnings():
            # Features need no gradient, and the hooks of Opacus do not ask for one.
            warnings.filterwarnings("ignore", message="Full backward hook is firing")
            return super().advance(steps)

    def _step(self, x: torch.Tensor, y: torch.Tensor) -> float:
        """Take one step: norms in a first backward pass, the clipped sum in a second one, then noise."""
        self.optimiser.zero_grad()
        if not len(x):  # an empty Poisson batch is a step of noise alone
            for parameter in self.module.parameters():
                parameter.grad = torch.zeros_like(parameter)
            self.optimiser.step()
            return 0.0
        losses = cross_entropy(self.wrapped(x), y, reduction="none")
        DPTensorFastGradientClipping(self.wrapped, self.optimiser, losses, loss_reduction="sum").backward()
        self.optimiser.step()
        return losses.detach().sum().item()


class _InjectedNoise(DPOptimizerFastGradientClipping):
    """Opacus' optimiser with the normals of a run's noise stream, in the order of the flat parameters."""

    def __init__(self, optimizer: torch.optim.Optimizer, *, stream: Streams, **kwargs: Any) -> None:
        super().__init__(optimizer, **kwargs)
        self._stream = stream
        self._normals = torch.empty(sum(p.numel() for p in self.params))

    def add_noise(self) -> None:
        self._stream.noise(self._normals)
        std = self.noise_multiplier * self.max_grad_norm
        for parameter, normals in zip(self.params, self._normals.split([p.numel() for p in self.params]), strict=True):
            parameter.grad = parameter.summed_grad + std * normals.view_as(parameter)
            parameter.summed_grad._processed = True
