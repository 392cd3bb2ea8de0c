"""Outputs of finished models whose engine keeps no checkpoint: a job that goes on does not train these again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from dpmia.common.files import whole_file
from dpmia.training.checkpoints import Checkpoints


class Outputs(NamedTuple):
    """What a job needs of a finished model.

    Attributes:
        logits: float32, shape (len(queries), classes).
        parameters: float32, all weights and biases in one row.
        buffers: float64, all buffers (running statistics of batch norm) in one row; empty where there are none.
        accuracy_by_epoch: float64, shape (epochs,), on the validation records; None where there are none.
    """

    logits: np.ndarray
    parameters: np.ndarray
    buffers: np.ndarray
    accuracy_by_epoch: np.ndarray | None


def save_outputs(checkpoints: Checkpoints, name: str, outputs: Outputs) -> None:
    """Keep the outputs of a model, once the job has run for so long that it is worth it.

    Args:
        checkpoints: of the job.
        name: that no other model has, nor the same one on other queries.
        outputs: of the model.
    """
    if not checkpoints.due():
        return
    arrays = {key: None if value is None else torch.from_numpy(value) for key, value in outputs._asdict().items()}
    with whole_file(checkpoints.path(name)) as part:
        torch.save({"place": checkpoints.place(name), **arrays}, part)


def load_outputs(checkpoints: Checkpoints, name: str, queries: int) -> Outputs | None:
    """Return the outputs of a model that were kept; None where there are none.

    Args:
        checkpoints: of the job.
        name: see `save_outputs`.
        queries: number of query records.

    Raises:
        DataError: the file is damaged, or holds no outputs of this model.
    """
    kept = checkpoints.content(name)
    if kept is None:
        return None
    with checkpoints.faults(name):
        if kept["place"] != checkpoints.place(name):
            raise ValueError(f"it belongs at {kept['place']}, and stands at {checkpoints.place(name)}")
        arrays: dict[str, Any] = {
            key: None if kept[key] is None else kept[key].numpy().copy() for key in Outputs._fields
        }
        for key, array in arrays.items():
            # A buffer need not be finite: the mask of a network's attention holds infinite numbers.
            if key != "buffers" and array is not None and not np.isfinite(array).all():
                raise ValueError(f"{key} holds numbers that are not finite")
        outputs = Outputs(**arrays)
        if outputs.logits.shape[0] != queries:
            raise ValueError(f"it has outputs on {outputs.logits.shape[0]} queries, and there are {queries}")
        return outputs
