"""Noise for a privacy guarantee of each way to sample batches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from dpmia.privacy.record import Accounting


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
    """Finds the noise that (epsilon, delta) needs. For attributes see `dpmia.privacy.accounting.Mechanism`."""

    relation: str
    delta: float
    accountant: str

    def accounting(self, epsilon: float, sampling: Sampling, records: int) -> Accounting | None:
        """Return the accounting of a training set of `records`, noise multiplier included; None without privacy.

        Raises:
            TrainingError: no noise suffices for epsilon.
        """
        if math.isinf(epsilon):
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


def spent(accounting: Accounting, steps: int) -> float:
    """Return the epsilon of the first `steps` steps of a training.

    Under `shuffle` a begun epoch counts as a whole one.
    """
    from dpmia.privacy.accounting import Mechanism  # here, as above

    facts = {field: getattr(accounting, field) for field in ("sampler", "rate", "relation", "delta", "accountant")}
    mechanism = Mechanism(**facts, steps=steps, epochs=math.ceil(accounting.epochs * steps / accounting.steps))
    return mechanism.epsilon(accounting.noise_multiplier, near=accounting.epsilon)
