"""Accounting, against closed forms of the Gaussian mechanism, the central limit, Opacus' accountants, and itself."""

import dataclasses
import itertools
import json

import numpy as np
import pytest
from opacus.accountants import PRVAccountant, RDPAccountant
from scipy.optimize import brentq
from scipy.stats import norm

from dpmia.api.planning import plan_noise
from dpmia.common.epsilon import SMALLEST_EPSILON
from dpmia.common.errors import TrainingError
from dpmia.common.limits import DELTAS
from dpmia.privacy import inversion
from dpmia.privacy.accounting import Mechanism
from dpmia.privacy.calibration import spent
from dpmia.privacy.record import Accounting
from dpmia.privacy.valid_combinations import AS_PUBLISHED, VALID_ACCOUNTING

DELTA = 1e-5


def mechanism(
    sampler="poisson", relation="add_remove", accountant="pld", rate=0.02, steps=5000, epochs=100, delta=DELTA
):
    return Mechanism(sampler, rate, steps, epochs, relation, delta, accountant)


def gaussian_epsilon(mu, delta=DELTA):
    """Return epsilon of two normal distributions mu standard deviations apart (Balle and Wang 2018, theorem 8)."""

    def excess(epsilon):
        return norm.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon + norm.logcdf(-mu / 2 - epsilon / mu)) - delta

    return brentq(excess, 0, 700)


# Measured with dp-accounting 0.6.0 for n = 10 000, batch 200, 5 000 steps, delta 1e-5, epsilon 1; the values of
# Opacus 1.6.0 below are a second source.
@pytest.mark.parametrize(
    ("relation", "accountant", "sigma"),
    [("add_remove", "pld", 5.354), ("replace_one", "pld", 10.567), ("add_remove", "rdp", 5.792)],
)
def test_noise_for_epsilon_one(relation, accountant, sigma):
    noise_multiplier = mechanism(relation=relation, accountant=accountant).noise_multiplier(1)
    assert noise_multiplier == pytest.approx(sigma, abs=0.002)


@pytest.mark.filterwarnings("ignore:Optimal order is the largest alpha")  # inside PRV, which only needs a rough bound
@pytest.mark.parametrize(
    ("accountant", "opacus", "tolerance"), [("pld", PRVAccountant, 0.01), ("rdp", RDPAccountant, 1e-3)]
)
@pytest.mark.parametrize(("rate", "steps", "sigma"), [(0.02, 5000, 5.354), (0.1, 200, 2.0), (0.01, 1000, 0.8)])
def test_epsilon_is_that_of_opacus(accountant, opacus, tolerance, rate, steps, sigma):
    other = opacus()
    other.history = [(sigma, rate, steps)]
    expected = other.get_epsilon(DELTA)
    epsilon = mechanism(accountant=accountant, rate=rate, steps=steps).epsilon(sigma, near=expected)
    assert epsilon == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize("sigma", [0.3, 1, 4, 30])
@pytest.mark.parametrize(
    ("settings", "shift"),
    [
        # One record moves the sum of clipped gradients by C, or by 2 C where it is replaced.
        ({"rate": 1, "steps": 1}, 1),
        ({"rate": 1, "steps": 1, "relation": "replace_one"}, 2),
        # Independent Gaussian steps add up like one with sigma / sqrt(steps).
        ({"rate": 1, "steps": 9}, 3),
        ({"rate": 1, "steps": 9, "relation": "replace_one"}, 6),
        # Shuffled, a record is used once in each epoch, whatever the number of steps and the rate.
        ({"sampler": "shuffle", "relation": "replace_one", "epochs": 1, "steps": 50}, 2),
        ({"sampler": "shuffle", "relation": "replace_one", "epochs": 16, "steps": 800}, 8),
    ],
)
def test_without_amplification_epsilon_is_that_of_one_gaussian(settings, shift, sigma):
    exact = gaussian_epsilon(shift / sigma)
    epsilon = mechanism(**settings).epsilon(sigma, near=exact)
    # An upper bound, and at most .3 % above (one bucket of the discretisation where epsilon is tiny).
    assert exact * (1 - 1e-6) <= epsilon <= exact * 1.003 + 1e-4


@pytest.mark.parametrize(
    ("relation", "mu"),
    [
        # Dong et al. 2019, theorem 5; and the same limit for mixtures shifted to both sides.
        ("add_remove", lambda q, steps, sigma: q * np.sqrt(steps * np.expm1(sigma**-2))),
        ("replace_one", lambda q, steps, sigma: 2 * q * np.sqrt(steps * np.sinh(sigma**-2))),
    ],
)
@pytest.mark.parametrize("sigma", [4, 10, 40])
def test_many_small_steps_come_near_the_central_limit(relation, mu, sigma):
    q, steps = 0.01, 20_000
    limit = gaussian_epsilon(mu(q, steps, sigma))
    epsilon = mechanism(relation=relation, rate=q, steps=steps).epsilon(sigma, near=limit)
    assert epsilon == pytest.approx(limit, rel=0.02)


@pytest.mark.parametrize(
    ("combination", "epsilon"),
    [
        (("poisson", "replace_one", "pld"), 0.01),
        (("poisson", "replace_one", "pld"), 1),
        (("poisson", "replace_one", "pld"), 100),
        (("poisson", "replace_one", "pld"), 1000),
        (("poisson", "add_remove", "pld"), 0.1),
        (("poisson", "add_remove", "rdp"), 2),
        (("shuffle", "replace_one", "pld"), 1),
    ],
)
def test_the_noise_keeps_the_guarantee_and_little_less_does_not(combination, epsilon):
    sampler, relation, accountant = combination
    given = mechanism(sampler, relation, accountant, rate=0.1, steps=300, epochs=30)
    sigma = given.noise_multiplier(epsilon)
    assert given.epsilon(sigma, near=epsilon) <= epsilon
    assert given.epsilon(0.99 * sigma, near=epsilon) > epsilon
    assert given.epsilon(0.9997 * sigma, near=epsilon) > epsilon, "found to one part in 10 000"


def test_stronger_guarantees_need_more_noise():
    base = mechanism(rate=0.1, steps=300, epochs=30)
    sigma = base.noise_multiplier(1)
    assert base.noise_multiplier(0.5) > sigma > base.noise_multiplier(2)
    epsilons = [base.epsilon(factor * sigma) for factor in (0.5, 0.9, 1, 1.1, 2)]
    assert epsilons == sorted(epsilons, reverse=True)


@pytest.mark.parametrize(
    "change",
    [
        {"steps": 600},
        {"rate": 0.2},
        {"delta": 1e-7},
        {"relation": "replace_one"},
        {"accountant": "rdp"},
        {"sampler": "shuffle", "relation": "replace_one"},
    ],
)
def test_the_same_noise_guarantees_less_to(change):
    base = mechanism(rate=0.1, steps=300, epochs=30)
    assert dataclasses.replace(base, **change).epsilon(8.0) > 1.02 * base.epsilon(8.0)


def test_coarser_discretisation_never_guarantees_more():
    given = mechanism(rate=0.1, steps=300)
    fine, usual, coarse = (given.epsilon(3.0, near=near) for near in (0.2, 2, 200))
    assert fine <= usual <= coarse
    assert usual <= 1.003 * fine


# What the published code of Humphries et al. does: noise multipliers recomputed from the paper's code with another
# grid of orders, (records, batch, steps) -> sigma at epsilon .1, 1, 10, 100, 1000.
PUBLISHED = {
    (10_000, 200, 5000): (96.8, 11.63, 1.677, 0.566, 0.422),
    (2000, 200, 1000): (218, 26.1, 3.50, 0.804, 0.475),
    (303, 32, 900): (219, 26.2, 3.50, 0.803, 0.472),
    (423, 32, 1300): (188, 22.5, 3.03, 0.739, 0.466),
}


def as_published(records, batch, steps):
    return mechanism(*AS_PUBLISHED, rate=batch / records, steps=steps)


@pytest.mark.parametrize(
    ("sizes", "epsilon", "sigma"),
    [
        ((10_000, 200, 5000), 0.1, 96.8),
        ((10_000, 200, 5000), 10, 1.677),
        ((2000, 200, 1000), 1, 26.1),
        ((303, 32, 900), 100, 0.803),
        ((423, 32, 1300), 1000, 0.466),
    ],
)
def test_noise_as_published_lies_within_a_percent_of_the_published(sizes, epsilon, sigma):
    given = as_published(*sizes)
    assert given.epsilon(1.01 * sigma) <= epsilon < given.epsilon(0.99 * sigma)


@pytest.mark.slow  # about 60 s: twenty searches of 3 s each
@pytest.mark.parametrize("sizes", PUBLISHED)
def test_all_noise_as_published(sizes):
    noise_multipliers = [as_published(*sizes).noise_multiplier(epsilon) for epsilon in (0.1, 1, 10, 100, 1000)]
    assert noise_multipliers == pytest.approx(PUBLISHED[sizes], rel=0.01)


@pytest.mark.parametrize("rate", [200 / 10_000, 32 / 303, 1000 / 999_999])
def test_as_published_a_batch_is_drawn_without_replacement_at_the_rate(rate):
    drawn = mechanism(*AS_PUBLISHED, rate=rate, steps=7).event(1.0)
    assert drawn.count == 7
    assert drawn.event.sample_size / drawn.event.source_dataset_size == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize("sigma", [4, 30])
def test_as_published_a_replaced_record_counts_once_and_not_twice(sigma):
    # With all records in every batch nothing is sampled: one Gaussian, whose epsilon Renyi orders overstate.
    published = mechanism(*AS_PUBLISHED, rate=1, steps=9)
    exact = gaussian_epsilon(3 / sigma)
    assert exact < published.epsilon(sigma) < 1.25 * exact
    assert published.epsilon(sigma) < gaussian_epsilon(2 * 3 / sigma)


def test_shuffled_batches_need_more_noise_by_a_proof_than_as_published():
    proved = mechanism("shuffle", "replace_one", "pld", epochs=100)
    assert proved.epsilon(11.63) > 5
    assert (proved.proved, as_published(10_000, 200, 5000).proved) == (True, False)


NAMES = [
    ("poisson", "shuffle", "fixed"),
    ("add_remove", "replace_one", "other"),
    ("pld", "rdp", "prv", "rdp_as_published"),
]


@pytest.mark.parametrize("combination", sorted(set(itertools.product(*NAMES)) - {*VALID_ACCOUNTING, AS_PUBLISHED}))
def test_a_combination_that_no_theorem_covers_is_refused(combination):
    sampler, relation, accountant = combination
    with pytest.raises(ValueError, match="is none of"):
        mechanism(sampler, relation, accountant)


@pytest.mark.parametrize(("sampler", "relation", "accountant"), [*VALID_ACCOUNTING, AS_PUBLISHED])
def test_every_other_combination_is_judged(sampler, relation, accountant):
    assert 0 < mechanism(sampler, relation, accountant, steps=50, epochs=1).epsilon(5.0) < 10


def test_a_guarantee_that_no_noise_gives_is_refused():
    with pytest.raises(TrainingError) as error:
        mechanism(steps=10, epochs=1, delta=1e-30).noise_multiplier(0.5)
    for text in ["epsilon 0.5, delta 1e-30", "10 steps at rate 0.02", "no noise multiplier", "(epsilon or delta of"]:
        assert text in str(error.value)


@pytest.mark.parametrize("epsilon", [1, 8])
def test_at_the_smallest_delta_rounding_errors_do_not_count(epsilon):
    run = {"rate": 0.01, "steps": 1000, "epochs": 10}
    # Renyi DP knows less of the mechanism, so its noise is larger; it has no such errors. Further down they prevail.
    noise = {
        (accountant, delta): mechanism(**run, accountant=accountant, delta=delta).noise_multiplier(epsilon)
        for accountant, delta in (("pld", DELTAS[0]), ("rdp", DELTAS[0]), ("rdp", 1e-15))
    }
    assert noise["pld", DELTAS[0]] < noise["rdp", DELTAS[0]]
    assert mechanism(**run, accountant="pld", delta=1e-15).epsilon(noise["rdp", 1e-15]) > 10 * epsilon


def test_an_epsilon_that_is_hardly_more_than_none_is_refused():
    with pytest.raises(TrainingError, match=r"epsilon 1e-40: no accountant here reaches an epsilon below 0\.0001"):
        mechanism(steps=10, epochs=1).noise_multiplier(1e-40)
    assert mechanism(steps=10, epochs=1).noise_multiplier(SMALLEST_EPSILON) > 100


@pytest.mark.slow  # many noise multipliers are tried
@pytest.mark.parametrize("combination", [("poisson", "add_remove", "rdp"), AS_PUBLISHED])
def test_an_epsilon_below_what_renyi_orders_can_show_is_refused(combination):
    """With more noise than for it, the conversion does not fall until it jumps to 0 at a noise multiplier of 60 000."""
    run = mechanism(*combination, steps=1000, epochs=20)
    least = run.epsilon(20_000.0)
    assert 0.005 < least < 0.02
    with pytest.raises(TrainingError, match=f"the accountant {combination[-1]} finds none as small"):
        run.noise_multiplier(0.99 * least)
    assert run.noise_multiplier(1.2 * least) < 1000


def test_the_record_says_all_that_a_reader_needs():
    record = mechanism(relation="replace_one").record(1.0, 10.5, clip_norm=2.0)
    assert record.plain() == {
        "sampler": "poisson",
        "rate": 0.02,
        "steps": 5000,
        "epochs": 100,
        "relation": "replace_one",
        "delta": 1e-5,
        "accountant": "pld",
        "epsilon": 1.0,
        "noise_multiplier": 10.5,
        "clip_norm": 2.0,
        "noise_sd": 21.0,
        "proved": True,
    }
    assert Accounting.from_plain(json.loads(json.dumps(record.plain()))) == record
    reported = {field.name: getattr(record, field.name) for field in dataclasses.fields(Mechanism)}
    assert Mechanism(**reported) == mechanism(relation="replace_one")
    assert mechanism(*AS_PUBLISHED).record(1.0, 10.5, clip_norm=2.0).proved is False


def test_a_delta_that_covers_every_record_ever_drawn_needs_next_to_no_noise_and_ends(monkeypatch):
    monkeypatch.setattr(inversion, "LEAST_NOISE", 0.17)  # there it takes a second, at the usual place 40
    mechanism = Mechanism("poisson", 1e-4, 1, 1, "add_remove", 1e-3, "pld")
    sigma = mechanism.noise_multiplier(1.0)
    assert sigma < 0.2
    assert mechanism.epsilon(sigma) <= 1.0


@pytest.mark.parametrize("sampler", ["poisson", "shuffle"])
def test_the_epsilon_spent_grows_to_that_of_the_whole_training(sampler):
    relation = "replace_one" if sampler == "shuffle" else "add_remove"
    mechanism = Mechanism(sampler, 0.1, 40, 4, relation, 1e-5, "pld")
    sigma = mechanism.noise_multiplier(2.0)
    accounting = mechanism.record(2.0, sigma, 1.0)
    epsilons = [spent(accounting, steps) for steps in (1, 10, 11, 40)]
    assert epsilons == sorted(epsilons)
    assert epsilons[-1] == pytest.approx(mechanism.epsilon(sigma, near=2.0))
    assert epsilons[-1] <= 2.0
    assert (epsilons[0] == epsilons[1]) == (sampler == "shuffle"), "a begun epoch counts as a whole one"


@pytest.mark.parametrize(
    ("epsilon", "short"), [(1.0, 1e-4), (10.0, 1e-4), pytest.param(1000.0, 1e-3, marks=pytest.mark.slow)]
)
def test_a_plan_and_a_training_get_one_noise_for_one_guarantee(epsilon, short):
    run = {"sampling_rate": 0.02, "steps": 500}
    planned = plan_noise(target="epsilon", value=epsilon, delta=1e-5, **run).noise_multiplier
    trained = mechanism(rate=0.02, steps=500, epochs=10)
    assert trained.noise_multiplier(epsilon) == pytest.approx(planned, rel=2e-4)
    assert (1 - short) * epsilon <= trained.epsilon(trained.noise_multiplier(epsilon), near=epsilon) <= epsilon
