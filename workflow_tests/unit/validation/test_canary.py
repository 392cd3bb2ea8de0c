"""The guarantee, tested by attack: lower bounds on epsilon from tiny models with and without a canary.

A right engine fails one of the audits below with probability OVERALL_ERROR at most, were the seeds drawn anew: each
audit has its share of it (Bonferroni), and each of its two bounds, by Clopper-Pearson limits, half of that. The long
form in `test_canary_slow` has as much of its own, so all audits together blame a right engine with 2 % at most.
A fault is missed with probability below 1e-3: in simulated scores of the faulty mechanisms the bounds lie four or more
of their standard deviations above the claim.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import binom, norm

from dpmia.models.mlp import MLP
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.validation.canary import (
    CanaryStreams,
    CanaryTraining,
    audit_scores,
    canary_neighbours,
    canary_projections,
    log_likelihood_ratio,
)
from dpmia.validation.engines_keep_epsilon import RECORDS, Case
from dpmia.validation.epsilon_bound import epsilon_lower_bound, mechanism_epsilon_lower_bound

OVERALL_ERROR = 0.01
#: Chance that a right sampler fails the test of how often the canary joins.
FALSE_ALARM = 1e-6


@pytest.fixture(autouse=True)
def few_batches_ahead(monkeypatch):
    """Draw no more batches ahead than a few steps need: drawing costs more here than training."""
    monkeypatch.setattr("dpmia.training.streams.RECORDS_AHEAD", 64)


# --- Audits -----------------------------------------------------------------------------------------------------


def audit(case, models, seed, error, fault=None, engine=StackedEngine):
    """Return both lower bounds on epsilon: that of the mechanism's family, and that without assumptions."""
    if fault is not WRONG_RELATION:
        return case.bounds(engine, models, seed, error, fault(case.stated) if fault else None)
    promised = replace(case, relation="add_remove")
    scores = audit_scores(engine, case.neighbours(), promised.stated, models, seed)
    noise = promised.stated.noise_multiplier
    return (
        mechanism_epsilon_lower_bound(*scores, promised.mechanism, noise, 1 - error).epsilon,
        epsilon_lower_bound(*scores, promised.delta, 1 - error).epsilon,
    )


FULL_BATCH = Case(4)
POISSON = Case(4, batch_size=4, epochs=4)
REPLACED = Case(4, "replace_one", batch_size=4, epochs=4)
SHUFFLED = Case(4, "replace_one", "shuffle", epochs=2)

RIGHT = [
    replace(FULL_BATCH, epsilon=1),
    POISSON,
    replace(POISSON, epsilon=9),
    REPLACED,
    SHUFFLED,
    replace(POISSON, hidden=(4,), epochs=1),
]

#: Audits with more models, that come near the claim: as many with the canary, and as many without it.
NEAR = {FULL_BATCH: 8000, replace(FULL_BATCH, epsilon=9): 4000}
#: What such a bound reaches of the claim at least; the median of simulated audits is .8. The long form asks for more.
POWER = 0.7
#: Audits of a right engine in this module, the one of Opacus among them.
AUDITS = len(RIGHT) + len(NEAR) + 1


def _name(case):
    shape = "-".join(["8", *map(str, case.hidden)]) if case.hidden else "4"
    return f"{case.relation}-{case.sampling}-{case.batch_size}of8-{case.epochs}epochs-{shape}-2-epsilon{case.epsilon}"


@pytest.mark.slow
@pytest.mark.parametrize("case", RIGHT, ids=_name)
def test_bounds_stay_below_the_claim(case):
    assert max(audit(case, 1000, seed=10**6, error=OVERALL_ERROR / (2 * AUDITS))) <= case.epsilon


@pytest.mark.slow  # thousands of models
@pytest.mark.parametrize("case", NEAR, ids=_name)
def test_bounds_of_many_models_come_near_the_claim(case):
    of_mechanism, free = audit(case, NEAR[case], seed=6 * 10**6, error=OVERALL_ERROR / (2 * AUDITS))
    assert max(of_mechanism, free) <= case.epsilon
    assert of_mechanism >= POWER * case.epsilon


class Silent(CanaryStreams):
    """Noise is switched off."""

    def noise(self, out, deviation=1):
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


def more_steps(training):
    """Train for nine times the epochs that were accounted for."""
    return replace(training, recipe=replace(training.recipe, epochs=9 * training.recipe.epochs))


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
    "wrong number of steps": (FULL_BATCH, more_steps),
}


#: Faults that take more models to see: they double the distance between the two kinds of scores, no more.
SUBTLE = {"half of the noise", "wrong relation", "wrong relation, Poisson", "wrong rate"}


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=[pytest.mark.slow] * (fault in SUBTLE)) for fault in FAULTS]
)
def test_bound_exceeds_the_claim_of_a_faulty_engine(fault):
    case, change = FAULTS[fault]
    models = 3000 if fault in SUBTLE else 1000
    bound, _ = audit(case, models, seed=2 * 10**6, error=OVERALL_ERROR / len(FAULTS), fault=change)
    assert bound > case.epsilon


@pytest.mark.parametrize("fault", [silent, tenth_of_noise, no_clipping])
def test_gross_faults_show_without_any_assumption(fault):
    _, bound = audit(FULL_BATCH, 1000, seed=3 * 10**6, error=OVERALL_ERROR / 3, fault=fault)
    assert bound > FULL_BATCH.epsilon


def test_opacus_engine():
    error = OVERALL_ERROR / (2 * AUDITS)
    case = replace(POISSON, epochs=1)
    assert max(audit(case, 100, seed=4 * 10**6, error=error, engine=OpacusEngine)) <= case.epsilon
    for fault in (silent, no_clipping):
        bound, _ = audit(FULL_BATCH, 100, seed=5 * 10**6, error=OVERALL_ERROR, fault=fault, engine=OpacusEngine)
        assert bound > FULL_BATCH.epsilon


# --- The canary -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [POISSON, REPLACED, replace(POISSON, hidden=(4,))], ids=_name)
@pytest.mark.parametrize("with_canary", [True, False])
def test_updates_without_noise_show_when_the_canary_was_there(case, with_canary):
    seeds = range(300)
    training = CanaryTraining(case.recipe, 0.0)
    neighbours = case.neighbours()
    projections = canary_projections(StackedEngine, neighbours, training, seeds, with_canary)
    steps = case.recipe.steps(RECORDS)
    assert projections.shape == (len(seeds), steps)
    there = {(True, case.relation): 1, (False, "replace_one"): -1, (False, "add_remove"): 0}[with_canary, case.relation]
    # Each update holds the whole of the canary, or nothing of it but the little that the others' biases share.
    assert np.minimum(np.abs(projections), np.abs(projections - there)).max() < 0.1
    if there:
        joined, tosses = int((np.abs(projections) > 0.5).sum()), projections.size
        low, high = binom.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], tosses, case.recipe.rate(RECORDS))
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
        training = CanaryTraining(replace(POISSON.recipe, **changes), 1.0)
        with pytest.raises(ValueError, match="sgd without momentum"):
            canary_projections(StackedEngine, POISSON.neighbours(), training, range(2), True)


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
