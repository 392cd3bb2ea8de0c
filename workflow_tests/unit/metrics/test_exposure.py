"""Single records: nominal rates on exchangeable scores, and the stability of lists."""

import numpy as np
import pytest
from model_cards import card
from scipy.stats import binom

from dpmia.formats.signals import MEMBER, NONMEMBER, Signal
from dpmia.metrics.exposure import Exposure, calibration, p_values, stability

#: Chance that right code fails one of the simulations below, were the seeds drawn anew.
FALSE_ALARM = 1e-6


@pytest.mark.parametrize("law", ["normal", "cauchy", "ties"])
@pytest.mark.parametrize("references", [9, 39])
def test_nominal_rate_is_kept_on_exchangeable_scores_of_any_law(law, references):
    rng, records = np.random.default_rng(1), 20_000
    draw = {
        "normal": lambda shape: rng.normal(size=shape) * np.arange(1, records + 1),
        "cauchy": lambda shape: rng.standard_cauchy(size=shape),
        "ties": lambda shape: rng.integers(0, 3, shape).astype(float),
    }[law]
    found = p_values(draw((records,)), draw((references, records)))
    for nominal in (0.01, 0.1, 0.5):
        reached = np.floor(nominal * (references + 1)) / (references + 1)  # p-values are multiples of the resolution
        false = int((found <= nominal).sum())
        assert false <= binom.ppf(1 - FALSE_ALARM, records, reached)
        if law != "ties":
            assert false >= binom.ppf(FALSE_ALARM, records, reached)


def test_p_values_count_no_model_that_was_trained_on_the_record():
    outside = np.array([[True, False], [True, True], [False, True]])
    found = p_values(np.array([2.0, 2.0]), np.array([[1.0, 9.0], [9.0, 1.0], [9.0, 1.0]]), outside)
    assert found.tolist() == [2 / 3, 1 / 3]


def test_p_values_count_the_references_that_are_as_high():
    found = p_values(np.array([5.0, 2.0, 0.0]), np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [3.0, 3.0, 3.0]]))
    assert found.tolist() == [0.25, 0.75, 1.0]


def test_a_kept_guarantee_passes_and_a_broken_one_is_found_where_it_is():
    rng, models, records, nominal = np.random.default_rng(2), 400, 50, 0.05
    outside = rng.random((models, records)) < 0.5
    decisions = (rng.random((models, records)) < nominal) | ~outside
    kept = calibration(decisions, outside, nominal)
    assert not kept.exceeded.any()
    assert kept.rates.mean() == pytest.approx(nominal, abs=0.01)
    decisions[:, 7] |= rng.random(models) < 0.2
    assert calibration(decisions, outside, nominal).exceeded.nonzero()[0].tolist() == [7]


def test_right_attacks_are_blamed_no_more_often_than_stated():
    rng, draws, models, records, error = np.random.default_rng(3), 300, 60, 8, 0.2
    outside = np.ones((models, records), dtype=bool)
    blamed = sum(
        calibration(rng.random((models, records)) < 0.3, outside, 0.3, error).exceeded.any() for _ in range(draws)
    )
    assert blamed <= binom.ppf(1 - FALSE_ALARM, draws, error)
    assert blamed > 0


def test_records_that_every_model_was_trained_on_have_no_rate():
    outside = np.array([[True, False], [True, False]])
    found = calibration(np.ones((2, 2), dtype=bool), outside, 0.1)
    assert found.rates[0] == 1
    assert np.isnan(found.rates[1])
    assert not found.exceeded[1]


def test_same_lists_agree_and_random_ones_do_by_chance():
    rng = np.random.default_rng(4)
    scores = rng.normal(size=200)
    same = stability(np.tile(scores, (3, 1)), rng)
    assert same.jaccard == 1
    assert same.always.tolist() == sorted(np.argsort(-scores)[:20].tolist())
    draws = [stability(rng.normal(size=(3, 200)), rng) for _ in range(300)]
    assert np.mean([each.jaccard for each in draws]) == pytest.approx(draws[0].by_chance, rel=0.05)
    # Twenty of two hundred share two on average: 2 / 38.
    assert draws[0].by_chance == pytest.approx(2 / 38, rel=0.15)


def test_two_lists_by_hand():
    found = stability(np.array([[4.0, 3.0, 2.0, 1.0], [4.0, 1.0, 3.0, 2.0]]), np.random.default_rng(0), listed=2)
    assert found.jaccard == pytest.approx(1 / 3)
    assert found.always.tolist() == [0]
    # Pairs of pairs of four: the same, one record in common (four of six), none.
    assert found.by_chance == pytest.approx((1 + 4 / 3) / 6)


def test_ties_do_not_agree_by_the_order_of_records():
    found = stability(np.zeros((6, 1000)), np.random.default_rng(5))
    assert found.jaccard < 0.1


def test_impossible_questions_are_refused():
    with pytest.raises(ValueError, match="shape"):
        p_values(np.zeros(3), np.zeros((4, 2)))
    with pytest.raises(ValueError, match="not numbers"):
        p_values(np.array([np.nan]), np.zeros((4, 1)))
    some = np.ones((3, 2), dtype=bool)
    with pytest.raises(ValueError, match="shape"):
        calibration(some, some[:2], 0.1)
    with pytest.raises(ValueError, match="no model"):
        calibration(some, ~some, 0.1)
    for nominal, error in ((0.0, 0.1), (1.0, 0.1), (0.1, 0.0)):
        with pytest.raises(ValueError, match="expected both"):
            calibration(some, some, nominal, error)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="seeds"):
        stability(np.zeros((1, 50)), rng)
    with pytest.raises(ValueError, match="21 at least"):
        stability(np.zeros((3, 20)), rng)
    with pytest.raises(ValueError, match="not numbers"):
        stability(np.full((2, 50), np.nan), rng)


def test_records_that_every_model_exposes_are_found_and_stable():
    rng = np.random.default_rng(0)
    exposure = Exposure(10)
    part = np.repeat(np.array([MEMBER, NONMEMBER], dtype=np.uint8), 200)
    for _ in range(4):
        scores = rng.normal(size=400)
        scores[:10] += 10
        signal = Signal(
            card(), np.arange(400), np.zeros(400, dtype=np.int64), part, np.zeros((400, 2), dtype=np.float32)
        )
        exposure.add(signal, scores)
    assert {found["record"] for found in exposure.most().records} == set(range(10))
    assert exposure.nonmembers == 200
    stable = exposure.stable(rng)
    assert stable["jaccard"] > 0.8 > 0.1 > stable["by_chance"]


def test_equal_records_share_a_rank_and_those_that_are_cut_off_are_counted():
    exposure = Exposure(3)
    part = np.repeat(np.array([MEMBER, NONMEMBER], dtype=np.uint8), [6, 4])
    signal = Signal(card(), np.arange(10), np.zeros(10, dtype=np.int64), part, np.zeros((10, 2), dtype=np.float32))
    exposure.add(signal, np.array([5.0, 9, 7, 7, 7, 1, 0, 0, 2, 3]))
    most = exposure.most()
    assert [(each["rank"], each["record"], each["score"]) for each in most.records] == [(1, 1, 9), (2, 2, 7), (2, 3, 7)]
    assert most.tied == 1
    assert most.unseen == 5
    assert most.records[0]["above"] == 0
