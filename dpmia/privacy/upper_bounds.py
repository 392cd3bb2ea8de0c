"""What no attack on a privately trained model can exceed: the trade-off curve of its mechanism, from above.

An (epsilon, delta) guarantee keeps two numbers of a mechanism. The mechanism itself, noise on sums of clipped gradients
over sampled batches, is known exactly, and with it the largest true positive rate at every false positive rate of any
test that separates "the record was in" from "it was not", even one that sees every step of the training. Advantage, AUC
and precision of all attacks follow, several times below the formulas for (epsilon, delta).

A test compares two training sets. Under `add_remove` the second lacks the record, under `replace_one` it holds another
in its place; an experiment that draws as many records with the record as without it compares the latter, whatever
relation the noise was calibrated for. The two directions of a comparison (is "in" mistaken for "out", or "out" for
"in") differ where batches are sampled; each bounds its own end of the curve, and neither is taken for the other.

The dominating pair of one Poisson-sampled step: let N_u be Gaussian noise around u, in units of the clip norm. Given
the other records of the batch and all earlier steps, replace-one compares P = (1 - q) N_0 + q N_u with Q = (1 - q)
N_0 + q N_v, where u and v are the clipped gradients of the two records. For epsilon >= 0, P(A) - e^epsilon Q(A) is q
N_u(A) less positive multiples of N_0(A) and N_v(A). Of all sets A with the same N_u(A) a half-space makes either of
them smallest (lemma of Neyman and Pearson), and the smaller, the farther 0 and v lie from u: at most 1 and 2. On a
line with u = 1 and v = -1 one half-line attains both, so this pair dominates all others. For epsilon < 0, P and Q
change places. For add-or-remove the same holds with N_0 alone on one side. Dominating pairs compose under adaptive
composition (Zhu et al. 2022, theorem 10).

Sources: Dong et al. 2022 (trade-off curves); Doroshenko et al. 2022 (discretisation from above); Zhu et al. 2022
(dominating pairs: definition 7, theorem 10).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from dp_accounting.pld.pld_pmf import DensePLDPmf, PLDPmf, create_pmf_pessimistic_connect_dots_fixed_gap
from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType, GaussianPrivacyLoss
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr

from dpmia.common.arguments import require
from dpmia.privacy.loss_distribution import MOST_SPARSE_STEPS, GaussianSteps
from dpmia.privacy.record import Accounting

#: Width of a privacy loss bucket: this part of the standard deviation of one step's loss, and at most the second
#: number. Ceilings of many steps come out about one part in a thousand too high; at sampling rates of 1e-4 or with
#: noise that leaves hardly any loss, some per cent.
BUCKETS_PER_DEVIATION = 16
WIDEST_BUCKET = 0.01
#: Finer buckets than this number for one step cost time, and rounding errors of their masses add up over the steps.
MOST_BUCKETS = 20_000
#: Where buckets must be wider than this, there is so little noise that sampling is neglected.
WIDEST_LOSS = 100.0
#: Where the masses of one step miss a sum of one, to the power of the steps, by more than this, they are scaled to it.
ROUNDING = 1e-6
#: Lines above the curve are drawn for slopes from e^-40 to e^40: beyond, rates are below 1e-17.
STEEPEST = 40.0
#: Lines of each direction, at most.
LINES = 4000


@dataclass(frozen=True)
class TradeOff:
    """The largest true positive rate at each false positive rate: a polygon that no test gets above.

    Attributes:
        fpr: float64 (vertices,), rising from 0 to 1.
        tpr: float64 (vertices,), at most 1; concave.
    """

    fpr: np.ndarray
    tpr: np.ndarray

    def __post_init__(self) -> None:
        """Protect the vertices: callers share a curve."""
        self.fpr.flags.writeable = self.tpr.flags.writeable = False


def trade_off(
    *, sampler: str, rate: float, steps: int, epochs: int, noise_multiplier: float, relation: str
) -> TradeOff:
    """Return the trade-off curve of DP-SGD (or DP-Adam) from above.

    Args:
        sampler: `poisson`; `full`: every record in every batch; `shuffle`: every record in at most one batch of an
            epoch, in a place that the attacker is taken to know.
        rate: q, probability that a record is in a batch, in (0, 1]; counts for `poisson` only.
        steps: number of optimiser steps, >= 1; counts for `poisson` and `full`.
        epochs: passes over the data, >= 1; counts for `shuffle` only.
        noise_multiplier: sigma, > 0, in units of the clip norm.
        relation: `add_remove` or `replace_one`: what the test compares (see above).

    Raises:
        ValueError: an argument is out of its range, or `shuffle` comes with `add_remove`, for which nothing is proved.
    """
    require(sampler in ("poisson", "full", "shuffle"), "sampler 'poisson', 'full' or 'shuffle'", sampler)
    require(relation in ("add_remove", "replace_one"), "relation 'add_remove' or 'replace_one'", relation)
    require(0 < rate <= 1, "a rate in (0, 1]", rate)
    require(0 < noise_multiplier < math.inf, "a finite noise multiplier above 0", noise_multiplier)
    require(min(steps, epochs) >= 1, "one step and one epoch at least", (steps, epochs))
    require(sampler != "shuffle" or relation == "replace_one", "'replace_one' with 'shuffle'", relation)
    if sampler == "shuffle" or sampler == "full" or rate == 1:
        releases = epochs if sampler == "shuffle" else steps
        return gaussian_trade_off(GaussianSteps(1.0, releases, noise_multiplier, relation).shift * math.sqrt(releases))
    return _poisson_trade_off(float(rate), int(steps), float(noise_multiplier), relation)


def trade_off_of(accounting: Accounting, relation: str) -> TradeOff:
    """Return the trade-off curve of a model from the accounting that is stored beside it.

    Args:
        accounting: of the model.
        relation: what the test compares: `replace_one` where the training set has a fixed size, `add_remove` where
            each record joins on its own. It need not be the relation of the accounting.
    """
    return trade_off(
        sampler=accounting.sampler,
        rate=accounting.rate,
        steps=accounting.steps,
        epochs=accounting.epochs,
        noise_multiplier=accounting.noise_multiplier,
        relation=relation,
    )


def gaussian_trade_off(distance: float) -> TradeOff:
    """Return the trade-off curve of N(0, 1) against N(`distance`, 1), by tangents.

    Source: Balle and Wang 2018, theorem 8; Dong et al. 2022, definition 2.6.
    """
    epsilons = np.linspace(0, min(STEEPEST, distance * (distance / 2 + 9)), LINES)
    upper, lower = distance / 2 - epsilons / distance, -distance / 2 - epsilons / distance
    deltas = np.maximum(ndtr(upper) - np.exp(epsilons + log_ndtr(lower)), 0)
    return _below_lines(epsilons, deltas, epsilons, deltas)


def advantage_ceiling(curve: TradeOff) -> float:
    """Return the largest TPR - FPR of any test: the total variation distance of the two outcomes."""
    return float((curve.tpr - curve.fpr).max())


def auc_ceiling(curve: TradeOff) -> float:
    """Return the largest area under the ROC of any score: that below the curve."""
    return float((np.diff(curve.fpr) * (curve.tpr[1:] + curve.tpr[:-1])).sum() / 2)


def tpr_ceiling(curve: TradeOff, fpr: ArrayLike) -> np.ndarray:
    """Return the largest TPR of any test at each of the given FPRs, in [0, 1]."""
    return np.interp(np.asarray(fpr, dtype=float), curve.fpr, curve.tpr)


def precision_ceiling(curve: TradeOff, prior: ArrayLike, acceptance: ArrayLike) -> np.ndarray:
    """Return the largest probability that a record which a test predicts a member was one.

    Tests that hardly ever predict "member" can be nearly sure: so how often they do so is part of the question, as in
    `dpmia.theory.precision_bounds`.

    Args:
        curve: of the mechanism, under `add_remove` where each record joins on its own.
        prior: probability that the record is in the training set, in (0, 1).
        acceptance: least TPR of the tests that count, in (0, 1].

    Raises:
        ValueError: an argument is out of its range.
    """
    prior, acceptance = np.asarray(prior, dtype=float), np.asarray(acceptance, dtype=float)
    require(((prior > 0) & (prior < 1)).all(), "a prior in (0, 1)", prior)
    require(((acceptance > 0) & (acceptance <= 1)).all(), "an acceptance in (0, 1]", acceptance)
    # The curve is concave, so TPR / FPR falls along it: of the tests that count the rarest is the surest.
    top = int(np.argmax(curve.tpr)) + 1
    least_fpr = np.interp(acceptance, curve.tpr[:top], curve.fpr[:top])
    return 1 / (1 + (1 - prior) / prior * least_fpr / acceptance)


@lru_cache(maxsize=256)
def _poisson_trade_off(rate: float, steps: int, sigma: float, relation: str) -> TradeOff:
    run = GaussianSteps(rate, steps, sigma, relation)
    least = run.narrowest()
    if least > WIDEST_LOSS:
        return gaussian_trade_off(run.shift * math.sqrt(steps))
    if relation == "replace_one":
        both = _lines(AdjacencyType.REPLACE, rate, steps, sigma, least)
        return _below_lines(*both, *both)
    remove, add = (_lines(way, rate, steps, sigma, least) for way in (AdjacencyType.REMOVE, AdjacencyType.ADD))
    return _below_lines(*remove, *add)


def _lines(
    adjacency: AdjacencyType, rate: float, steps: int, sigma: float, least: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return epsilons from 0 up and delta at each, of `steps` steps together."""
    width, one = _one_step(adjacency, rate, sigma, least)
    if steps > MOST_SPARSE_STEPS:
        one = _dense(one, steps)
    whole = one.self_compose(steps)
    count = min(whole.size, math.ceil(STEEPEST / width))
    stride = math.ceil(count / LINES)
    epsilons = np.arange(0, count + stride, stride) * width
    return epsilons, np.clip(_deltas(whole, epsilons), 0, 1)


@lru_cache(maxsize=64)
def _one_step(adjacency: AdjacencyType, rate: float, sigma: float, least: float) -> tuple[float, PLDPmf]:
    """Return the width of a bucket and the distribution of the privacy loss of one step, from above."""
    loss = GaussianPrivacyLoss(sigma, sampling_prob=rate, adjacency_type=adjacency)
    ends = loss.connect_dots_bounds()
    # The root of the chi-square divergence: what one step adds to the deviation of the whole.
    deviation = rate * math.sqrt(math.expm1(min(1 / sigma**2, 100.0)))
    width = max(
        least,
        min(deviation / BUCKETS_PER_DEVIATION, WIDEST_BUCKET),
        (ends.epsilon_upper - ends.epsilon_lower) / MOST_BUCKETS,
    )
    first, last = math.floor(ends.epsilon_lower / width), math.ceil(ends.epsilon_upper / width)
    return width, create_pmf_pessimistic_connect_dots_fixed_gap(
        width, first, last, loss.get_delta_for_epsilon(np.arange(first, last + 1) * width)
    )


def _dense(losses: PLDPmf, steps: int) -> DensePLDPmf:
    """Return the same distribution, dense: composing does that, too, but raises its size to the power of the steps."""
    dense = losses.to_dense_pmf()
    sum_of_masses = dense._probs.sum() + dense._infinity_mass
    if steps * abs(sum_of_masses - 1) < ROUNDING:
        return dense
    masses = dense._probs * ((1 - dense._infinity_mass) / dense._probs.sum())
    return DensePLDPmf(dense._discretization, dense._lower_loss, masses, dense._infinity_mass, True)


def _deltas(losses: PLDPmf, epsilons: np.ndarray) -> np.ndarray:
    """Return delta at each epsilon: `losses.get_delta_for_epsilon`, whose loop over all losses takes ten times as long.

    Args:
        losses: distribution of a privacy loss.
        epsilons: rising.
    """
    dense = losses.to_dense_pmf()
    values = (np.arange(dense.size) + dense._lower_loss) * dense._discretization
    above = np.searchsorted(values, epsilons, side="right")
    masses, values = dense._probs[above[0] :][::-1], values[above[0] :][::-1]
    # Sums over all losses above an epsilon: of the probability, and of that under the other data set.
    ours = np.cumsum(np.append(dense._infinity_mass, masses))
    others = np.cumsum(np.append(0.0, masses * np.exp(-values)))
    kept = dense.size - above
    return ours[kept] - np.exp(epsilons) * others[kept]


def _below_lines(
    epsilons_in: np.ndarray, deltas_in: np.ndarray, epsilons_out: np.ndarray, deltas_out: np.ndarray
) -> TradeOff:
    """Return the polygon below the lines that (epsilon, delta) of either direction draws above the curve.

    With (epsilon, delta) of "in" against "out", TPR <= delta + e^epsilon FPR; of "out" against "in",
    1 - FPR <= delta + e^epsilon (1 - TPR). Epsilons rise from 0.
    """
    slopes = np.concatenate([np.exp(epsilons_in[::-1]), np.exp(-epsilons_out), [0.0]])
    heights = np.concatenate([deltas_in[::-1], 1 - np.exp(-epsilons_out) * (1 - deltas_out), [1.0]])
    # Both directions give the line of slope 1; the lower one holds.
    middle = len(epsilons_in)
    heights[middle] = min(heights[middle - 1 : middle + 1])
    slopes, heights = np.delete(slopes, middle - 1), np.delete(heights, middle - 1)

    meet = np.clip(np.diff(heights) / -np.diff(slopes), 0, 1)
    # Rounding may put two intersections in the wrong order; then the higher of the two lines is taken.
    fpr = np.maximum.accumulate(meet)
    tpr = np.maximum(heights[:-1] + slopes[:-1] * fpr, heights[1:] + slopes[1:] * fpr)
    fpr, tpr = np.concatenate([[0.0], fpr, [1.0]]), np.concatenate([[heights[0]], tpr, [1.0]])
    return TradeOff(fpr, np.minimum(np.maximum.accumulate(tpr), 1.0))
