"""Which undecided claims get more replicates within a budget, and what is said of it."""

import numpy as np
import pandas as pd
import pytest
from claim_worlds import whole
from world_tables import shared_table, study_table

from dpmia.claims.build import claim, theorem
from dpmia.claims.comparisons import above, at_most
from dpmia.claims.deciding import Effort, describe, propose
from dpmia.claims.decisions import Condition, Some
from dpmia.claims.judge import JudgedRun, judge, judge_all
from dpmia.claims.open_claims import stand_of_claims, together
from dpmia.claims.quantities import at, at_each, metric
from dpmia.claims.render import markdown
from dpmia.claims.rows import Epsilons, Splits
from dpmia.formats.looks import Look, Looks
from dpmia.formats.rows import COLUMNS
from dpmia.formats.tables import write_table

#: Core-hours of four more replicates, and of one more doubling.
EFFORT = Effort(4, 0.1)


def table(name, mean, spread=1.0, replicates=4):
    """Return a table of one metric with just this mean and standard deviation over replicates."""
    values = np.random.default_rng(0).normal(size=replicates)
    values = mean + spread * (values - values.mean()) / values.std(ddof=1)
    key = [name, "a", False, 1.0, "loss", False, "advantage"]
    return pd.DataFrame([[*key, replicate, value] for replicate, value in enumerate(values)], columns=COLUMNS)


def positive(name, *others, **options):
    """Return the claim that the metric of some experiments is above 0."""
    conditions = [Condition("gain", above(0), at(1, metric(experiment, "a", "loss"))) for experiment in (name, *others)]
    tables = tuple(f"replicates/{experiment}" for experiment in (name, *others))
    return claim(f"toy-{name}", "It leaks.", *conditions, artifact="toy_fig1", tables=tables, **options)


@pytest.fixture
def folder(tmp_path):
    """Return a run: a clear effect, one that 8 and one that 16 replicates show, one too small, and one by records."""
    for name, mean in {"clear": 9, "near": 1.12, "far": 0.75, "line": 0.05}.items():
        write_table(tmp_path / f"replicates/{name}.csv", table(name, mean))
    write_table(tmp_path / "replicates/toy.csv", shared_table(0.2, replicates=4))
    return tmp_path


CLAIMS = [positive("clear"), positive("near"), positive("far"), positive("line"), positive("toy")]
EFFORTS = dict.fromkeys(("clear", "near", "far", "line", "toy"), EFFORT)


def proposed(folder, budget, looks=None, claims=CLAIMS, efforts=EFFORTS):
    standing = stand_of_claims(claims, JudgedRun(folder, False, "laptop"), efforts, looks.times if looks else None)
    return propose([standing], efforts, budget, looks)


def counts(proposal):
    """Return how many claims are decided, and which cannot be judged and which are reopened."""
    (standing,) = proposal.standings
    return len(standing.decided), standing.unjudged, standing.reopened


def test_the_cheapest_claims_come_first_and_the_others_are_left_with_their_reasons(folder):
    proposal = proposed(folder, 0.35)
    assert [(prospect.id, prospect.times) for prospect in proposal.works_on] == [("toy-near", 2)]
    assert proposal.look == Look(core_hours=0.1, times={"near": 2})
    assert proposal.leaves["toy-far"] == "4 times its planned replicates take 0.3 core-hours, more than the 0.25 left"
    assert proposal.leaves["toy-line"].startswith("too close to call: 8 times its planned replicates decide it in ")
    assert proposal.leaves["toy-toy"] == "it takes more records, not more replicates (judged at 1.25 %)"
    assert counts(proposal) == (1, {}, ())


def test_a_look_doubles_even_where_more_is_likely_to_be_needed(folder):
    proposal = proposed(folder, 0.41)
    assert {prospect.id: prospect.core_hours for prospect in proposal.works_on} == pytest.approx(
        {"toy-near": 0.1, "toy-far": 0.3}
    )
    assert proposal.look == Look(core_hours=0.2, times={"far": 2, "near": 2})


def test_what_is_trained_again_counts_at_each_doubling(folder):
    efforts = EFFORTS | {"near": Effort(4, 0.1, again=1.0)}
    assert Effort(4, 0.1, again=1.0).between(1, 8) == pytest.approx(0.7 + 3)
    assert [prospect.id for prospect in proposed(folder, 0.5, efforts=efforts).works_on] == ["toy-far"]


def test_where_no_claim_is_worth_it_nothing_is_judged_at_a_smaller_error(folder):
    proposal = proposed(folder, 0.05)
    assert (proposal.look, proposal.works_on, counts(proposal)[0]) == (None, (), 1)
    assert proposal.leaves["toy-near"] == (
        "2 times its planned replicates take 0.1 core-hours, more than the 0.05 left"
    )


def test_claims_that_are_decided_at_the_whole_error_alone_are_named_and_are_no_reason_to_begin(folder):
    write_table(folder / "replicates/clear.csv", table("clear", 1.6))
    alone = [positive("clear")]
    assert judge(alone[0], JudgedRun(folder, False, "laptop"))[0] == "reproduced"
    proposal = proposed(folder, 9, claims=alone)
    assert (proposal.look, proposal.leaves, counts(proposal)) == (None, {}, (1, {}, ()))
    dear = proposed(folder, 0.15, claims=[positive("clear"), positive("far")])
    assert dear.look is None
    assert dear.leaves["toy-far"].endswith("more than the 0.05 left beside what a first look would reopen")
    both = proposed(folder, 9, claims=[positive("clear"), positive("near")])
    assert both.reopened == ["toy-clear"]
    assert both.look.times == {"clear": 2, "near": 2}


def test_experiments_that_one_claim_compares_get_replicates_together(folder):
    claims = [positive("near", "clear"), positive("far")]
    assert together(claims, EFFORTS)["near"] == together(claims, EFFORTS)["clear"] == ("clear", "near")
    assert together(claims, EFFORTS)["far"] == ("far",)
    sizes = claim("toy-sizes", "S.", Condition("x", above(0), len), artifact="t", tables=("sizes/near", "sizes/far"))
    assert together([sizes], EFFORTS)["near"] == ("near",)
    proposal = proposed(folder, 0.25, claims=claims)
    assert proposal.look == Look(core_hours=0.2, times={"clear": 2, "near": 2})


def test_of_a_claim_that_other_networks_refute_only_those_of_the_paper_get_counted(folder):
    write_table(folder / "replicates/other.csv", table("other", -9))
    write_table(folder / "replicates/near.csv", table("near", -1.12))
    refuted = positive("near", "other", some_suffice=True)
    run = JudgedRun(folder, False, "laptop", other_networks={"other": "alexnet"})
    assert judge(refuted, run)[0] == "other network"
    standing = stand_of_claims([refuted], run, EFFORTS | {"other": EFFORT}, None)
    assert (standing.decided, [(one.id, one.times) for one in standing.prospects]) == ((), [("toy-near", 2)])
    (alone,) = stand_of_claims([positive("near", "other")], run, EFFORTS, None).leaves.values()
    assert alone == "not reproduced by other networks than the paper's, of which more replicates decide nothing"
    write_table(folder / "replicates/near.csv", table("near", 1.12))
    again = JudgedRun(folder, False, "laptop", other_networks={"other": "alexnet"})  # a run reads each table once
    (wrong,) = stand_of_claims([refuted], again, EFFORTS | {"other": EFFORT}, None).leaves.values()
    assert wrong.endswith("those of the paper are not likely to refute it")


def test_what_only_epsilons_that_were_not_run_can_refute_gets_no_replicates(folder):
    epsilons = Epsilons(named=(1, 10))
    condition = Condition("gain", above(0), at_each(epsilons, metric("far", "a", "loss")), epsilons=epsilons)
    some = claim("toy-some", "It leaks.", condition, artifact="toy_fig1", tables=("replicates/far",), rule=Some)
    write_table(folder / "replicates/far.csv", table("far", -1.12))
    run = JudgedRun(folder, False, "laptop")
    assert judge(some, run)[0] == "undecided"
    standing = stand_of_claims([some], run, EFFORTS, None)
    assert (standing.decided, standing.prospects) == ((), ())
    assert standing.leaves["toy-some"] == (
        "what was run is not likely to show it, and only what was not run can refute it"
    )
    assert judge_all({"toy": [some]}, run)["verdict"].tolist() == ["undecided"], "more records would not help, either"


def test_looks_before_are_counted_and_there_are_four_at_most(folder):
    before = Looks([Look(core_hours=0.2, times={"near": 4, "far": 2}), Look(core_hours=0.3, times={"near": 8})])
    proposal = proposed(folder, 1.2, before)
    assert proposal.spent == pytest.approx(0.5)
    assert proposal.leaves["toy-near"] == "all 4 looks are taken"
    assert proposal.look == Look(core_hours=0.2, times={"far": 4})
    assert "of which 0.5 core-hours were given to earlier looks" in describe(proposal, EFFORTS, 1.2)


def test_looks_that_are_planned_before_the_run_judge_it_as_the_first_of_them(folder):
    write_table(folder / "replicates/clear.csv", table("clear", 1.6))
    proposal = proposed(folder, 9, Looks([]), claims=[positive("clear")])
    assert proposal.look == Look(core_hours=0.1, times={"clear": 2})
    assert counts(proposal) == (0, {}, ())


def test_studies_get_more_splits_and_single_records_nothing(folder):
    write_table(folder / "studies/toy.csv", whole("studies", study_table()))
    of_study = claim(
        "toy-study", "S.", Condition("gain", above(0.0995), lambda tables: Splits.of(tables, "toy")(1, "threshold")),
        artifact="toy_fig1", tables=("studies/toy",),
    )  # fmt: skip
    of_records = claim(
        "toy-records", "S.", Condition("x", at_most(0), lambda tables: [-1.0, 1.0, 0.0, 0.5]),
        artifact="toy_fig1", tables=("per_record/near",),
    )  # fmt: skip
    write_table(
        folder / "per_record/near.csv", whole("per_record", pd.DataFrame({"experiment": ["near"], "target": [0]}))
    )
    proposal = proposed(folder, 9, claims=[of_study, of_records], efforts=EFFORTS | {"toy": EFFORT})
    assert proposal.leaves["toy-records"] == "it rests on single records, sizes or simulated runs, not on replicates"
    assert ("toy-study" in proposal.leaves) or proposal.look.times == {"toy": 2}


def test_what_is_proposed_is_said_in_words(folder):
    claims = [
        *CLAIMS,
        positive("absent"),
        theorem("toy-thm", "S.", Condition("x", above(0), lambda _: 1.0), artifact="t"),
    ]
    text = describe(proposed(folder, 0.35, claims=claims), EFFORTS, 0.35)
    assert text.splitlines()[:8] == [
        "Claims: 2 decided, 4 undecided, 1 cannot be judged.",
        "Budget: 0.35 core-hours, of which 0 core-hours were given to earlier looks.",
        "",
        "Next look, after 0.1 core-hours:",
        "  near: 8 replicates, 4 now (look 2 of 4)",
        "For these, each with what it adds to the cost until it is likely decided:",
        "  toy-near: 2 times the planned replicates, 0.1 core-hours",
        "Left undecided:",
    ]
    assert text.splitlines()[-2:] == ["Cannot be judged:", "  toy-absent: not run"]
    nothing = describe(proposed(folder, 9, claims=[positive("clear")]), EFFORTS, 9)
    assert nothing.splitlines()[-1] == "Nothing is left to decide."


def test_verdicts_name_their_look_and_the_page_says_why_its_error_is_smaller(folder):
    run = JudgedRun(folder, False, "laptop", times={"near": 2})
    verdicts = judge_all({"toy": [positive("near"), positive("clear")]}, run)
    assert verdicts["interval"].tolist() == [
        "one-sided 98.75 % limits, look 2 of at most 4",
        "one-sided 98.75 % limits, look 1 of at most 4",
    ]
    assert "each look is wrong with at most 5 % / 4 = 1.25 %" in markdown(verdicts, run)
    assert "look" not in markdown(
        judge_all({"toy": [positive("near")]}, JudgedRun(folder, False, "laptop")), JudgedRun(folder, False, "x")
    )
