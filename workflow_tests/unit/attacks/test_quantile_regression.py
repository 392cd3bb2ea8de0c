"""Quantile regression where the difficulty of a record follows from its features by a known law."""

from dataclasses import replace

import numpy as np
import pytest
from attack_checks import ERRORS, measure
from model_cards import card
from scipy import stats

from dpmia.attacks.base import Knowledge
from dpmia.attacks.confidence import confidence
from dpmia.attacks.hypothesis import Population
from dpmia.attacks.quantile_regression import QuantileRegression
from dpmia.common.errors import AttackError
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, Signal

SHIFT = 2.0


def rng(seed=0):
    return np.random.default_rng(seed)


def drawn(seed, members=1500, population=3000, slope=2.0, classes=2, features=5):
    """Confidence = slope * first feature + class + noise, and the shift for members."""
    random = rng(seed)
    part = np.repeat(np.array([MEMBER, NONMEMBER, POPULATION], dtype=np.uint8), [members, members, population])
    x = random.standard_normal((len(part), features)).astype(np.float32)
    labels = random.integers(0, classes, len(part))
    phi = slope * x[:, 0] + 3 * (labels % 2) + random.standard_normal(len(part)) + SHIFT * (part == MEMBER)
    logits = np.full((len(part), classes), -1e4, dtype=np.float32)
    logits[np.arange(len(part)), (labels + 1) % classes] = 0
    logits[np.arange(len(part)), labels] = phi
    return Signal(card(), np.arange(len(part)), labels, part, logits), Knowledge(features=x)


@pytest.fixture(scope="module")
def attacked():
    signal, knowledge = drawn(1)
    return signal, knowledge, measure(QuantileRegression(), signal, knowledge, rng())


def test_it_comes_near_the_law_that_knows_each_records_difficulty(attacked):
    signal, knowledge, metrics = attacked
    ideal = stats.norm.cdf(SHIFT / np.sqrt(2))
    assert ideal - 0.04 < metrics["auc"] < ideal + ERRORS * 0.005
    one_threshold = stats.norm.cdf(SHIFT / np.sqrt(2 * (1 + 4 + 9 / 4)))
    assert metrics["auc"] > one_threshold + 0.1
    assert measure(Population(), signal, knowledge, rng())["auc"] < metrics["auc"] - 0.1


def test_it_keeps_the_false_positive_rate(attacked):
    _, _, metrics = attacked
    # 750 population records set the threshold, 1500 non-members are judged by it.
    assert abs(metrics["fpr"] - 0.1) < ERRORS * np.sqrt(0.09 * (1 / 750 + 1 / 1500))


def test_it_keeps_the_false_positive_rate_on_features_that_say_nothing():
    """Trees fit the noise of 300 records and alone accuse far too many; the 100 kept from them set that right."""
    rates = []
    for seed in range(10):
        signal, knowledge = drawn(20 + seed, members=500, population=400, slope=0.0, features=30)
        rates.append(measure(QuantileRegression(alpha=0.2), signal, knowledge, rng(seed))["fpr"])
    assert abs(np.mean(rates) - 0.2) < ERRORS * np.sqrt(0.16 * (1 / 100 + 1 / 500) / 10)


def test_the_class_counts_too_also_where_there_are_many():
    signal, _ = drawn(3, slope=0.0)
    nothing = Knowledge(features=np.zeros((len(signal.records), 1), dtype=np.float32))
    ideal = stats.norm.cdf(SHIFT / np.sqrt(2))
    assert measure(QuantileRegression(), signal, nothing, rng())["auc"] > ideal - 0.02
    many, knowledge = drawn(4, members=50, population=1000, classes=400)
    assert np.isfinite(QuantileRegression().scores(many, knowledge, rng())).all()
    most, knowledge = drawn(4, members=50, population=2000, classes=256)
    assert most.labels.max() == 255, "one more than categories there may be"
    assert np.isfinite(QuantileRegression().scores(most, knowledge, rng())).all()


def test_classes_are_names_and_no_numbers():
    signal, knowledge = drawn(7, members=100, population=600, classes=6)
    names = rng(8).permutation(6)
    columns = np.argsort(names)
    other = replace(signal, labels=names[signal.labels], logits=signal.logits[:, columns])
    assert other.losses == pytest.approx(signal.losses)
    scores = QuantileRegression().scores(signal, knowledge, rng())
    assert QuantileRegression().scores(other, knowledge, rng()) == pytest.approx(scores)


def test_a_record_at_the_quantile_is_no_member():
    assert QuantileRegression().decisions(None, np.array([0.0, 1e-9])).tolist() == [False, True]


def test_the_same_generator_gives_the_same_scores():
    signal, knowledge = drawn(5, members=50, population=200)
    one, same, other = (QuantileRegression().scores(signal, knowledge, rng(seed)) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_what_is_missing_is_named():
    signal, knowledge = drawn(6, members=10, population=60)
    with pytest.raises(ValueError, match=r"knowledge.features is empty"):
        QuantileRegression().scores(signal, Knowledge(), rng())
    with pytest.raises(ValueError, match="has 10 rows for 80 queries"):
        QuantileRegression().scores(signal, Knowledge(features=knowledge.features[:10]), rng())
    with pytest.raises(AttackError, match=r"60 population records cannot set a threshold at alpha 0.01; 396 can"):
        QuantileRegression(alpha=0.01).scores(signal, knowledge, rng())
    with pytest.raises(AttackError, match="; inf can"):
        QuantileRegression(alpha=1e-320).scores(signal, knowledge, rng())
    with pytest.raises(AttackError, match="needs population records"):
        QuantileRegression().scores(signal.of(MEMBER, NONMEMBER), knowledge, rng())
    assert QuantileRegression.uses == ("population", "features")


def test_as_many_population_records_as_the_message_names_are_enough():
    signal, knowledge = drawn(7, members=10, population=36)
    assert np.isfinite(QuantileRegression(alpha=0.1).scores(signal, knowledge, rng())).all()
    fewer, knowledge = drawn(7, members=10, population=35)
    with pytest.raises(AttackError, match="36 can"):
        QuantileRegression(alpha=0.1).scores(fewer, knowledge, rng())


@pytest.mark.parametrize("options", [{"alpha": 0}, {"trees": 0}, {"leaves": 1}])
def test_options_that_are_not_allowed_are_named(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        QuantileRegression(**options)


def test_one_tree_of_two_leaves_is_a_regression():
    signal, knowledge = drawn(6, members=50, population=200)
    scores = QuantileRegression(trees=1, leaves=2).scores(signal, knowledge, rng())
    phi = confidence(signal.losses)
    assert len(np.unique(np.round(phi - scores, 9))) == 2, "one of two quantiles is predicted for each record"
