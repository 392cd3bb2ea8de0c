"""Attacks on models whose answers are chosen here."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from attack_checks import measure
from model_cards import card
from scipy import stats

from dpmia.attacks.base import Attack, Knowledge, outcome
from dpmia.attacks.control import RandomScores
from dpmia.attacks.threshold import AverageThreshold, OptimalThreshold
from dpmia.common.errors import AttackError
from dpmia.formats.rows import GROUPS
from dpmia.formats.signals import MEMBER, NONMEMBER, VALIDATION, Signal
from dpmia.metrics.precision import measured_precision
from dpmia.metrics.ranking import advantage, ranking
from dpmia.metrics.shared_records import groups_of


def queried(losses, part):
    """Return the answers of a model with two classes that has the given losses on class 0."""
    losses, part = np.asarray(losses, dtype=float), np.asarray(part, dtype=np.uint8)
    # log(1 + e^-d) = loss for the logits (d, 0).
    distance = -np.log(np.expm1(losses))
    logits = np.stack([distance, np.zeros(len(losses))], axis=1).astype(np.float32)
    return Signal(card(), np.arange(len(losses)), np.zeros(len(losses), dtype=np.int64), part, logits)


def rng(seed=0):
    return np.random.default_rng(seed)


FOUR = queried([0.1, 0.5, 0.35, 0.9], [MEMBER, MEMBER, NONMEMBER, NONMEMBER])


def random_signal(seed, members=30, nonmembers=40, shift=0.0):
    part = np.repeat([MEMBER, NONMEMBER], [members, nonmembers])
    losses = rng(seed).exponential(1, len(part)) + shift * (part == NONMEMBER) + 1e-3
    return queried(losses, part)


def test_scores_are_minus_the_losses():
    for attack in (AverageThreshold(), OptimalThreshold()):
        np.testing.assert_allclose(attack.scores(FOUR, Knowledge(), rng()), [-0.1, -0.5, -0.35, -0.9], rtol=1e-6)


def test_average_threshold_on_four_records_by_hand():
    # Mean training loss (.1 + .5) / 2 = .3: one of two members and none of two non-members lie below.
    # The mean over all four, .4625, would accuse a non-member.
    attack = AverageThreshold()
    assert attack.decisions(FOUR, attack.scores(FOUR, Knowledge(), rng())).tolist() == [True, False, False, False]
    metrics = measure(attack, FOUR, Knowledge(), rng())
    assert (metrics["tpr"], metrics["fpr"], metrics["advantage"]) == (0.5, 0, 0.5)
    assert metrics["auc"] == 0.75  # of four pairs, the member with loss .5 loses one to the non-member with .35


def test_a_loss_of_exactly_the_mean_is_a_member():
    same = queried([0.25, 0.25, 0.25, 0.5], [MEMBER, MEMBER, NONMEMBER, NONMEMBER])
    attack = AverageThreshold()
    assert attack.decisions(same, attack.scores(same, Knowledge(), rng())).tolist() == [True, True, True, False]


@pytest.mark.parametrize("loss", [1e-12, 0.1, 0.7])
def test_members_of_one_loss_are_members_whatever_their_number(loss):
    attack = AverageThreshold()
    for members in range(2, 2000, 7):
        same = queried(np.full(members + 1, loss), [MEMBER] * members + [NONMEMBER])
        assert attack.decisions(same, attack.scores(same, Knowledge(), rng())).all(), members


def test_optimal_threshold_on_four_records_by_hand():
    # Accusing loss <= .1 gives 1/2 - 0, <= .5 gives 1 - 1/2: equally good, and the stricter one is taken.
    attack = OptimalThreshold()
    assert attack.decisions(FOUR, attack.scores(FOUR, Knowledge(), rng())).tolist() == [True, False, False, False]
    assert measure(attack, FOUR, Knowledge(), rng())["advantage"] == 0.5


@pytest.mark.parametrize("seed", range(20))
def test_the_oracle_is_never_below_zero_nor_below_the_average_threshold(seed):
    signal = random_signal(seed, shift=0.3 * (seed % 5 - 2) + 0.6)
    average, optimal = (
        measure(attack, signal, Knowledge(), rng())["advantage"] for attack in (AverageThreshold(), OptimalThreshold())
    )
    assert optimal >= max(average, 0)


def test_a_model_that_fits_nonmembers_better_has_a_negative_average_advantage_and_no_negative_oracle():
    wrong_way = queried([2, 3, 2.5, 0.1, 0.2, 0.3], [MEMBER] * 3 + [NONMEMBER] * 3)
    assert measure(AverageThreshold(), wrong_way, Knowledge(), rng())["advantage"] < -0.3
    assert measure(OptimalThreshold(), wrong_way, Knowledge(), rng())["advantage"] == 0


def test_only_rules_that_use_the_membership_are_oracles():
    assert [attack.oracle for attack in (AverageThreshold, OptimalThreshold, RandomScores)] == [False, True, True]


def test_the_control_has_the_bias_of_the_oracle_and_nothing_else():
    """Its advantage is the one-sided two-sample Kolmogorov-Smirnov statistic of two equal distributions."""
    members, nonmembers, repetitions = 25, 35, 400
    advantages = np.array(
        [
            measure(RandomScores(), random_signal(0, members, nonmembers, shift=5), Knowledge(), rng(seed))["advantage"]
            for seed in range(repetitions)
        ]
    )
    generator = rng(99)

    def statistic():
        one, other = generator.random(members), generator.random(nonmembers)
        return stats.ks_2samp(one, other, alternative="less", method="asymp").statistic

    expected = np.array([statistic() for _ in range(repetitions)])
    assert (advantages >= 0).all()
    assert advantages.mean() > 0.1, "an oracle reaches this much on 60 records without knowing anything"
    error = np.sqrt((advantages.var() + expected.var()) / repetitions)
    assert advantages.mean() == pytest.approx(expected.mean(), abs=4 * error)
    # Both samples have one distribution; ties between them make the test careful, so a low limit suffices.
    assert stats.ks_2samp(advantages, expected).pvalue > 1e-4


def test_the_control_does_not_look_at_the_losses():
    plain, separated = random_signal(1), random_signal(2, shift=100)
    metrics = measure(RandomScores(), plain, Knowledge(), rng(7))
    assert measure(RandomScores(), separated, Knowledge(), rng(7)) == pytest.approx(metrics, nan_ok=True)
    assert measure(RandomScores(), plain, Knowledge(), rng(8)) != pytest.approx(metrics, nan_ok=True)


@pytest.mark.parametrize("attack", [AverageThreshold(), OptimalThreshold(), RandomScores()])
def test_validation_records_are_not_queried(attack):
    losses, part = [0.1, 0.5, 0.35, 0.9], [MEMBER, MEMBER, NONMEMBER, NONMEMBER]
    more = queried([*losses, 0.01, 4.0, 0.02], [*part, VALIDATION, VALIDATION, VALIDATION])
    metrics = measure(attack, more, Knowledge(), rng(3))
    assert metrics == pytest.approx(measure(attack, FOUR, Knowledge(), rng(3)), nan_ok=True)


def test_metrics_are_those_of_the_decisions():
    signal = random_signal(3, shift=0.5)
    attack = AverageThreshold()
    metrics = measure(attack, signal, Knowledge(), rng())
    decisions = attack.decisions(signal, attack.scores(signal, Knowledge(), rng()))
    assert metrics | advantage(decisions, signal.is_member) == metrics
    assert set(metrics) == {
        *(
            "advantage",
            "tpr",
            "fpr",
            "precision",
            "recall",
            "auc",
            "tpr_at_1pct_fpr",
            "tpr_at_0.1pct_fpr",
            "resolution",
        ),
    }


class Broken(Attack):
    """Has no score for the first three records, and says "member" of all."""

    def scores(self, signal, knowledge, rng):
        return np.where(np.arange(len(signal.records)) < 3, np.nan, 0.0)

    def decisions(self, signal, scores):
        return np.ones(len(scores), dtype=bool)


def test_scores_that_are_not_numbers_are_refused_where_nothing_would_tell_so():
    with pytest.raises(AttackError, match=r"attack Broken, scores\(\): 3 of \d+ are NaN"):
        measure(Broken(), FOUR, Knowledge(), rng())


def test_records_whose_score_is_not_a_number_are_predicted_nonmembers_and_reported(caplog):
    metrics = measure(Broken(), random_signal(0, members=30, nonmembers=40), Knowledge(), rng(), details=True)
    assert (metrics["tpr"], metrics["fpr"], metrics["nan_scores"]) == (27 / 30, 1, 3 / 70)
    assert metrics["auc"] == pytest.approx(0.5 - 3 / 30 / 2)  # three members rank last, all others alike
    assert "3 of 70 scores are not numbers" in caplog.text


def test_a_model_with_broken_outputs_is_refused():
    logits = FOUR.logits.copy()
    logits[0] = np.nan
    broken = Signal(card(), FOUR.records, FOUR.labels, FOUR.membership, logits)
    with pytest.raises(AttackError, match=r"attack OptimalThreshold, scores\(\): 1 of \d+ are NaN"):
        measure(OptimalThreshold(), broken, Knowledge(), rng())


def test_members_alone_cannot_be_measured():
    with pytest.raises(ValueError, match="one of them is missing"):
        measure(RandomScores(), FOUR.of(MEMBER), Knowledge(), rng())


def test_an_attack_must_score_and_decide():
    class Half(Attack):
        def scores(self, signal, knowledge, rng):
            return np.zeros(1)

    with pytest.raises(TypeError, match="decisions"):
        Half()


def test_an_attack_that_changes_its_arrays_changes_no_truth():
    class Liar(AverageThreshold):
        def scores(self, signal, knowledge, rng):
            scores = super().scores(signal, knowledge, rng)
            signal.membership[:] = 1 - signal.membership
            signal.records[:] = 0
            return scores

        def decisions(self, signal, scores):
            honest = scores > scores.mean()
            scores[:] = 0
            return honest

    class Honest(AverageThreshold):
        def decisions(self, signal, scores):
            return scores > scores.mean()

    changed = copy.deepcopy(FOUR)
    dishonest, honest = (measure(*given, Knowledge(), rng()) for given in ((Liar(), changed), (Honest(), FOUR)))
    np.testing.assert_equal(dishonest, honest)
    assert not np.array_equal(changed.membership, FOUR.membership)


@pytest.mark.parametrize(
    ("scores", "decisions", "message"),
    [
        (lambda queries: [0.0] * queries, None, r"Odd, scores\(\): returned a value of type list.*a numpy array"),
        (lambda queries: np.zeros(queries - 1), None, r"scores\(\): returned an array of float64 of shape \(3,\)"),
        (lambda queries: np.zeros((queries, 1)), None, r"of floats of shape \(4,\), one for each query"),
        (lambda queries: np.array(["a"] * queries), None, r"scores\(\): returned an array of <U1"),
        (np.zeros, lambda scores: scores, r"decisions\(\): returned an array of float64"),
        (np.zeros, lambda scores: scores[:1] > 0, r"decisions\(\): returned an array of bool of shape \(1,\)"),
    ],
)
def test_wrong_scores_and_decisions_are_refused_by_the_name_of_the_attack(scores, decisions, message):
    class Odd(Attack):
        def scores(self, signal, knowledge, rng):
            return scores(len(signal.records))

        def decisions(self, signal, scores):
            return decisions(scores)

    assert len(FOUR.records) == 4
    with pytest.raises(AttackError, match=message):
        measure(Odd(), FOUR, Knowledge(), rng())


@pytest.mark.parametrize("rate", [None, 0.3])
def test_guesses_are_counted_where_a_fair_coin_decides(rate):
    signal = replace(FOUR, card=card(rate=rate))
    assert not [name for name in measure(AverageThreshold(), signal, Knowledge(), rng()) if "guessed" in name]
    fair = measure(AverageThreshold(), replace(FOUR, card=card(rate=0.5)), Knowledge(), rng())
    # By their losses: member .1, non-member .35, member .5, non-member .9.
    assert (fair["guessed_right@0.1"], fair["guessed_right@1"]) == (1.0, 0.5)


def test_guesses_of_equal_scores_follow_the_records_and_not_their_order_in_the_file():
    """Members stand first in a file: an order that guesses must not use."""
    same = queried([0.5] * 4, [MEMBER, MEMBER, NONMEMBER, NONMEMBER])
    by_record = {
        order: replace(same, card=card(rate=0.5), records=np.array(order)) for order in [(0, 3, 1, 2), (0, 1, 2, 3)]
    }
    shares = {
        order: measure(AverageThreshold(), signal, Knowledge(), rng())["guessed_right@1"]
        for order, signal in by_record.items()
    }
    assert shares == {(0, 3, 1, 2): 0.5, (0, 1, 2, 3): 0.0}


def test_effects_are_what_each_metric_loses_without_a_group_of_records():
    signal = random_signal(4, shift=0.5)
    signal = replace(signal, records=rng(5).permutation(1000)[: len(signal.records)])
    attack_outcome = outcome(AverageThreshold(), signal, Knowledge(), rng(), details=True)
    assert attack_outcome.fewest == 30
    effects, decisions, is_member = attack_outcome.effects(), attack_outcome.decisions, attack_outcome.is_member

    of = int((~is_member).sum())

    def metrics(kept):
        scores = attack_outcome.scores[kept]
        alone = advantage(decisions[kept], is_member[kept]) | ranking(scores, is_member[kept], of)
        return alone | measured_precision(scores, decisions[kept], is_member[kept], of)

    whole = metrics(np.ones(len(is_member), dtype=bool))
    assert effects.keys() == whole.keys() <= attack_outcome.metrics().keys()
    for group in range(GROUPS):
        without = metrics(groups_of(attack_outcome.records) != group)
        for name, value in whole.items():
            assert effects[name][group] == pytest.approx(value - without[name], abs=1e-12, nan_ok=True), name
