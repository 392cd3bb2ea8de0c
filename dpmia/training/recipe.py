"""How a model is trained (`Recipe`) and which model it is (`Run`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpmia.common.errors import TrainingError
from dpmia.privacy.sampling import optimiser_steps, sampling_rate


@dataclass(frozen=True)
class Recipe:
    """What all models of a block share.

    Attributes:
        optimiser: `adam` or `sgd`.
        learning_rate: step size, > 0.
        batch_size: expected number of records in a batch; the sum of gradients is divided by it.
        epochs: passes over the training set, counted in steps of floor(n / batch_size).
        sampling: `poisson` (every record joins a batch independently) or `shuffle` (each epoch cuts a
            permutation into batches of exactly `batch_size`; the rest of the permutation is left out).
        clip_norm: bound C on the Euclidean norm of one record's gradient.
        clip_all: clip the gradients of runs without privacy, too; else those of private runs only.
        l2: coefficient c of the penalty c * |w|^2 / 2, added to the gradient after noise. It touches
            no record, so it costs no privacy.
        momentum: of `sgd`.
        betas: of `adam`.
        adam_epsilon: added to the root of the second moment.
        decay: of the learning rate, see `pace`.
        grad_sample_mode: of the engine `opacus` (see there): `hooks`, `ghost` or `auto`.
    """

    optimiser: str
    learning_rate: float
    batch_size: int
    epochs: int
    sampling: str = "poisson"
    clip_norm: float = 1.0
    l2: float = 0.0
    momentum: float = 0.0
    betas: Sequence[float] = (0.9, 0.999)
    adam_epsilon: float = 1e-8
    decay: float = 0.0
    clip_all: bool = False
    grad_sample_mode: str = "auto"

    def clips(self, run: Run) -> bool:
        """Return whether the gradients of single records are clipped in a run."""
        return run.private or self.clip_all

    def steps(self, records: int) -> int:
        """Return the number of optimiser steps for a training set of `records` records."""
        if records < self.batch_size:
            raise TrainingError("batch_size", f"{self.batch_size} is larger than the training set of {records} records")
        return optimiser_steps(self.batch_size, records, self.epochs)

    def rate(self, records: int) -> float:
        """Return q, the probability that a record is in a batch (see `dpmia.privacy.sampling`)."""
        return sampling_rate(self.batch_size, records)

    def pace(self, done: int) -> float:
        """Return the share of the learning rate with which a step is taken after `done` others: 1 / (1 + decay * done).

        Source: the `decay` of early Keras, used in Yeom et al. 2018, VI-A.
        """
        return 1 / (1 + self.decay * done)


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
        learning_rate: of this model instead of the recipe's; None for the recipe's.
        expected: number of records that rate and steps follow from, where records joined at random and their number
            is known to nobody; None where it is that of `records`.
    """

    name: str
    records: np.ndarray
    seeds: Seeds
    noise_multiplier: float | None = None
    soft_labels: np.ndarray | None = None
    learning_rate: float | None = None
    expected: int | None = None

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
