"""DP-SGD and DP-Adam by Opacus: any network it supports, and the reference for our own engines.

The gradient mode `hooks` forms the gradient of each record, in chunks; `ghost` takes norms in one backward pass and the
clipped sum in a second. `auto` is `hooks` for convolutional networks, `ghost` for others. Measured on the two networks
in `dpmia.models.cnn`, chunks against whole batches and ghost clipping: the same speed on the smaller one, 1.5 to 1.7
times on the larger, in two thirds and a quarter of the memory (`benchmarks/README.md`, which also says what another
memory allocator gains).
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from opacus.grad_sample.utils import prepare_module
from opacus.optimizers import DPOptimizer, DPOptimizerFastGradientClipping
from opacus.utils.fast_gradient_clipping_utils import DPTensorFastGradientClipping
from opacus.utils.module_utils import trainable_modules
from opacus.validators import ModuleValidator

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.training.engines.loss import record_losses
from dpmia.training.engines.opacus_trial import NOT_FOUND, RECORDS, REMEDY, refuse_other_gradients
from dpmia.training.engines.plain import PlainEngine, batch_norms, network_of
from dpmia.training.run import Run, Seeds
from dpmia.training.streams import Streams

#: Bytes of single records' gradients to hold at once. The C library takes larger blocks from the system anew each
#: time, page by page.
GRADIENTS_AT_ONCE = 32 * 2**20
LARGEST_CHUNK = 128


class OpacusEngine(PlainEngine):
    """One private model: per-record gradients, clipping and the step by Opacus.

    Batches are those of `Streams` and not of Opacus' data loader, and noise is that of `Streams` and not of the
    `generator` of `DPOptimizer`, which draws it tensor by tensor: with the same batches and the same noise as the other
    engines, two engines train the same model, and one is a second opinion on the other. Opacus' accountant is not used:
    the noise multiplier was computed before training for exactly this sampler (`dpmia.privacy.accounting`).
    """

    def _build(self) -> None:
        """Wrap the module and the optimiser; see `Engine._build`."""
        super()._build()
        recipe = self.recipe
        self.grad_sample_mode = self._mode()
        ghost = self.grad_sample_mode == "ghost"
        self.wrapped = prepare_module(
            self.module,
            self.grad_sample_mode,
            loss_reduction="sum",
            **({"max_grad_norm": recipe.clip_norm} if ghost else {}),
        )
        self.optimiser = self._private_optimiser = (_GhostOptimiser if ghost else _HooksOptimiser)(
            self.optimiser,
            stream=self.stream,
            noise_multiplier=self.run.noise_multiplier,
            max_grad_norm=recipe.clip_norm,
            expected_batch_size=recipe.batch_size,
        )
        count = sum(p.numel() for p in self.module.parameters())
        self._chunk = min(LARGEST_CHUNK, max(1, GRADIENTS_AT_ONCE // (4 * count)))

    def _mode(self) -> str:
        """Return how gradients of records are formed: `hooks` or `ghost`."""
        if self.recipe.grad_sample_mode != "auto":
            return self.recipe.grad_sample_mode
        return "hooks" if any(isinstance(layer, torch.nn.Conv2d) for layer in self.module.modules()) else "ghost"

    @classmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """Refuse what `check_layers` refuses; see `Engine.check`."""
        check_layers(architecture, network_of(architecture, where), where, "the engine 'plain' without privacy")

    @classmethod
    def try_out(cls, architecture: Any, recipe: Recipe, where: str, x: torch.Tensor, y: torch.Tensor) -> None:
        """Refuse a network whose records clipping would not bound, as far as a few show it; see `Engine.try_out`."""
        rows = np.linspace(0, len(x) - 1, RECORDS).astype(np.int64)
        few = replace(recipe, batch_size=RECORDS, epochs=1)
        refuse_other_gradients(cls(architecture, few, [Run(where, rows, Seeds(0, 0, 0), 1.0)], x, y), where)

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
        if not len(x):
            self._no_gradients()
        elif self.grad_sample_mode == "ghost":
            self._gradients_by_ghost(x, y)
        else:
            self._gradients_by_hooks(x, y)

    def record_norms(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return the norm by which the gradient of each record is clipped, and leave the gradients."""
        if self.grad_sample_mode == "ghost":
            self._gradients_by_ghost(x, y)
            return self.wrapped.per_sample_gradient_norms
        self._gradients_of_chunk(x, y)
        norms = [parameter.grad_sample.flatten(1).norm(dim=1) for parameter in self._private_optimiser.params]
        return torch.stack(norms).norm(dim=0)

    def _no_gradients(self) -> None:
        """Leave the gradients of an empty batch, whose step is noise alone."""
        for parameter in self._private_optimiser.params:
            if self.grad_sample_mode == "ghost":
                parameter.grad = torch.zeros_like(parameter)
            else:
                parameter.grad_sample = parameter.new_empty(0, *parameter.shape)

    def _gradients_by_ghost(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Leave the sum of clipped gradients: norms in a first backward pass, the sum in a second one."""
        outputs = self.wrapped(x)
        losses = record_losses(outputs, y)
        DPTensorFastGradientClipping(self.wrapped, self.optimiser, losses, loss_reduction="sum").backward()
        self.tally.count(losses.detach(), outputs.detach(), y)
        self.tally.count_clipped(self.wrapped.per_sample_gradient_norms, self.recipe.clip_norm)

    def _gradients_by_hooks(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Leave the gradients of the records of the last chunk, after the clipped sum of the chunks before it."""
        left = len(x)
        for features, labels in zip(x.split(self._chunk), y.split(self._chunk), strict=True):
            self.tally.count_clipped(self.record_norms(features, labels), self.recipe.clip_norm)
            left -= len(features)
            if left:
                self._private_optimiser.signal_skip_step()
                self.optimiser.step()
                self.optimiser.zero_grad()

    def _gradients_of_chunk(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Leave the gradient of each record in `grad_sample` of the trained parameters, and count losses."""
        outputs = self.wrapped(x)
        losses = record_losses(outputs, y)
        losses.sum().backward()
        self._refuse_other_rows(len(x))
        self.tally.count(losses.detach(), outputs.detach(), y)

    def _refuse_other_rows(self, records: int) -> None:
        for parameter in self._private_optimiser.params:
            rows = parameter.grad_sample
            if not isinstance(rows, torch.Tensor) or len(rows) != records:
                raise TrainingError(f"model {self.run.name}", NOT_FOUND, REMEDY)


def check_layers(architecture: Any, network: torch.nn.Module, where: str, otherwise: str) -> None:
    """Refuse layers that mix the records of a batch, and what else Opacus does not train.

    Args:
        architecture: of the network.
        network: to be trained.
        where: one of the models, for the message.
        otherwise: what would train it.

    Raises:
        TrainingError: the message names the layer.
    """
    if any(isinstance(module, torch.jit.ScriptModule) for module in network.modules()):
        problem = "Opacus does not see the layers of TorchScript, nor the gradients of single records there"
        raise TrainingError(where, problem, f"Return the network before it is compiled, or use {otherwise}")
    named = getattr(architecture, "layer_name", str)
    for name, layer in batch_norms(network):
        raise TrainingError(
            f"{where}, layer {named(name)!r} ({type(layer).__name__})",
            "with batch norm, the output for a record depends on the other records of its batch",
            f"Use GroupNorm or LayerNorm, or {otherwise}",
        )
    for name, layer in trainable_modules(network):
        errors: list[Any] = ModuleValidator.validate(layer)
        errors += ["buffers, which training would fill without privacy"] if list(layer.buffers()) else []
        if errors:
            raise TrainingError(
                f"{where}, layer {named(name)!r} ({type(layer).__name__})",
                f"Opacus does not train this layer: {' '.join(map(str, errors))}",
                f"Use layers that Opacus supports, or {otherwise}",
            )


class _StreamsNoise(DPOptimizer):
    """For an optimiser of Opacus: the normals of a run's noise stream, in the order of the flat parameters."""

    def __init__(self, optimizer: torch.optim.Optimizer, *, stream: Streams, **kwargs: Any) -> None:
        super().__init__(optimizer, **kwargs)
        self._stream = stream
        self._normals = torch.empty(sum(p.numel() for p in self.params), device=self.params[0].device)

    def add_noise(self) -> None:
        self._stream.noise(self._normals)
        std = self.noise_multiplier * self.max_grad_norm
        for parameter, normals in zip(self.params, self._normals.split([p.numel() for p in self.params]), strict=True):
            parameter.grad = parameter.summed_grad + std * normals.view_as(parameter)


class _GhostOptimiser(_StreamsNoise, DPOptimizerFastGradientClipping):
    pass


class _HooksOptimiser(_StreamsNoise, DPOptimizer):
    pass
