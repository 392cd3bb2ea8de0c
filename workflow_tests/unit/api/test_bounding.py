"""Bounds and plans against closed forms, and each plan against the bound that it inverts."""

import math

import numpy as np
import pytest
import torch
from scipy.optimize import brentq
from scipy.stats import norm

from dpmia import bounds, plan_noise, upper_bound
from dpmia.common.errors import ArgumentError
from dpmia.privacy.accounting import Mechanism
from dpmia.theory.bounds import advantage_bound

SIGMAS = (0.5, 1.0, 4.0)


def gaussian(distance):
    """Return the exact bounds of N(0, 1) against N(distance, 1)."""
    fpr = 0.01
    return {
        "advantage": 2 * norm.cdf(distance / 2) - 1,
        "auc": norm.cdf(distance / math.sqrt(2)),
        "tpr_at_fpr": norm.sf(norm.isf(fpr) - distance),
        "precision": 1 / (1 + norm.sf(norm.isf(0.01) + distance) / 0.01),
    }


def values(bound):
    return {
        "advantage": bound.advantage,
        "auc": bound.auc,
        "tpr_at_fpr": bound.tpr_at_fpr[0.01],
        "precision": bound.precision,
    }


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize(("compares", "sensitivity"), [("add_remove", 1), ("replace_one", 2)])
def test_the_gaussian_mechanism_in_closed_form(sigma, compares, sensitivity):
    once = values(upper_bound(noise_multiplier=sigma, compares=compares))
    assert once == pytest.approx(gaussian(sensitivity / sigma), rel=1e-4)
    # Four steps have the distance of one with half the noise.
    four = values(upper_bound(noise_multiplier=2 * sigma, steps=4, compares=compares))
    assert four == pytest.approx(once, rel=1e-9)


def test_shuffled_epochs_are_steps_that_each_record_is_in():
    shuffled = upper_bound(noise_multiplier=3.0, epochs=5, sampler="shuffle")
    assert values(shuffled) == pytest.approx(gaussian(2 * math.sqrt(5) / 3), rel=1e-4)
    assert shuffled.epsilon(1e-5, "replace_one") > 0
    with pytest.raises(ArgumentError, match="moves all others"):
        shuffled.epsilon(1e-5)


def test_epsilon_of_the_gaussian_mechanism_in_closed_form():
    bound = upper_bound(noise_multiplier=2.0, compares="add_remove")

    def delta(epsilon):
        return norm.cdf(1 / 4 - 2 * epsilon) - math.exp(epsilon) * norm.cdf(-1 / 4 - 2 * epsilon)

    exact = brentq(lambda epsilon: delta(epsilon) - 1e-5, 0, 20)
    assert bound.epsilon(1e-5) == pytest.approx(exact, rel=2e-3)
    assert bound.epsilon(1e-5) >= exact
    with pytest.raises(
        ArgumentError, match=r"upper_bound\.epsilon, delta: 1e-15 is not a number from 1e-11 up and below 1"
    ):
        bound.epsilon(1e-15)


def test_the_bound_of_a_sampled_step_in_closed_form():
    """One Poisson step: total variation of (1 - q) N(0) + q N(1) and (1 - q) N(0) + q N(-1)."""
    bound = upper_bound(noise_multiplier=1.0, sampling_rate=0.3, steps=1)
    assert bound.advantage == pytest.approx(0.3 * (2 * norm.cdf(1) - 1), rel=1e-3)


@pytest.mark.parametrize(
    ("target", "value"), [("advantage", 0.2), ("auc", 0.6), ("tpr_at_fpr", 0.05), ("precision", 0.8)]
)
@pytest.mark.parametrize(
    "run",
    [{"sampler": "full", "steps": 7}, {"sampling_rate": 0.05, "steps": 100}, {"sampler": "shuffle", "epochs": 3}],
    ids=["full", "poisson", "shuffle"],
)
def test_the_bound_of_a_plan_is_what_was_wanted(target, value, run):
    plan = plan_noise(target=target, value=value, **run)
    assert plan.solved_for == "noise_multiplier"
    sampling = run if run.get("sampler") != "full" else {"steps": 7}
    again = upper_bound(noise_multiplier=plan.noise_multiplier, **sampling)
    assert values(again) == values(plan.bound)
    assert value * (1 - 1e-4) <= values(again)[target] <= value


def test_noise_for_the_gaussian_mechanism_in_closed_form():
    plan = plan_noise(target="advantage", value=0.3, sampler="full", steps=1, compares="add_remove")
    assert plan.noise_multiplier == pytest.approx(1 / (2 * norm.ppf(0.65)), rel=1e-3)
    plan = plan_noise(target="tpr_at_fpr", fpr=0.02, value=0.2, sampler="full", steps=1, compares="add_remove")
    assert plan.noise_multiplier == pytest.approx(1 / (norm.isf(0.02) - norm.isf(0.2)), rel=1e-3)
    assert plan.bound.tpr_at_fpr[0.02] == pytest.approx(0.2, rel=1e-4)


def test_sampling_rate_and_steps_are_found_where_they_are_left_out():
    noise = plan_noise(target="auc", value=0.6, sampling_rate=0.05, steps=100)
    rate = plan_noise(target="auc", value=0.6, noise_multiplier=noise.noise_multiplier, steps=100)
    steps = plan_noise(target="auc", value=0.6, noise_multiplier=noise.noise_multiplier, sampling_rate=0.05)
    assert (rate.solved_for, steps.solved_for) == ("sampling_rate", "steps")
    assert rate.sampling_rate == pytest.approx(0.05, rel=1e-3)
    assert steps.steps == 100
    assert plan_noise(target="auc", value=0.99, noise_multiplier=5.0, steps=1).sampling_rate == 1.0


def test_epsilon_is_met_by_the_least_noise():
    plan = plan_noise(target="epsilon", value=2.0, delta=1e-5, sampling_rate=0.02, steps=300)
    mechanism = Mechanism("poisson", 0.02, 300, 1, "add_remove", 1e-5, "pld")
    assert mechanism.epsilon(plan.noise_multiplier) == plan.epsilon
    assert 1.999 <= plan.epsilon <= 2.0
    assert plan.noise_multiplier == pytest.approx(mechanism.noise_multiplier(2.0), rel=1e-3)
    assert plan.bound.advantage < bounds(2.0, 1e-5).advantage


@pytest.mark.slow  # seeks epsilon on long grids
def test_a_large_epsilon_is_met_in_coarser_steps():
    plan = plan_noise(target="epsilon", value=100, delta=1e-5, sampling_rate=0.05, steps=50)
    assert 99.7 <= Mechanism("poisson", 0.05, 50, 1, "add_remove", 1e-5, "pld").epsilon(plan.noise_multiplier) <= 100
    assert plan_noise(target="epsilon", value=1e15, delta=1e-5, sampling_rate=0.05, steps=50).noise_multiplier == 0.05


def test_bounds_by_epsilon_alone():
    limits = bounds(1.0, relation="replace_one")
    e = math.e
    assert limits.advantage == pytest.approx((e - 1) / (e + 1))
    assert limits.auc == pytest.approx(e / (1 + e))
    assert limits.tpr_at_fpr[0.01] == pytest.approx(0.01 * e)
    assert limits.precision == pytest.approx(e / (1 + e))
    removed = bounds(1.0, 1e-5)
    assert removed.advantage == pytest.approx(float(advantage_bound(1.0, 1e-5, "add_remove")))
    assert removed.tpr_at_fpr[0.01] == pytest.approx(0.01 * e**2 + (1 + e) * 1e-5)
    both = bounds(1.0, 1e-5, compares="add_remove")
    assert both.advantage == pytest.approx(bounds(1.0, 1e-5, relation="replace_one").advantage)
    assert bounds(math.inf).advantage == bounds(math.inf, relation="replace_one").advantage == 1.0


@pytest.mark.parametrize(("epsilon", "relation"), [(0.5, "add_remove"), (3.0, "replace_one")])
def test_a_mechanism_with_epsilon_is_below_the_bounds_of_epsilon(epsilon, relation):
    plan = plan_noise(target="epsilon", value=epsilon, delta=1e-5, sampling_rate=0.1, steps=50, relation=relation)
    limit = bounds(epsilon, 1e-5, relation=relation)
    for exact, formula in zip(values(plan.bound).values(), values(limit).values(), strict=True):
        assert exact <= formula


def test_epsilon_of_a_mechanism_and_bounds_of_it_are_under_one_relation():
    for mechanism in (
        upper_bound(noise_multiplier=2.5, sampling_rate=0.064, steps=150),
        upper_bound(noise_multiplier=1.0, sampling_rate=0.01, steps=1000),
    ):
        unsaid = bounds(mechanism.epsilon(1e-5), 1e-5)
        said = bounds(mechanism.epsilon(1e-5, relation="add_remove"), 1e-5, relation="add_remove")
        assert values(unsaid) == values(said)
        assert unsaid.relation == "add_remove"
        assert "(add_remove)" in repr(unsaid)
        # Whoever forgets to name another relation gets bounds that hold, and are too large.
        assert unsaid.advantage > bounds(unsaid.epsilon, 1e-5, relation="replace_one").advantage
    plan = plan_noise(target="epsilon", value=1, delta=1e-5, sampling_rate=0.1, steps=1)
    assert (plan.relation, unsaid.compares) == ("add_remove", "replace_one")
    assert (unsaid.epsilon, unsaid.delta) == (mechanism.epsilon(1e-5), 1e-5)


def test_tables_and_pictures(tmp_path):
    plan = plan_noise(target="advantage", value=0.2, sampling_rate=0.05, steps=20, delta=1e-5)
    frame = plan.to_frame()
    assert frame["bound_advantage"].item() == plan.bound.advantage
    assert frame["epsilon"].item() == plan.epsilon
    assert plan.bound.to_frame().set_index("metric")["bound"]["auc"] == plan.bound.auc
    rates = np.geomspace(1e-4, 1, 50)
    assert (np.diff(plan.bound.tpr(rates)) >= 0).all()
    plan.bound.plot().savefig(tmp_path / "bound.png")


@pytest.mark.parametrize("fpr", [[-1], [2], [np.nan], None, "abc", [[0.1], [0.1, 0.2]]])
def test_rates_that_are_none_are_refused(fpr):
    bound = upper_bound(noise_multiplier=2.0, sampling_rate=0.1, steps=3)
    with pytest.raises(ArgumentError, match=r"upper_bound\.tpr, fpr: "):
        bound.tpr(fpr)


def test_rates_may_be_tensors_of_any_kind():
    bound = upper_bound(noise_multiplier=2.0, sampling_rate=0.1, steps=3)
    rates = torch.tensor([0.25, 0.5], requires_grad=True)
    np.testing.assert_array_equal(bound.tpr(rates.bfloat16()), bound.tpr([0.25, 0.5]))


WRONG = {
    "begun": ({"target": "adv"}, r"target: 'adv' is not.*Did you mean 'advantage'"),
    "percent": ({"value": 10}, r"plan_noise, value: 10 is not above 0.*Give a share, 0\.1 for 10 %"),
    "target": ({"target": "advantge"}, r"target: 'advantge' is not.*Did you mean 'advantage'"),
    "value": ({"value": 0.4, "target": "auc"}, r"plan_noise, value: 0\.4 is not above 0\.5"),
    "delta": ({"target": "epsilon", "value": 1}, r"plan_noise, delta: missing\."),
    "none": ({"noise_multiplier": 1.0}, r"plan_noise: nothing is left out to solve for\. Leave"),
    "two": ({"steps": None}, r"plan_noise: noise_multiplier, steps are left out\."),
    "epochs": ({"epochs": 3}, r"plan_noise, epochs: does not count for the sampler 'poisson'\."),
    "steps": ({"steps": 0}, r"plan_noise, steps: 0 is not a positive integer\."),
    "noise": ({"steps": None, "noise_multiplier": 0}, r"plan_noise, noise_multiplier: 0 is not a"),
    "acceptance": ({"acceptance": 2}, r"plan_noise, acceptance: 2 is not a number above 0 and at"),
    "sampler": ({"sampler": "all"}, r"plan_noise, sampler: 'all' is not one of poisson, full, shuffle"),
    "rate": ({"sampling_rate": 1.5}, r"sampling_rate: 1\.5 is .* most 1\. Give batch size / records"),
    "relation": ({"sampler": "shuffle", "compares": "add_remove"}, r"compares: 'add_remove' cannot be"),
    "reach": ({"value": 1e-9, "noise_multiplier": 1.0, "steps": None}, r"plan_noise: a single step exceeds"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_in_plans_have_one_message(change, message):
    right = {"target": "advantage", "value": 0.1, "sampling_rate": 0.1, "steps": 10}
    with pytest.raises(ArgumentError, match=message):
        plan_noise(**right | change)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: upper_bound(noise_multiplier=0), r"upper_bound, noise_multiplier: 0 is not a finite number above 0\."),
        (lambda: upper_bound(noise_multiplier=1, steps=0), r"upper_bound, steps: 0 is not a positive integer\."),
        (lambda: upper_bound(noise_multiplier=1, steps=math.inf), r"steps: inf is not a positive integer\."),
        (lambda: upper_bound(noise_multiplier=1, steps=10**18), r"steps: 10{18} is not .* at most 1000000\."),
        (lambda: upper_bound(noise_multiplier="1"), r"noise_multiplier: '1' is not a number\."),
        (lambda: upper_bound(noise_multiplier=1e30), r"noise_multiplier: 1e\+30 is not from 0\.001 to 1e\+06\."),
        (
            lambda: upper_bound(noise_multiplier=1, sampling_rate=1e-20),
            r"sampling_rate: 1e-20 is not of at least 1e-12",
        ),
        (lambda: upper_bound(noise_multiplier=1, sampling_rate=10**400), r"sampling_rate: the number is larger than"),
        (lambda: upper_bound(noise_multiplier=1, fprs=0.1), r"fprs: 0\.1 is not a list of numbers\."),
        (lambda: upper_bound(noise_multiplier=1, compares=[]), r"compares: \[\] is not replace_one or add_remove\."),
        (
            lambda: upper_bound(noise_multiplier=torch.tensor(1.0, device="meta")),
            r"noise_multiplier: no number can be read from this tensor\. Give one number\.",
        ),
        (lambda: bounds(None), r"bounds, epsilon: None is not a number\."),
        (lambda: bounds(1.0, prior=True), r"bounds, prior: True is not a number\."),
        (lambda: upper_bound(noise_multiplier=1, sampler="poisson"), r"upper_bound, sampling_rate: missing\."),
        (lambda: upper_bound(noise_multiplier=1, sampling_rate=0.01), r"upper_bound, steps: missing\."),
        (lambda: upper_bound(noise_multiplier=1, sampler="shuffle"), r"upper_bound, epochs: missing\."),
        (
            lambda: upper_bound(noise_multiplier=1, sampling_rate=0.01, steps=9, epochs=20),
            r"epochs: does not count for the sampler 'poisson'\. Leave it out\.",
        ),
        (
            lambda: upper_bound(noise_multiplier=1, sampler="shuffle", epochs=2, steps=9),
            r"steps: does not count for the sampler 'shuffle'\.",
        ),
        (
            lambda: upper_bound(noise_multiplier=1, sampler="full", sampling_rate=0.01),
            r"sampling_rate: does not count for the sampler 'full'\.",
        ),
        (
            lambda: upper_bound(noise_multiplier=1, prior=1),
            r"upper_bound, prior: 1 is not a number from 1e-09 to 1 - 1e-09\.",
        ),
        (lambda: bounds(-1), r"bounds, epsilon: -1 is not a number of at least 0\."),
        (
            lambda: bounds(1, relation="replace_one", compares="add_remove"),
            r"bounds, compares: a guarantee under 'replace_one' says nothing",
        ),
        (lambda: bounds(1, relation="zero_out"), r"bounds, relation: 'zero_out' is not replace_one or add_remove\."),
    ],
)
def test_mistakes_in_bounds_have_one_message(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()


@pytest.mark.slow  # riskcal composes on a fine grid for each noise that it tries
def test_noise_for_an_advantage_is_that_of_riskcal():
    from riskcal.calibration.dpsgd import find_noise_multiplier_for_advantage

    run = {"sampling_rate": 0.02, "steps": 200, "compares": "add_remove"}
    ours = plan_noise(target="advantage", value=0.2, **run).noise_multiplier
    theirs = find_noise_multiplier_for_advantage(0.2, sample_rate=0.02, num_steps=200, grid_step=1e-3)
    # Its tolerance is .001 of advantage, .5 % of the value.
    assert ours == pytest.approx(theirs, rel=0.01)
