"""Sums over the steps of a training, from which its curves are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch


@dataclass
class Tally:
    """What the models of an engine met since the tally began.

    Attributes:
        models: K.
        losses: float64 (K,), sum of the losses of all records met, each before its step.
        records: int64 (K,), number of records met.
        correct: records that the first model classified as labelled, before the step.
        clipped: records of the first model whose gradient was longer than the clip norm.
    """

    models: int
    losses: torch.Tensor = field(init=False)
    records: np.ndarray = field(init=False)
    correct: float = 0.0
    clipped: float = 0.0

    def __post_init__(self) -> None:
        """Start from zero."""
        self.losses = torch.zeros(self.models, dtype=torch.float64)
        self.records = np.zeros(self.models, dtype=np.int64)

    def state_dict(self) -> dict[str, Any]:
        """Return all sums; only tensors and plain numbers, which load without running code."""
        return {
            "losses": self.losses,
            "records": torch.from_numpy(self.records),
            "correct": float(self.correct),
            "clipped": float(self.clipped),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict`.

        Raises:
            ValueError: a sum is of another type or shape.
        """
        for name, own in self.state_dict().items():
            value = state[name]
            if type(value) is not type(own):
                raise ValueError(f"{name} are of type {type(value).__name__}, not {type(own).__name__}")
            if isinstance(own, torch.Tensor) and (value.shape, value.dtype) != (own.shape, own.dtype):
                raise ValueError(f"{name} are {value.dtype} {tuple(value.shape)}, not {own.dtype} {tuple(own.shape)}")
        self.losses, self.records = state["losses"], state["records"].numpy()
        self.correct, self.clipped = state["correct"], state["clipped"]

    def count(self, losses: torch.Tensor, outputs: torch.Tensor, labels: torch.Tensor) -> None:
        """Add records of the one model there is: their losses, and how many it classified as labelled."""
        self.losses += losses.sum().item()
        self.correct += count_correct(outputs, labels)

    def count_clipped(self, norms: torch.Tensor, clip_norm: float) -> None:
        """Add how many gradients of records were longer than the clip norm."""
        self.clipped += float((norms > clip_norm).sum())

    def mean_losses(self) -> np.ndarray:
        """Return the mean loss of each model: NaN where it met no record, infinite where training broke down."""
        total = self.losses.numpy().copy()
        total[~np.isfinite(total)] = np.inf
        return np.divide(total, self.records, out=np.full(self.models, np.nan), where=self.records > 0)

    def broken(self) -> np.ndarray:
        """Return for each model whether a loss was not finite."""
        return ~np.isfinite(self.losses.numpy())


def count_correct(outputs: torch.Tensor, labels: torch.Tensor) -> float:
    """Return how many outputs are largest at the label; NaN where labels are numbers to predict.

    Args:
        outputs: float32 (records, classes).
        labels: see `dpmia.training.engines.loss.record_losses`; of class probabilities the likeliest class.
    """
    if labels.ndim == 2:
        labels = labels.argmax(1)
    elif labels.is_floating_point():
        return float("nan")
    return float((outputs.argmax(1) == labels).sum())
