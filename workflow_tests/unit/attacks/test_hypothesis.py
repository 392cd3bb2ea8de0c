"""Attacks S, P, R, D and L on scores with a known law: AUC, rates, order, and what they may not do without."""

from dataclasses import replace

import numpy as np
import pytest
from attack_checks import ERRORS, auc_error, check_law, measure, tpr_error
from gaussian_law import GaussianLaw
from model_cards import card
from scipy import stats

from dpmia.attacks.base import Attack, Knowledge
from dpmia.attacks.hypothesis import Distillation, LeaveOneOut, Population, Reference, ShadowThreshold
from dpmia.attacks.lira import OfflineLira
from dpmia.common.errors import AttackError, KnowledgeError
from dpmia.formats.losses import References
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, Signal

ALL = (ShadowThreshold, Population, Reference, Distillation, LeaveOneOut)

#: Records differ, data sets differ, trainings differ.
LAW = GaussianLaw(shift=2.0, noise=1.0, drift=1.0, difficulty=1.5)


def rng(seed=0):
    return np.random.default_rng(seed)


def rank_law(law, spread, models):
    """TPR at each FPR k / (models + 1), k = 0..models + 1, of the rank among so many Gaussian confidences."""

    x = np.linspace(-9, 9, 4001) + law.shift / spread
    allowed = np.arange(models)[:, None]
    joint = stats.norm.pdf(x, law.shift / spread) * stats.binom.cdf(allowed, models, stats.norm.sf(x))
    return np.array([0, *np.trapezoid(joint, x, axis=1), 1])


@pytest.fixture(scope="module")
def drawn():
    """Answers about 4000 members and as many non-members and population records; 18 references, 40 distilled."""
    return LAW.draw(rng(1), 4000, 4000, 4000, references=18, distilled=40, leave_one_out=40)


def test_population_attack_is_the_loss_threshold_and_reaches_what_the_law_says(drawn):
    signal, knowledge = drawn
    spread = LAW.spread("noise", "drift", "difficulty")
    metrics = check_law(Population(), LAW, spread, signal, knowledge, rng())
    queried = signal.membership != POPULATION
    by_loss = np.argsort(-signal.losses[queried])
    scores = Population().scores(signal, knowledge, rng())[queried]
    rises = np.diff(-signal.losses[queried][by_loss]) > 0
    assert ((np.diff(scores[by_loss]) > 0) == rises).all(), "the ranking is that of the loss"
    # The threshold comes from 4000 records, the rates from 4000 others.
    assert abs(metrics["fpr"] - 0.1) < ERRORS * np.sqrt(2 * 0.09 / 4000)
    error = np.sqrt(2) * tpr_error(LAW, spread, 0.1, 4000, 4000)
    assert abs(metrics["tpr"] - LAW.tpr(spread, 0.1)) < ERRORS * error


def test_shadow_attack_has_a_threshold_for_each_class_and_population_has_not():
    law = replace(LAW, between=3.0)
    signal, knowledge = law.draw(rng(2), 6000, 6000, 2000, references=10)
    spread = law.spread("noise", "drift", "difficulty")
    metrics = check_law(ShadowThreshold(), law, spread, signal, knowledge, rng())
    assert abs(metrics["fpr"] - 0.1) < ERRORS * np.sqrt(2 * 0.09 / 6000)
    thresholds = ShadowThreshold().thresholds(signal, knowledge)
    for label in (0, 1):
        assert len(set(thresholds[signal.labels == label])) == 1
    assert thresholds[0] > 2 * thresholds[1], "class 1 has smaller losses, so a smaller threshold"
    # A member and a non-member are of the same class, or one way or the other of different ones.
    pairs = [stats.norm.cdf((law.shift + gap) / (np.sqrt(2) * spread)) for gap in (0, 0, 3, -3)]
    expected = np.mean(pairs)
    auc = measure(Population(), signal, knowledge, rng())["auc"]
    assert abs(auc - expected) < ERRORS * auc_error(expected, 6000, 6000)
    assert metrics["auc"] - auc > 0.03


def test_shadow_attack_leaves_out_records_that_a_model_was_trained_on(drawn):
    signal, knowledge = drawn
    inside = knowledge.references.trained_on.copy()
    inside[0, signal.membership == POPULATION] = True
    losses = knowledge.references.losses.copy()
    losses[inside] = 1e-9  # what is learnt by heart must not move the threshold
    attack = ShadowThreshold(estimator="empirical")
    thresholds = attack.thresholds(signal, Knowledge(references=References(losses, inside)))
    without = References(knowledge.references.losses[1:], knowledge.references.trained_on[1:])
    np.testing.assert_array_equal(thresholds, attack.thresholds(signal, Knowledge(references=without)))


@pytest.mark.parametrize(
    ("attack", "models", "part"), [(Reference, 9, "drift"), (Distillation, 40, None), (LeaveOneOut, 40, None)]
)
def test_rank_among_models_reaches_what_the_law_says(drawn, attack, models, part):
    signal, knowledge = drawn
    spread = LAW.spread("noise", *([part] if part else []))
    tpr = rank_law(LAW, spread, models)
    auc = np.sum((tpr[1:] + tpr[:-1]) / 2) / (models + 1)
    metrics = measure(attack(), signal, knowledge, rng())
    assert abs(metrics["auc"] - auc) < ERRORS * auc_error(auc, 4000, 4000)
    allowed = int(0.1 * (models + 1))
    expected = tpr[allowed], allowed / (models + 1)
    for rate, value in zip(("tpr", "fpr"), expected, strict=True):
        assert abs(metrics[rate] - value) < ERRORS * np.sqrt(value * (1 - value) / 4000)


def test_false_positive_rates_are_multiples_of_one_in_the_number_of_models_and_one(drawn):
    signal, knowledge = drawn  # nine of 18 models are trained without each record
    scores = Reference().scores(signal, knowledge, rng())[signal.is_nonmember]
    counts = np.bincount(np.round(-10 * scores).astype(int), minlength=11)
    assert counts[0] == 0
    assert counts.sum() == 4000
    assert stats.chisquare(counts[1:]).pvalue > 1e-4, "ranks of non-members are uniform"


def test_the_number_of_models_limits_the_tpr_at_low_false_positive_rates(drawn):
    """Nine models: no rank is rarer than a tenth, so at 1 % nobody is accused; a Gaussian goes on, and pays for it."""
    signal, knowledge = drawn
    metrics = measure(Reference(alpha=0.09), signal, knowledge, rng())
    assert (metrics["tpr"], metrics["fpr"], metrics["tpr_at_1pct_fpr"]) == (0, 0, 0)
    extrapolated = measure(Reference(alpha=0.01, estimator="logit_gaussian"), signal, knowledge, rng())
    assert extrapolated["tpr"] > 0.1
    assert extrapolated["fpr"] > 0.02, "nominally .01: mean and spread of nine values are taken for known"


def test_attacks_order_as_the_law_says(drawn):
    """What depends on record and target beats what depends on the record, and that what depends on neither."""
    signal, knowledge = drawn
    aucs = {
        name: measure(attack, signal, knowledge, rng())["auc"]
        for name, attack in {
            "S": ShadowThreshold(),
            "P": Population(),
            "R": Reference(),
            "LiRA": OfflineLira(),
            "D": Distillation(),
            "L": LeaveOneOut(),
        }.items()
    }
    assert aucs["S"] == pytest.approx(aucs["P"], abs=0.005)
    assert aucs["P"] + 0.03 < aucs["R"] < aucs["LiRA"] < aucs["D"] - 0.05
    # Distilled models are as good as leaving one out if they share what the target saw.
    assert aucs["D"] == pytest.approx(aucs["L"], abs=0.02)


def test_only_thresholds_of_p_d_and_l_change_with_the_target(drawn):
    """Figure 2 of the paper: same records and references, another target."""
    signal, knowledge = drawn
    other = Signal(card(), signal.records, signal.labels, signal.membership, signal.logits[::-1].copy())
    shifted = replace(knowledge.distilled, losses=knowledge.distilled.losses + 0.1)
    elsewhere = replace(knowledge, distilled=shifted, leave_one_out=shifted)
    for attack in ALL:
        same = np.array_equal(attack().thresholds(signal, knowledge), attack().thresholds(other, elsewhere))
        assert same == (attack in (ShadowThreshold, Reference))


@pytest.mark.parametrize("attack", ALL)
@pytest.mark.parametrize("estimator", ["empirical", "linear", "logit_gaussian", "minimum", "mean"])
def test_decisions_are_losses_below_the_threshold(attack, estimator):
    signal, knowledge = LAW.draw(rng(3), 100, 100, 200, references=30, distilled=20, leave_one_out=5)
    test = attack(alpha=0.2, estimator=estimator)
    scores = test.scores(signal, knowledge, rng())
    below = signal.losses <= test.thresholds(signal, knowledge)
    assert (test.decisions(signal, scores) == below)[np.abs(scores + 0.2) > 1e-9].all()
    assert 0 < below.sum() < 400


def test_scores_tell_apart_what_is_rarer_than_rounding():
    signal = Signal(
        card(), np.arange(2), np.zeros(2, int), np.array([MEMBER, NONMEMBER]), np.array([[1.5, 0], [1.0, 0]])
    )
    models = References(np.tile([[0.9], [1.0], [1.1]], 2), np.zeros((3, 2), bool))
    scores = Reference(estimator="logit_gaussian").scores(signal, Knowledge(references=models), rng())
    assert 1 + scores[0] == 1 + scores[1], "both are rarer than 1e-16"
    assert scores[0] > scores[1]


def test_reference_models_may_be_those_trained_with_the_record(drawn):
    """The form of Thudi et al.: a percentile of members' losses, so `alpha` is a true positive rate."""
    signal, knowledge = drawn
    metrics = measure(Reference(alpha=0.3, reference_models="in"), signal, knowledge, rng())
    assert abs(metrics["tpr"] - 0.3) < ERRORS * np.sqrt(0.21 / 4000)
    assert metrics["fpr"] < 0.1
    null = Reference(reference_models="all").null(signal, knowledge)
    assert (null.counts == 18).all()
    assert (Reference(reference_models="in").null(signal, knowledge).counts[signal.is_member] == 9).all()


def test_a_record_without_a_model_is_a_nonmember_and_the_share_is_reported(caplog):
    signal, knowledge = LAW.draw(rng(4), 50, 50, references=4)
    inside = knowledge.references.trained_on.copy()
    none = np.r_[0:13, 50:62]
    inside[:, none] = False
    few = Knowledge(references=References(knowledge.references.losses, inside))
    attack = Reference(alpha=0.9, reference_models="in")
    scores = attack.scores(signal, few, rng())
    assert (scores[none] == -1).all()
    assert not attack.decisions(signal, scores)[none].any()
    assert "25 % of 100 records have fewer than 1 losses" in caplog.text


@pytest.mark.parametrize(
    ("models", "estimator", "warns"), [(8, "empirical", True), (9, "empirical", False), (8, "linear", False)]
)
def test_too_few_models_for_any_decision_are_logged(models, estimator, warns, caplog):
    signal, knowledge = GaussianLaw(shift=4.0, noise=0.5, difficulty=1.0).draw(
        np.random.default_rng(3), 200, 200, references=models
    )
    out = References(knowledge.references.losses, np.zeros((models, 400), dtype=bool))
    attack = Reference(estimator=estimator)
    scores = attack.scores(signal, Knowledge(references=out), np.random.default_rng(0))
    assert attack.decisions(signal, scores).any() != warns
    assert ("every record is predicted a non-member" in caplog.text) == warns


def test_one_reference_model_gives_two_ranks():
    signal, knowledge = LAW.draw(rng(5), 200, 200, references=1)  # none of one model is trained on anything
    scores = Reference().scores(signal, knowledge, rng())
    assert set(scores) == {-1.0, -0.5}
    assert measure(Reference(alpha=0.5), signal, knowledge, rng())["tpr"] > 0.5


@pytest.mark.parametrize(
    ("attack", "lacking", "named"),
    [
        (ShadowThreshold(), "references", "knowledge.references"),
        (Reference(), "references", "knowledge.references"),
        (Distillation(), "distilled", "knowledge.distilled"),
        (LeaveOneOut(), "leave_one_out", "knowledge.leave_one_out"),
    ],
)
def test_what_is_missing_is_named(drawn, attack, lacking, named):
    signal, knowledge = drawn
    with pytest.raises(AttackError, match=f"{named}: .* there are none"):
        attack.scores(signal, replace(knowledge, **{lacking: None}), rng())
    assert lacking in attack.uses


@pytest.mark.parametrize("attack", [ShadowThreshold(), Population()])
def test_population_records_must_be_there(drawn, attack):
    signal, knowledge = drawn
    keep = signal.membership != POPULATION
    models = References(knowledge.references.losses[:, keep], knowledge.references.trained_on[:, keep])
    with pytest.raises(AttackError, match=r"needs population records.*`uses` of its class"):
        attack.scores(signal.of(MEMBER, NONMEMBER), Knowledge(references=models), rng())
    assert "population" in attack.uses


def test_outputs_about_other_queries_or_without_numbers_are_refused(drawn):
    signal, knowledge = drawn
    with pytest.raises(AttackError, match="outputs on 12000 queries, where the target model has 8000"):
        Reference().scores(signal.of(MEMBER, NONMEMBER), knowledge, rng())
    broken = knowledge.references.losses.copy()
    broken[0, 0] = np.nan
    with pytest.raises(AttackError, match=r"knowledge.references: 1 losses are not numbers"):
        Reference().scores(signal, Knowledge(references=replace(knowledge.references, losses=broken)), rng())


def test_leave_one_out_refuses_models_that_saw_the_record(drawn):
    signal, knowledge = drawn
    with pytest.raises(KnowledgeError, match="were trained on the record left out"):
        LeaveOneOut().scores(signal, replace(knowledge, leave_one_out=knowledge.references), rng())


@pytest.mark.parametrize("attack", ALL)
def test_a_target_with_broken_outputs_is_refused(attack):
    signal, knowledge = LAW.draw(rng(6), 20, 20, 20, references=4, distilled=3, leave_one_out=3)
    logits = signal.logits.copy()
    logits[0] = np.nan
    broken = Signal(card(), signal.records, signal.labels, signal.membership, logits)
    with pytest.raises(AttackError, match=r"scores\(\): 1 of .* are NaN"):
        measure(attack(), broken, knowledge, rng())


@pytest.mark.parametrize("options", [{"alpha": 0}, {"alpha": 1}, {"estimator": "lineal"}])
def test_options_that_are_not_allowed_are_named(options):
    for attack in ALL:
        with pytest.raises(ValueError, match=next(iter(options))):
            attack(**options)
    with pytest.raises(ValueError, match="Did you mean 'linear'"):
        Reference(estimator="lineal")
    with pytest.raises(ValueError, match="reference_models"):
        Reference(reference_models="both")


def test_attacks_need_nothing_unless_they_say_so():
    assert Attack.uses == ()
    assert not any(attack.oracle for attack in ALL)


def test_the_law_is_what_it_says():
    law = GaussianLaw(shift=1.0, noise=0.5, drift=0.8, difficulty=2.0, level=-3.0, between=1.0)
    signal, knowledge = law.draw(rng(7), 3000, 3000, 3000, references=21, distilled=10)
    phi = signal.logits[np.arange(9000), signal.labels]
    means = [
        phi[(signal.membership == part) & (signal.labels == label)].mean()
        for part in (MEMBER, NONMEMBER)
        for label in (0, 1)
    ]
    assert np.allclose(means, [-2, -1, -3, -2], atol=4 * law.spread("noise", "drift", "difficulty") / np.sqrt(1500))
    trained_on = knowledge.references.trained_on
    assert (trained_on.sum(0) == np.where(signal.membership == POPULATION, 0, 10)).all()
    of_models = -np.log(np.expm1(knowledge.references.losses))
    assert np.allclose(
        np.where(trained_on, np.nan, of_models)[:, 6000:].std(0, ddof=1).mean(), law.spread("noise", "drift"), rtol=0.02
    )
    assert (-np.log(np.expm1(knowledge.distilled.losses))).std(0, ddof=1).mean() == pytest.approx(0.5, rel=0.05)
