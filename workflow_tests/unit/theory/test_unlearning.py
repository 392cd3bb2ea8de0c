"""Deletion capacity and generalisation: printed values, mechanisms by enumeration, and the sign."""

import itertools

import numpy as np
import pytest

from dpmia.theory.precision_bounds import precision_bound
from dpmia.theory.unlearning import (
    deletion_capacity,
    deletion_capacity_as_printed,
    generalisation_bound,
)

SIZES = np.array([0.5, 1, 10, 50, 200])


def test_the_printed_capacity_is_that_of_figure_7():
    # Thudi et al. 2024, corollary 5.2 with B = .8, N = 10 000, epsilon = 1.
    capacity = deletion_capacity_as_printed(0.8, 1, SIZES / 10_000)
    assert capacity == pytest.approx([12_131, 6065, 606, 121, 29.8], rel=2e-3)


def test_the_corrected_capacity_is_lower_by_about_e_to_twice_epsilon():
    capacity = deletion_capacity(0.8, 1, SIZES / 10_000)
    assert capacity.round(1).tolist() == [1641.8, 820.9, 82.1, 16.4, 4.1]
    ratio = deletion_capacity_as_printed(0.8, 1, SIZES / 10_000) / capacity
    assert ratio[:2] == pytest.approx(np.exp(2), rel=1e-3)
    assert (ratio <= np.exp(2)).all()


def test_the_capacity_is_what_the_guarantee_for_one_record_allows():
    for epsilon, prior in itertools.product([0.1, 1, 3], [0.01, 0.3, 0.9]):
        one = 1 - precision_bound(epsilon, prior)
        assert one == pytest.approx(1 / (1 + np.exp(epsilon) * prior / (1 - prior)), rel=1e-12)
        assert deletion_capacity(one**7, epsilon, prior) == pytest.approx(7)


def test_the_capacity_stays_exact_where_one_minus_the_bound_rounds_away():
    assert deletion_capacity(0.5, 1, 1e-18) == pytest.approx(np.log(2) / (np.e * 1e-18))


def outputs(epsilon, delta, acceptance):
    """Return P(answer 1) of a record that is in and of one that is out, as far apart as privacy allows."""
    return acceptance, np.exp(-epsilon) * (acceptance - delta)


def none_was_in(epsilon, delta, acceptance, prior, records, accepted):
    """Return P(no record in | answers in `accepted`), P(accepted | none in); each record answers on its own."""
    yes = outputs(epsilon, delta, acceptance)
    joint = {}
    for drawn in itertools.product([False, True], repeat=records):
        chance = np.prod([prior if there else 1 - prior for there in drawn])
        likely = sum(
            np.prod([(p if said else 1 - p) for said, p in zip(given, (yes[1 - d] for d in drawn), strict=True)])
            for given in accepted
        )
        joint[drawn] = chance * likely, likely
    none = joint[(False,) * records]
    return none[0] / sum(both for both, _ in joint.values()), none[1]


@pytest.mark.parametrize("prior", [0.05, 0.4])
def test_randomised_response_of_each_record_uses_up_the_capacity(prior):
    epsilon, records = 0.8, 3
    truth = 1 / (1 + np.exp(-epsilon))
    sure, _ = none_was_in(epsilon, 0, truth, prior, records, [(1, 1, 1)])
    assert deletion_capacity(sure, epsilon, prior) == pytest.approx(records)
    # The printed formula calls far more deletions safe than three.
    assert deletion_capacity_as_printed(sure, epsilon, prior) > records + 1


@pytest.mark.parametrize(("delta", "acceptance"), [(0, 0.3), (1e-3, 0.3), (0.05, 0.2)])
@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_no_set_of_outputs_passes_the_capacity_with_delta(epsilon, delta, acceptance):
    prior, records = 0.3, 2
    given = list(itertools.product([0, 1], repeat=records))
    for size in range(1, len(given) + 1):
        for accepted in itertools.combinations(given, size):
            sure, likely = none_was_in(epsilon, delta, acceptance, prior, records, accepted)
            # If the guarantee held for more certainty than there is, the capacity would be at least two.
            assert (
                deletion_capacity(min(sure + 1e-9, 1 - 1e-12), epsilon, prior, delta, min(likely, 1)) <= records + 1e-6
            )


@pytest.mark.parametrize(
    ("changes", "phrase"),
    [
        ({"prior": 0.0}, "a prior in"),
        ({"prior": -0.2}, "a prior in"),
        ({"delta": -1e-3}, "delta in"),
        ({"acceptance": 0.0}, "an acceptance in"),
    ],
)
def test_arguments_out_of_their_range_are_refused(changes, phrase):
    with pytest.raises(ValueError, match=phrase):
        deletion_capacity(**{"bound": 0.8, "epsilon": 1.0, "prior": 0.1, "delta": 1e-5, "acceptance": 0.1} | changes)


def test_delta_only_lowers_the_capacity_down_to_none():
    plain = deletion_capacity(0.8, 1, 0.01)
    capacities = [deletion_capacity(0.8, 1, 0.01, delta, 0.01) for delta in (0, 1e-7, 1e-5, 1e-3, 1e-2)]
    assert capacities[0] == plain
    assert (np.diff(capacities) < 0).all()
    assert capacities[-1] == 0


def test_generalisation_is_bounded_from_both_sides_as_printed():
    epsilons = np.linspace(0, 12, 100)
    gap = generalisation_bound(epsilons)
    np.testing.assert_allclose((gap + 1) / 2, 1 / (1 + np.exp(-epsilons)), atol=1e-15)
    np.testing.assert_allclose((-gap + 1) / 2, 1 / (1 + np.exp(epsilons)), atol=1e-15)
    assert generalisation_bound(np.inf) == 1


def test_releasing_records_by_randomised_response_has_the_largest_gap():
    # The model is told by randomised response whether the one record is in; its loss there is 0 or 1 accordingly.
    epsilon = 1.3
    truth = 1 / (1 + np.exp(-epsilon))
    loss_in, loss_out = 1 - truth, truth
    assert loss_out - loss_in == pytest.approx(generalisation_bound(epsilon))


@pytest.mark.parametrize(("bound", "epsilon"), [(0, 1), (1, 1), (0.8, 0), (0.8, np.inf), (0.8, np.nan)])
@pytest.mark.parametrize("capacity", [deletion_capacity, deletion_capacity_as_printed])
def test_a_capacity_needs_a_bound_and_an_epsilon(capacity, bound, epsilon):
    with pytest.raises(ValueError, match="expected a"):
        capacity(bound, epsilon, 0.1)
