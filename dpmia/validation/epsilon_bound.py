"""Lower confidence bounds on the epsilon of a mechanism, from the scores of an attack on its outcomes.

An (epsilon, delta) guarantee bounds every test that separates two neighbouring training sets:
TPR <= e^epsilon FPR + delta. Measured rates turn that round: epsilon >= ln((TPR - delta) / FPR), with rates
replaced by their confidence limits (Jagielski et al. 2020). That bound assumes nothing, and n models cannot carry
it beyond about ln n. Where the mechanism is known up to its noise, its whole trade-off between TPR and FPR is, and
a test anywhere on that curve bounds epsilon (Nasr et al. 2023): the second bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpmia.metrics.intervals import clopper_pearson
from dpmia.privacy.accounting import Mechanism
from dpmia.privacy.upper_bounds import tpr_ceiling, trade_off

#: Thresholds tried on each tail of each kind: ranks in geometric order, so that rare scores count as well. The best of
#: many is the luckiest rather than the best: 200 gave bounds that were lower and varied more.
RANKS = 40
#: Noise multipliers considered: from almost none to more than any guarantee needs.
NOISE_RANGE = (0.1, 1e3)


@dataclass(frozen=True)
class ErrorRates:
    """What a test was measured to do on models that had no part in its choice.

    Attributes:
        threshold: the test decides "with" where the score is at least this; mirrored: "without" where at most this.
        mirrored: which of the two. Then "positive" means "without" in all rates.
        tpr_low: lower confidence limit of the rate of true positives.
        fpr_high: upper confidence limit of the rate of false positives.
        confidence: that both limits hold together.
    """

    threshold: float
    mirrored: bool
    tpr_low: float
    fpr_high: float
    confidence: float


@dataclass(frozen=True)
class Bound:
    """With `rates.confidence`, the mechanism's epsilon at `delta` is at least `epsilon` (>= 0)."""

    epsilon: float
    delta: float
    rates: ErrorRates


def epsilon_lower_bound(
    scores_with: np.ndarray, scores_without: np.ndarray, delta: float, confidence: float = 0.99
) -> Bound:
    """Bound epsilon from below, whatever the mechanism is.

    Args:
        scores_with: one finite number for each model trained with the record, independent of one another.
        scores_without: the same for models trained without it.
        delta: of (epsilon, delta), in [0, 1).
        confidence: that the bound holds, in (0, 1).

    Returns:
        The bound of the test with the largest bound on every other model, measured on the rest.

    Raises:
        ValueError: a score is not finite, there are fewer than two of a kind, or a number is out of its range.

    Source: Jagielski et al. 2020; limits by Clopper and Pearson 1934.
    """
    if not 0 <= delta < 1:
        raise ValueError(f"delta is {delta}, expected 0 <= delta < 1")

    def lower_bound(tpr_low: ArrayLike, fpr_high: ArrayLike) -> np.ndarray:
        return np.maximum(np.subtract(tpr_low, delta), 0) / fpr_high

    rates = measured_rates(scores_with, scores_without, confidence, lower_bound)
    ratio = float(lower_bound(rates.tpr_low, rates.fpr_high))
    return Bound(math.log(max(ratio, 1.0)), delta, rates)


def mechanism_epsilon_lower_bound(
    scores_with: np.ndarray,
    scores_without: np.ndarray,
    mechanism: Mechanism,
    claimed_noise: float,
    confidence: float = 0.99,
) -> Bound:
    """Bound epsilon from below for a mechanism that is known but for its noise multiplier.

    All noise multipliers are refuted whose trade-off curve lies below the measured rates; the largest that is left
    gives epsilon at the mechanism's delta. As a test of a claim it needs no assumption: the bound exceeds the
    claimed epsilon exactly if the rates are impossible under the claimed mechanism.

    Args:
        scores_with: as in `epsilon_lower_bound`.
        scores_without: as in `epsilon_lower_bound`.
        mechanism: sampler, rate, steps, neighbouring relation and delta.
        claimed_noise: the noise multiplier as claimed. It only says which test is worth most: the bound holds for any.
        confidence: that the bound holds, in (0, 1).

    Raises:
        ValueError: as in `epsilon_lower_bound`.

    Source: Nasr et al. 2023, there for Gaussian trade-off curves; here for that of any privacy loss distribution.
    """

    def excess(tpr_low: np.ndarray, fpr_high: np.ndarray) -> np.ndarray:
        # How far the limits get from the claimed trade-off curve to that of a little less noise.
        claimed, weaker = (largest_tpr(mechanism, noise, fpr_high) for noise in (claimed_noise, 0.8 * claimed_noise))
        return (tpr_low - claimed) / np.maximum(weaker - claimed, 1e-9)

    rates = measured_rates(scores_with, scores_without, confidence, excess)
    noise = _largest_noise(rates, mechanism)
    if noise is None:
        return Bound(0.0, mechanism.delta, rates)
    claimed = mechanism.epsilon(claimed_noise)  # losses are counted as finely as for that
    return Bound(mechanism.epsilon(noise, near=claimed), mechanism.delta, rates)


def measured_rates(
    scores_with: np.ndarray,
    scores_without: np.ndarray,
    confidence: float,
    value: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> ErrorRates:
    """Choose a test on every other model of each kind and measure it on the rest.

    Direction and threshold are both chosen on models that are not measured, so neither needs a correction for the
    choice; each of the two limits gets half of the error.

    Args:
        scores_with: as in `epsilon_lower_bound`.
        scores_without: as in `epsilon_lower_bound`.
        confidence: that both limits hold together.
        value: what to maximise, of arrays of lower limits of TPR and upper limits of FPR.

    Raises:
        ValueError: as in `epsilon_lower_bound`.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, expected 0 < confidence < 1")
    kinds = [np.asarray(scores, dtype=np.float64) for scores in (scores_with, scores_without)]
    for scores in kinds:
        if scores.ndim != 1 or len(scores) < 2 or not np.isfinite(scores).all():
            raise ValueError(f"expected two or more finite scores of each kind, got an array of shape {scores.shape}")
    error = (1 - confidence) / 2

    tests = []
    for mirrored in (False, True):
        positive, negative = (-kinds[1], -kinds[0]) if mirrored else kinds
        choosing = np.sort(positive[::2]), np.sort(negative[::2])
        thresholds = np.unique(np.concatenate([_tail_values(half) for half in choosing]))
        worth = value(*_limits(*choosing, thresholds, error))
        top = int(np.argmax(worth))
        tests.append((worth[top], thresholds[top], mirrored, positive[1::2], negative[1::2]))

    _, threshold, mirrored, positive, negative = max(tests, key=lambda test: test[0])  # the first of equal ones
    tpr_low, fpr_high = _limits(np.sort(positive), np.sort(negative), np.array([threshold]), error)
    sign = -1 if mirrored else 1
    return ErrorRates(sign * float(threshold), mirrored, float(tpr_low[0]), float(fpr_high[0]), confidence)


def _tail_values(ordered: np.ndarray) -> np.ndarray:
    """Return sorted scores at geometrically spaced ranks from either end."""
    ranks = np.unique(np.geomspace(1, len(ordered), RANKS).astype(np.int64)) - 1
    return np.concatenate([ordered[ranks], ordered[::-1][ranks]])


def _limits(
    positive: np.ndarray, negative: np.ndarray, thresholds: np.ndarray, error: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower limit of TPR and the upper limit of FPR at each threshold, each wrong with `error` at most."""
    hits, false = (len(scores) - np.searchsorted(scores, thresholds) for scores in (positive, negative))
    return clopper_pearson(hits, len(positive), 2 * error)[0], clopper_pearson(false, len(negative), 2 * error)[1]


def _largest_noise(rates: ErrorRates, mechanism: Mechanism) -> float | None:
    """Return the largest noise multiplier that the rates do not refute, rounded up; None if none is refuted."""

    def refuted(noise: float) -> bool:
        return rates.tpr_low > largest_tpr(mechanism, noise, np.array([rates.fpr_high]))[0]

    least, high = NOISE_RANGE
    if not refuted(high):
        return None
    # Downwards by factors of ten, then between two of them: the weaker the noise, the more the accountant has to do.
    while refuted(low := high / 10):
        high = low
        if high <= least:
            return high
    while high > low * 1.003:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if refuted(middle) else (middle, high)
    return high


def largest_tpr(mechanism: Mechanism, noise_multiplier: float, fpr: np.ndarray) -> np.ndarray:
    """Return an upper bound on the TPR of any test with these FPRs on outcomes of the mechanism.

    Args:
        mechanism: sampler, rate, steps, neighbouring relation.
        noise_multiplier: sigma, in units of the clip norm.
        fpr: float64 (tests,), in (0, 1].

    Returns:
        float64 (tests,): the trade-off curve, from above.
    """
    curve = trade_off(
        sampler=mechanism.sampler,
        rate=mechanism.rate,
        steps=mechanism.steps,
        epochs=mechanism.epochs,
        noise_multiplier=noise_multiplier,
        relation=mechanism.relation,
    )
    # Of a test whose positives are the models with the record, and of one whose positives are those without.
    return np.maximum(tpr_ceiling(curve, fpr), np.interp(fpr, 1 - curve.tpr[::-1], 1 - curve.fpr[::-1]))
