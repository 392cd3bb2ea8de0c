"""The one way in which a Lightning `Trainer` is set up: quiet, in one process, on the device of an engine."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from pytorch_lightning.plugins.environments import LightningEnvironment
from pytorch_lightning.plugins.io import TorchCheckpointIO

from dpmia.common.files import whole_file
from dpmia.training.engines.base import Engine

#: Warnings of Lightning about what is meant so here.
_KNOWN = (
    "GPU available but not used",
    ".*does not have many workers.*",
    "Your `IterableDataset` has `__len__` defined",
    "The `srun` command is available on your system but is not used",
    "You're resuming from a checkpoint that ended before the epoch",
    "(Checkpoint|Experiment logs) directory .* exists and is not empty",
    ".* but have no `val_dataloader`.*",
    "The number of training batches .* is smaller than the logging interval",
)


class WholeCheckpoints(TorchCheckpointIO):
    """Checkpoints that are whole or absent.

    Lightning moves them from a temporary folder. From another disk, that is a copy, which a kill truncates.
    """

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Path | str, storage_options: Any = None) -> None:
        """Write a checkpoint, with NumPy's numbers as Python's: schedules return some, and torch reads none."""
        with whole_file(path) as part:
            torch.save(_plain(checkpoint), part)


def _plain(state: Any) -> Any:
    """Return a state with Python's numbers in place of NumPy's."""
    if isinstance(state, np.generic):
        return state.item()
    if type(state) is dict:
        return {_plain(key): _plain(value) for key, value in state.items()}
    return type(state)(map(_plain, state)) if type(state) in (list, tuple) else state


@contextmanager
def trainer_of(engine: Engine, **more: Any) -> Iterator[pl.Trainer]:
    """Yield the trainer of an engine's models.

    Args:
        engine: whose device, epochs and precision it takes.
        more: further arguments of `Trainer`.

    Raises:
        KeyboardInterrupt: it came in training; Lightning makes an exit of it, as if the user's code had left.
    """
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    with warnings.catch_warnings():
        # Lightning's own use of a part of torch that is going away; nothing here calls it.
        warnings.filterwarnings("ignore", category=FutureWarning, module="pytorch_lightning")
        for message in _KNOWN:
            warnings.filterwarnings("ignore", message=message)
        trainer = pl.Trainer(
            max_epochs=engine.recipe.epochs,
            accelerator="cpu" if engine.device.type == "cpu" else "gpu",
            devices=1 if engine.device.index is None else [engine.device.index],
            precision=engine.recipe.precision,
            enable_model_summary=False,
            # One process, also inside a job of a cluster, which Lightning would else take for a part of one training.
            plugins=[LightningEnvironment(), WholeCheckpoints()],
            **more,
        )
        try:
            yield trainer
        except SystemExit as error:
            if isinstance(error.__context__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            raise
