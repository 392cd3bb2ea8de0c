"""How often verdicts are wrong where replicates are added after looks at them, by simulation.

Every simulated run has all of `TIMES` looks. A verdict counts as wrong if it is so at any of them: then no rule for
when to stop, and none for which looks to pass over, errs more often.
"""

import numpy as np
import pytest

from dpmia.claims.comparisons import above, highest_at, near
from dpmia.claims.decisions import Condition, Every, Highest, Some
from dpmia.claims.limits import ERROR
from dpmia.formats.looks import TIMES
from dpmia.metrics.intervals import estimate_rows

LOOK = ERROR / len(TIMES)

#: Simulated runs: few by default, all of them in slow tests.
RUNS = [300, pytest.param(2000, marks=pytest.mark.slow)]


def most(runs):
    """Return the share that an event of probability `ERROR` exceeds in one of a thousand simulations."""
    return ERROR + 3.1 * np.sqrt(ERROR * (1 - ERROR) / runs)


def verdicts(rule, comparison, means, planned, runs, error=LOOK):
    """Return the verdicts on normal values about means, shape (looks, runs); each look has all earlier values."""
    drawn = np.random.default_rng(0).normal(size=(len(means), runs, planned * TIMES[-1]))
    drawn += np.array(means, dtype=float)[:, None, None]
    decided = rule(Condition("x", comparison, dict))
    outcomes = np.empty((len(TIMES), runs), dtype=object)
    for look, times in enumerate(TIMES):
        cells = [estimate_rows(values[:, : planned * times]) for values in drawn]
        for run, of_run in enumerate(zip(*cells, strict=True)):
            named = {f"panel {place}": mean for place, mean in enumerate(of_run)}
            outcomes[look, run] = decided.decide([named], error).holds
    return outcomes


def ever(outcomes, verdict):
    """Return the share of runs that have a verdict at any look."""
    return (outcomes == verdict).any(axis=0).mean()


def stopped(outcomes, verdict):
    """Return the share of runs that have a verdict at the first look that decides."""
    first = np.full(outcomes.shape[1], None)
    for look in outcomes[::-1]:
        first = np.where((look == True) | (look == False), look, first)  # noqa: E712  each element
    return (first == verdict).mean()


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("planned", [4, 10])
@pytest.mark.parametrize("count", [1, 15])
def test_a_false_claim_is_rarely_reproduced_at_any_look(count, planned, runs):
    """One panel of the figure is wrong, clearly or by a hair; all others are as claimed."""
    on_the_line = verdicts(Every, above(0), [0, *[2] * (count - 1)], planned, runs)
    assert stopped(on_the_line, True) <= ever(on_the_line, True) <= most(runs)
    false = verdicts(Every, above(0), [-1.2, *[2] * (count - 1)], planned, runs)
    assert ever(false, True) <= 0.005
    assert stopped(false, False) > 0.9


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("planned", [4, 10])
@pytest.mark.parametrize("count", [1, 15])
def test_a_true_claim_is_rarely_refuted_at_any_look(count, planned, runs):
    """All panels are as claimed, clearly or by a hair: any of them may refute it."""
    on_the_line = verdicts(Every, above(-1e-9), [0] * count, planned, runs)
    assert stopped(on_the_line, False) <= ever(on_the_line, False) <= most(runs)
    true = verdicts(Every, above(0), [1.2] * count, planned, runs)
    assert ever(true, False) <= 0.005
    assert stopped(true, True) > 0.9


@pytest.mark.parametrize("runs", RUNS)
def test_every_rule_keeps_both_errors_over_all_looks(runs):
    edge = verdicts(Every, near(0, 1), [1], 4, runs)
    assert max(ever(edge, True), ever(edge, False)) <= most(runs)
    none = verdicts(Some, above(0), [0] * 5, 4, runs)
    assert ever(none, True) <= most(runs)
    one = verdicts(Some, above(-1e-9), [0, *[-3] * 4], 4, runs)
    assert ever(one, False) <= most(runs)


@pytest.mark.parametrize("runs", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_highest_place_keeps_both_errors_over_all_looks(runs):
    rng = np.random.default_rng(0)
    rule = Highest(Condition("x", highest_at(0.1), dict))
    wrong = np.zeros((2, runs), dtype=bool)
    for run in range(runs):
        drawn = {place: rng.normal(size=4 * TIMES[-1]) for place in (0.1, 0.3, 0.5)}
        for times in TIMES:
            curve = {place: values[: 4 * times] for place, values in drawn.items()}
            holds = rule.decide([{"": curve}], LOOK).holds
            wrong[:, run] |= [holds is True, holds is False]
    assert wrong.mean(axis=1).max() <= most(runs)


def test_without_shares_of_the_error_looks_err_more_often():
    outcomes = verdicts(Every, above(0), [0], 4, 2000, error=ERROR)
    assert ever(outcomes, True) > most(2000)
    assert stopped(outcomes, True) > most(2000)


def test_limits_name_what_they_hold_over():
    values = {"a": [0.1, 0.2, 0.15, 0.2], "b": [0.1, 0.3, 0.15, 0.2]}
    finding = Every(Condition("x", above(0.9), lambda tables: values)).judge({}, LOOK)
    assert (finding.holds, finding.interval) == (False, "one-sided 99.38 % limits, 98.75 % over 2 tests")
