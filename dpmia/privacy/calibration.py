"""Noise for a privacy guarantee of each way to sample batches."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Protocol

from dpmia.common.epsilon import spell_epsilon
from dpmia.common.errors import TrainingError
from dpmia.common.plain import PlainData
from dpmia.privacy.record import STATED, Accounting, Stated

#: What an accountant finds, divided by the epsilon that the user states for a mechanism: accountants differ.
LARGEST_RATIO = 1.01


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
class NoiseCalibration(PlainData):
    """Finds the noise that (epsilon, delta) needs.

    Attributes:
        relation: see `dpmia.privacy.accounting.Mechanism`.
        delta: see `Mechanism`.
        accountant: see `Mechanism`; with `STATED`, no noise is added here, and the guarantee is what the user states.
        mechanisms: spelled epsilon -> what the user also states of the mechanism: `noise_multiplier`,
            `sampling_rate`, `steps`, `clip_norm`.
    """

    relation: str
    delta: float
    accountant: str
    mechanisms: dict[str, dict[str, float]] = field(default_factory=dict)

    def accounting(self, epsilon: float, sampling: Sampling, records: int) -> Accounting | None:
        """Return the accounting of a training set of `records`, noise multiplier included.

        Returns:
            None without privacy, and where the mechanism is not known.

        Raises:
            TrainingError: no noise suffices for epsilon; or a mechanism that the user states does not keep it.
        """
        if math.isinf(epsilon):
            return None
        if self.accountant == STATED:
            return self._of_stated_mechanism(epsilon)
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

    def _of_stated_mechanism(self, epsilon: float) -> Accounting | None:
        spelled = spell_epsilon(epsilon)
        if spelled not in self.mechanisms:
            return None
        from dpmia.privacy.accounting import Mechanism

        stated = self.mechanisms[spelled]
        rate, steps, noise = stated["sampling_rate"], int(stated["steps"]), stated["noise_multiplier"]
        epochs = max(1, math.ceil(rate * steps))
        mechanism = Mechanism("poisson", rate, steps, epochs, self.relation, self.delta, "pld")
        actual = mechanism.epsilon(noise, near=epsilon)
        if actual > epsilon * LARGEST_RATIO:
            problem = (
                f"this mechanism has epsilon {actual:.4g} at delta {self.delta:g} under {self.relation}, not {spelled}"
            )
            raise TrainingError(f"privacy.mechanisms.{spelled}", problem, "Correct the mechanism, or state its epsilon")
        return replace(mechanism.record(epsilon, noise, stated["clip_norm"]), accountant=STATED, proved=False)


def spent(accounting: Accounting, steps: int) -> float:
    """Return the epsilon of the first `steps` steps of a training.

    Under `shuffle` a begun epoch counts as a whole one.
    """
    from dpmia.privacy.accounting import Mechanism  # here, as above

    kept = {field: getattr(accounting, field) for field in ("sampler", "rate", "relation", "delta", "accountant")}
    mechanism = Mechanism(**kept, steps=steps, epochs=math.ceil(accounting.epochs * steps / accounting.steps))
    return mechanism.epsilon(accounting.noise_multiplier, near=accounting.epsilon)
