"""Ordinary training with automatic differentiation: no clipping, no noise (epsilon = infinity)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn.modules.batchnorm import _BatchNorm

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.training.engines.base import GradientEngine
from dpmia.training.engines.evaluation import flat_buffers, set_buffers
from dpmia.training.engines.loss import record_losses
from dpmia.training.engines.one_module import OneModule
from dpmia.training.run import Run

#: Poisson batches of at least this expected size hold fewer than two records less than once in 10^12 steps.
SMALLEST_POISSON_BATCH = 32


class PlainEngine(OneModule, GradientEngine):
    """One model, any network, without privacy.

    The network is trained in training mode: dropout draws from the run's streams, batch norm keeps running statistics.
    """

    uses_gpu = True

    def _build(self) -> None:
        """See `Engine._build`."""
        super()._build()
        self._start()
        rows = torch.from_numpy(self.run.records)
        labels = self.y[rows] if self.run.soft_labels is None else torch.as_tensor(self.run.soft_labels)
        self.train_x, self.train_y = self.x[rows].to(self.device), labels.to(self.device)
        self.module.to(self.device)
        self.optimiser = self._torch_optimiser()

    def _torch_optimiser(self) -> torch.optim.Optimizer:
        """Return the optimiser of the network."""
        return torch_optimiser(self.recipe, self.module.parameters())

    def _refuse_unsuited(self, run: Run) -> None:
        if self.recipe.clips(run.private):
            raise ValueError(f"{run.name}: gradients of single records are clipped by other engines only")

    @classmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """See `Engine.check`, and `check_batch_norm`."""
        check_batch_norm(network_of(architecture, where), recipe, where)

    def gradients(self, batches: list[np.ndarray]) -> None:
        """See `GradientEngine.gradients`."""
        batch = torch.from_numpy(batches[0])
        with self.stream.dropout(self.device):
            self._gradients_of(self.train_x[batch], self.train_y[batch])

    def _gradients_of(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Form the gradients of one step from the records of a batch."""
        self.optimiser.zero_grad()
        if not len(x):  # batch norm would take statistics of nothing
            for parameter in self.module.parameters():
                if parameter.requires_grad:
                    parameter.grad = torch.zeros_like(parameter)
            return
        outputs = self.module(x)
        losses = record_losses(outputs, y)
        # The expected batch size, not the drawn one: the same step as with clipping and noise.
        (losses.sum() / self.recipe.batch_size).backward()
        self.tally.count(losses.detach(), outputs.detach(), y)

    def state_dict(self) -> dict[str, Any]:
        """See `Engine.state_dict`."""
        return {
            "done": self.done,
            "module": self.module.state_dict(),
            "buffers": flat_buffers(self.module),  # also those that a state dict lacks
            "stream": self.stream.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """See `Engine.load_state_dict`."""
        self.done = state["done"]
        self.module.load_state_dict(state["module"])
        set_buffers(self.module, state["buffers"])
        self.stream.load_state_dict(state["stream"])


def check_batch_norm(network: torch.nn.Module, recipe: Recipe, where: str) -> None:
    """Refuse batch norm that has no statistics of a batch, or none to be evaluated with.

    Raises:
        TrainingError: the message names the layer.
    """
    few = 2 if recipe.sampling == "shuffle" else SMALLEST_POISSON_BATCH
    for name, layer in batch_norms(network):
        place = f"{where}, layer {name!r} ({type(layer).__name__})"
        if layer.running_mean is None:
            problem = "without running statistics, the output for a record depends on the other records of a query"
            raise TrainingError(place, problem, "Set track_running_stats=True")
        if recipe.batch_size < few:
            problem = f"{recipe.sampling} batches of {recipe.batch_size} are too small to normalise"
            other = "" if recipe.sampling == "shuffle" else ", or sampling_without_privacy: shuffle"
            raise TrainingError(place, problem, f"Use a batch_size of at least {few}{other}")


def network_of(architecture: Any, where: str, lightning: bool = False) -> torch.nn.Module:
    """Return the network of an architecture.

    Args:
        architecture: of the network.
        where: one of the models, for the message.
        lightning: whether it must be a `LightningModule`, or must be none.

    Raises:
        TrainingError: it is no network, a wrong one, or its initial parameters are those of another one; or parameters
            are no float32, or buffers complex, which files of trained models do not hold.
    """
    if not hasattr(architecture, "module"):
        remedy = "Use engine: scikit_learn" if hasattr(architecture, "make") else ""
        raise TrainingError(where, f"{type(architecture).__name__} is not a network", remedy)
    if getattr(architecture, "lightning", False) and not lightning:
        problem = "a LightningModule has a loss and an optimiser of its own, which this engine would not use"
        remedy = "Use engine: lightning"
        raise TrainingError(where, problem, remedy)
    module = architecture.module()
    start = architecture.initial_parameters(torch.Generator().manual_seed(0))
    shapes, expected = (
        [tuple(parameter.shape) for parameter in parameters] for parameters in (start, module.parameters())
    )
    if shapes != expected:
        raise TrainingError(
            where, f"initial_parameters has the shapes {shapes}, and the parameters of module() {expected}"
        )
    for name, parameter in module.named_parameters():
        if parameter.dtype != torch.float32:
            named = getattr(architecture, "layer_name", str)
            problem = f"its parameter {named(name)} is of type {parameter.dtype}, not torch.float32"
            raise TrainingError(where, problem, "Leave parameters as torch makes them, and convert in forward")
    for name, buffer in module.named_buffers():
        if buffer.is_complex():
            remedy = "Keep torch.view_as_real of it, and take torch.view_as_complex in forward"
            raise TrainingError(where, f"its buffer {name} holds complex numbers", remedy)
    return module


def batch_norms(module: torch.nn.Module) -> list[tuple[str, torch.nn.Module]]:
    """Return the batch norm layers of a network with their names."""
    return [(name, layer) for name, layer in module.named_modules() if isinstance(layer, _BatchNorm)]


def torch_optimiser(recipe: Recipe, parameters: Any, fused: bool = False) -> torch.optim.Optimizer:
    """Return the framework's optimiser for `recipe`.

    Args:
        recipe: names the optimiser and its settings.
        parameters: tensors to update.
        fused: update a parameter in one pass over memory; the same numbers but for rounding.

    Raises:
        ValueError: the recipe names another optimiser.
    """
    parameters = list(parameters)
    if recipe.optimiser == "adam":
        first, second = recipe.betas
        return torch.optim.Adam(
            parameters,
            lr=recipe.learning_rate,
            betas=(first, second),
            eps=recipe.adam_epsilon,
            weight_decay=recipe.l2,
            fused=fused,
        )
    if recipe.optimiser == "sgd":
        return torch.optim.SGD(
            parameters, lr=recipe.learning_rate, momentum=recipe.momentum, weight_decay=recipe.l2, fused=fused
        )
    raise ValueError(f"optimiser {recipe.optimiser!r}; expected 'adam' or 'sgd'")
