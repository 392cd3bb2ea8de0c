"""Limits of audits: how confidence limits decide them, how often they err over all looks, what would decide them."""

from dataclasses import replace

import numpy as np
import pytest
from audit_entries import bare, changed
from audit_entries import entry as result

from dpmia.audit.entries import Cell
from dpmia.audit.limits import audit_limits
from dpmia.claims.deciding import Effort, describe, propose
from dpmia.claims.limits import ERROR, ERROR_OF_LOOK
from dpmia.claims.release_limits import (
    FAILED,
    NONE,
    NOT_EVALUATED,
    PASSED,
    UNDECIDED,
    Held,
    HeldMean,
    exceeding,
    stand_of_limits,
    verdict_on,
)
from dpmia.claims.standing import Prospect
from dpmia.formats.looks import TIMES, Look, Looks
from dpmia.metrics.intervals import BOTH, RECORDS, REPLICATES, Estimate, degrees_of_sum, estimate

LIMIT = 0.1
EFFORTS = {"clinic": Effort(4, 0.1), "ward": Effort(4, 0.1)}


def held(mean, error=0.01, limit=LIMIT, **changes):
    """Return a mean over four replicates; `kind` and `records_error` as given."""
    numbers = {"degrees": 3, "count": 4, "kind": REPLICATES, "records_error": 0.0}
    numbers |= {key: changes.pop(key) for key in list(changes) if key in numbers}
    place = {"experiment": "clinic", "arm": "north", "epsilon": "1", "attack": "loss", "metric": "advantage"}
    return HeldMean(**{**place, **changes}, limit=limit, replicates=10, estimate=Estimate(mean, error, **numbers))


#: The quantile of t with three degrees of freedom at .95: a table of Student's distribution has it.
T = 2.353


@pytest.mark.parametrize(
    ("means", "verdict"),
    [
        ([held(LIMIT - 0.01 * T - 0.001)], PASSED),
        ([held(LIMIT - 0.01 * T + 0.001)], UNDECIDED),
        ([held(LIMIT)], UNDECIDED),
        ([held(LIMIT + 0.01 * T - 0.001)], UNDECIDED),
        ([held(LIMIT + 0.01 * T + 0.001)], FAILED),
        # Each keeps its limit by its own one-sided limit, however many there are; those that exceed hold together.
        ([held(LIMIT - 0.01 * T - 0.001)] * 9, PASSED),
        ([held(LIMIT + 0.01 * T + 0.001), *[held(0)] * 9], UNDECIDED),
        ([held(LIMIT + 0.06), *[held(0)] * 9], FAILED),
    ],
)
def test_confidence_limits_decide(means, verdict):
    assert verdict_on(means) == verdict


def test_after_the_first_that_exceeds_the_limits_of_the_others_alone_hold_together():
    sure, near = held(LIMIT + 0.06), held(LIMIT + 0.01 * 3.0, attack="lira")
    assert exceeding([near, held(0)]) == {}  # 3.18 standard errors at .05 / 2, 2.35 at .05
    assert list(exceeding([near, sure])) == [sure, near]


def test_what_exceeds_a_limit_does_so_whatever_else_cannot_be_evaluated():
    assert Held([held(0.9)], {"auc": "too few"}).verdict() == FAILED
    assert Held([held(0.0)], {"auc": "too few"}).verdict() == NOT_EVALUATED
    assert Held([], {}).verdict() == NONE


def cell(mean, error=0.01):
    return Cell.of(Estimate(mean, error, 3, 4, REPLICATES), "auc")


def entry(attack="loss", epsilon="1", **changes):
    return result(**{"attack": attack, "epsilon": epsilon, "advantage": cell(0.0), "auc": cell(0.5)} | changes)


def test_each_attack_on_each_model_that_may_be_released_is_held_to_each_limit():
    entries = [entry(), entry("lira"), entry(epsilon="inf", auc=bare(0.5)), entry("random", auc=cell(0.9), oracle=True)]
    outcome = audit_limits(entries, {"advantage": 0.1, "auc": 0.6}, [1.0])
    assert (outcome.verdict, outcome.epsilons, outcome.error) == (PASSED, ["1"], ERROR)
    assert [(mean.attack, mean.metric) for mean in outcome.held.means] == [
        ("loss", "advantage"), ("lira", "advantage"), ("loss", "auc"), ("lira", "auc"),
    ]  # fmt: skip
    assert Held.from_plain(outcome.held.plain()).verdict() == PASSED

    every = audit_limits(entries, {"advantage": 0.1, "auc": 0.6}, None)
    assert (every.verdict, every.held.not_evaluated) == (
        NOT_EVALUATED, {"auc": "fewer than 3 replicates (clinic, north, loss)"},
    )  # fmt: skip
    assert audit_limits(entries, {"auc": 1.0}, [3.0]).verdict == NOT_EVALUATED
    blind = audit_limits([entry(auc_excess=None)], {"auc_excess": 0.1}, None)
    assert blind.held.not_evaluated == {"auc_excess": "there is no blind baseline (clinic, north, epsilon 1, loss)"}
    assert audit_limits(entries, {}, None).verdict == NONE


def test_a_limit_on_a_rate_that_guessing_passes_is_not_evaluated():
    few = entry(tpr_at_1pct_fpr=cell(0.012, 0.005), nonmembers=100)  # of new non-members 2 / 101 pass the threshold
    outcome = audit_limits([few], {"tpr_at_1pct_fpr": 0.015}, None)
    assert outcome.verdict == NOT_EVALUATED
    assert outcome.held.not_evaluated == {
        "tpr_at_1pct_fpr": "guessing alone finds 0.02 with 100 non-members (clinic, north, epsilon 1, loss)"
    }
    assert audit_limits([few], {"tpr_at_1pct_fpr": 0.05}, None).verdict == PASSED
    assert audit_limits([changed(few, nonmembers=1000)], {"tpr_at_1pct_fpr": 0.015}, None).verdict == UNDECIDED


def test_limits_that_decide_stand_beside_what_exceeds_and_what_is_undecided():
    entries = [entry(advantage=cell(0.3)), entry("lira", advantage=cell(0.4)), entry("quantile", advantage=cell(0.1))]
    outcome = audit_limits(entries, {"advantage": 0.1}, None)
    assert [(mean.attack, mean.value) for mean in outcome.exceeded] == [("lira", 0.4), ("loss", 0.3)]
    assert all(mean.limit < mean.low < mean.value for mean in outcome.exceeded)
    (unsure,) = outcome.undecided
    assert unsure.low == pytest.approx(0.1 - 0.01 * T, abs=1e-4)
    assert unsure.high == pytest.approx(0.1 + 0.01 * T, abs=1e-4)


#: Simulated runs: few by default, all of them in slow tests.
RUNS = [200, pytest.param(2000, marks=pytest.mark.slow)]


def verdicts(means, runs, planned=4, error=ERROR_OF_LOOK):
    """Return the verdict at each look at normal values about means, shape (looks, runs)."""
    drawn = np.random.default_rng(0).normal(size=(runs, len(means), planned * TIMES[-1]))
    drawn += np.array(means, dtype=float)[:, None]
    return np.array([
        [
            verdict_on([replace(held(0, limit=0), estimate=estimate(values)) for values in of_run], error)
            for of_run in drawn[:, :, : planned * times]
        ]
        for times in TIMES
    ])  # fmt: skip


def ever(outcomes, verdict):
    """Return the share of runs that have a verdict at any look: no rule for when to stop errs more often."""
    return (outcomes == verdict).any(axis=0).mean()


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("count", [1, 8])
def test_both_errors_hold_over_all_looks(count, runs):
    most = ERROR + 3.1 * np.sqrt(ERROR * (1 - ERROR) / runs)
    on_the_line = verdicts([0, *[-3] * (count - 1)], runs)
    assert ever(on_the_line, PASSED) <= most
    assert ever(verdicts([0] * count, runs), FAILED) <= most
    above, within = verdicts([1.2, *[-3] * (count - 1)], runs), verdicts([-1.2] * count, runs)
    assert ever(above, PASSED) <= 0.005
    assert ever(within, FAILED) <= 0.005
    assert ever(above, FAILED) > 0.9
    assert ever(within, PASSED) > 0.9


def test_judged_at_the_whole_error_four_looks_err_more_often():
    assert ever(verdicts([0], 500, error=ERROR), PASSED) > ERROR + 3.1 * np.sqrt(ERROR * (1 - ERROR) / 500)


def test_more_replicates_make_an_error_smaller_but_what_records_leave():
    four = estimate(np.array([0.0, 1.0, 2.0, 3.0]))
    sixteen = four.with_replicates(4)
    assert (sixteen.count, sixteen.degrees, sixteen.error) == (16, 15, pytest.approx(four.error / 2))
    shared = Estimate(0.5, 0.05, 20, 4, BOTH, records_error=0.03)
    more = shared.with_replicates(4)
    assert more.error == pytest.approx(np.hypot(0.02, 0.03))
    assert more.degrees == pytest.approx(degrees_of_sum(0.02**2, 15, 0.03**2))
    one = Estimate(0.5, 0.05, 99, 1, RECORDS)
    assert one.with_replicates(8) == one


def stand(*means, times=None, repeatable=("clinic", "ward")):
    return stand_of_limits({"audit clinic": Held(list(means), [])}, repeatable, times)


def test_what_would_decide_an_audit():
    assert stand(held(0.0)).decided == stand(held(0.3)).decided == ("audit clinic",)
    near = held(LIMIT - 0.0225)
    assert stand(near).prospects == (Prospect("audit clinic", ("clinic",), 2),)
    both = stand(near, held(0.0, experiment="ward"))
    assert both.prospects[0].names == ("clinic", "ward")
    reasons = {
        "too close to call: 8 times its planned replicates do not decide it at these means": stand(held(0.0999)),
        "it takes more records, not more replicates": stand(held(0.09, 0.02, kind=BOTH, records_error=0.0199)),
        "clinic cannot have more replicates: predictions only, or unavailable data": stand(near, repeatable=()),
        "all 4 looks are taken": stand(near, times={"clinic": 8}),
    }
    for reason, standing in reasons.items():
        assert standing.leaves == {"audit clinic": reason}
    unknown = stand_of_limits({"audit clinic": Held([near], {"auc": "no blind baseline"})}, (), None)
    assert unknown.unjudged == {"audit clinic": "auc: no blind baseline"}
    assert stand_of_limits({"audit clinic": Held([], {})}, (), None).decided == ()


def test_an_audit_that_the_whole_error_decides_is_not_begun():
    alone = stand(held(LIMIT - 0.01 * T - 0.001))
    assert alone.reopened == ("audit clinic",)
    proposal = propose([alone], EFFORTS, 9, None)
    assert (proposal.look, proposal.leaves) == (None, {})
    first = describe(proposal, EFFORTS, 9).splitlines()[0]
    assert first == "Limits of audits: 1 decided, 0 undecided, 0 cannot be judged."


def test_the_budget_pays_for_the_replicates_of_an_audit():
    proposal = propose([stand(held(LIMIT - 0.0225))], EFFORTS, 0.5, None)
    assert proposal.look == Look(core_hours=0.1, times={"clinic": 2})
    assert "  audit clinic: 2 times the planned replicates, 0.1 core-hours" in describe(proposal, EFFORTS, 0.5)
    looks = Looks([proposal.look])
    later = propose([stand(held(LIMIT - 0.015), times=looks.times)], EFFORTS, 0.8, looks)
    assert (later.spent, later.look) == (0.1, Look(core_hours=0.2, times={"clinic": 4}))
