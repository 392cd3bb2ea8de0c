"""The privacy guarantee of a training run: the mechanism as data, and the noise that it needs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache

import dp_accounting
import numpy as np
from dp_accounting.rdp.rdp_privacy_accountant import RdpAccountant

from dpmia.common.epsilon import SMALLEST_EPSILON
from dpmia.common.errors import TrainingError
from dpmia.privacy.inversion import smallest_noise
from dpmia.privacy.loss_distribution import RELATIONS, GaussianSteps
from dpmia.privacy.record import Accounting
from dpmia.privacy.valid_combinations import AS_PUBLISHED, VALID_ACCOUNTING

#: Orders of Renyi DP; each gives an upper bound, the best counts. Those that are no whole numbers cost a series of up
#: to a thousand terms each at every evaluation, so there are few. Epsilon is an upper bound all the same, .5 % higher
#: at 12 than with all tenths and 20 % at 100 (rate .02, 1000 steps); at 1000 it is 2.6 times as high: take `pld`.
RENYI_ORDERS = (1.25, 1.5, 1.75, *(order / 5 for order in range(10, 45)), *range(9, 65), 80, 96, 128, 256, 512)


@dataclass(frozen=True)
class Mechanism:
    """Everything that determines (epsilon, delta) of one training run.

    Attributes:
        sampler: `poisson`, or `shuffle`: every record is in at most one batch of an epoch.
        rate: q, probability that a record is in a batch.
        steps: number of optimiser steps.
        epochs: passes over the data.
        relation: `add_remove` or `replace_one`.
        delta: of (epsilon, delta).
        accountant: `pld` (privacy loss distribution), `rdp`, or `rdp_as_published`: what the code of
            Humphries et al. does, which no theorem covers (see `dpmia.privacy.valid_combinations.AS_PUBLISHED`).
    """

    sampler: str
    rate: float
    steps: int
    epochs: int
    relation: str
    delta: float
    accountant: str

    def __post_init__(self) -> None:
        """Refuse a combination that no theorem covers, but for the one that redraws a paper."""
        if self._combination not in (*VALID_ACCOUNTING, AS_PUBLISHED):
            raise ValueError(f"{self._combination} is none of {VALID_ACCOUNTING}")

    @property
    def _combination(self) -> tuple[str, str, str]:
        return self.sampler, self.relation, self.accountant

    @property
    def proved(self) -> bool:
        """Whether a theorem stands behind the epsilon."""
        return self._combination in VALID_ACCOUNTING

    def event(self, noise_multiplier: float) -> dp_accounting.DpEvent:
        """Return the mechanism with sd = `noise_multiplier` * C as an event that Renyi accountants can judge."""
        noise = dp_accounting.GaussianDpEvent(noise_multiplier)
        if self.sampler == "poisson":
            return dp_accounting.SelfComposedDpEvent(dp_accounting.PoissonSampledDpEvent(self.rate, noise), self.steps)
        share = Fraction(self.rate).limit_denominator(10**6)
        drawn = dp_accounting.SampledWithoutReplacementDpEvent(share.denominator, share.numerator, noise)
        return dp_accounting.SelfComposedDpEvent(drawn, self.steps)

    @cache  # noqa: B019 - a mechanism is a few numbers
    def epsilon(self, noise_multiplier: float, near: float = 1.0) -> float:
        """Return the epsilon that `noise_multiplier` gives.

        Args:
            noise_multiplier: sigma, > 0, in units of the clip norm.
            near: roughly the epsilon to expect: see `dpmia.privacy.loss_distribution.GaussianSteps`.
        """
        # Under replace-one the accountants themselves count the doubled sensitivity: sigma stays in units of C.
        if self.accountant == "pld":
            # A replaced record touches one batch of each epoch and no other: no amplification is claimed of shuffling.
            rate, steps = (self.rate, self.steps) if self.sampler == "poisson" else (1.0, self.epochs)
            return GaussianSteps(rate, steps, noise_multiplier, self.relation).epsilon(self.delta, near)
        accountant = RdpAccountant(RENYI_ORDERS if self.accountant == "rdp" else None, RELATIONS[self.relation])
        with np.errstate(over="ignore"):  # moments above e^709
            return accountant.compose(self.event(noise_multiplier)).get_epsilon(self.delta)

    @cache  # noqa: B019 - a mechanism is a few numbers
    def noise_multiplier(self, epsilon: float) -> float:
        """Return the smallest sigma found (`dpmia.privacy.inversion.smallest_noise`) that meets `epsilon`.

        Raises:
            TrainingError: no sigma up to a million keeps it, or the accountant finds no epsilon as small.
        """
        if epsilon < SMALLEST_EPSILON:
            problem = f"no accountant here reaches an epsilon below {SMALLEST_EPSILON:g}"
            raise TrainingError(f"epsilon {epsilon:g}", problem, "Choose a larger one")
        where = f"epsilon {epsilon}, delta {self.delta}, {self.steps} steps at rate {self.rate:.3g}"
        sigma = smallest_noise(lambda sigma: self.epsilon(sigma, near=epsilon), epsilon, self._guess(epsilon), where)
        if self.accountant != "pld" and not self.epsilon(sigma):
            # Renyi DP of the highest order has a least epsilon; from there it jumps to 0, where next to all is noise.
            problem = f"the accountant {self.accountant} finds none as small, but 0 from a noise of {sigma:.3g} on"
            raise TrainingError(where, problem, "Choose a larger epsilon, or the accountant pld")
        return sigma

    def _guess(self, epsilon: float) -> float:
        """Return a sigma to start from: one Gaussian mechanism with the variance of all steps together."""
        shift = (2.0 if self.relation == "replace_one" else 1.0) * self.rate * math.sqrt(self.steps)
        gaussian = math.sqrt(2 * math.log(1 / self.delta) + 2 * epsilon) - math.sqrt(2 * math.log(1 / self.delta))
        return min(max(shift / gaussian, 0.2), 1e5)

    def record(self, epsilon: float, noise_multiplier: float, clip_norm: float) -> Accounting:
        """Return all that a reader needs to check the privacy guarantee."""
        return Accounting(
            **asdict(self),
            epsilon=epsilon,
            noise_multiplier=noise_multiplier,
            clip_norm=clip_norm,
            noise_sd=noise_multiplier * clip_norm,
            proved=self.proved,
        )
