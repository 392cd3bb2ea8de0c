"""Noise for a privacy guarantee of each way to sample batches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from dpmia.privacy.record import STATED, Accounting, Stated


class Sampling(Protocol):
    """How batches are sampled and gradients clipped (see `dpmia.formats.recipe.Recipe`)."""

    @property
    def sampling(self) -> str:
        """`poisson` or `shuffle`."""

    @property
    def epochs(self) -> int:
        """Passes over the training set."""

    @property
    def clip_norm(self) -> float:
        """Bound C on the gradient of one record."""

    def rate(self, records: int) -> float:
        """Return the probability that a record is in a batch."""

    def steps(self, records: int) -> int:
        """Return the number of optimiser steps."""


@dataclass(frozen=True)
class NoiseCalibration:
    """Finds the noise that (epsilon, delta) needs. For attributes see `dpmia.privacy.accounting.Mechanism`.

    With `STATED` in the place of an accountant no noise is added here, and the guarantee is what the user states.
    """

    relation: str
    delta: float
    accountant: str

    def accounting(self, epsilon: float, sampling: Sampling, records: int) -> Accounting | None:
        """Return the accounting of a training set of `records`, noise multiplier included; None without noise of ours.

        Raises:
            TrainingError: no noise suffices for epsilon.
        """
        if math.isinf(epsilon) or self.accountant == STATED:
            return None
        # Here, because it takes longer to import than many a model without privacy takes to train.
        from dpmia.privacy.accounting import Mechanism

        mechanism = Mechanism(
            sampler=sampling.sampling,
            rate=sampling.rate(records),
            steps=sampling.steps(records),
            epochs=sampling.epochs,
            relation=self.relation,
            delta=self.delta,
            accountant=self.accountant,
        )
        return mechanism.record(epsilon, mechanism.noise_multiplier(epsilon), sampling.clip_norm)

    def stated(self, epsilon: float) -> Stated | None:
        """Return the guarantee that the user states; None where there is no such statement."""
        if math.isinf(epsilon) or self.accountant != STATED:
            return None
        return Stated(epsilon, self.delta, self.relation)
