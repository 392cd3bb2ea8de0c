"""Which LightningModules cannot be trained privately: by what they define, and by what they do with a few records."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from opacus.grad_sample.utils import prepare_module
from pytorch_lightning.core.hooks import CheckpointHooks, DataHooks, ModelHooks

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.training.engines.lightning_module import own_module
from dpmia.training.engines.lightning_steps import TrainerState, attach, optimisation_of, record_gradients
from dpmia.training.engines.opacus_trial import equal_rows, mixes_records, refuse_changes

#: Methods by which a module changes Lightning's loop.
_OF_THE_LOOP = {
    "backward",
    "clip_gradients",
    "configure_callbacks",
    "configure_gradient_clipping",
    "lr_scheduler_step",
    "optimizer_step",
    "optimizer_zero_grad",
}
_HOOKS = {name for kind in (ModelHooks, DataHooks, CheckpointHooks) for name in vars(kind) if not name.startswith("_")}

#: Of those, what never runs here.
_NEVER = ("validation", "test", "predict", "dataloader", "prepare_data")

#: Records of a batch that is tried.
_RECORDS = 4


def refuse_unsuited(own: Any, where: str) -> None:
    """Refuse a module for what it defines.

    Raises:
        TrainingError: the message names the method.
    """
    if not own.automatic_optimization:
        problem = "with automatic_optimization = False it takes its steps itself, without clipping and noise"
        raise TrainingError(where, problem, "Return the loss from training_step")
    defined = [
        name
        for name in sorted(_HOOKS | _OF_THE_LOOP)
        if getattr(type(own), name) is not getattr(pl.LightningModule, name) and not any(w in name for w in _NEVER)
    ]
    if defined:
        problem = f"it defines {', '.join(defined)}, which private training does not call"
        raise TrainingError(where, problem, "Remove it, or move what it does to __init__ or training_step")


def refuse_mixing(architecture: Any, recipe: Recipe, where: str, x: torch.Tensor, y: torch.Tensor) -> None:
    """Refuse a module in which the gradient of one record depends on another one, or that keeps something of records.

    Two batches are tried with the same random numbers, once more with another first record: the gradients of all others
    must stay as they are.

    Args:
        architecture: of the module.
        recipe: of its training.
        where: one of the models, for the message.
        x: features of the whole data set.
        y: its labels.

    Raises:
        TrainingError: it does.
    """
    rows = np.linspace(0, len(x) - 1, 2 * _RECORDS).astype(int)
    others = torch.nonzero(y != y[rows[0]]).flatten()
    changed = rows.copy()
    changed[0] = others[0] if len(others) else rows[-1]
    trial = _Trial(architecture, recipe, where, x, y)
    first = trial.gradients(rows)
    step = f"{where}, training_step"
    if not equal_rows(first, trial.gradients(rows)):
        problem = "two calls with the same records and the same seed of torch have different gradients"
        raise TrainingError(step, problem, "Draw random numbers from torch")
    deterministic = equal_rows(first, trial.gradients(rows, seed=1))
    if mixes_records(trial.gradients, rows, changed, deterministic):
        problem = (
            "the gradient of a record changes with another record of the batch, or of a batch before: clipping would "
            "not bound what one record does"
        )
        remedy = "Use a loss that is the mean over records, each of its own record; no class weights, no pairs"
        raise TrainingError(step, problem, remedy)
    alone = torch.cat([trial.gradients(rows[[number]], size=1) for number in range(_RECORDS)])
    if deterministic and not equal_rows(first[:_RECORDS], alone):
        problem = "the gradient of a record changes with the number of records in the batch"
        raise TrainingError(step, problem, "Return the mean over the records of the batch, not the sum")


class _Trial:
    """Gradients of a new module, always with the same weights, on some records."""

    def __init__(self, architecture: Any, recipe: Recipe, where: str, x: torch.Tensor, y: torch.Tensor) -> None:
        self.architecture, self.recipe, self.where, self.x, self.y = architecture, recipe, where, x, y

    def gradients(self, rows: np.ndarray, seed: int = 0, size: int = _RECORDS) -> torch.Tensor:
        """Return the gradient of each record, in batches of `size`: shape (len(rows), parameters)."""
        state = TrainerState(self.recipe.epochs, self.recipe.epochs * len(rows) // size)
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Full backward hook is firing")
            torch.manual_seed(0)
            network = self.architecture.module().train()
            own = own_module(network)
            attach(own, state)
            optimisation_of(own, state, self.where)
            wrapped = prepare_module(network, "hooks", loss_reduction="sum")
            torch.manual_seed(seed)
            gradients = []
            for batch in torch.from_numpy(rows).split(size):
                gradients.append(self._batch(network, own, batch, state))
                wrapped.zero_grad()
            return torch.cat(gradients)

    def _batch(self, network: torch.nn.Module, own: Any, batch: torch.Tensor, state: TrainerState) -> torch.Tensor:
        with refuse_changes(own, f"{self.where}, training_step"):
            record_gradients(network, own, self.x[batch], self.y[batch], state, self.where)
        gradients = []
        for name, parameter in own.named_parameters():
            if parameter.requires_grad:
                rows = parameter.grad_sample.flatten(1)
                total = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
                self._refuse_other_gradients(name, rows.mean(0), total.flatten())
                gradients.append(rows)
        return torch.cat(gradients, 1).detach()

    def _refuse_other_gradients(self, name: str, of_records: torch.Tensor, total: torch.Tensor) -> None:
        if not equal_rows(of_records[None], total[None]):
            raise TrainingError(
                f"{self.where}, {name}",
                "its gradient is not the sum over the records: a penalty on weights, weights used outside of their "
                "layer, or a layer that is called but not used for the loss",
                "Use weight_decay of the optimiser for a penalty, and torch.no_grad() around calls for other ends",
            )
