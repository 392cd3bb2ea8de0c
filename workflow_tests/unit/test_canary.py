"""The guarantee, tested by attack: lower bounds on epsilon from tiny models with and without a canary.

A right engine fails one of the audits below with probability OVERALL_ERROR at most, were the seeds drawn anew: each
audit has its share of it (Bonferroni). A fault is missed with probability below 1e-3: in simulated scores of the
faulty mechanisms the bounds lie four or more of their standard deviations above the claim.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
import torch
from scipy.optimize import brentq
from scipy.stats import binom, norm

from dpmia.attacks.canary import (
    CanaryStreams,
    Training,
    audit_scores,
    canary_neighbours,
    canary_projections,
    log_likelihood_ratio,
)
from dpmia.attacks.epsilon_bound import epsilon_lower_bound, largest_tpr, mechanism_epsilon_lower_bound
from dpmia.models.mlp import MLP
from dpmia.training.accounting import Mechanism
from dpmia.training.opacus import OpacusEngine
from dpmia.training.recipe import Recipe
from dpmia.training.stacked import StackedEngine

OVERALL_ERROR = 0.01
#: Chance that a right bound fails one of the tests of bounds on simulated scores.
FALSE_ALARM = 1e-6
DELTA = 1e-5
RECORDS = 8


@pytest.fixture(autouse=True)
def few_batches_ahead(monkeypatch):
    """Draw no more batches ahead than a few steps need: drawing costs more here than training."""
    monkeypatch.setattr("dpmia.training.streams.RECORDS_AHEAD", 64)


@cache
def calibrated(mechanism, epsilon):
    return mechanism.noise_multiplier(epsilon)


# --- Audits -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A training to audit: 8 records, clip norm 1; full batch and one step unless it says otherwise."""

    epsilon: float
    relation: str = "add_remove"
    sampling: str = "poisson"
    batch_size: int = RECORDS
    epochs: int = 1
    hidden: tuple[int, ...] = ()
    delta: float = DELTA

    def mechanism(self, relation=None):
        recipe = self.recipe()
        return Mechanism(
            sampler=self.sampling,
            rate=recipe.rate(RECORDS),
            steps=recipe.steps(RECORDS),
            epochs=self.epochs,
            relation=relation or self.relation,
            delta=self.delta,
            accountant="pld",
        )

    def recipe(self):
        # So slow that the canary's loss hardly changes, and no slower than float32 can tell from the start.
        learning_rate = 1e-3 if self.hidden else 1e-6
        return Recipe("sgd", learning_rate, self.batch_size, self.epochs, sampling=self.sampling)

    def claimed(self, relation=None):
        return Training(self.recipe(), calibrated(self.mechanism(relation), self.epsilon))

    def neighbours(self):
        if self.hidden:
            architecture = MLP(8, self.hidden, 2)
            start, magnitude = architecture.initial_parameters(torch.Generator().manual_seed(1)), 100.0
        else:
            architecture = MLP(4, (), 2)
            start, magnitude = [torch.zeros(2, 4), torch.zeros(2)], 1000.0
        return canary_neighbours(architecture, start, RECORDS - 1, self.relation, 1.0, magnitude, seed=5)

    def audit(self, models, seed, error, fault=None, engine=StackedEngine):
        """Return both lower bounds on epsilon: that of the mechanism's family, and that without assumptions."""
        relation = "add_remove" if fault is WRONG_RELATION else None
        claimed = self.claimed(relation)
        actual = fault(claimed) if fault and fault is not WRONG_RELATION else claimed
        scores = audit_scores(engine, self.neighbours(), claimed, models, seed, actual)
        mechanism = self.mechanism(relation)
        return (
            mechanism_epsilon_lower_bound(*scores, mechanism, claimed.noise_multiplier, 1 - error).epsilon,
            epsilon_lower_bound(*scores, self.delta, 1 - error).epsilon,
        )


FULL_BATCH = Case(4)
POISSON = Case(4, batch_size=4, epochs=4)
REPLACED = Case(4, "replace_one", batch_size=4, epochs=4)
SHUFFLED = Case(4, "replace_one", "shuffle", epochs=2)

RIGHT = [
    replace(FULL_BATCH, epsilon=1),
    FULL_BATCH,
    POISSON,
    replace(POISSON, epsilon=9),
    REPLACED,
    SHUFFLED,
    replace(POISSON, hidden=(4,), epochs=1),
]


def _name(case):
    shape = "-".join(["8", *map(str, case.hidden)]) if case.hidden else "4"
    return f"{case.relation}-{case.sampling}-{case.batch_size}of8-{case.epochs}epochs-{shape}-2-epsilon{case.epsilon}"


@pytest.mark.parametrize("case", RIGHT, ids=_name)
def test_bounds_stay_below_the_claim(case):
    error = OVERALL_ERROR / (2 * (len(RIGHT) + 1))  # two bounds each, and the audit of Opacus
    assert max(case.audit(1000, seed=10**6, error=error)) <= case.epsilon


class Silent(CanaryStreams):
    """Noise is switched off."""

    def noise(self, out):
        out.zero_()


class OneNoise(CanaryStreams):
    """All models have the same noise."""

    def __init__(self, seeds, *args):
        super().__init__(replace(seeds, noise=7), *args)


class EveryBatch(CanaryStreams):
    """Each record joins every batch, at any rate."""

    def batch(self):
        super().batch()
        return np.arange(self.records - self._last_is_empty)


def silent(training):
    return replace(training, streams_type=Silent)


def one_noise(training):
    return replace(training, streams_type=OneNoise)


def every_batch(training):
    return replace(training, streams_type=EveryBatch)


def tenth_of_noise(training):
    return replace(training, noise_multiplier=training.noise_multiplier / 10)


def half_of_noise(training):
    return replace(training, noise_multiplier=training.noise_multiplier / 2)


def no_clipping(training):
    """Clip where no gradient reaches, and add the noise of the claimed clip norm."""
    far = 1e6
    recipe = replace(training.recipe, clip_norm=far)
    return replace(training, recipe=recipe, noise_multiplier=training.noise_multiplier / far)


#: Noise of the add/remove relation for a promise about replacing a record.
WRONG_RELATION = object()

FAULTS = {
    "noise off": (FULL_BATCH, silent),
    "noise off, Poisson": (POISSON, silent),
    "a tenth of the noise": (FULL_BATCH, tenth_of_noise),
    "half of the noise": (REPLACED, half_of_noise),
    "clipping off": (FULL_BATCH, no_clipping),
    "clipping off, Poisson": (POISSON, no_clipping),
    "clipping off, hidden layer": (replace(FULL_BATCH, hidden=(4,)), no_clipping),
    "noise shared by all models": (FULL_BATCH, one_noise),
    "wrong relation": (replace(FULL_BATCH, relation="replace_one"), WRONG_RELATION),
    "wrong relation, Poisson": (REPLACED, WRONG_RELATION),
    "wrong rate": (replace(POISSON, epsilon=9), every_batch),
}


#: Faults that take more models to see: they double the distance between the two kinds of scores, no more.
SUBTLE = {"half of the noise", "wrong relation", "wrong relation, Poisson", "wrong rate"}


@pytest.mark.parametrize("fault", FAULTS)
def test_bound_exceeds_the_claim_of_a_faulty_engine(fault):
    case, change = FAULTS[fault]
    models = 3000 if fault in SUBTLE else 1000
    bound, _ = case.audit(models, seed=2 * 10**6, error=OVERALL_ERROR / len(FAULTS), fault=change)
    assert bound > case.epsilon


@pytest.mark.parametrize("fault", [silent, tenth_of_noise, no_clipping])
def test_gross_faults_show_without_any_assumption(fault):
    _, bound = FULL_BATCH.audit(1000, seed=3 * 10**6, error=OVERALL_ERROR / 3, fault=fault)
    assert bound > FULL_BATCH.epsilon


def test_opacus_engine():
    error = OVERALL_ERROR / (2 * (len(RIGHT) + 1))
    case = replace(POISSON, epochs=1)
    assert max(case.audit(100, seed=4 * 10**6, error=error, engine=OpacusEngine)) <= case.epsilon
    for fault in (silent, no_clipping):
        bound, _ = FULL_BATCH.audit(100, seed=5 * 10**6, error=OVERALL_ERROR, fault=fault, engine=OpacusEngine)
        assert bound > FULL_BATCH.epsilon


# --- The canary -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [POISSON, REPLACED, replace(POISSON, hidden=(4,))], ids=_name)
@pytest.mark.parametrize("with_canary", [True, False])
def test_updates_without_noise_show_when_the_canary_was_there(case, with_canary):
    seeds = range(300)
    training = Training(case.recipe(), 0.0)
    neighbours = case.neighbours()
    found = canary_projections(StackedEngine, neighbours, training, seeds, with_canary)
    steps = case.recipe().steps(RECORDS)
    assert found.shape == (len(seeds), steps)
    there = {(True, case.relation): 1, (False, "replace_one"): -1, (False, "add_remove"): 0}[with_canary, case.relation]
    # Each update holds the whole of the canary, or nothing of it but the little that the others' biases share.
    assert np.minimum(np.abs(found), np.abs(found - there)).max() < 0.1
    if there:
        joined, tosses = int((np.abs(found) > 0.5).sum()), found.size
        low, high = binom.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], tosses, case.recipe().rate(RECORDS))
        assert low <= joined <= high


def test_replacement_has_the_opposite_gradient():
    neighbours = REPLACED.neighbours()
    swapped = replace(neighbours, with_canary=neighbours.without)
    assert torch.equal(swapped.canary_gradient(), -neighbours.canary_gradient())


def test_unsuited_audits_are_refused():
    start = [torch.zeros(2, 4), torch.zeros(2)]
    with pytest.raises(ValueError, match="norm"):
        canary_neighbours(MLP(4, (), 2), start, 7, "add_remove", clip_norm=1.0, magnitude=0.1, seed=1)
    with pytest.raises(ValueError, match="3 outputs"):
        canary_neighbours(MLP(4, (), 3), start, 7, "add_remove", clip_norm=1.0, magnitude=9.0, seed=1)
    with pytest.raises(ValueError, match="'zero_out'"):
        canary_neighbours(MLP(4, (), 2), start, 7, "zero_out", clip_norm=1.0, magnitude=9.0, seed=1)
    for changes in ({"optimiser": "adam"}, {"momentum": 0.9}, {"l2": 0.1}):
        training = Training(replace(POISSON.recipe(), **changes), 1.0)
        with pytest.raises(ValueError, match="sgd without momentum"):
            canary_projections(StackedEngine, POISSON.neighbours(), training, range(2), True)
    with pytest.raises(ValueError, match=r"2\*\*32"):
        canary_projections(StackedEngine, POISSON.neighbours(), POISSON.claimed(), range(2**32 - 1, 2**32 + 1), True)


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_log_likelihood_ratio(relation, rate):
    """Against the densities themselves, written out."""
    sigma, other = 2.0, {"add_remove": 0, "replace_one": -1}[relation]
    seen = np.random.default_rng(3).normal(size=(50, 4)) * 3

    def density(centre):
        return rate * norm.pdf(seen, centre, sigma) + (1 - rate) * norm.pdf(seen, 0, sigma)

    np.testing.assert_allclose(
        log_likelihood_ratio(seen, relation, rate, sigma),
        np.log(density(1) / density(other)).sum(1),
        rtol=1e-9,
        atol=1e-12,
    )


# --- The bounds -------------------------------------------------------------------------------------------------


def gaussian_epsilon(distance, delta):
    """Return epsilon(delta) of N(0, 1) against N(distance, 1), in closed form (Balle and Wang 2018)."""

    def excess(epsilon):
        return (
            norm.cdf(distance / 2 - epsilon / distance)
            - np.exp(epsilon) * norm.cdf(-distance / 2 - epsilon / distance)
            - delta
        )

    return brentq(excess, 0, 50)


def answers(truth, size, rng, epsilon=1.0):
    """Return answers of randomised response: right with odds e^epsilon, so exactly (epsilon, 0)-private."""
    return (rng.random(size) < 1 / (1 + np.exp(-epsilon if truth else epsilon))).astype(float)


def test_bound_covers_the_truth_as_often_as_stated():
    """At 80 %, where a bound that covers too little is soon found out."""
    rng, draws, confidence = np.random.default_rng(1), 800, 0.8
    bounds = [
        epsilon_lower_bound(answers(True, 400, rng), answers(False, 400, rng), 0.0, confidence).epsilon
        for _ in range(draws)
    ]
    assert (np.array(bounds) > 1.0).sum() <= binom.ppf(1 - FALSE_ALARM, draws, 1 - confidence)
    assert np.mean(bounds) > 0.5


def test_measured_limits_hold_where_threshold_and_direction_were_chosen():
    rng, draws, confidence, misses = np.random.default_rng(2), 500, 0.8, 0
    for _ in range(draws):
        rates = epsilon_lower_bound(rng.normal(0.5, 1, 300), rng.normal(0, 1, 300), 0.0, confidence).rates
        tails = [norm.cdf, norm.sf][not rates.mirrored]
        with_rate, without_rate = tails(rates.threshold - 0.5), tails(rates.threshold)
        tpr, fpr = (without_rate, with_rate) if rates.mirrored else (with_rate, without_rate)
        misses += tpr < rates.tpr_low or fpr > rates.fpr_high
    assert misses <= binom.ppf(1 - FALSE_ALARM, draws, 1 - confidence)


def test_same_scores_give_no_epsilon_more_often_than_stated():
    rng, draws, confidence = np.random.default_rng(3), 500, 0.8
    found = [epsilon_lower_bound(*rng.normal(size=(2, 300)), 0.0, confidence).epsilon > 0 for _ in range(draws)]
    assert sum(found) <= binom.ppf(1 - FALSE_ALARM, draws, 1 - confidence)


@pytest.mark.parametrize("scores", [np.zeros(100), np.arange(100.0), np.repeat([0.0, 1.0], 50)], ids=str)
def test_identical_scores_give_zero(scores):
    assert epsilon_lower_bound(scores, scores, 0.0).epsilon == 0
    assert mechanism_epsilon_lower_bound(scores, scores, FULL_BATCH.mechanism(), 1.0).epsilon == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_both_directions_are_tried(sign):
    """Evidence of 1 in 1000 against 1 in 10 that lies on one side only."""
    rng = np.random.default_rng(4)
    rare, frequent = ((rng.random(50_000) < rate).astype(float) for rate in (0.001, 0.1))
    bound = epsilon_lower_bound(frequent, rare, 0.0) if sign > 0 else epsilon_lower_bound(-rare, -frequent, 0.0)
    assert 0.8 * np.log(100) < bound.epsilon < np.log(100)
    assert bound.rates.mirrored == (sign < 0)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.05), (4.0, 0.05)])
def test_bound_without_assumptions_comes_near_the_truth_of_gaussian_scores(epsilon, delta):
    distance = brentq(lambda d: gaussian_epsilon(d, delta) - epsilon, 0.3, 8)
    rng = np.random.default_rng(5)
    bound = epsilon_lower_bound(rng.normal(distance, 1, 200_000), rng.normal(0, 1, 200_000), delta)
    assert 0.85 * epsilon < bound.epsilon < epsilon


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
def test_bound_of_the_mechanism_comes_near_the_truth_of_gaussian_scores(relation):
    """At a delta where the first bound would need thousands of times as many."""
    mechanism, sigma = Case(4, relation).mechanism(), 2.0
    distance = (2 if relation == "replace_one" else 1) / sigma
    rng = np.random.default_rng(6)
    scores = rng.normal(distance, 1, 100_000), rng.normal(0, 1, 100_000)
    truth = gaussian_epsilon(distance, DELTA)
    bound = mechanism_epsilon_lower_bound(*scores, mechanism, sigma)
    assert 0.9 * truth < bound.epsilon < truth
    assert bound.epsilon > epsilon_lower_bound(*scores, DELTA).epsilon
    assert bound.delta == DELTA


@pytest.mark.parametrize("sigma", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("fpr", [1e-4, 0.1, 0.6])
def test_largest_tpr_is_the_trade_off_curve_of_one_gaussian_step(sigma, fpr):
    exact = norm.sf(norm.isf(fpr) - 1 / sigma)
    found = largest_tpr(FULL_BATCH.mechanism(), sigma, np.array([fpr]))[0]
    assert exact <= found <= 1.01 * exact


def test_impossible_questions_are_refused():
    good = np.arange(4.0)
    for bad in (np.array([0.0, np.nan]), np.array([1.0]), np.zeros((2, 2)), np.array([0.0, np.inf])):
        with pytest.raises(ValueError, match="finite scores"):
            epsilon_lower_bound(good, bad, 0.0)
    for delta in (-0.1, 1.0):
        with pytest.raises(ValueError, match="delta"):
            epsilon_lower_bound(good, good, delta)
    for confidence in (0.0, 1.0):
        with pytest.raises(ValueError, match="confidence"):
            epsilon_lower_bound(good, good, 0.0, confidence)
