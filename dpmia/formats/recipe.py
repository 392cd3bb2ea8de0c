"""How a model is trained (`Recipe`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from dpmia.common.errors import TrainingError
from dpmia.common.plain import PlainData
from dpmia.privacy.sampling import optimiser_steps, sampling_rate


@dataclass(frozen=True)
class Recipe(PlainData):
    """How all models of an arm are trained, or one of them (see `of`).

    Attributes:
        optimiser: `adam` or `sgd`.
        learning_rate: step size, > 0.
        batch_size: expected number of records in a batch; the sum of gradients is divided by it.
        epochs: passes over the training set, counted in steps of floor(n / batch_size).
        sampling: `poisson` (every record joins a batch independently) or `shuffle` (each epoch cuts a
            permutation into batches of exactly `batch_size`; the rest of the permutation is left out).
        sampling_without_privacy: `sampling` of the models without privacy of the arm; None where it is the same, and
            in the recipe of one model.
        clip_norm: bound C on the Euclidean norm of one record's gradient.
        l2: coefficient c of the penalty c * |w|^2 / 2, added to the gradient after noise. It touches
            no record, so it costs no privacy.
        momentum: of `sgd`.
        betas: of `adam`.
        adam_epsilon: added to the root of the second moment.
        decay: of the learning rate, see `pace`.
        clip_all: clip the gradients of models without privacy, too; else those of private models only.
        grad_sample_mode: of the engine `opacus` (see there): `hooks`, `ghost` or `auto`.
        precision: of the engines `plain` and `lightning`, as Lightning's `Trainer` takes it: `32-true` or `bf16-mixed`.
    """

    optimiser: str
    learning_rate: float
    batch_size: int
    epochs: int
    sampling: str = "poisson"
    sampling_without_privacy: str | None = None
    clip_norm: float = 1.0
    l2: float = 0.0
    momentum: float = 0.0
    betas: tuple[float, float] = (0.9, 0.999)
    adam_epsilon: float = 1e-8
    decay: float = 0.0
    clip_all: bool = False
    grad_sample_mode: str = "auto"
    precision: Literal["32-true", "bf16-mixed"] = "32-true"

    def of(self, private: bool) -> Recipe:
        """Return the recipe of one model with or without privacy, whose batches are all sampled by `sampling`."""
        sampling = self.sampling if private else self.sampling_without_privacy or self.sampling
        return replace(self, sampling=sampling, sampling_without_privacy=None)

    def clips(self, private: bool) -> bool:
        """Return whether the gradients of single records are clipped in a model with or without privacy."""
        return private or self.clip_all

    def steps(self, records: int) -> int:
        """Return the number of optimiser steps for a training set of `records` records.

        Raises:
            TrainingError: the batch is larger than the training set.
        """
        if records < self.batch_size:
            problem = f"{self.batch_size} is larger than a training set of {records} records"
            raise TrainingError("training.batch_size", problem, f"Take {records} or less, or more members")
        return optimiser_steps(self.batch_size, records, self.epochs)

    def rate(self, records: int) -> float:
        """Return q, the probability that a record is in a batch (see `dpmia.privacy.sampling`)."""
        return sampling_rate(self.batch_size, records)

    def pace(self, done: int) -> float:
        """Return the share of the learning rate with which a step is taken after `done` others: 1 / (1 + decay * done).

        Source: the `decay` of early Keras, used in Yeom et al. 2018, VI-A.
        """
        return 1 / (1 + self.decay * done)
