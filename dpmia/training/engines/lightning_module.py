"""A `LightningModule` of the user's own, trained as it says, by its loss, optimiser and augmentation; no privacy."""

from __future__ import annotations

from typing import Any

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.training.engines.base import refuse_broken
from dpmia.training.engines.one_module import OneModule
from dpmia.training.engines.plain import check_batch_norm, network_of
from dpmia.training.run import Run
from dpmia.training.streams import full_generator
from dpmia.training.trainer import trainer_of

#: What to do about a module that breaks down, whose learning rate is its own.
OWN_RATE = "Lower the learning rate of its optimiser"


class LightningEngine(OneModule):
    """One model. Lightning's own loop takes all steps at once, so there is no checkpoint within it."""

    uses_gpu = True
    lower_rate = OWN_RATE
    own_epochs = True

    def _build(self) -> None:
        """See `Engine._build`."""
        self._start()

    def _refuse_unsuited(self, run: Run) -> None:
        if run.private or run.soft_labels is not None:
            raise ValueError(f"{run.name}: this engine takes no noise and no soft labels")

    @classmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """Refuse all but `LightningModule`s; see `Engine.check`."""
        check_batch_norm(lightning_network_of(architecture, where), recipe, where)

    def advance(self, steps: int) -> None:
        """Train to the end; see `Engine.advance`."""
        rows = torch.from_numpy(self.run.records)
        x, y = self.x[rows], self.y[rows]
        shape = self.architecture.shape
        records = TensorDataset(x if shape is None else x.unflatten(1, shape), y)
        order = RandomSampler(records, generator=full_generator(self.run.seeds.batches))
        batches = DataLoader(records, self.recipe.batch_size, sampler=order, drop_last=True)
        own = own_module(self.module)
        quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
        with self.stream.dropout(self.device), trainer_of(self, **quiet) as trainer:
            trainer.fit(own.train(), batches)
        taken, due = trainer.fit_loop.epoch_loop.total_batch_idx + 1, self.recipe.epochs * len(batches)
        if taken != due:
            problem = f"its training ended after {taken} of {due} steps"
            remedy = "Remove what ends it, such as EarlyStopping: the settings say how long models are trained"
            raise TrainingError(f"model {self.run.name}", problem, remedy)
        self.done = self.steps
        refuse_broken(self, [not all(bool(values.isfinite().all()) for values in own.parameters())])


def lightning_network_of(architecture: Any, where: str) -> torch.nn.Module:
    """Return the network of an architecture whose `own_module` is a `LightningModule`.

    Raises:
        TrainingError: it is none.
    """
    if not getattr(architecture, "lightning", False):
        problem = f"{type(architecture).__name__} cannot be combined with engine 'lightning'"
        raise TrainingError(where, problem, "Return a LightningModule, or use engine: opacus or plain")
    network = network_of(architecture, where, lightning=True)
    if not isinstance(own_module(network), pl.LightningModule):
        raise TrainingError(where, "it is no LightningModule of pytorch_lightning", "Import pytorch_lightning as pl")
    return network


def own_module(network: torch.nn.Module) -> Any:
    """Return the user's module, without what shapes its records."""
    return network[1] if isinstance(network, torch.nn.Sequential) else network
