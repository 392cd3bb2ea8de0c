"""What an audit says in words and advice: chosen by intervals, with arm, records and what is missing."""

import math

import numpy as np
import pandas as pd
import pytest
from model_cards import card

from dpmia.audit import advice, findings, scores
from dpmia.audit.plain import plain_words, records_half_width, records_needed
from dpmia.formats.rows import KEYS
from dpmia.formats.signals import MEMBER, NONMEMBER, Signal
from dpmia.metrics.ranking import roc

FACTS = {
    "model": "mlp 64",
    "delta": 1e-5,
    "relation": "replace_one",
    "independent": False,
    "references": 12,
    "mismatched_attacks": [],
    "attacks_not_run": [],
}


def cell(mean, half):
    return {"mean": mean, "low": mean - half, "high": mean + half, "half_width": half}


def entry(**changed):
    base = {
        "experiment": "clinic", "arm": "north", "label": "North", "iid": False, "epsilon": "inf", "oracle": False,
        "attack": "lira_offline", "replicates": 4, "members": 300, "nonmembers": 300, "auc": cell(0.6, 0.02),
        "auc_excess": cell(0.1, 0.02), "tpr_at_1pct_fpr": cell(0.03, 0.01),
    }  # fmt: skip
    return base | changed


def words(*entries, facts=FACTS):
    return " ".join(text for each in plain_words(entries, "clinic", facts) for text in each["paragraphs"])


def blind(**changed):
    return entry(attack="blind", auc=cell(0.5, 0.02), **changed)


@pytest.mark.parametrize(
    ("excess", "says", "never"),
    [
        (cell(0.1, 0.02), "reveals more than the records do", "not shown"),
        (cell(0.01, 0.06), "is not shown to go beyond it (difference of the AUCs 0.01 [-0.05, 0.07])", "reveals more"),
        (cell(-0.1, 0.02), "stays below it", "reveals more"),
    ],
)
def test_an_attack_is_compared_with_the_blind_baseline_by_the_interval(excess, says, never):
    text = words(entry(auc_excess=excess), blind())
    assert says in text
    assert never not in text
    assert "reaches 50 [48, 52]" in text


def test_an_undecided_comparison_names_the_replicates_that_would_do():
    assert "replicates would narrow the interval to ±0.02" in words(entry(auc_excess=cell(0.01, 0.06)), blind())


def test_without_a_blind_baseline_nothing_is_said_to_be_the_models_doing():
    text = words(entry(auc_excess=None))
    assert "No blind baseline was measured" in text
    assert "reveals" not in text


@pytest.mark.parametrize(
    ("auc", "says"),
    [(cell(0.6, 0.05), "So the model reveals membership."), (cell(0.52, 0.04), "not distinguishable from guessing")],
)
def test_guessing_is_excluded_by_the_interval_only(auc, says):
    assert says in words(entry(iid=True, label="North, IID", auc=auc))


def test_sentences_carry_arm_records_and_interval():
    text = words(entry(), blind())
    assert "(North; 300 members and 300 non-members in each of 4 models)" in text
    assert "in 60 [58, 62] of 100 pairs" in text
    assert "few records" not in text


def test_few_records_are_said_to_be_few_and_how_many_would_do():
    text = words(entry(members=23, nonmembers=23, tpr_at_1pct_fpr=None), blind())
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
    assert findings.best([lucky, sure])["attack"] == "sure"
    alone = entry(attack="alone", auc={"mean": 0.9, "low": None, "high": None, "half_width": None})
    assert findings.best([lucky, alone])["attack"] == "lucky"


def verdict(*entries, facts=FACTS):
    (found,) = advice.verdicts(entries, "clinic", facts)
    return found["verdict"], found["reason"]


@pytest.mark.parametrize(
    ("entries", "kind"),
    [
        ([entry(iid=True, auc=cell(0.6, 0.05))], "leaks"),
        ([entry(auc_excess=cell(0.1, 0.05)), blind()], "leaks"),
        ([entry(auc_excess=cell(0.1, 0.2)), blind()], "shift"),
        ([entry(auc_excess=None)], "shift"),
        ([entry(iid=True, auc=cell(0.5, 0.03))], "quiet"),
        ([entry(iid=True, auc=cell(0.5, 0.3))], "open"),
    ],
)
def test_verdicts_follow_from_intervals(entries, kind):
    assert verdict(*entries)[0] == kind


def test_a_smaller_epsilon_is_advised_with_what_it_gave_and_cost():
    entries = [
        entry(iid=True, arm="iid", label="IID", auc=cell(0.8, 0.02)),
        entry(iid=True, arm="iid", label="IID", auc=cell(0.52, 0.02), epsilon="1"),
    ]
    accuracy = [
        {"experiment": "clinic", "arm": "iid", "label": "IID", "epsilon": epsilon}
        | {"accuracy_members": cell(value, 0.01), "accuracy_nonmembers": cell(value, 0.01)}
        for epsilon, value in (("inf", 0.9), ("1", 0.7))
    ]
    (found,) = advice.remedies(entries, accuracy, "clinic", FACTS)
    assert "falls from 0.80 [0.78, 0.82] to 0.52 [0.50, 0.54]" in found
    assert "goes from 0.90 [0.89, 0.91] to 0.70 [0.69, 0.71]" in found


def test_what_was_not_tested_is_named():
    named = advice.untested([entry()], "clinic", FACTS | {"mismatched_attacks": ["lira_offline"]})
    assert any("those of LiRA offline were trained without privacy" in text for text in named)
    found = advice.untested([entry()], "clinic", FACTS | {"attacks_not_run": ["rmia_offline", "shadow"]})
    assert not any("trained without privacy" in text for text in found)
    assert "Attacks that were not run: RMIA offline, shadow." in found
    assert "False positive rates below 1/300: the non-members of one model are too few." in found


# ROC curves and majority classes


def test_a_roc_curve_of_perfect_scores_is_one_at_every_rate_down_to_the_resolution():
    truth = np.arange(30) < 10
    false, true, _ = roc(truth.astype(float), truth)
    curve = scores.roc_curve([(false, true)], [10], [20])
    assert curve["fpr"][0] == pytest.approx(1 / 20)
    assert curve["fpr"][-1] == 1
    assert curve["tpr"] == [1.0] * scores.ROC_POINTS
    assert curve["low"][0] == pytest.approx(0.025 ** (1 / 10), abs=1e-6)
    assert curve["high"] == [1.0] * scores.ROC_POINTS


def test_a_roc_curve_takes_the_best_threshold_within_each_rate():
    # Scores 4 m, 3 n, 2 m, 1 n: at a rate of 1/2 both members, below it one.
    false, true, _ = roc(np.array([4.0, 3, 2, 1]), np.array([True, False, True, False]))
    curve = scores.roc_curve([(false, true)] * 3, [2] * 3, [2] * 3)
    assert set(curve["tpr"]) == {1.0}
    false, true, _ = roc(np.array([4.0, 3, 2, 1]), np.array([False, True, False, True]))
    curve = scores.roc_curve([(false, true)] * 3, [2] * 3, [2] * 3)
    expected = [0.5 if rate < 1 else 1.0 for rate in curve["fpr"]]
    assert curve["tpr"] == curve["low"] == curve["high"] == expected


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
        ("iid", None, "iid"),
    ],
)
def test_an_arm_named_after_its_group_is_shown_as_the_group_is_spelled(arm, group, shown):
    assert findings.label(arm, {arm.removesuffix("-iid"): group} if group else {}) == shown


def test_a_summary_without_an_interval_has_none():
    rows = [("auc", 0.6, math.nan, math.nan, 1), ("resolution", 0.01, math.nan, math.nan, 1)]
    summary = pd.DataFrame(
        [["clinic", "North_iid", True, 1.0, "a", False, *row] for row in rows],
        columns=[*KEYS, "mean", "low", "high", "replicates"],
    )
    (found,) = findings.results(summary, FACTS)
    assert found["auc"] == {"mean": 0.6, "low": None, "high": None, "half_width": None}
    assert words(found | {"members": 300, "nonmembers": 300}).count("One replicate gives no interval") == 1
