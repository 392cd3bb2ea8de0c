"""LiRA against its definition written out, against a known law, and with too few models."""

import numpy as np
import pytest
from attack_checks import ERRORS, check_law, measure
from few_reference_models import COLUMNS, nominal_to_actual, run
from gaussian_law import GaussianLaw
from scipy import stats
from scipy.special import ndtri

from dpmia.attacks.base import Knowledge
from dpmia.attacks.confidence import confidence
from dpmia.attacks.hypothesis import Reference
from dpmia.attacks.lira import VARIANCES, OfflineLira, OnlineLira, fit_side
from dpmia.common.errors import AttackError
from dpmia.formats.losses import References
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION

LAW = GaussianLaw(shift=2.0, noise=1.0, difficulty=3.0)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def drawn():
    """40 models, half of them trained on each of 4000 members and 4000 non-members."""
    return LAW.draw(rng(1), 4000, 4000, references=40)


def sides(signal, knowledge):
    """For each query, the confidence of the target, of models trained with it and of models trained without it."""
    phi, inside = confidence(knowledge.references.losses), knowledge.references.trained_on
    for query, at in enumerate(confidence(signal.losses)):
        yield at, phi[inside[:, query], query], phi[~inside[:, query], query]


def test_scores_follow_the_definition_written_out():
    signal, knowledge = LAW.draw(rng(2), 30, 30, references=12)
    rows = list(sides(signal, knowledge))
    every_in, every_out = (np.concatenate([row[side] for row in rows]) for side in (1, 2))
    pooled = [np.sqrt(np.mean([row[side].var(ddof=1) for row in rows])) for side in (1, 2)]
    log_pdf = stats.norm.logpdf
    expected = {
        "pooled": [log_pdf(at, a.mean(), pooled[0]) - log_pdf(at, b.mean(), pooled[1]) for at, a, b in rows],
        "per_point": [log_pdf(at, a.mean(), a.std(ddof=1)) - log_pdf(at, b.mean(), b.std(ddof=1)) for at, a, b in rows],
        "published": [
            log_pdf(at, np.median(a), every_in.std()) - log_pdf(at, np.median(b), every_in.std()) for at, a, b in rows
        ],
    }
    offline = {
        "pooled": [(at - b.mean()) / pooled[1] for at, _, b in rows],
        "per_point": [(at - b.mean()) / b.std(ddof=1) for at, _, b in rows],
        "published": [abs(at - np.median(b)) / every_out.std() for at, _, b in rows],
    }
    for variance in VARIANCES:
        np.testing.assert_allclose(OnlineLira(variance).scores(signal, knowledge, rng()), expected[variance], rtol=1e-9)
        np.testing.assert_allclose(OfflineLira(variance).scores(signal, knowledge, rng()), offline[variance], rtol=1e-9)


def test_offline_with_a_pooled_variance_reaches_what_the_law_says(drawn):
    signal, knowledge = drawn
    widened = np.sqrt(1 + 1 / 20)  # the centre comes from 20 models
    metrics = check_law(OfflineLira(), LAW, widened, signal, knowledge, rng())
    exact = nominal_to_actual(0.1, 20, "pooled")
    assert abs(metrics["fpr"] - exact) < ERRORS * np.sqrt(exact * (1 - exact) / 4000)


def test_online_comes_near_the_likelihood_ratio_of_the_law():
    signal, knowledge = LAW.draw(rng(3), 3000, 3000, references=400)
    metrics = check_law(OnlineLira(), LAW, 1.0, signal, knowledge, rng())
    # Two Gaussians of one spread, threshold in the middle: the largest advantage there is.
    best = 2 * stats.norm.cdf(LAW.shift / 2) - 1
    assert abs(metrics["advantage"] - best) < ERRORS * np.sqrt(2 * 0.16 * 0.84 / 3000)


def test_a_gaussian_beats_the_rank_and_the_published_pooling_loses_to_the_right_one(drawn):
    signal, knowledge = drawn
    auc = {
        name: measure(attack, signal, knowledge, rng())["auc"]
        for name, attack in {
            "rank": Reference(),
            "offline": OfflineLira(),
            "online": OnlineLira(),
            "offline published": OfflineLira("published"),
        }.items()
    }
    assert auc["rank"] < auc["offline"]
    assert auc["offline"] == pytest.approx(auc["online"], abs=0.01)
    # Two-sided: a member is far from the others' centre, but so is a non-member on the other side.
    assert auc["offline published"] < auc["offline"] - 0.05


def test_the_published_spread_is_that_of_all_records_at_once(drawn):
    _, knowledge = drawn
    phi, inside = confidence(knowledge.references.losses), knowledge.references.trained_on
    assert fit_side(phi, inside, "pooled").spread[0] == pytest.approx(LAW.noise, rel=0.01)
    assert fit_side(phi, inside, "published").spread[0] == pytest.approx(LAW.spread("noise", "difficulty"), rel=0.03)


@pytest.mark.parametrize("variance", VARIANCES)
def test_population_records_change_no_score(variance):
    signal, knowledge = LAW.draw(rng(8), 50, 50, references=10, population=200)
    losses = knowledge.references.losses.copy()
    population = signal.membership == POPULATION
    losses[:, population] = rng(9).uniform(0.01, 20, losses[:, population].shape)  # they vary as no other record does
    queries = signal.of(MEMBER, NONMEMBER)
    of_queries = References(losses[:, ~population], knowledge.references.trained_on[:, ~population])
    for attack in (OnlineLira(variance), OfflineLira(variance)):
        among = attack.scores(signal, Knowledge(references=References(losses, knowledge.references.trained_on)), rng())
        alone = attack.scores(queries, Knowledge(references=of_queries), rng())
        np.testing.assert_allclose(among[~population], alone, rtol=1e-12)


def test_points_without_a_model_on_one_side_get_the_pooled_mean_and_are_counted(caplog):
    signal, knowledge = LAW.draw(rng(4), 100, 100, references=10)
    inside = knowledge.references.trained_on.copy()
    none, one = np.r_[0:15, 100:115], np.r_[15:20, 115:120]  # of members and of non-members
    inside[:, none] = False
    inside[0, one], inside[1:, one] = True, False
    some = Knowledge(references=References(knowledge.references.losses, inside))
    phi = confidence(some.references.losses)
    side = fit_side(phi, inside, "per_point")
    np.testing.assert_allclose(side.centre[none], phi[inside].mean())
    np.testing.assert_array_equal(side.centre[one], phi[0, one])
    assert (side.models[none] == 0).all()
    assert (side.models[one] == 1).all()
    few = np.r_[none, one]
    np.testing.assert_allclose(side.spread[few], fit_side(phi, inside, "pooled").spread[few])
    assert np.isfinite(OnlineLira("per_point").scores(signal, some, rng())).all()
    assert caplog.messages[0].startswith("15 % of 200 records have no reference model trained with them")
    assert caplog.messages[1] == "5 % of 200 records have one model trained with them and get the pooled variance"
    for variance in VARIANCES:
        assert np.isfinite(OnlineLira(variance).scores(signal, some, rng())).all()


def test_nothing_is_reported_where_nothing_is_missing(drawn, caplog):
    OnlineLira("per_point").scores(*drawn, rng())
    assert not caplog.text


def test_one_model_cannot_show_how_confidences_vary():
    signal, knowledge = LAW.draw(rng(5), 10, 10, references=1)
    with pytest.raises(AttackError, match=r"no record has two reference models.* Add reference models"):
        OfflineLira().scores(signal, knowledge, rng())
    with pytest.raises(AttackError, match="no reference model was trained"):
        OnlineLira().scores(signal, knowledge, rng())


def test_references_must_be_there(drawn):
    for attack in (OnlineLira(), OfflineLira()):
        with pytest.raises(AttackError, match=r"knowledge.references: .* there are none"):
            attack.scores(drawn[0], Knowledge(), rng())
        assert attack.uses == ("references",)
        assert not attack.oracle


@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize("loss", [0.0, 1e-9, 0.7, np.inf])
def test_losses_that_are_all_equal_or_at_the_ends_give_numbers(variance, loss):
    signal, knowledge = LAW.draw(rng(6), 10, 10, references=6)
    same = Knowledge(references=References(np.full((6, 20), loss), knowledge.references.trained_on))
    for attack in (OnlineLira(variance), OfflineLira(variance)):
        assert np.isfinite(attack.scores(signal, same, rng())).all()


def test_options_that_are_not_allowed_are_named():
    with pytest.raises(ValueError, match=r"variance is 'pool', not one of pooled.*Did you mean 'pooled'"):
        OnlineLira("pool")
    with pytest.raises(ValueError, match="alpha"):
        OfflineLira(alpha=1)


def test_nominal_rates_are_those_of_students_t_by_simulation():
    """A centre and a spread from four values each: the tail of one per cent is one of six."""
    draws = rng(7).standard_normal((200_000, 5))
    of_models, target = draws[:, :4], draws[:, 4]
    for variance, spread in (("per_point", of_models.std(axis=1, ddof=1)), ("pooled", 1)):
        for level in (0.1, 0.01):
            rate = ((target - of_models.mean(1)) / spread >= stats.norm.isf(level)).mean()
            exact = nominal_to_actual(level, 4, variance)
            assert abs(rate - exact) < ERRORS * np.sqrt(exact / 200_000)
    assert nominal_to_actual(0.01, 4, "per_point") == pytest.approx(0.0645, abs=1e-4)
    assert nominal_to_actual(0.01, 10, "per_point") == pytest.approx(0.0269, abs=1e-4)
    assert nominal_to_actual(0.01, 10**6, "per_point") == pytest.approx(0.01, rel=1e-4)


@pytest.fixture(scope="module")
def few():
    return run(seed=1, models=(4, 10, 32), records=6000, replicates=4)


def test_few_shadows_are_too_sure_by_as_much_as_the_law_says(few):
    assert few.columns.tolist() == COLUMNS
    rates = few[few["metric"].str.startswith("fpr")].groupby(["variance", "models", "metric"])
    for _, rows in rates:
        expected, limit = rows["expected"].iloc[0], rows["limit"].iloc[0]
        # 3000 non-members in each of four replicates. The pooled variance is known to 1 in sqrt(2 * 6000 * 3).
        error = np.sqrt(expected * (1 - expected) / 12_000)
        assert abs(rows["value"].mean() - expected) < ERRORS * error + 0.02 * expected
        assert expected > limit
    assert rates["value"].mean()["per_point", 4, "fpr at 0.01"] > 0.05


def test_few_shadows_rank_worse_and_their_own_variances_are_to_blame(few):
    auc = few[few["metric"] == "auc"].groupby(["attack", "variance", "models"])["value"].mean()
    limit = LAW.auc(1.0)
    for attack in ("online", "offline"):
        for variance in ("per_point", "pooled"):
            assert auc[attack, variance].is_monotonic_increasing
            assert auc[attack, variance, 4] < limit - 0.01
        assert auc[attack, "per_point", 4] < auc[attack, "pooled", 4]
    exact = few[few["expected"].notna() & (few["metric"] == "auc")].groupby("models")[["value", "expected"]].mean()
    np.testing.assert_allclose(exact["value"], exact["expected"], atol=ERRORS * 0.0023)
    tpr = few[few["metric"] == "tpr_at_1pct_fpr"].groupby(["attack", "variance", "models"])["value"].mean()
    assert tpr["offline", "per_point", 4] < 0.6 * tpr["offline", "pooled", 4]


def test_few_shadows_depend_on_the_seed_alone():
    again = [run(seed=seed, models=(4,), records=200, replicates=1) for seed in (1, 1, 2)]
    assert again[0].equals(again[1])
    assert not again[0].equals(again[2])


def test_equal_likelihoods_and_a_tail_of_exactly_alpha_are_a_members():
    assert OnlineLira().decisions(None, np.array([0.0, -1e-9])).tolist() == [True, False]
    for variance, tail in (("pooled", 0.1), ("published", 0.05)):
        at = -ndtri(tail)
        assert OfflineLira(variance, alpha=0.1).decisions(None, np.array([at, at - 1e-9])).tolist() == [True, False]
