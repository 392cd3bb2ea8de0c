"""Training under a Lightning `Trainer`: loop, optimiser steps, checkpoints, resuming, progress and logs are its own."""

from __future__ import annotations

import logging
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ModelCheckpoint
from pytorch_lightning.loggers import CSVLogger
from torch.utils.data import DataLoader, IterableDataset
from torch.utils.flop_counter import FlopCounterMode

from dpmia.formats.signals import CURVE
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.base import Engine, GradientEngine, refuse_broken
from dpmia.training.engines.tally import Tally
from dpmia.training.trainer import trainer_of

log = logging.getLogger(__name__)

#: Measures all models of an engine: one number for each.
AfterEpoch = Callable[[Engine], list[float]]

#: Batches of one step: for each model of an engine, int64 positions in its training set.
Batches = list[np.ndarray]

#: Floating-point operations in one call of `training_step`: about 30 ms. Lightning's own work, .4 ms a call, must not
#: show; only tiny models need several steps for that (`benchmarks/lightning.py`).
WORK_PER_CALL = 1.2e9
MOST_STEPS_PER_CALL = 32

#: Returns the epsilon that the first steps of a model have spent.
Spent = Callable[[int], float]

#: Rows of a training curve: of longer trainings, epochs are averaged. An epsilon takes the accountant some 20 ms.
MOST_ROWS, MOST_EPSILONS = 100, 10

#: Seconds between two lines of the log on the progress of training.
SECONDS_PER_LINE = 20.0


@dataclass(frozen=True)
class Fitted:
    """What was measured in training.

    Attributes:
        after_epoch: float64, shape (epochs, models), what the function of that name returned; None without one.
        curve: float64, shape (rows, len(CURVE)), of the first model: a row for each epoch, or for each few of more than
            `MOST_ROWS`. None without steps.
    """

    after_epoch: np.ndarray | None
    curve: np.ndarray | None


class EpochBatches(IterableDataset[list[Batches]]):
    """The batches of one epoch, drawn as they are needed. An item holds those of the steps of one call."""

    def __init__(self, engine: GradientEngine, steps_per_call: int) -> None:
        """Draw from the streams of `engine`."""
        self.engine, self.steps_per_call = engine, steps_per_call
        self.steps = engine.steps // engine.recipe.epochs

    def __len__(self) -> int:
        """Return the number of calls. With a length Lightning draws nothing ahead, so checkpoints miss no batch."""
        return math.ceil(self.steps / self.steps_per_call)

    def steps_of(self, calls: int) -> int:
        """Return how many steps so many calls have taken since training began."""
        epochs, begun = divmod(calls, len(self))
        return epochs * self.steps + begun * self.steps_per_call

    def __iter__(self) -> Iterator[list[Batches]]:
        """Yield what is left of the epoch that the engine is in."""
        for first in range(self.engine.done % self.steps, self.steps, self.steps_per_call):
            yield [self.engine.draw() for _ in range(min(self.steps_per_call, self.steps - first))]


#: Tensors that optimisers keep of each parameter, and cannot go on without; a user's may keep more.
STATES: dict[type, set[str]] = {
    torch.optim.Adam: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.SGD: {"momentum_buffer"},
}


def _stopped_by_nothing(method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a StopIteration of the user's own code an error: Lightning would take it for the end of the epoch."""

    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except StopIteration as error:
            raise RuntimeError("StopIteration in training").with_traceback(error.__traceback__) from None

    return call


class EngineModule(pl.LightningModule):
    """The models of an engine as one Lightning module: the engine forms gradients, Lightning does the rest."""

    def __init__(self, engine: GradientEngine, after_epoch: AfterEpoch | None, spent: Spent | None, place: str) -> None:
        """Train `engine`; see `fit`. `place` is where its checkpoint belongs."""
        super().__init__()
        self.engine, self.place = engine, place
        self.after_epoch, self.spent = after_epoch, spent
        self.started = False
        self.measured: list[list[float]] = []
        self.rows: list[dict[str, float]] = []

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return the engine's optimiser, which holds the parameters of all models."""
        return self.engine.optimiser

    def train_dataloader(self) -> DataLoader[list[Batches]]:
        """Return the batches of an epoch."""
        return DataLoader(EpochBatches(self.engine, steps_per_call(self.engine)), batch_size=None, collate_fn=list)

    def transfer_batch_to_device(self, batch: list[Batches], device: torch.device, index: int) -> list[Batches]:
        """Leave positions where they are; the engine holds the records."""
        return batch

    @_stopped_by_nothing
    def training_step(self, batch: list[Batches], index: int) -> torch.Tensor:
        """Take the steps of one call, but for the optimiser's part of the last one, which Lightning takes.

        Returns:
            The sum of the losses of all models in this epoch so far.

        Raises:
            TrainingError: the loss of a model is not finite; the message names the model.
        """
        *earlier, last = batch
        for batches in earlier:
            self.engine.step(batches)
        self.engine.backward(last)
        refuse_broken(self.engine, self.engine.tally.broken())
        return self.engine.tally.losses.sum()

    def optimizer_zero_grad(self, *args: Any) -> None:
        """Keep the gradients that `training_step` has formed."""

    def backward(self, loss: torch.Tensor, *args: Any) -> None:
        """Do nothing: gradients of clipped records are no derivative of one loss, so the engine has formed them."""

    def on_train_start(self) -> None:
        """Log again what the training that is resumed had logged.

        Raises:
            ValueError: the state of the optimiser that was kept is that of other parameters.
        """
        needed = STATES.get(type(self.engine.optimiser), set())
        for parameter, state in self.engine.optimiser.state.items():
            named = {name: value for name, value in state.items() if isinstance(value, torch.Tensor)}
            tensors = list(named.values())
            if missing := needed - set(named):
                raise ValueError(f"state of the optimiser without {', '.join(sorted(missing))}")
            if not all(value.is_floating_point() for value in tensors):
                raise ValueError("state of the optimiser that is no real numbers")
            shapes = {named[name].shape for name in needed if named[name].ndim}
            if shapes - {parameter.shape}:
                raise ValueError(f"state of the optimiser of shapes {shapes} for parameters of {parameter.shape}")
        self.started = True
        for row in self.rows:
            self._log(row)

    @_stopped_by_nothing
    def optimizer_step(self, *args: Any, **kwargs: Any) -> None:
        """Take the optimiser's step; after the last one of an epoch measure all models.

        Not in `on_train_epoch_end`, which a training that is resumed from the last step of an epoch does not reach.
        """
        super().optimizer_step(*args, **kwargs)
        if self.engine.done % (self.engine.steps // self.engine.recipe.epochs) == 0:
            self._end_epoch()

    def _end_epoch(self) -> None:
        if self.after_epoch:
            self.measured.append(self.after_epoch(self.engine))
        epochs, epoch = self.engine.recipe.epochs, self.engine.recipe.epochs * self.engine.done // self.engine.steps
        between = math.ceil(epochs / MOST_ROWS)
        if epoch % between == 0 or epoch == epochs:
            tally = self.engine.tally
            met = int(tally.records[0]) or math.nan
            loss, steps = float(tally.mean_losses()[0]), self.engine.done
            stated = epoch % (between * math.ceil(epochs / (between * MOST_EPSILONS))) == 0 or epoch == epochs
            spent = self.spent(steps) if self.spent and stated else math.nan
            clipped = tally.clipped / met if self.engine.recipe.clips(self.engine.runs[0].private) else math.nan
            row = (epoch, steps, loss, tally.correct / met, clipped, spent)
            self.rows.append(dict(zip(CURVE, map(float, row), strict=True)))
            self._log(self.rows[-1])
            self.engine.tally = Tally(len(self.engine.runs))

    def _log(self, row: dict[str, float]) -> None:
        if self.logger:
            self.logger.log_metrics(row, step=int(row["step"]))

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add the engine's own state, random streams included, what was measured, and where the checkpoint belongs."""
        checkpoint["engine"], checkpoint["tally"] = self.engine.state_dict(), self.engine.tally.state_dict()
        checkpoint["measured"], checkpoint["rows"] = self.measured, self.rows
        checkpoint["place"] = self.place

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Go on where the engine stood.

        Raises:
            ValueError: it belongs elsewhere; the state of Lightning's loops or of the engine is not one, or a number
                is not finite; or they stand at different steps.
        """
        if checkpoint["place"] != self.place:
            raise ValueError(f"it belongs at {checkpoint['place']}, and stands at {self.place}")
        for part in ("tally", "optimizer_states"):
            _check_finite(checkpoint[part], part)
        for name, loop in (("fit_loop", self.trainer.fit_loop), ("validate_loop", self.trainer.validate_loop)):
            _check_alike(checkpoint["loops"][name], loop.state_dict(), name)
        start = self.engine.state_dict()
        _check_alike(checkpoint["engine"], start, "engine")
        _check_finite(checkpoint["engine"], "engine", start)
        self.engine.load_state_dict(checkpoint["engine"])
        taken = EpochBatches(self.engine, steps_per_call(self.engine)).steps_of(checkpoint["global_step"])
        if self.engine.done != taken:
            raise ValueError(f"the engine has taken {self.engine.done} steps, and Lightning {taken}")
        epochs = self.engine.recipe.epochs * taken // self.engine.steps if self.after_epoch else 0
        self.measured = [list(map(float, values)) for values in checkpoint["measured"]]
        if [len(values) for values in self.measured] != [len(self.engine.runs)] * epochs:
            raise ValueError(f"what was measured is not one number for each model and each of {epochs} epochs")
        self.rows = [{name: float(row[name]) for name in CURVE} for row in checkpoint["rows"]]
        self.engine.tally.load_state_dict(checkpoint["tally"])


def _check_finite(state: Any, place: str, start: Any = None) -> None:
    """Refuse tensors of numbers that are not finite, however deep they stand.

    Args:
        state: to check.
        place: of it, for the message.
        start: the same before training, with what was not finite even then, such as the mask of a network's attention.

    Raises:
        ValueError: the message names the place.
    """
    if isinstance(state, torch.Tensor):
        kept = isinstance(start, torch.Tensor) and start.shape == state.shape
        if not (state.isfinite() | (state == start.to(state.device) if kept else False)).all():
            raise ValueError(f"{place} holds numbers that are not finite")
    if isinstance(state, dict | list | tuple):
        alike = isinstance(start, type(state)) and len(start) == len(state)
        for key, value in state.items() if isinstance(state, dict) else enumerate(state):
            _check_finite(value, f"{place}.{key}", start[key] if alike else None)


def _check_alike(state: Any, expected: Any, place: str) -> None:
    """Refuse a state that has other keys or types than the one it is to replace.

    Raises:
        ValueError: the message names the place.
    """
    if type(state) is not type(expected):
        raise ValueError(f"{place} is of type {type(state).__name__}, not {type(expected).__name__}")
    if isinstance(expected, dict):
        if set(state) != set(expected):
            raise ValueError(f"{place} has other keys: {', '.join(sorted(map(str, set(state) ^ set(expected))))}")
        for key, value in expected.items():
            _check_alike(state[key], value, f"{place}.{key}")


def steps_per_call(engine: GradientEngine) -> int:
    """Return how many steps one call of `training_step` takes: 1 but for tiny models."""
    with FlopCounterMode(display=False) as counter:
        engine.outputs_of(0, engine.parameters()[0], engine.x[:1])
    # A backward pass costs twice a forward pass.
    work = 3 * counter.get_total_flops() * engine.recipe.batch_size * len(engine.runs)
    return min(MOST_STEPS_PER_CALL, math.ceil(WORK_PER_CALL / work)) if work else 1


class ProgressLog(pl.Callback):
    """Logs now and then how far training is and how long it will still take."""

    def __init__(self, engine: Engine) -> None:
        """Take what is trained."""
        super().__init__()
        self.engine = engine

    def on_train_start(self, *args: Any, **kwargs: Any) -> None:
        """Note when and where training starts: of a resumed one, what was done before counts for nothing."""
        self.started = self.last_line = time.monotonic()
        self.first = self.engine.done

    def on_train_batch_end(self, *args: Any, **kwargs: Any) -> None:
        """Write a line if the last one is old enough."""
        now, engine = time.monotonic(), self.engine
        if now - self.last_line >= SECONDS_PER_LINE:
            self.last_line = now
            log.info("%s", progress(engine, (now - self.started) / (engine.done - self.first)))


def progress(engine: Engine, pace: float) -> str:
    """Return a line on how far an engine is.

    Args:
        engine: what is trained.
        pace: seconds that a step has taken so far, on average.
    """
    models = f"{len(engine.runs)} models" if len(engine.runs) > 1 else engine.runs[0].name
    epoch = math.ceil(engine.recipe.epochs * engine.done / engine.steps)
    left = round(pace * (engine.steps - engine.done))
    clock = f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}"
    return f"{models}: step {engine.done} of {engine.steps}, epoch {epoch} of {engine.recipe.epochs}, {clock} left"


def fit(
    engine: Engine,
    checkpoints: Checkpoints | None = None,
    name: str = "last",
    after_epoch: AfterEpoch | None = None,
    logs: Path | None = None,
    spent: Spent | None = None,
) -> Fitted:
    """Train the models of `engine` to their last step.

    Args:
        engine: where training stands is kept in it.
        checkpoints: of the job, where it keeps any; one of these models is resumed.
        name: of these models among those of the job.
        after_epoch: is called with the engine after each epoch and returns one number for each model. It must leave
            the engine as it is: what is measured changes no model.
        logs: folder in which Lightning's `metrics.csv` grows during training; None for no log.
        spent: of the first model; None without privacy.

    Raises:
        TrainingError: the loss of a model is not finite.
        DataError: training cannot go on from a checkpoint.
        ValueError: the engine has taken steps.
    """
    if engine.done:
        raise ValueError(f"the engine has taken {engine.done} steps; a training goes on from a checkpoint only")
    if not isinstance(engine, GradientEngine):
        engine.advance(engine.steps)
        return Fitted(None, None)
    buffers = engine.buffers()  # which may hold infinite numbers from the start
    logger = CSVLogger(logs, name="", version=name) if logs else None
    callbacks: list[pl.Callback] = [ProgressLog(engine)]
    kept, place = None, name
    if checkpoints:
        kept, place = checkpoints.path(name), checkpoints.place(name)
        callbacks.append(ModelCheckpoint(kept.parent, kept.stem, enable_version_counter=False, **checkpoints.often))
    module = EngineModule(engine, after_epoch, spent, place)
    with trainer_of(
        engine,
        logger=logger or False,
        log_every_n_steps=1,
        callbacks=callbacks,
        enable_checkpointing=kept is not None,
        # In a job, whose log names the epoch, bars of several jobs would share one terminal.
        enable_progress_bar=sys.stderr.isatty() and not log.isEnabledFor(logging.INFO),
    ) as trainer:
        kept_earlier = checkpoints.kept(name) if checkpoints else None
        try:
            trainer.fit(module, ckpt_path=kept_earlier)
        except Exception:
            if checkpoints is None or kept_earlier is None or module.started:
                raise
            with checkpoints.faults(name):
                raise
    if engine.done != engine.steps:
        raise RuntimeError(f"training ended after {engine.done} of {engine.steps} steps")
    # The last step of all may break a model whose losses were finite until then.
    states = zip(engine.parameters(), engine.buffers(), buffers, strict=True)
    refuse_broken(
        engine,
        (not bool(own.isfinite().all() and (now.isfinite() | (now == start)).all()) for own, now, start in states),
    )
    if checkpoints and kept and checkpoints.due():
        trainer.save_checkpoint(kept)
    curve = np.array([[row[name] for name in CURVE] for row in module.rows])
    return Fitted(np.array(module.measured) if after_epoch else None, curve)
