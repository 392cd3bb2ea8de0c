"""DP-SGD and DP-Adam by Opacus: any network it supports, and the reference for our own engines.

Fully connected networks clip by ghost clipping: norms in one backward pass, the clipped sum in a second.
Convolutional ones form the gradient of each record, in chunks. Measured on the two networks in `dpmia.models.cnn`
against whole batches and ghost clipping: the same speed on the smaller one, 1.5 to 1.7 times on the larger, in two
thirds and a quarter of the memory (`benchmarks/README.md`, which also says what another memory allocator gains).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from opacus.grad_sample import GradSampleModule, GradSampleModuleFastGradientClipping
from opacus.optimizers import DPOptimizer, DPOptimizerFastGradientClipping
from opacus.utils.fast_gradient_clipping_utils import DPTensorFastGradientClipping
from opacus.utils.module_utils import trainable_modules
from opacus.validators import ModuleValidator

from dpmia.common.errors import TrainingError
from dpmia.training.engines.loss import record_losses
from dpmia.training.engines.plain import PlainEngine, batch_norms, network_of, torch_optimiser
from dpmia.training.recipe import Recipe, Run
from dpmia.training.streams import Streams

#: Bytes of single records' gradients to hold at once. The C library takes larger blocks from the system anew each
#: time, page by page.
GRADIENTS_AT_ONCE = 32 * 2**20
LARGEST_CHUNK = 128


class OpacusEngine(PlainEngine):
    """One private model: per-record clipping and noise by Opacus, batches and noise from the run's streams.

    Opacus' own data loader and privacy accountant are not used: batches come from `Streams`, and the noise
    multiplier was computed before training for exactly that sampler (`dpmia.privacy.accounting`).
    """

    def __init__(self, architecture: Any, recipe: Recipe, runs: list[Run], x, y, streams=None) -> None:
        """Wrap the module and the optimiser; see `Engine`."""
        super().__init__(architecture, recipe, runs, x, y, streams)
        self.ghost = not any(isinstance(layer, torch.nn.Conv2d) for layer in self.module.modules())
        if self.ghost:
            self.wrapped = GradSampleModuleFastGradientClipping(
                self.module, max_grad_norm=recipe.clip_norm, loss_reduction="sum", use_ghost_clipping=True
            )
        else:
            self.wrapped = GradSampleModule(self.module, loss_reduction="sum")
        self.optimiser = self._private_optimiser = (_GhostOptimiser if self.ghost else _HooksOptimiser)(
            torch_optimiser(recipe, self._parameter_group()),
            stream=self.stream,
            noise_multiplier=self.run.noise_multiplier,
            max_grad_norm=recipe.clip_norm,
            expected_batch_size=recipe.batch_size,
        )
        count = sum(p.numel() for p in self.module.parameters())
        self._chunk = min(LARGEST_CHUNK, max(1, GRADIENTS_AT_ONCE // (4 * count)))

    @classmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """Refuse layers that mix the records of a batch, and what else Opacus does not train; see `Engine.check`."""
        module = network_of(architecture, where)
        for name, layer in batch_norms(module):
            raise TrainingError(
                f"{where}, layer {name!r} ({type(layer).__name__})",
                "with batch norm, the output for a record depends on the other records of its batch",
                "Use GroupNorm or LayerNorm, or the engine 'plain' without privacy",
            )
        for name, layer in trainable_modules(module):
            errors = ModuleValidator.VALIDATORS.get(type(layer), lambda _: [])(layer)
            errors += ["buffers, which training would fill without privacy"] if list(layer.buffers()) else []
            if errors:
                raise TrainingError(
                    f"{where}, layer {name!r} ({type(layer).__name__})",
                    f"Opacus does not train this layer: {' '.join(map(str, errors))}",
                    "Use layers that Opacus supports, or the engine 'plain' without privacy",
                )

    def _refuse_unsuited(self, run: Run) -> None:
        if not run.private:
            raise ValueError(f"{run.name}: a run without privacy needs the engine 'plain'")

    def gradients(self, batches: list[np.ndarray]) -> None:
        """See `GradientEngine.gradients`; the optimiser adds the noise."""
        with warnings.catch_warnings():
            # Features need no gradient, and the hooks of Opacus do not ask for one.
            warnings.filterwarnings("ignore", message="Full backward hook is firing")
            super().gradients(batches)

    def _gradients_of(self, x: torch.Tensor, y: torch.Tensor) -> None:
        self.optimiser.zero_grad()
        if len(x):
            (self._sum_by_ghost if self.ghost else self._sum_by_hooks)(x, y)

    def _sum_by_ghost(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Sum clipped gradients: norms in a first backward pass, the sum in a second one."""
        outputs = self.wrapped(x)
        losses = record_losses(outputs, y)
        DPTensorFastGradientClipping(self.wrapped, self.optimiser, losses, loss_reduction="sum").backward()
        self._private_optimiser.accumulate()
        self._count(losses, outputs, y)

    def _sum_by_hooks(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Sum clipped gradients of one chunk of records after another."""
        for features, labels in zip(x.split(self._chunk), y.split(self._chunk), strict=True):
            outputs = self.wrapped(features)
            losses = record_losses(outputs, labels)
            losses.sum().backward()
            self._private_optimiser.clip_and_accumulate()
            for parameter in self.module.parameters():
                parameter.grad = parameter.grad_sample = None
            self._count(losses, outputs, labels)


class _InjectedNoise(DPOptimizer):
    """For an optimiser of Opacus: the normals of a run's noise stream, in the order of the flat parameters.

    A step takes the clipped sum from `summed_grad`, whoever put it there; an empty batch is noise alone.
    """

    #: By this Opacus would divide: the chunks of a batch are one batch.
    accumulated_iterations = 1

    def __init__(self, optimizer: torch.optim.Optimizer, *, stream: Streams, **kwargs: Any) -> None:
        super().__init__(optimizer, **kwargs)
        self._stream = stream
        self._normals = torch.empty(sum(p.numel() for p in self.params))

    def step(self, closure: Any = None) -> None:
        if closure is not None:  # of Lightning, which forms the gradients in it
            with torch.enable_grad():
                closure()
        for parameter in self.params:
            if parameter.summed_grad is None:
                parameter.summed_grad = torch.zeros_like(parameter)
        self.add_noise()
        self.scale_grad()
        self.original_optimizer.step()

    def add_noise(self) -> None:
        self._stream.noise(self._normals)
        std = self.noise_multiplier * self.max_grad_norm
        for parameter, normals in zip(self.params, self._normals.split([p.numel() for p in self.params]), strict=True):
            parameter.grad = parameter.summed_grad + std * normals.view_as(parameter)


class _GhostOptimiser(_InjectedNoise, DPOptimizerFastGradientClipping):
    pass


class _HooksOptimiser(_InjectedNoise, DPOptimizer):
    pass
