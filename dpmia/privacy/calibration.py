"""Noise for a privacy guarantee: calibrated once for each way to sample batches."""

from __future__ import annotations

import math
from typing import Protocol

from dpmia.privacy.record import Accounting


class Sampling(Protocol):
    """How batches are sampled and gradients clipped (see `dpmia.training.recipe.Recipe`)."""

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


class NoiseCalibration:
    """Finds the noise that (epsilon, delta) needs, once for each way to sample batches."""

    def __init__(self, relation: str, delta: float, accountant: str) -> None:
        """Calibrate by `relation`, `delta` and `accountant` (see `dpmia.privacy.accounting.Mechanism`)."""
        self.relation = relation
        self.delta = delta
        self.accountant = accountant
        self._calibrated: dict[tuple[float | int | str, ...], Accounting] = {}

    def accounting(self, epsilon: float, sampling: Sampling, records: int) -> Accounting | None:
        """Return the accounting of a training set of `records`, noise multiplier included; None without privacy.

        Raises:
            TrainingError: no noise suffices for epsilon.
        """
        if math.isinf(epsilon):
            return None
        rate, steps = sampling.rate(records), sampling.steps(records)
        key = (epsilon, sampling.clip_norm, sampling.sampling, rate, steps, sampling.epochs)
        if key not in self._calibrated:
            # Here, because it takes longer to import than many a model without privacy takes to train.
            from dpmia.privacy.accounting import Mechanism

            mechanism = Mechanism(
                sampler=sampling.sampling,
                rate=rate,
                steps=steps,
                epochs=sampling.epochs,
                relation=self.relation,
                delta=self.delta,
                accountant=self.accountant,
            )
            self._calibrated[key] = mechanism.record(epsilon, mechanism.noise_multiplier(epsilon), sampling.clip_norm)
        return self._calibrated[key]
