"""One model to train: which records, which seeds, how much noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpmia.privacy.record import Stated


@dataclass(frozen=True)
class Seeds:
    """One seed for each random stream of a run."""

    weights: int
    batches: int
    noise: int


@dataclass(frozen=True)
class Run:
    """One model to train.

    Attributes:
        name: for messages: arm, epsilon, replicate.
        records: int64, rows of the data set that form the training set.
        seeds: of its random streams.
        noise_multiplier: sigma in units of the clip norm; None trains without noise.
        soft_labels: float32 (n, classes), class probabilities to learn instead of the labels, one row for
            each of `records`; for distillation.
        expected: number of records that rate and steps follow from, where records joined at random and their number
            is known to nobody; None where it is that of `records`.
        stated: privacy guarantee that the user states, of a program of the user's own; None for no such statement.
    """

    name: str
    records: np.ndarray
    seeds: Seeds
    noise_multiplier: float | None = None
    soft_labels: np.ndarray | None = None
    expected: int | None = None
    stated: Stated | None = None

    def __post_init__(self) -> None:
        """Refuse soft labels of other records."""
        if self.soft_labels is not None and len(self.soft_labels) != len(self.records):
            raise ValueError(f"{self.name}: {len(self.soft_labels)} soft labels for {len(self.records)} records")

    @property
    def size(self) -> int:
        """The number of records that rate and steps follow from."""
        return len(self.records) if self.expected is None else self.expected

    @property
    def private(self) -> bool:
        """Whether noise is added to clipped gradients."""
        return self.noise_multiplier is not None
