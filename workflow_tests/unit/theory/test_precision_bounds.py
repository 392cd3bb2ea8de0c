"""Bounds on precision: printed values, identities between papers, mechanisms that test or reach them."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from dpmia.theory.bounds import humphries_advantage, yeom_advantage
from dpmia.theory.precision_bounds import (
    epsilon_for_bound,
    erlingsson_accuracy,
    precision_bound,
    precision_bound_as_printed,
    sablayrolles_precision,
)

EPSILONS = np.concatenate([[0.0], np.geomspace(1e-4, 50, 200)])
PRIORS = np.linspace(0.01, 0.99, 99)
BOTH = [precision_bound, precision_bound_as_printed]


@pytest.mark.parametrize("bound", BOTH)
def test_the_targets_of_figures_5_and_6_are_the_bounds_at_prior_one_half(bound):
    # Thudi et al. 2024, legends of figures 5 and 6: epsilon 1, 2, 3, delta 1e-5, at least 1 % said "member".
    assert bound([1, 2, 3], 0.5, 1e-5, 0.01) == pytest.approx([0.731, 0.881, 0.953], abs=5e-4)
    assert bound([1, 2, 3], 0.5) == pytest.approx([0.7311, 0.8808, 0.9526], abs=5e-5)


def test_the_budgets_that_reach_a_bound():
    # Computed from the printed theorem at the three targets above; NaN where a bound is below the prior.
    nan = np.nan
    expected = [[3.198, 1.847, 1, 0.153, nan], [4.198, 2.847, 2, 1.153, nan], [5.198, 3.847, 3, 2.153, 0.802]]
    targets = precision_bound([1, 2, 3], 0.5, 1e-5, 0.01)[:, None]
    priors = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    budgets = epsilon_for_bound(targets, priors, 1e-5, 0.01)
    np.testing.assert_allclose(budgets, expected, atol=1e-3)
    reached = ~np.isnan(budgets)
    back = precision_bound(np.where(reached, budgets, 0), priors, 1e-5, 0.01)
    np.testing.assert_allclose(back[reached], np.broadcast_to(targets, budgets.shape)[reached], atol=1e-12)


@pytest.mark.parametrize(
    ("bound", "prior", "delta", "acceptance"),
    [(0.5, 0.5, 0, 1), (0.3, 0.4, 0, 1), (0.99, 0.01, 0.2, 0.2), (0.99, 0.01, 0.3, 0.2), (0.501, 0.5, 1e-5, 1e-4)],
)
def test_a_bound_that_no_privacy_can_keep_has_no_budget(bound, prior, delta, acceptance):
    assert np.isnan(epsilon_for_bound(bound, prior, delta, acceptance))
    assert precision_bound(0, prior, delta, acceptance) >= bound


def test_prior_one_half_without_delta_is_every_paper_s_bound():
    ours = precision_bound(EPSILONS, 0.5)
    np.testing.assert_allclose(ours, 1 / (1 + np.exp(-EPSILONS)), atol=1e-15)  # Mahloujifar et al.
    np.testing.assert_allclose(ours, 0.5 + humphries_advantage(EPSILONS) / 2, atol=1e-15)
    np.testing.assert_allclose(ours, 0.5 + np.tanh(EPSILONS / 2) / 2, atol=1e-15)  # Izzo et al.: 1/2 + eta


def test_ours_is_the_lowest_of_the_older_bounds():
    ours = precision_bound(EPSILONS, 0.5)
    for older in (
        erlingsson_accuracy(EPSILONS),
        (1 + yeom_advantage(EPSILONS)) / 2,
        sablayrolles_precision(EPSILONS, 0.5),
    ):
        assert (ours <= older + 1e-15).all()
    everywhere = precision_bound(EPSILONS[:, None], PRIORS)
    assert (everywhere <= sablayrolles_precision(EPSILONS[:, None], PRIORS) + 1e-12).all()


@pytest.mark.parametrize("delta", [0, 1e-5, 0.3])
def test_accuracy_of_an_older_bound_is_its_formula(delta):
    factor = np.exp(EPSILONS)
    np.testing.assert_allclose(erlingsson_accuracy(EPSILONS, delta), 0.5 + 0.5 * (1 - (1 - delta) / factor), atol=1e-15)


@pytest.mark.parametrize("bound", BOTH)
@pytest.mark.parametrize(("delta", "acceptance"), [(0, 1), (1e-5, 0.01), (0.1, 0.5)])
def test_the_bound_lies_between_prior_and_one_and_grows_with_epsilon_and_prior(bound, delta, acceptance):
    values = bound(EPSILONS[:, None], PRIORS, delta, acceptance)
    assert (values >= PRIORS - 1e-15).all()
    assert (values <= 1).all()
    assert (np.diff(values, axis=0) >= 0).all()
    assert (np.diff(values, axis=1) >= 0).all()


def test_limits_of_epsilon_and_prior():
    assert precision_bound(5, 1e-4) < 0.02
    assert precision_bound(1e-6, PRIORS) == pytest.approx(PRIORS, abs=1e-5)
    assert precision_bound(np.inf, PRIORS).tolist() == [1.0] * len(PRIORS)
    assert precision_bound(1e4, 0.1) == 1


@pytest.mark.parametrize("bound", BOTH)
def test_delta_guarantees_nothing_against_attacks_that_hardly_ever_accept(bound):
    assert bound(1, 0.5, 0.2, 0.01) == 1
    values = bound(1, 0.5, 0.01, np.linspace(0.02, 1, 50))
    assert (np.diff(values) < 0).all()


def test_printed_and_corrected_differ_by_little_at_the_paper_s_settings():
    epsilons, priors = np.linspace(0, 15, 151)[:, None], PRIORS
    gap = precision_bound(epsilons, priors, 1e-5, 0.01) - precision_bound_as_printed(epsilons, priors, 1e-5, 0.01)
    assert gap.min() >= 0
    assert gap.max() == pytest.approx(2.4e-4, abs=2e-5)


# Mechanisms


def precision(prior, with_record, without_record, accepted):
    """Return P(record in | answer in `accepted`) from the probabilities of all answers with and without it."""
    joint_in = prior * sum(with_record[i] for i in accepted)
    joint_out = (1 - prior) * sum(without_record[i] for i in accepted)
    return joint_in / (joint_in + joint_out)


def subsets(count):
    return itertools.chain.from_iterable(itertools.combinations(range(count), size) for size in range(1, count + 1))


def is_private(one, other, epsilon, delta):
    return all(
        sum(a[i] for i in chosen) <= np.exp(epsilon) * sum(b[i] for i in chosen) + delta + 1e-12
        for a, b in ((one, other), (other, one))
        for chosen in subsets(len(one))
    )


def test_a_private_mechanism_passes_the_printed_bound_and_reaches_the_corrected_one():
    epsilon, delta, prior, acceptance = 1, 0.1, 0.1, 0.2
    shrunk = np.exp(-epsilon) * (acceptance - delta)
    with_record, without_record = [acceptance, 1 - acceptance], [shrunk, 1 - shrunk]
    assert is_private(with_record, without_record, epsilon, delta)
    reached = precision(prior, with_record, without_record, [0])
    assert reached == pytest.approx(0.377, abs=5e-4)
    assert reached == pytest.approx(precision_bound(epsilon, prior, delta, acceptance), abs=1e-12)
    printed = precision_bound_as_printed(epsilon, prior, delta, acceptance)
    assert printed == pytest.approx(0.241, abs=5e-4)
    assert reached > printed + 0.1


@pytest.mark.parametrize("prior", [0.05, 0.5, 0.8])
@pytest.mark.parametrize("delta", [0, 0.01, 0.1])
@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_no_private_pair_of_outputs_does_better_and_one_does_as_well(epsilon, delta, prior):
    factor = np.exp(epsilon)
    for acceptance in (0.02, 0.3, (1 + delta / factor) / (1 + 1 / factor)):
        if acceptance <= delta:
            continue
        # The least probability of "member" without the record that privacy allows beside `acceptance` with it.
        least = linprog(
            [1],
            A_ub=[[-factor], [-1]],
            b_ub=[delta - acceptance, delta - 1 + factor * (1 - acceptance)],
            bounds=[(0, 1)],
        )
        best = prior * acceptance / (prior * acceptance + (1 - prior) * least.fun)
        assert precision_bound(epsilon, prior, delta, acceptance) == pytest.approx(best, abs=1e-9)


def noisy_count(count, epsilon, largest):
    """Return the probabilities of 0..largest under the truncated geometric mechanism around `count`: pure epsilon."""
    shrink = np.exp(-epsilon)
    outputs = np.arange(largest + 1)
    probabilities = (1 - shrink) / (1 + shrink) * shrink ** np.abs(outputs - count)
    probabilities[0] = shrink**count / (1 + shrink)
    probabilities[-1] = shrink ** (largest - count) / (1 + shrink)
    return probabilities


@pytest.mark.parametrize("epsilon", [0.3, 1, 2.5])
def test_no_attack_on_a_noisy_count_of_sampled_records_passes_the_bound(epsilon):
    rates = [0.1, 0.5, 0.7, 0.9]
    for record, prior in enumerate(rates):
        outputs = {True: np.zeros(5), False: np.zeros(5)}
        for drawn in itertools.product([False, True], repeat=4):
            chance = np.prod([rate if there else 1 - rate for rate, there in zip(rates, drawn, strict=True)])
            outputs[drawn[record]] += chance * noisy_count(sum(drawn), epsilon, 4)
        for accepted in subsets(5):
            joint_in, joint_out = (outputs[there][list(accepted)].sum() for there in (True, False))
            assert joint_in / (joint_in + joint_out) <= precision_bound(epsilon, prior) + 1e-12
            assert joint_out / (joint_in + joint_out) <= precision_bound(epsilon, 1 - prior) + 1e-12


def test_replaced_records_and_training_sets_of_fixed_size_have_the_same_bound():
    # All sets of 2 among 5 records; the mechanism weighs them by randomised response on record 0, so that two sets
    # that differ in one record differ by e^epsilon at most.
    epsilon, records, size = 1.2, 5, 2
    truth = 1 / (1 + np.exp(-epsilon))
    joint = {True: 0.0, False: 0.0}
    sets = list(itertools.combinations(range(records), size))
    for drawn in sets:
        joint[0 in drawn] += (truth if 0 in drawn else 1 - truth) / len(sets)
    reached = joint[True] / (joint[True] + joint[False])
    assert reached == pytest.approx(precision_bound(epsilon, size / records), abs=1e-12)


# Arguments


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        ({"epsilon": -0.1, "prior": 0.5}, "epsilon of at least 0"),
        ({"epsilon": np.nan, "prior": 0.5}, "epsilon of at least 0"),
        ({"epsilon": 1, "prior": [0.5, 1.0]}, "a prior in"),
        ({"epsilon": 1, "prior": 0}, "a prior in"),
        ({"epsilon": 1, "prior": 0.5, "delta": 1}, "delta in"),
        ({"epsilon": 1, "prior": 0.5, "delta": 1e-5, "acceptance": 0}, "an acceptance in"),
    ],
)
@pytest.mark.parametrize("bound", BOTH)
def test_arguments_out_of_range_are_refused(bound, arguments, reported):
    with pytest.raises(ValueError, match=reported):
        bound(**arguments)


@pytest.mark.parametrize("bound", [0, 1, -0.5, np.nan])
def test_a_target_that_is_no_bound_is_refused(bound):
    with pytest.raises(ValueError, match="a bound in"):
        epsilon_for_bound(bound, 0.5)
