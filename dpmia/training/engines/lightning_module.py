"""A `LightningModule` of the user's own, trained as it says, by its loss, optimiser and augmentation; no privacy."""

from __future__ import annotations

from typing import Any

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.training.engines.base import Engine, refuse_broken
from dpmia.training.engines.evaluation import flat_buffers
from dpmia.training.engines.plain import check_batch_norm, network_of
from dpmia.training.trainer import trainer_of


class LightningEngine(Engine):
    """One model. Lightning's own loop takes all steps at once, so there is no checkpoint within it."""

    uses_gpu = True

    def _build(self) -> None:
        """See `Engine._build`."""
        if len(self.runs) != 1:
            raise ValueError(f"this engine trains one model at a time, got {len(self.runs)}")
        self.run, self.stream = self.runs[0], self.streams[0]
        if self.run.private or self.run.soft_labels is not None:
            raise ValueError(f"{self.run.name}: this engine takes no noise and no soft labels")
        with self.stream.dropout():
            self.module = self.architecture.module()
        with torch.no_grad():
            start = self.stream.initial_parameters(self.architecture)
            for parameter, value in zip(self.module.parameters(), start, strict=True):
                parameter.copy_(value)

    @classmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """Refuse all but `LightningModule`s; see `Engine.check`."""
        check_batch_norm(lightning_network_of(architecture, where), recipe, where)

    def advance(self, steps: int) -> None:
        """Train to the end; see `Engine.advance`. Epochs are those of this training set, whatever size was expected."""
        rows = torch.from_numpy(self.run.records)
        if len(rows) < self.recipe.batch_size:  # of training sets of random size, some are smaller than expected
            problem = f"its training set of {len(rows)} records makes no batch of {self.recipe.batch_size}"
            raise TrainingError(self.run.name, problem, "Take smaller batches, or more records")
        x, y = self.x[rows], self.y[rows]
        shape = self.architecture.shape
        records = TensorDataset(x if shape is None else x.unflatten(1, shape), y)
        order = RandomSampler(records, generator=torch.Generator().manual_seed(self.run.seeds.batches % 2**63))
        batches = DataLoader(records, self.recipe.batch_size, sampler=order, drop_last=True)
        own = own_module(self.module)
        quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
        with self.stream.dropout(self.device), trainer_of(self, **quiet) as trainer:
            trainer.fit(own.train(), batches)
        refuse_broken(self, [not all(bool(values.isfinite().all()) for values in own.parameters())])
        self.done = self.steps

    def parameters(self) -> list[torch.Tensor]:
        """See `Engine.parameters`."""
        return [torch.cat([p.detach().flatten() for p in self.module.parameters()]).cpu()]

    def buffers(self) -> list[torch.Tensor]:
        """See `Engine.buffers`."""
        return [flat_buffers(self.module).cpu()]


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
