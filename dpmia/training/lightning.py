"""Training under a Lightning `Trainer`: devices, checkpoints and resuming are Lightning's."""

from __future__ import annotations

import logging
import math
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from pytorch_lightning.core.optimizer import LightningOptimizer
from pytorch_lightning.plugins.environments import LightningEnvironment

from dpmia.common.errors import TrainingError
from dpmia.common.files import whole_file
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.base import Engine

log = logging.getLogger(__name__)

#: Measures all models of an engine: one number for each.
AfterEpoch = Callable[[Engine], list[float]]

#: Optimiser steps in one Lightning step: its own cost, about 1.5 ms a step, must not show.
STEPS_PER_CHUNK = 100

#: Seconds between two lines of the log on how far training is; one that takes less says nothing.
SECONDS_PER_LINE = 20.0


class EngineModule(pl.LightningModule):
    """A Lightning module whose one training step is a chunk of an engine's optimiser steps."""

    def __init__(self, engine: Engine, after_epoch: AfterEpoch | None = None) -> None:
        """Wrap `engine`; where `after_epoch` is given, a chunk is an epoch."""
        super().__init__()
        self.automatic_optimization = False
        self.engine = engine
        self.after_epoch = after_epoch
        self.measured: list[list[float]] = []
        self.chunk_steps = engine.steps // engine.recipe.epochs if after_epoch else STEPS_PER_CHUNK
        # Counted before a checkpoint is loaded: Lightning itself takes off the chunks that it has seen done.
        self.chunks = math.ceil((engine.steps - engine.done) / self.chunk_steps)

    def train_dataloader(self) -> range:
        """Return one item for each chunk. It carries nothing: where training stands is the engine's to know."""
        return range(self.chunks)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return the counter by which Lightning sees that steps are made."""
        return _StepCounter()

    def training_step(self, chunk: int, index: int) -> None:
        """Advance all models by one chunk of steps.

        Raises:
            TrainingError: the loss of a model is not finite; the message names the model.
        """
        losses = self.engine.advance(min(self.chunk_steps, self.engine.steps - self.engine.done))
        counter = self.optimizers()
        assert isinstance(counter, LightningOptimizer)  # one, not a list
        counter.step()
        _refuse_broken(self.engine, np.isinf(losses))
        if self.after_epoch:
            self.measured.append(self.after_epoch(self.engine))

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add the engine's own state, random streams included, and what was measured."""
        checkpoint["engine"] = self.engine.state_dict()
        checkpoint["measured"] = self.measured

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Go on where the engine stood."""
        self.engine.load_state_dict(checkpoint["engine"])
        self.measured = checkpoint["measured"]


class _StepCounter(torch.optim.Optimizer):
    """An optimiser without parameters of its own: the engine makes the updates, Lightning counts them.

    Without it `global_step` stays 0 under manual optimisation and checkpoints are silently not written.
    """

    def __init__(self) -> None:
        super().__init__([torch.zeros(1)], {})

    def step(self, closure: None = None) -> None:  # type: ignore[override]  # never called with a closure
        """Count one chunk."""


class Progress(pl.Callback):
    """Tells the log, every now and then, how far training is and how long it will still take."""

    def __init__(self, engine: Engine) -> None:
        """Take what is trained."""
        super().__init__()
        self.engine = engine

    def on_train_start(self, *args: Any, **kwargs: Any) -> None:
        """Note when and where training starts: of a resumed one, what was done before counts for nothing."""
        self.started = self.told = time.monotonic()
        self.first = self.engine.done

    def on_train_batch_end(self, *args: Any, **kwargs: Any) -> None:
        """Write a line if the last one is old enough."""
        now, engine = time.monotonic(), self.engine
        if now - self.told >= SECONDS_PER_LINE:
            self.told = now
            log.info("%s", told_progress(engine, (now - self.started) / (engine.done - self.first)))


def told_progress(engine: Engine, pace: float) -> str:
    """Return how far an engine is, in words.

    Args:
        engine: what is trained.
        pace: seconds that a step has taken so far, on average.
    """
    models = f"{len(engine.runs)} models" if len(engine.runs) > 1 else engine.runs[0].name
    epoch = math.ceil(engine.recipe.epochs * engine.done / engine.steps)
    left = round(pace * (engine.steps - engine.done))
    clock = f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}"
    return f"{models}: step {engine.done} of {engine.steps}, epoch {epoch} of {engine.recipe.epochs}, {clock} left"


def _refuse_broken(engine: Engine, broken: Iterable[bool]) -> None:
    """Stop at the first model that broke down, by its name; `broken` says of each model whether it did."""
    for run, is_broken in zip(engine.runs, broken, strict=True):
        if is_broken:
            raise TrainingError(
                f"model {run.name}, step {engine.done}",
                "the training loss or the weights are not finite",
                "Lower learning_rate",
            )


class _Keep(pl.Callback):
    """Saves the state after a chunk whenever it is time to."""

    def __init__(self, checkpoints: Checkpoints, name: str) -> None:
        super().__init__()
        self.checkpoints, self.path = checkpoints, checkpoints.path(name)

    def on_train_batch_end(self, trainer: pl.Trainer, *args: Any, **kwargs: Any) -> None:
        """Save between two chunks."""
        if self.checkpoints.due():
            self.save(trainer)

    def save(self, trainer: pl.Trainer) -> None:
        """Write the file; a kill in the midst of it leaves the one before."""
        with whole_file(self.path) as part:
            trainer.save_checkpoint(part)
        self.checkpoints.saved()


def fit(
    engine: Engine,
    checkpoints: Checkpoints | None = None,
    name: str = "last",
    after_epoch: AfterEpoch | None = None,
) -> np.ndarray | None:
    """Train the models of `engine` to their last step.

    Args:
        engine: where training stands is kept in it.
        checkpoints: of the job, where it keeps any; one of these models is resumed.
        name: of these models among those of the job.
        after_epoch: is called with the engine after each epoch and returns one number for each model. It must leave
            the engine as it is: what is measured changes no model.

    Returns:
        float64, shape (epochs, models), what `after_epoch` returned; None without it.

    Raises:
        TrainingError: the loss of a model is not finite.
    """
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    keep = checkpoints and _Keep(checkpoints, name)
    with warnings.catch_warnings():
        # Lightning's own use of a part of torch that is going away; nothing here calls it.
        warnings.filterwarnings("ignore", category=FutureWarning, module="pytorch_lightning")
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")
        warnings.filterwarnings("ignore", message="The `srun` command is available on your system but is not used")
        warnings.filterwarnings("ignore", message="You're resuming from a checkpoint that ended before the epoch")
        trainer = pl.Trainer(
            max_epochs=1,
            accelerator="cpu",
            devices=1,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            callbacks=[Progress(engine), keep] if keep else [Progress(engine)],
            # One process, also inside a job of a cluster, which Lightning would else take for a part of one training.
            plugins=[LightningEnvironment()],
        )
        module = EngineModule(engine, after_epoch)
        trainer.fit(module, ckpt_path=keep.path if keep and keep.path.exists() else None)
    # The last step of all may break a model whose losses were finite until then.
    states = zip(engine.parameters(), engine.buffers(), strict=True)
    _refuse_broken(engine, (not all(bool(values.isfinite().all()) for values in state) for state in states))
    if keep and keep.checkpoints.due(finished=True):
        keep.save(trainer)
    return np.array(module.measured) if after_epoch else None
