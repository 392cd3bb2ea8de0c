"""Epsilon by privacy loss distributions: how finely losses are counted, and how those of many steps are composed.

Losses are rounded up to whole buckets, so an epsilon is an upper bound with buckets of any width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from dp_accounting import NeighboringRelation
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution, from_gaussian_mechanism, identity
from scipy.stats import norm

RELATIONS = {
    "add_remove": NeighboringRelation.ADD_OR_REMOVE_ONE,
    "replace_one": NeighboringRelation.REPLACE_ONE,
}

#: More buckets for the loss of one step, or of all, take seconds and gigabytes.
MOST_BUCKETS_OF_ONE, MOST_BUCKETS_OF_ALL = 50_000, 1_000_000
#: In narrower buckets, masses are lost among rounding errors.
NARROWEST_BUCKET = 1e-7
#: The exponential of a wider bucket is no float.
WIDEST_BUCKET = 700.0
#: The loss of more steps than these is a dense distribution, whatever that of one.
MOST_SPARSE_STEPS = 1000


@dataclass(frozen=True)
class GaussianSteps:
    """Steps that each release a sum of clipped gradients with Gaussian noise.

    Attributes:
        rate: probability that a record is in a batch; the batches are independent.
        steps: number of steps.
        noise_multiplier: sigma, > 0, in units of the clip norm.
        relation: `add_remove` or `replace_one`.
    """

    rate: float
    steps: int
    noise_multiplier: float
    relation: str

    def epsilon(self, delta: float, near: float) -> float:
        """Return an upper bound on epsilon at `delta`.

        Finer buckets would give 2 % less at most, at rates of 1e-4 and more and epsilons above 2e-4; 35 % less at a
        rate of 1e-5, and half at 1e-7, where noise multipliers are below 1.

        Args:
            delta: of (epsilon, delta).
            near: roughly the epsilon to expect; sets how fine the buckets are.
        """
        if self.rate == 1 and self.steps > 1:  # they are one step with less noise
            whole = replace(self, steps=1, noise_multiplier=self.noise_multiplier / math.sqrt(self.steps))
            return whole.epsilon(delta, near)
        width = self._width(near)
        if width > WIDEST_BUCKET:  # so little noise that sampling is neglected: the loss is Gaussian
            shift = self.shift * math.sqrt(self.steps)
            return shift * (shift / 2 + float(norm.isf(delta)))
        with np.errstate(over="ignore"):  # privacy losses above 709 leave the range of exp; they stay upper bounds
            losses = self._losses(width)
            epsilon = losses.get_epsilon_for_delta(delta)
            # Next to 709 the quotient of two masses overflows, though the loss has hardly any mass at infinity.
            return _epsilon_by_tail(losses, delta) if math.isinf(epsilon) else epsilon

    def _losses(self, width: float) -> PrivacyLossDistribution:
        one = from_gaussian_mechanism(
            self.noise_multiplier,
            value_discretization_interval=width,
            sampling_prob=self.rate,
            neighboring_relation=RELATIONS[self.relation],
        )
        if self.steps > MOST_SPARSE_STEPS:
            one = _dense(one)
        return identity(width).compose(one.self_compose(self.steps))

    def narrowest(self) -> float:
        """Return the width of buckets below which composing takes seconds and gigabytes, or rounding errors count."""
        scatter, extent = self._one_step()
        # Composing takes as many buckets as eight deviations to each side fill, or a crude bound on that.
        whole = max(16 * scatter * math.sqrt(self.steps), self.steps * scatter**2 / extent / 2)
        return max(whole / MOST_BUCKETS_OF_ALL, NARROWEST_BUCKET)

    def _width(self, near: float) -> float:
        """Return the width of a bucket: about 1 % of epsilon lost at most, a second spent."""
        scatter, extent = self._one_step()
        for_epsilon = min(max(min(near / 2000, 1e-3), near / 1e4), 1e-2)
        # Rounding adds to the variance of each step. Where the losses of one step are far apart, rare ones count.
        for_many_steps = max(scatter / 4, extent / MOST_BUCKETS_OF_ONE)
        return max(min(for_epsilon, for_many_steps), extent / MOST_BUCKETS_OF_ONE, self.narrowest())

    def _one_step(self) -> tuple[float, float]:
        """Return about the standard deviation of the loss of one step, and how far losses that count are apart."""
        if self.rate == 1:
            return self.shift, self.shift * (self.shift / 4 + 5)  # half of it: without sampling, a bucket is cheap
        one, rate = 1 / self.noise_multiplier, self.rate
        drawn = one * (one / 2 + 10)  # the loss where the batch is known to hold the record
        largest = drawn if drawn > 700 else math.log1p(rate * math.expm1(drawn))
        extent = largest - math.log1p(rate * math.expm1(-drawn))
        # The root of the chi-square divergence, or the deviation of a mixture of no loss and of that of a drawn record.
        scatter = min(
            rate * math.sqrt(math.expm1(min(one**2, 500.0))),
            math.sqrt(rate) * one * math.sqrt(1 + (1 - rate) * one**2 / 4),
        )
        return scatter * self.shift / one, extent

    @property
    def shift(self) -> float:
        """How far a record moves the sum, in standard deviations of the noise."""
        return (2.0 if self.relation == "replace_one" else 1.0) / self.noise_multiplier


def _epsilon_by_tail(losses: PrivacyLossDistribution, delta: float) -> float:
    """Return the smallest loss that is exceeded with probability `delta` at most: an upper bound on epsilon."""
    epsilon = 0.0
    for mass in (losses._pmf_remove.to_dense_pmf(), losses._pmf_add.to_dense_pmf()):
        if mass._infinity_mass > delta:
            return math.inf
        above = mass._infinity_mass + np.cumsum(mass._probs[::-1])  # from the largest loss down
        exceeded = np.append(np.flatnonzero(above > delta), len(above))[0]
        epsilon = max(epsilon, (mass._lower_loss + len(above) - 1 - exceeded) * mass._discretization)
    return float(epsilon)


def _dense(losses: PrivacyLossDistribution) -> PrivacyLossDistribution:
    """Return the same distribution, dense.

    Composing does that too, but first raises the number of losses to the power of the steps: half a second for 10^6.
    """
    remove, add = losses._pmf_remove.to_dense_pmf(), losses._pmf_add.to_dense_pmf()
    return PrivacyLossDistribution(remove, None if losses._symmetric else add)
