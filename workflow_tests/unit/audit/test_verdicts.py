"""Verdicts of an audit: what must be shown for each, and what never counts as no leakage."""

import re
from dataclasses import replace

import pytest
from audit_entries import DESCRIPTION, T_3, bare, blind, cell, changed, entry, of_predictions, plain_text, verdict

from dpmia.audit import advice
from dpmia.audit.glossary import MEANING
from dpmia.audit.limits import audit_limits
from dpmia.audit.verdicts import MODEL_VERDICTS
from dpmia.metrics.intervals import EQUAL
from dpmia.metrics.ranking import held_rate


@pytest.mark.parametrize(
    ("entries", "kind"),
    [
        ([entry(iid=True, auc=cell(0.6, 0.05))], "leaks"),
        ([entry(auc_excess=cell(0.1, 0.05)), blind()], "shift"),
        ([entry(auc_excess=cell(0.1, 0.2)), blind()], "shift"),
        ([entry(auc_excess=None)], "shift"),
        ([entry(iid=True, auc=cell(0.5, 0.03))], "quiet"),
        ([entry(iid=True, auc=cell(0.5, 0.3))], "open"),
    ],
)
def test_verdicts_follow_from_intervals(entries, kind):
    assert verdict(*entries)[0] == kind


def test_members_that_stand_out_reveal_membership_though_the_auc_does_not():
    guessing = held_rate(0.01, 300)
    hidden = entry(iid=True, auc=cell(0.5, 0.03), tpr_at_1pct_fpr=cell(guessing + 0.02, 0.019))
    kind, reason = verdict(hidden)
    assert (kind, "guessing 0.013" in reason) == ("leaks", True)
    assert "LiRA offline finds 3 [2, 7] of 100 members, more than guessing does (1.3)" in plain_text(hidden)
    assert "So the model reveals some members." in plain_text(hidden)
    assert verdict(changed(hidden, tpr_at_1pct_fpr=cell(guessing + 0.02, 0.06)))[0] == "quiet"
    assert verdict(changed(hidden, tpr_at_1pct_fpr=None))[0] == "quiet"
    apart = entry(auc=cell(0.5, 0.03), tpr_at_1pct_fpr=cell(0.1, 0.02))
    assert verdict(apart)[0] == "shift"
    assert "reveals" not in plain_text(apart)


def test_a_quiet_verdict_is_about_every_attack():
    sure = entry(iid=True, attack="average_threshold", auc=cell(0.5, 0.002))
    kind, reason = verdict(sure, entry(iid=True, auc=cell(0.51, 0.05)))
    assert (kind, reason.split(" (")[0]) == ("quiet", "no attack reached an AUC above 0.57")  # of two intervals
    kind, reason = verdict(sure, entry(iid=True, auc=cell(0.6, 0.12)))
    assert (kind, "LiRA offline" in reason) == ("open", True)
    assert verdict(sure, entry(iid=True, auc=bare(0.5)))[0] == "open"


def test_a_quiet_verdict_says_how_many_members_may_stand_out_all_the_same():
    seen = entry(iid=True, auc=cell(0.5, 0.03), tpr_at_1pct_fpr=cell(0.02, 0.03))
    _, reason = verdict(seen)
    assert reason.startswith("no attack reached an AUC above 0.53 (")
    limit = re.search(r"\), nor a TPR at 1 % FPR above (0\.\d{3}), guessing 0\.013$", reason)
    assert limit
    assert float(limit[1]) >= seen.cell("tpr_at_1pct_fpr").high
    for rate in (None, bare(0.3, 4, EQUAL)):  # of a second attack, whose members may stand out
        unknown = changed(seen, attack="reference", tpr_at_1pct_fpr=rate)
        _, reason = verdict(seen, unknown)
        shown = r"; the TPR at 1 % FPR of reference \(.*\) has no interval, so a few members may stand out$"
        assert re.search(shown, reason), reason


def test_members_stand_out_above_what_guessing_reaches_with_any_of_the_models_nonmembers():
    """With 199 non-members guessing finds 1 % at a false positive rate of 1 %, with 200 1.49 %."""
    rate = cell(0.013, 0.002)
    alike = entry(iid=True, auc=cell(0.5, 0.03), nonmembers=199, tpr_at_1pct_fpr=rate)
    assert verdict(alike)[0] == "leaks"
    assert verdict(replace(alike, most_nonmembers=230))[0] == "quiet"
    assert replace(alike, most_nonmembers=230).guessed("tpr_at_1pct_fpr") == held_rate(0.01, 200)


def test_a_quiet_verdict_is_about_every_arm():
    mixed, apart = entry(iid=True, auc=cell(0.5, 0.03)), entry(auc=cell(0.6, 0.15), auc_excess=None)
    assert verdict(mixed)[0] == "quiet"
    assert verdict(mixed, apart)[0] == "open"


def test_decisions_reveal_membership_where_the_ranking_does_not():
    kind, reason = verdict(entry(iid=True, auc=cell(0.47, 0.04), advantage=cell(0.25, 0.04)))
    assert (kind, reason.split(" (")[0]) == ("leaks", "advantage 0.25 [0.20, 0.30] of the decisions of LiRA offline")
    assert verdict(entry(iid=True, auc=cell(0.47, 0.04), advantage=cell(0.05, 0.049)))[0] == "quiet", "of two, wider"


@pytest.mark.parametrize(("iid", "kind"), [(True, "reversed"), (False, "shift")])
def test_members_that_rank_below_nonmembers_are_no_sign_of_safety(iid, kind):
    below = entry(iid=iid, auc=cell(0.1, 0.05), auc_excess=None)
    assert verdict(below, entry(iid=iid, attack="other", auc=cell(0.5, 0.05)))[0] == kind
    if iid:
        assert "not distinguishable" not in plain_text(below)
        assert "It ranks members below non-members" in plain_text(below)
        assert "the right way round" in advice.remedies([below], [], DESCRIPTION)[0]
        assert "no sign of safety" in MEANING[kind]


def test_members_that_rank_below_nonmembers_pass_no_limit_that_they_would_exceed_turned_round():
    half = 0.05 * 2.353 / T_3  # of the one-sided 95 % limit
    for limit, outcome in ((0.8, "failed"), (0.9 + half - 0.01, "undecided"), (0.9 + half + 0.01, "passed")):
        held = audit_limits([entry(auc=cell(0.1, 0.05))], {"auc": limit}, None)
        assert held.verdict == outcome, "the limit decides, not the mean"
        for mean in (*held.exceeded, *held.undecided):
            assert (mean.turned, mean.value) == (True, pytest.approx(0.9))
    ordinary = audit_limits([entry(auc=cell(0.6, 0.02))], {"auc": 0.55}, None)
    assert not ordinary.exceeded[0].turned


@pytest.mark.parametrize("half", [0.03, 0.06, 0.09, 0.12, 0.3])
def test_less_data_turns_no_ranking_that_is_reversed_into_one_that_passes(half):
    held = audit_limits([entry(auc=cell(0.42, half))], {"auc": 0.55}, None)
    assert held.verdict in ("failed", "undecided")
    for mean in (*held.exceeded, *held.undecided):  # the side that is not shown to keep the limit
        assert (mean.turned, mean.value) == ((True, pytest.approx(0.58)) if half < 0.2 else (False, 0.42))
        assert 0 < mean.value - mean.low < 1.5 * (mean.high - mean.value), "limits are of the side that is shown"
    assert audit_limits([entry(auc=cell(0.49, 0.03))], {"auc": 0.55}, None).verdict == "passed"


def test_an_iid_arm_that_ranks_members_below_is_not_hidden_by_groups_that_stand_out():
    none = {"bound": None, "ceiling": None}
    below = entry(arm="north-iid", iid=True, auc=cell(0.3, 0.01), **none)
    apart = entry(auc=cell(0.7, 0.01), **none)
    kind, reason = verdict(below, apart)
    assert (kind, "North" in reason, "0.30" in reason) == ("reversed", True, True)
    remedies = " ".join(advice.remedies([below, apart, blind(**none)], [], DESCRIPTION))
    assert "the right way round" in remedies
    assert "Train on records of all groups" not in remedies


@pytest.mark.parametrize("limit", [{"advantage": 0.1}, {"tpr_at_1pct_fpr": 0.05}])
def test_labels_of_members_that_are_swapped_pass_no_limit(limit):
    swapped = entry(auc=cell(0.08, 0.03), advantage=cell(-0.41, 0.03), tpr_at_1pct_fpr=cell(0.0, 0.001))
    held = audit_limits([swapped], limit, None)
    assert held.verdict == "not_evaluated"
    (reason,) = held.held.not_evaluated.values()
    assert "turned round the attack has an AUC of 0.92, of which" in reason
    right = changed(swapped, auc=cell(0.5, 0.03), advantage=cell(0.01, 0.03))
    assert audit_limits([right], limit, None).verdict == "passed"


def test_of_many_attacks_one_that_ranks_below_by_chance_is_evaluated():
    below = entry(auc=cell(0.48, 0.019), advantage=cell(0.0, 0.02))
    assert audit_limits([below], {"advantage": 0.1}, None).verdict == "not_evaluated"
    others = [entry(auc=cell(0.5, 0.019), advantage=cell(0.0, 0.02), attack=f"attack_{n}") for n in range(9)]
    assert audit_limits([below, *others], {"advantage": 0.1}, None).verdict == "passed"


# Predictions only


def single(**changes):
    """Return the entry of one model on 500 members and 500 non-members, of which rates have no interval."""
    sizes = {"replicates": 1, "members": 500, "nonmembers": 500, "auc_excess": None}
    return entry(iid=True, **sizes, auc=cell(0.51, 0.04), **{"tpr_at_1pct_fpr": bare(0.046, 1)} | changes)


def test_members_of_one_model_that_stand_out_are_no_guess():
    kind, reason = verdict(single(), description=of_predictions(True))
    assert (kind, "TPR at 1 % FPR 0.046" in reason) == ("leaks", True)
    assert "more than guessing does (1.2)" in plain_text(single(), description=of_predictions(True))
    assert verdict(single(tpr_at_1pct_fpr=bare(0.022, 1)), description=of_predictions(True))[0] == "quiet"


@pytest.mark.parametrize(
    # 15, 17, 17 and 18 members where 5 of 500 non-members pass: probabilities .020, .0079, .0079, .0049 under guessing.
    ("rate", "attacks", "kind"),
    [(0.030, 1, "quiet"), (0.034, 1, "leaks"), (0.034, 2, "quiet"), (0.036, 2, "leaks")],
)
def test_that_one_of_several_attacks_stands_out_takes_more(rate, attacks, kind):
    entries = [
        single(attack=f"attack_{number}", tpr_at_1pct_fpr=bare(0.01 if number else rate, 1))
        for number in range(attacks)
    ]
    assert verdict(*entries, description=of_predictions(True))[0] == kind


def test_a_cause_is_named_only_where_it_is_known():
    measured = entry(auc_excess=None)
    kind, reason = verdict(measured, description=of_predictions(None))
    assert kind == "apart"
    assert "it is not known whether members and non-members were drawn from the same pool" in reason
    text = " ".join(
        [reason, MEANING[kind], MODEL_VERDICTS[kind][0], plain_text(measured, description=of_predictions(None))]
    )
    for false in ("groups", "were not drawn", "one pool"):
        assert false not in text
    (how, _) = advice.remedies([measured], [], of_predictions(None))
    assert "--same-pool" in how
    assert verdict(measured, description=of_predictions(False))[0] == "shift"
    assert "They were not drawn from one pool" in plain_text(measured, description=of_predictions(False))
    assert verdict(changed(measured, iid=True), description=of_predictions(True))[0] == "leaks"


# What to do


@pytest.mark.parametrize(("bounds", "refuted"), [((0.87, 0.25), True), ((0.87, None), False), ((None, 0.6), False)])
@pytest.mark.parametrize("stated", [True, False])
def test_an_attack_above_the_smallest_bound_refutes_the_guarantee(bounds, refuted, stated):
    bound, ceiling = bounds
    strong = entry(iid=True, epsilon="1", advantage=cell(0.5, 0.02), bound=bound, ceiling=ceiling)
    remedies = advice.remedies([strong], [], replace(DESCRIPTION, stated=stated))
    assert any("does not hold: with the mechanism of epsilon 1" in text for text in remedies) == refuted
    if refuted:
        assert ("stated guarantee" in remedies[0], "an advantage above 0.250" in remedies[0]) == (stated, True)


@pytest.mark.parametrize(("least", "shown"), [(cell(0.52, 0.02), "falls from 0.60"), (cell(0.59, 0.02), "do not show")])
def test_a_smaller_risk_is_promised_only_where_it_was_shown(least, shown):
    none = {"bound": None, "ceiling": None}
    entries = [
        entry(iid=True, epsilon=epsilon, auc=auc, **none) for epsilon, auc in (("1", least), ("10", cell(0.6, 0.02)))
    ]
    (remedy,) = [text for text in advice.remedies(entries, [], DESCRIPTION) if "small epsilon" in text]
    assert shown in remedy
    assert " - " not in remedy, "no accuracy was measured"


def test_a_guarantee_is_refuted_by_any_arm_whose_own_bound_an_attack_exceeds():
    strong = entry(iid=True, epsilon="1", advantage=cell(0.3, 0.03), bound=0.46, ceiling=0.4)
    weak = entry(
        iid=True, epsilon="1", arm="south", label="South", advantage=cell(0.25, 0.03), bound=0.46, ceiling=0.15
    )
    (text,) = [text for text in advice.remedies([strong, weak], [], DESCRIPTION) if "does not hold" in text]
    assert "an advantage above 0.150" in text
    assert "South" in text


@pytest.mark.parametrize(
    ("iid", "text"), [(True, "do not show a smaller risk"), (False, "No setting that was tried lowers the risk")]
)
def test_where_no_setting_helps_the_page_says_so(iid, text):
    entries = [entry(epsilon=epsilon, iid=iid, auc_excess=None) for epsilon in ("1", "inf")]
    (remedy,) = advice.remedies(entries, [], DESCRIPTION)
    assert text in remedy


def test_mixed_groups_are_advised_only_where_they_are_shown_to_help():
    none = {"bound": None, "ceiling": None}
    apart = entry(auc=cell(0.6, 0.02), **none)
    for auc, advised in ((cell(0.52, 0.02), True), (cell(0.59, 0.02), False)):
        entries = [apart, entry(arm="north-iid", iid=True, auc=auc, **none), blind(**none)]
        remedies = advice.remedies(entries, [], DESCRIPTION)
        assert any(text.startswith("Train on records of all groups") for text in remedies) == advised
