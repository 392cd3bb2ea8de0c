"""What an audit says in words and advice: chosen by intervals, with arm, records and what is missing."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from audit_entries import DESCRIPTION, T_3, bare, blind, cell, changed, entry, plain_text, verdict
from model_cards import card
from scipy.stats import binom, t

from dpmia.audit import advice, findings, formatting, scores
from dpmia.audit.choices import best, select, without_interval
from dpmia.audit.entries import Accuracy
from dpmia.audit.plain import records_half_width, records_needed
from dpmia.audit.scores import Sizes
from dpmia.audit.verdicts import verdicts
from dpmia.evaluation.summary import LIMITS, UNCERTAINTY
from dpmia.formats.rows import KEYS
from dpmia.formats.signals import MEMBER, NONMEMBER, Signal
from dpmia.metrics.intervals import EQUAL, REPLICATES, TOO_FEW, mean_interval
from dpmia.metrics.ranking import roc


@pytest.mark.parametrize(
    ("excess", "says", "never"),
    [
        (cell(0.1, 0.02), "The attack goes beyond it", "Undecided"),
        (
            cell(0.01, 0.06),
            "Undecided: the attack is neither shown to go beyond it nor to stay below it (difference of the "
            "AUCs 0.01 [-0.05, 0.07])",
            "The attack goes beyond it",
        ),
        (cell(-0.01, 0.06), "Undecided", "The attack stays below it"),
        (cell(-0.1, 0.02), "The attack stays below it", "Undecided"),
    ],
)
def test_an_attack_is_compared_with_the_blind_baseline_by_the_interval(excess, says, never):
    text = plain_text(entry(auc_excess=excess), blind())
    assert says in text
    assert never not in text
    assert "supervised on other records of both groups, reaches 50 [48, 52]" in text


def test_an_undecided_comparison_names_the_replicates_that_would_do():
    assert "replicates would narrow the interval to ±0.02" in plain_text(entry(auc_excess=cell(0.01, 0.06)), blind())


def test_without_a_blind_baseline_nothing_is_said_to_be_the_models_doing():
    text = plain_text(entry(auc_excess=None))
    assert "No blind baseline was measured" in text
    assert "reveals" not in text


def test_an_excess_is_that_of_the_arm_that_it_names():
    high = entry(arm="south", label="South", auc=cell(0.9, 0.02), auc_excess=cell(-0.03, 0.02))
    low = entry(auc=cell(0.7, 0.02), auc_excess=cell(0.15, 0.02))
    both = [high, low, blind(), blind(arm="south", label="South")]
    (judged,) = verdicts(both, DESCRIPTION)
    assert judged.verdict == "shift"
    assert judged.reason.startswith("AUC 0.90 ")
    assert "; 0.15 [0.12, 0.18] beyond the blind baseline (North; " in judged.reason
    (alone,) = verdicts([low, blind()], DESCRIPTION)
    assert "; 0.15 [0.13, 0.17] beyond the blind baseline: models can" in alone.reason


@pytest.mark.parametrize(
    ("auc", "says"),
    [(cell(0.6, 0.05), "So the model reveals membership."), (cell(0.52, 0.04), "not distinguishable from guessing")],
)
def test_guessing_is_excluded_by_the_interval_only(auc, says):
    assert says in plain_text(entry(iid=True, label="North, IID", auc=auc))


def test_sentences_carry_arm_records_and_interval():
    text = plain_text(entry(), blind())
    assert "(North; 300 members and 300 non-members in each of 4 models)" in text
    assert "in 60 [58, 62] of 100 pairs" in text
    assert "few records" not in text


def test_few_records_are_said_to_be_few_and_how_many_would_do():
    text = plain_text(entry(members=23, nonmembers=23, tpr_at_1pct_fpr=None), blind())
    assert "few records: they alone leave the AUC of one model uncertain by 0.17" in text
    assert f"about {records_needed(0.05)} members" in text
    assert "show no false positive rate below 1/23" in text


def test_the_half_width_over_records_covers_random_scores_as_often_as_it_says():
    rng = np.random.default_rng(1)
    half = records_half_width(40, 60)
    truth = np.arange(100) < 40
    aucs = []
    for _ in range(2000):
        false, true, _ = roc(rng.normal(size=100), truth)
        aucs.append(np.trapezoid(true, false))
    assert np.mean(np.abs(np.array(aucs) - 0.5) <= half) == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("half", [0.02, 0.05, 0.1])
def test_the_records_needed_reach_the_half_width(half):
    count = records_needed(half)
    assert records_half_width(count, count) <= half < records_half_width(count - 1, count - 1)


def test_the_strongest_attack_is_chosen_by_its_lower_limit():
    lucky, sure = entry(attack="lucky", auc=cell(0.83, 0.4)), entry(attack="sure", auc=cell(0.7, 0.02))
    assert best([lucky, sure]).attack == "sure"
    alone = entry(attack="alone", auc=bare(0.9, 1))
    assert best([lucky, alone]).attack == "lucky"


@pytest.mark.slow
@pytest.mark.parametrize("attacks", [1, 8])
def test_the_best_of_attacks_that_find_nothing_reveals_membership_no_more_often_than_one(attacks):
    rng, runs, replicates = np.random.default_rng(2), 2000, 4
    leaks = 0
    for _ in range(runs):
        intervals = [mean_interval(values) for values in rng.normal(0.5, 0.02, (attacks, replicates))]
        entries = [entry(attack=f"a{i}", iid=True, auc=cell(interval.mean, interval.high - interval.mean))
                   for i, interval in enumerate(intervals)]  # fmt: skip
        leaks += verdict(*entries)[0] == "leaks"
    # An interval lies above the truth in one of forty runs.
    assert leaks <= binom.ppf(1 - 1e-6, runs, 0.025)


def test_the_choice_among_arms_counts_and_is_named():
    entries = [entry(arm=arm, label=arm, attack=attack, auc_excess=cell(0.03, 0.02))
               for arm in ("north", "south") for attack in ("a", "b")]  # fmt: skip
    strongest = best(entries, "auc_excess")
    assert strongest.compared == 4
    low = strongest.cell("auc_excess").low
    assert low == pytest.approx(0.03 - 0.02 / T_3 * t.isf(0.025 / 4, 3))
    assert low < 0
    assert verdict(*entries)[0] == "shift"
    assert "allow for its choice among 4 results (attacks and arms)" in plain_text(*entries)
    (one,) = entries[:1]
    assert best([one]).cell("auc_excess").low == pytest.approx(0.01)
    assert "choice" not in plain_text(one)


# What the page says in several places


def test_a_limit_that_rounds_to_guessing_shows_on_which_side_it_lies():
    above = entry(iid=True, auc=cell(0.55, 0.0496))
    assert verdict(above)[1].startswith("AUC 0.5500 [0.5002, 0.5989] ")
    assert "55.00 [50.02, 59.89] of 100 pairs" in plain_text(above)
    assert formatting.interval(replace(cell(0.55, 0.05), low=0.5), guessing=0.5) == "0.55 [0.50, 0.60]"
    assert formatting.interval(cell(0.55, 0.02), guessing=0.5) == "0.55 [0.53, 0.57]"


def test_the_interval_of_the_model_most_at_risk_allows_for_the_choice_of_the_model():
    entries = [entry(iid=True, epsilon=epsilon, attack=attack, auc=cell(mean, 0.02))
               for epsilon, mean in (("1", 0.6), ("inf", 0.7)) for attack in ("a", "b")]  # fmt: skip
    worst, alone = best(entries), best(select(entries, epsilon="inf"))
    assert (worst.epsilon, worst.compared, alone.compared) == ("inf", 4, 2)
    assert worst.auc.low < alone.auc.low < alone.auc.mean == worst.auc.mean
    assert best(select(entries, iid=False)) is None


def test_a_larger_mean_without_an_interval_stands_beside_the_one_most_at_risk():
    bounded = entry(iid=True, epsilon="1", auc=cell(0.51, 0.02))
    alone = entry(iid=True, epsilon="inf", auc=bare(0.95))
    worst = best([bounded, alone])
    assert worst.epsilon == "1"
    assert without_interval([bounded, alone], "auc", worst).epsilon == "inf"
    assert without_interval([bounded, changed(alone, auc=bare(0.4))], "auc", worst) is None
    assert without_interval([alone], "auc", best([alone])) is None


def test_the_interval_of_the_group_most_at_risk_is_that_of_the_plain_words():
    entries = [entry(arm=arm, label=arm, attack=attack, auc=cell(mean, 0.02))
               for arm, mean in (("north", 0.6), ("south", 0.7)) for attack in ("a", "b")]  # fmt: skip
    _, south = findings.group_risks(entries, {"clinic": {"north": "North", "south": "South"}})
    assert f"in {formatting.of_hundred(south.auc)} of 100 pairs" in plain_text(*entries)


def test_too_few_replicates_are_no_interval_that_is_too_wide():
    entries = [entry(iid=True, attack=attack, auc=bare(0.7), replicates=2) for attack in ("a", "b")]
    kind, reason = verdict(*entries)
    assert (kind, reason.partition(". ")[2]) == ("open", "Fewer than 3 replicates give no interval: run at least 3.")
    assert "Intervals allow" not in plain_text(*entries)
    (advised,) = advice.remedies(entries, [], DESCRIPTION)
    assert advised.startswith(
        "Take more replicates or more records before you decide on: perceptron 64 without privacy."
    )
    assert advice.remedies([entry(iid=True, auc=cell(0.5, 0.03))], [], DESCRIPTION) == []


def test_a_smaller_epsilon_is_advised_with_what_it_gave_and_cost():
    entries = [
        entry(iid=True, arm="iid", label="IID", auc=cell(0.8, 0.02)),
        entry(iid=True, arm="iid", label="IID", auc=cell(0.52, 0.02), epsilon="1"),
    ]
    accuracy = [
        Accuracy("clinic", "iid", "IID", epsilon, cell(value, 0.01), cell(value, 0.01), majority=None)
        for epsilon, value in (("inf", 0.9), ("1", 0.7))
    ]
    (remedy,) = advice.remedies(entries, accuracy, DESCRIPTION)
    assert "falls from 0.80 [0.78, 0.82] to 0.52 [0.50, 0.54]" in remedy
    assert "goes from 0.90 [0.89, 0.91] to 0.70 [0.69, 0.71]" in remedy


def test_what_was_not_tested_is_named():
    named = advice.untested([entry()], replace(DESCRIPTION, mismatched_attacks=["lira_offline"]))
    assert any("those of LiRA offline were trained without privacy" in text for text in named)
    gaps = advice.untested([entry()], replace(DESCRIPTION, attacks_not_run=["rmia_offline", "shadow"]))
    assert not any("trained without privacy" in text for text in gaps)
    assert "Attacks that were not run: RMIA offline, shadow." in gaps
    assert "False positive rates below 1/300: the non-members of one model are too few." in gaps


# ROC curves and majority classes


def test_a_roc_curve_of_perfect_scores_is_one_at_every_rate_down_to_the_resolution():
    truth = np.arange(30) < 10
    false, true, _ = roc(truth.astype(float), truth)
    curve = scores.roc_curve([(false, true)], [10], [20])
    assert curve.fpr[0] == pytest.approx(1 / 20)
    assert curve.fpr[-1] == 1
    assert curve.tpr == [1.0] * scores.ROC_POINTS
    assert curve.low[0] == 0, "of 20 non-members none need lie above a threshold of rate 1/20"
    assert curve.low[-1] == pytest.approx(0.0125 ** (1 / 10), abs=1e-6), "at a rate of 1 all pass"
    assert curve.high == [1.0] * scores.ROC_POINTS


def test_a_roc_curve_takes_the_best_threshold_within_each_rate():
    # Scores 4 m, 3 n, 2 m, 1 n: at a rate of 1/2 both members, below it one.
    false, true, _ = roc(np.array([4.0, 3, 2, 1]), np.array([True, False, True, False]))
    curve = scores.roc_curve([(false, true)] * 3, [2] * 3, [2] * 3)
    assert set(curve.tpr) == {1.0}
    false, true, _ = roc(np.array([4.0, 3, 2, 1]), np.array([False, True, False, True]))
    curve = scores.roc_curve([(false, true)] * 3, [2] * 3, [2] * 3)
    expected = [0.5 if rate < 1 else 1.0 for rate in curve.fpr]
    assert curve.tpr == expected
    # Equal values show no spread; of a share of 1 two members give a limit: .025 = p^2.
    assert curve.low == [None if tpr < 1 else pytest.approx(0.025**0.5, abs=1e-6) for tpr in expected]
    assert curve.high == [None if tpr < 1 else 1.0 for tpr in expected]


def test_the_majority_class_is_that_of_the_members():
    part = np.repeat(np.array([MEMBER, NONMEMBER], dtype=np.uint8), 5)
    labels = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 1])
    signal = Signal(card(), np.arange(10), labels, part, np.zeros((10, 2), dtype=np.float32))
    assert scores.majority_accuracy(signal) == pytest.approx(0.2)


# Names and numbers


@pytest.mark.parametrize(
    ("arm", "group", "shown"),
    [
        ("st_anna", "St. Anna", "St. Anna"),
        ("st_anna-iid", "St. Anna", "St. Anna, IID"),
        ("p25", "male", "p25"),
        ("cluster", "0", "cluster"),
        ("group_12", "12", "12"),
        ("group_", "Москва", "Москва"),
        ("group__-iid", "Αθήνα", "Αθήνα, IID"),
        ("iid", None, "iid"),
    ],
)
def test_an_arm_named_after_its_group_is_shown_as_the_group_is_spelled(arm, group, shown):
    assert findings.label(arm, {arm.removesuffix("-iid"): group} if group else {}) == shown


def test_a_summary_without_an_interval_has_none():
    rows = [(name, mean, math.nan, math.nan, 1, TOO_FEW, math.nan, math.nan, 0.0)
            for name, mean in (("auc", 0.6), ("resolution", 0.01))]  # fmt: skip
    summary = pd.DataFrame(
        [["clinic", "North_iid", True, 1.0, "a", False, *row] for row in rows],
        columns=[*KEYS, *LIMITS, "replicates", *UNCERTAINTY],
    )
    (result,) = findings.results(summary, DESCRIPTION, {("North_iid", "1"): Sizes(300, 300, 300)})
    assert result.auc == bare(0.6, 1)
    assert plain_text(result).count("Fewer than 3 replicates give no interval") == 1


def test_more_replicates_are_not_advised_where_only_more_records_narrow_the_interval():
    of_seeds, of_records = (entry(iid=True, auc=cell(0.51, 0.1, error)) for error in (0.0, 0.03))
    assert "replicates would narrow the interval to ±0.02" in plain_text(of_seeds)
    assert "an interval of ±0.02 takes more records: all replicates have these" in plain_text(of_records)


def test_equal_replicates_are_no_certainty_and_the_reason_is_named():
    text = plain_text(entry(iid=True, auc=bare(0.8, 4, EQUAL)))
    assert "All values are equal, which gives no interval." in text
    assert "reveals membership" not in text


def test_a_wider_interval_of_a_choice_stays_within_the_range_and_keeps_its_kind():
    auc = best([entry(attack=name, auc=cell(0.97, 0.05)) for name in ("a", "b", "c")]).auc
    assert auc.interval == REPLICATES
    assert auc.low < 0.92
    assert 0.97 < auc.high < 1


@pytest.mark.parametrize(
    ("relation", "compares", "bound"),
    [
        ("replace_one", "replace_one", 0.4621),
        ("add_remove", "replace_one", 0.7616),
        ("add_remove", "add_remove", 0.4621),
        ("replace_one", "add_remove", None),
    ],
)
def test_the_bound_is_that_of_the_guarantee_and_of_what_the_audit_compares(relation, compares, bound):
    columns = {"experiment": "clinic", "arm": "north", "iid": True, "epsilon": 1.0, "oracle": False, "replicates": 4}
    uncertain = dict.fromkeys([*LIMITS, *UNCERTAINTY], np.nan) | {"interval": REPLICATES}
    rows = [("lira", "auc", 0.6), ("lira", "resolution", 0.01), (findings.NO_ATTACK, "advantage_ceiling", 0.2)]
    table = pd.DataFrame(
        [columns | uncertain | dict(zip(("attack", "metric", "mean"), row, strict=True)) for row in rows]
    )
    description = replace(DESCRIPTION, relation=relation, compares=compares)
    (result,) = findings.results(table, description, {("north", "1"): Sizes(300, 300, 420)})
    assert result.bound == (bound and pytest.approx(bound, abs=1e-4))
    assert (result.nonmembers, result.most_nonmembers) == (300, 420)
    assert result.ceiling == 0.2
    assert result.warning == (findings.OTHER_RELATION if bound is None else None)
