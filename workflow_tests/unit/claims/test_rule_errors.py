"""How often verdicts are wrong, by simulation: claims judged on draws whose true means are known."""

import numpy as np
import pytest

from dpmia.claims.comparisons import above, at_least, at_most, highest_at, near, not_below
from dpmia.claims.decisions import Condition, Every, Highest, NoLater, Some
from dpmia.claims.limits import ERROR, detectable, mean_of
from dpmia.metrics.intervals import estimate_rows

DRAWS = 400

#: A verdict that is wrong in 5 % of all cases is so in more of the draws with probability .001.
MOST = ERROR + 3.1 * np.sqrt(ERROR * (1 - ERROR) / DRAWS)

CELLS, REPLICATES = (1, 5, 15), (4, 10, 20)


def verdicts(rule, comparison, cells, draws=DRAWS, seed=0):
    """Return the verdict of a rule on each draw; `cells` takes a generator and returns what the condition measures."""
    rng = np.random.default_rng(seed)
    return [rule(Condition("x", comparison, lambda tables: cells(rng))).judge({}).holds for _ in range(draws)]


def share(outcomes, verdict):
    return np.mean([holds is verdict for holds in outcomes])


def means(values, replicates):
    """Return the cells of normal values with standard deviation 1 about means."""

    def cells(rng):
        drawn = rng.normal(size=(len(values), replicates)) + np.array(values)[:, None]
        return {f"{place}": drawn[place] for place in range(len(values))}

    return cells


PLACES = (0.1, 0.3, 0.5, 0.7)


def curves(tops, replicates):
    """Return curves by name, of normal values about means."""

    def cells(rng):
        return {
            name: {place: rng.normal(mean, 1, replicates) for place, mean in zip(PLACES, values, strict=True)}
            for name, values in tops.items()
        }

    return cells


# Every

#: Comparison -> a mean at the edge of what it allows, and one that is far inside.
EDGES = {
    "above": (above(0), 0, 9),
    "at least": (at_least(0), 0, 9),
    "at most": (at_most(0), 0, -9),
    "not below": (not_below(0, 9), -9, 0),
    "near, low": (near(0, 9), -9, 0),
    "near, high": (near(0, 9), 9, 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("replicates", REPLICATES)
@pytest.mark.parametrize("count", CELLS)
@pytest.mark.parametrize("name", ["above", "near, low"])
def test_a_claim_of_which_one_mean_is_at_the_threshold_is_rarely_reproduced(name, count, replicates):
    comparison, edge, inside = EDGES[name]
    outcomes = verdicts(Every, comparison, means([edge, *[inside] * (count - 1)], replicates))
    assert 0.01 < share(outcomes, True) <= MOST


@pytest.mark.slow
@pytest.mark.parametrize("replicates", REPLICATES)
@pytest.mark.parametrize("count", CELLS)
@pytest.mark.parametrize("name", ["above", "near, high"])
def test_a_claim_of_which_all_means_are_at_the_threshold_is_rarely_refuted(name, count, replicates):
    comparison, edge, _ = EDGES[name]
    outcomes = verdicts(Every, comparison, means([edge] * count, replicates))
    assert 0.005 < share(outcomes, False) <= MOST


@pytest.mark.parametrize("name", EDGES)
def test_every_comparison_keeps_both_errors(name):
    comparison, edge, _ = EDGES[name]
    outcomes = verdicts(Every, comparison, means([edge], 4))
    assert max(share(outcomes, True), share(outcomes, False)) <= MOST


def test_an_equality_without_tolerance_is_rarely_refuted():
    """It may fail on either side, so each side has half of the error."""
    outcomes = verdicts(Every, near(0, 0), means([0], 10))
    assert share(outcomes, True) == 0
    assert 0.02 < share(outcomes, False) <= MOST


@pytest.mark.parametrize("count", CELLS[1:])
@pytest.mark.parametrize(("replicates", "mean"), [(4, 3.0), (10, 1.2), (20, 0.75)])
def test_own_limits_reproduce_more_of_what_is_true_than_limits_that_hold_together(count, replicates, mean):
    cells = means([mean] * count, replicates)
    power = share(verdicts(Every, above(0), cells, 200), True)
    rng = np.random.default_rng(0)
    together = [all(mean_of(v).one_sided(ERROR / count).low > 0 for v in cells(rng).values()) for _ in range(200)]
    assert power > np.mean(together) + 0.2


@pytest.mark.parametrize("replicates", REPLICATES)
@pytest.mark.parametrize("error", [ERROR, ERROR / 4])
def test_a_mean_that_is_as_far_off_as_is_detectable_is_shown_in_four_of_five_draws(replicates, error):
    drawn = np.random.default_rng(0).normal(size=(2000, replicates))
    mean = np.mean([detectable(mean, error) ** 2 for mean in estimate_rows(drawn)]) ** 0.5
    findings = [
        Every(Condition("x", above(0), dict)).decide([{"": values}], error) for values in estimate_rows(drawn + mean)
    ]
    assert share([finding.holds for finding in findings], True) == pytest.approx(0.8, abs=0.08)
    assert findings[0].detectable == pytest.approx(detectable(mean_of(drawn[0]), error))


# Some


@pytest.mark.parametrize("count", CELLS)
def test_a_claim_about_some_mean_keeps_both_errors(count):
    none = verdicts(Some, above(0), means([0] * count, 4))
    assert 0.005 < share(none, True) <= MOST
    one = verdicts(Some, above(0), means([0, *[-9] * (count - 1)], 4))
    assert 0.01 < share(one, False) <= MOST


# Curves


@pytest.mark.slow
@pytest.mark.parametrize("allowed", [(0.1,), (0.1, 0.3), (0.1, 0.3, 0.5)])
@pytest.mark.parametrize("number", [1, 3])
def test_a_claim_about_the_highest_place_keeps_both_errors(allowed, number):
    """Where all places are equally high either verdict is wrong, on all curves or on one beside others that hold."""
    level = {f"{name}": (0, 0, 0, 0) for name in range(number)}
    tied = verdicts(Highest, highest_at(*allowed), curves(level, 5), 300)
    assert max(share(tied, True), share(tied, False)) <= MOST
    holds = tuple(9 if place in allowed else -9 for place in PLACES)
    one = {"0": (0, 0, 0, 0)} | {f"{name}": holds for name in range(1, number)}
    outcomes = verdicts(Highest, highest_at(*allowed), curves(one, 5), 300)
    assert max(share(outcomes, True), share(outcomes, False)) <= MOST


def test_the_highest_place_is_shown_by_as_many_limits_as_could_mislead():
    """Two allowed places have half of the error each, and one has all of it."""
    alone = verdicts(Highest, highest_at(0.1), curves({"": (0, 0, -9, -9)}, 5))
    assert 0.02 < share(alone, True) <= MOST
    both = verdicts(Highest, highest_at(0.1, 0.3), curves({"": (0, 0, 0, -9)}, 5))
    assert 0.02 < share(both, True) <= MOST


@pytest.mark.parametrize("number", [1, 3])
def test_a_claim_about_the_order_of_highest_places_keeps_both_errors(number):
    def pairs(first, second, others):
        drawn = [curves({"first": one, "second": two}, 5) for one, two in [(first, second), *others]]
        return lambda rng: {f"{name}": tuple(draw(rng).values()) for name, draw in enumerate(drawn)}

    low, high = (9, 0, 0, 0), (0, 0, 0, 9)
    others = [(low, high)] * (number - 1)
    level = (0, 0, 0, 0)
    # The first curve is highest late by a hair, so the claim is wrong; then early by a hair, so it is right.
    late = verdicts(NoLater, at_most(0), pairs((0, 0, -9, -9), low, others), 200)
    assert share(late, True) <= MOST
    early = verdicts(NoLater, at_most(0), pairs(level, low, others), 200)
    assert share(early, False) <= MOST


# Discrete metrics


def test_equal_replicates_have_no_limits():
    mean = mean_of(np.full(5, 0.1 + 0.2))
    assert mean.mean == pytest.approx(0.3)
    assert np.isnan(mean.one_sided(ERROR).low)
    assert Every(Condition("x", above(0), lambda tables: {"": np.full(5, 0.3)})).judge({}).holds is None


@pytest.mark.parametrize("replicates", [3, 5])
def test_a_rare_count_is_rarely_taken_for_none(replicates):
    # A mean of .015: most draws of few replicates are 0 alike.
    counts = lambda rng: {"": rng.binomial(1, 0.15, replicates) / 10}  # noqa: E731
    assert share(verdicts(Every, at_most(0.005), counts), True) <= MOST
