"""What an attack refuses to do without: models on each side of some members and of some non-members."""

import re
from dataclasses import replace

import numpy as np
import pytest
from attack_checks import measure
from gaussian_law import GaussianLaw

from dpmia.attacks.base import Knowledge
from dpmia.attacks.confidence import confidence
from dpmia.attacks.hypothesis import Distillation, Reference, ShadowThreshold
from dpmia.attacks.lira import OfflineLira, OnlineLira, fit_side
from dpmia.attacks.quantile_regression import QuantileRegression
from dpmia.attacks.rmia import OfflineRmia, OnlineRmia
from dpmia.attacks.shadow import ShadowModels
from dpmia.common.errors import KnowledgeError
from dpmia.formats.losses import References
from dpmia.formats.signals import POPULATION

ONLINE = [OnlineLira(), OnlineRmia(), Reference(reference_models="in")]
OFFLINE = [OfflineLira(), OfflineRmia(), Reference(reference_models="out")]


@pytest.fixture
def drawn():
    """A target model that reveals nothing, evaluated on 90 members and 90 non-members, and ten reference models."""
    law = GaussianLaw(shift=0.0, noise=1.0, difficulty=3.0)
    signal, knowledge = law.draw(np.random.default_rng(4), 100, 100, references=10)
    return replace(signal, membership=np.where(np.arange(200) % 10 == 0, POPULATION, signal.membership)), knowledge


@pytest.mark.parametrize("attack", ONLINE + OFFLINE)
@pytest.mark.parametrize("kind", ["members", "non-members"])
def test_reference_models_that_separate_members_by_themselves_are_refused(drawn, attack, kind):
    signal, knowledge = drawn
    trained_on = knowledge.references.trained_on.copy()
    trained_on[:, signal.is_member if kind == "members" else signal.is_nonmember] = attack in OFFLINE
    some = Knowledge(references=References(knowledge.references.losses, trained_on))
    few, many = ("100", "0") if kind == "members" else ("0", "100")
    message = (
        rf"^knowledge\.references: {few} % of the members and {many} % of the non-members have .*: that alone separates"
    )
    with pytest.raises(KnowledgeError, match=message):
        attack.scores(signal, some, np.random.default_rng(0))
    some_of_each = np.isin(np.arange(200), [*range(1, 6), *range(101, 106)])
    trained_on[:, some_of_each] = np.arange(10)[:, None] < 5
    with pytest.raises(KnowledgeError, match="that alone separates them"):
        attack.scores(signal, some, np.random.default_rng(0))


@pytest.mark.parametrize("attack", ONLINE + OFFLINE)
def test_what_some_of_both_kinds_lack_by_chance_is_let_pass(drawn, attack):
    signal, knowledge = drawn
    trained_on = np.random.default_rng(1).random(knowledge.references.trained_on.shape) < 0.5
    trained_on[:, np.random.default_rng(2).random(200) < 0.3] = attack in OFFLINE
    some = Knowledge(references=References(knowledge.references.losses, trained_on))
    scores = attack.scores(signal, some, np.random.default_rng(0))
    assert np.isfinite(
        scores[np.isin(np.arange(200), np.flatnonzero(trained_on.any(axis=0) & ~trained_on.all(axis=0)))]
    ).all()


@pytest.mark.parametrize("attack", [OnlineLira(), OnlineRmia()])
def test_what_non_members_lack_does_not_separate_them_where_the_target_reveals_nothing(attack):
    law = GaussianLaw(shift=0.0, noise=1.0, difficulty=3.0)  # a mean over all records would give an AUC of .63
    signal, knowledge = law.draw(np.random.default_rng(5), 4000, 4000, 2000, references=20)
    trained_on = knowledge.references.trained_on.copy()
    trained_on[:, np.flatnonzero(signal.is_nonmember)[:1800]] = False
    some = Knowledge(references=References(knowledge.references.losses, trained_on))
    metrics = measure(attack, signal, some, np.random.default_rng(0))
    assert abs(metrics["auc"] - 0.5) < 0.03
    assert abs(metrics["advantage"]) < 0.1
    assert metrics["tpr_at_1pct_fpr"] < 0.03


@pytest.mark.parametrize(
    ("attack", "rates", "phrase"),
    [
        (Reference(), (0.0, 0.5), "20 models without the record for a member and 9.99"),
        (Reference(estimator="logit_gaussian"), (0.0, 0.5), "20 models without the record for a member and 9.99"),
        (Reference(reference_models="in"), (0.5, 0.8), "models with the record for a member and 16"),
        (OfflineLira("per_point"), (0.8, 0.5), "reference models without the record for a member and 9.99"),
        (OnlineLira("per_point"), (0.5, 0.8), "reference models with the record for a member and 16"),
    ],
)
def test_numbers_of_models_that_separate_members_by_themselves_are_refused(attack, rates, phrase):
    signal, trained_on = _unevenly_trained(rates)
    knowledge = Knowledge(
        references=References(np.random.default_rng(1).exponential(size=trained_on.shape), trained_on)
    )
    with pytest.raises(KnowledgeError, match=rf"^knowledge: .*{phrase}.*: that alone separates them\."):
        attack.scores(signal, knowledge, np.random.default_rng(0))
    OfflineLira().scores(signal, knowledge, np.random.default_rng(0))  # one distribution for all
    signal, trained_on = _unevenly_trained((0.5, 0.5))
    knowledge = Knowledge(references=References(knowledge.references.losses, trained_on))
    attack.scores(signal, knowledge, np.random.default_rng(0))


def _unevenly_trained(rates):
    """Return a target model that reveals nothing, and what 20 models are trained on, by rates of both kinds."""
    signal, _ = GaussianLaw(shift=0.0, noise=1.0, difficulty=3.0).draw(
        np.random.default_rng(6), 1000, 1000, references=20
    )
    chance = np.where(signal.is_member, *rates)
    return signal, np.random.default_rng(7).random((20, len(chance))) < chance


def test_classes_without_population_records_are_named_as_such(drawn):
    signal, knowledge = drawn
    labels = np.where(signal.is_member | (signal.membership == POPULATION), 0, 1)
    with pytest.raises(KnowledgeError, match=r"^population: 0 % of the members and 100 % of .* of every class\.$"):
        ShadowThreshold().scores(replace(signal, labels=labels), knowledge, np.random.default_rng(0))


def test_a_probability_filled_in_is_at_most_one(drawn):
    signal, _ = drawn
    trained_on = np.arange(10)[:, None] < np.full(200, 5)
    lacking = signal.is_nonmember & (np.arange(200) % 3 == 0)
    trained_on[:, lacking] = False
    losses = np.where(trained_on, 0.001, 3.0)  # the ratio of the two sides is about 20
    losses[:, lacking] = 0.1
    usual = OnlineRmia()._usual(References(losses, trained_on), signal, signal.membership == POPULATION)
    np.testing.assert_allclose(usual[lacking], np.log((1 + np.exp(-0.1)) / 2))


def test_a_record_with_models_on_one_side_gets_a_centre_from_there(drawn):
    signal, knowledge = drawn
    phi, inside = confidence(knowledge.references.losses), knowledge.references.trained_on.copy()
    inside[:, 3] = False
    sides = [fit_side(phi, inside == side, "pooled") for side in (True, False)]
    scored = signal.is_member | signal.is_nonmember
    gap = (sides[0].centre - sides[1].centre)[scored & (np.arange(200) != 3)].mean()
    filled = sides[0].filled(sides[1], scored)
    assert filled.centre[3] == pytest.approx(sides[1].centre[3] + gap)
    assert np.delete(filled.centre, 3).tolist() == np.delete(sides[0].centre, 3).tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: OnlineRmia(gamma=np.inf), "gamma is inf, not a number of at least 1"),
        (lambda: OnlineRmia(gamma="2"), "gamma is '2', not a number of at least 1"),
        (lambda: OfflineRmia(offline_a=1.5), "offline_a is 1.5, not a number from 0 to 1"),
        (lambda: QuantileRegression(trees=2.5), "trees is 2.5, not an integer of at least 1"),
        (lambda: QuantileRegression(leaves=1), "leaves is 1, not an integer of at least 2"),
        (lambda: ShadowModels(hidden=(8, 0)), "hidden is 0, not an integer of at least 1"),
        (lambda: ShadowModels(l2=-1), "l2 is -1, not a number of at least 0"),
        (lambda: ShadowModels(learning_rate=0), "learning_rate is 0, and nothing would be learnt"),
    ],
)
def test_an_option_that_is_not_allowed_is_named(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_shadow_models_need_no_hidden_layer():
    assert ShadowModels(hidden=()).hidden == ()


def test_missing_distilled_models_are_named_as_such(drawn):
    signal, _ = drawn
    trained_on = np.tile(signal.is_member, (5, 1))
    distilled = References(np.ones(trained_on.shape), trained_on)
    with pytest.raises(KnowledgeError, match=r"knowledge\.distilled: 100 % of the members and 0 % of the non-members"):
        measure(Distillation(), signal, Knowledge(distilled=distilled), np.random.default_rng(0))
