"""RMIA against its definition written out, against a known law, and as a test with a false positive rate."""

from dataclasses import replace

import numpy as np
import pytest
from attack_checks import ERRORS, check_law, measure
from gaussian_law import GaussianLaw

from dpmia.attacks.base import Knowledge
from dpmia.attacks.hypothesis import Population
from dpmia.attacks.rmia import OfflineRmia, OnlineRmia
from dpmia.common.errors import AttackError
from dpmia.formats.losses import References
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION

LAW = GaussianLaw(shift=2.0, noise=1.0, difficulty=2.0)


def rng(seed=0):
    return np.random.default_rng(seed)


def by_definition(signal, knowledge, gamma, usual):
    """The share of population records z with LR(x, z) >= gamma, pair by pair; `usual` gives p(.) of a query."""
    p = np.exp(-signal.losses)
    ratio = [p[query] / usual(query) for query in range(len(p))]
    population = np.flatnonzero(signal.membership == POPULATION)
    return [np.mean([ratio[x] / ratio[z] >= gamma for z in population]) for x in range(len(p))]


@pytest.mark.parametrize(("gamma", "references"), [(1.0, 8), (2.0, 8), (1.0, 2)])
def test_scores_follow_the_definition_written_out(gamma, references):
    signal, knowledge = LAW.draw(rng(1), 20, 20, 30, references=references)
    p, inside = np.exp(-knowledge.references.losses), knowledge.references.trained_on

    def online(query):
        if signal.membership[query] == POPULATION:
            return p[:, query].mean()
        return (p[inside[:, query], query].mean() + p[~inside[:, query], query].mean()) / 2

    def offline(query):
        return ((1 + 0.3) * p[~inside[:, query], query].mean() + (1 - 0.3)) / 2

    np.testing.assert_allclose(
        OnlineRmia(gamma).scores(signal, knowledge, rng()), by_definition(signal, knowledge, gamma, online)
    )
    np.testing.assert_allclose(
        OfflineRmia(gamma).scores(signal, knowledge, rng()), by_definition(signal, knowledge, gamma, offline)
    )


def test_offline_reaches_what_the_law_says_where_probabilities_are_small():
    """There p = e^phi, so log p / mean p is the confidence less its record's centre: the statistic of LiRA."""
    law = replace(LAW, level=-25.0)
    signal, knowledge = law.draw(rng(2), 3000, 3000, 3000, references=400)
    # The mean of a log-normal over 200 models varies by sqrt((e - 1) / 200).
    spread = np.sqrt(1 + (np.e - 1) / 200)
    metrics = check_law(OfflineRmia(offline_a=1), law, spread, signal, knowledge, rng())
    assert metrics["auc"] > measure(Population(), signal, knowledge, rng())["auc"] + 0.15


def test_nonmembers_that_are_like_the_population_are_predicted_members_at_the_rate_aimed_at():
    signal, knowledge = LAW.draw(rng(3), 500, 0, 8000, references=5)
    membership = signal.membership.copy()
    membership[500:4500] = NONMEMBER
    signal = replace(signal, membership=membership)
    for alpha in (0.05, 0.3):
        metrics = measure(OfflineRmia(alpha=alpha), signal, knowledge, rng())
        assert abs(metrics["fpr"] - alpha) < ERRORS * np.sqrt(2 * alpha * (1 - alpha) / 4000) + 1 / 4000


def test_online_predicts_fewer_members_if_no_model_was_trained_on_the_population():
    signal, knowledge = LAW.draw(rng(3), 100, 4000, 4000, references=6)
    metrics = measure(OnlineRmia(alpha=0.1), signal, knowledge, rng())
    assert metrics["fpr"] < 0.1 - ERRORS * np.sqrt(0.18 / 4000)


def test_gamma_moves_the_decision_and_not_the_order():
    signal, knowledge = LAW.draw(rng(4), 300, 300, 2000, references=20)
    one, two = (OnlineRmia(gamma).scores(signal, knowledge, rng()) for gamma in (1, 2))
    assert (two <= one).all()
    order = np.argsort(one, kind="stable")
    assert (np.diff(two[order])[np.diff(one[order]) > 0] >= 0).all()
    assert (OnlineRmia(2).decisions(signal, two) <= OnlineRmia(1).decisions(signal, one)).all()


def test_a_member_that_is_usually_unlikely_dominates_more():
    """The same answer of the target counts for more where reference models find the record hard."""
    signal, knowledge = LAW.draw(rng(5), 2, 2, 500, references=6)
    losses = knowledge.references.losses.copy()
    losses[:, 0], losses[:, 1] = 5.0, 0.1
    logits = signal.logits.copy()
    logits[:2] = 0
    scores = OfflineRmia().scores(
        replace(signal, logits=logits), Knowledge(references=replace(knowledge.references, losses=losses)), rng()
    )
    assert scores[0] > scores[1]


def test_records_without_a_model_on_one_side_get_the_mean_of_that_side(caplog):
    signal, knowledge = LAW.draw(rng(6), 50, 50, 100, references=6)
    inside = knowledge.references.trained_on.copy()
    inside[:, np.r_[0:10, 50:60]] = False
    some = Knowledge(references=References(knowledge.references.losses, inside))
    assert np.isfinite(OnlineRmia().scores(signal, some, rng())).all()
    assert "20 % of 100 records have no reference model trained with them" in caplog.text
    inside[:, np.r_[10:20, 60:70]] = True
    inside[:, 100:150] = True  # half of the population is in every training set, so offline it says nothing
    scores = OfflineRmia().scores(signal, some, rng())
    assert np.isfinite(scores[:100]).all()
    assert np.isnan(scores[100:150]).all()
    assert "20 % of 100 records have no reference model trained without them" in caplog.text


def test_one_reference_model_is_enough_offline():
    signal, knowledge = LAW.draw(rng(7), 1000, 1000, 1000, references=1)
    assert (
        measure(OfflineRmia(), signal, knowledge, rng())["auc"] > measure(Population(), signal, knowledge, rng())["auc"]
    )
    with pytest.raises(AttackError, match="no model was trained on any of the query records"):
        OnlineRmia().scores(signal, knowledge, rng())


def test_losses_at_the_ends_give_numbers():
    signal, knowledge = LAW.draw(rng(8), 10, 10, 10, references=4)
    logits = np.zeros_like(signal.logits)
    logits[np.arange(30), signal.labels] = np.tile([0, 5000, -5000], 10)
    extreme = replace(signal, logits=logits)
    losses = np.tile([0.0, 4000.0, 1.0], 10) * np.ones((4, 1))
    some = Knowledge(references=replace(knowledge.references, losses=losses))
    for attack in (OnlineRmia(), OfflineRmia(), OfflineRmia(offline_a=1), OfflineRmia(offline_a=0)):
        scores = attack.scores(extreme, some, rng())
        assert ((scores >= 0) & (scores <= 1)).all()


def test_what_is_missing_is_named():
    signal, knowledge = LAW.draw(rng(9), 10, 10, 10, references=4)
    for attack in (OnlineRmia(), OfflineRmia()):
        with pytest.raises(AttackError, match=r"knowledge.references: .* there are none"):
            attack.scores(signal, Knowledge(), rng())
        with pytest.raises(AttackError, match="population records"):
            attack.scores(signal.of(MEMBER, NONMEMBER), knowledge, rng())
        assert attack.uses == ("references", "population")
    everywhere = np.ones_like(knowledge.references.trained_on)
    with pytest.raises(AttackError, match="was trained without any of the query records"):
        OfflineRmia().scores(signal, Knowledge(references=replace(knowledge.references, trained_on=everywhere)), rng())


@pytest.mark.parametrize("options", [{"gamma": 0.5}, {"alpha": 0}, {"offline_a": 1.5}, {"gamma": np.nan}])
def test_options_that_are_not_allowed_are_named(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        OfflineRmia(**options)
