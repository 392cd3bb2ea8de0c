"""Single records: nominal rates on exchangeable scores, and the stability of lists."""

from itertools import combinations

import numpy as np
import pytest
from model_cards import card
from scipy.stats import betabinom, binom

from dpmia.formats.signals import MEMBER, NONMEMBER, Signal
from dpmia.metrics.exposure import Exposure, calibration, is_stable, p_values, stability

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
    values = p_values(draw((records,)), draw((references, records)))
    for nominal in (0.01, 0.1, 0.5):
        reached = np.floor(nominal * (references + 1)) / (references + 1)  # p-values are multiples of the resolution
        false = int((values <= nominal).sum())
        assert false <= binom.ppf(1 - FALSE_ALARM, records, reached)
        if law != "ties":
            assert false >= binom.ppf(FALSE_ALARM, records, reached)


def test_p_values_count_no_model_that_was_trained_on_the_record():
    outside = np.array([[True, False], [True, True], [False, True]])
    values = p_values(np.array([2.0, 2.0]), np.array([[1.0, 9.0], [9.0, 1.0], [9.0, 1.0]]), outside)
    assert values.tolist() == [2 / 3, 1 / 3]


def test_p_values_count_the_references_that_are_as_high():
    values = p_values(np.array([5.0, 2.0, 0.0]), np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [3.0, 3.0, 3.0]]))
    assert values.tolist() == [0.25, 0.75, 1.0]


def exchangeable_world(rng, references, targets, records=60, joins=0.5):
    """Return scores of models that are all alike and `trained_on`, the reference models first.

    Records have effects and scales of their own and heavy tails; ten in a row share their noise in part, and all of
    them what is the model's own, which their membership changes.
    """
    models = references + targets
    trained_on = rng.random((models, records)) < joins
    own = rng.standard_t(1.5, (models, records))
    shared = np.repeat(rng.standard_t(1.5, (models, records // 10)), 10, axis=1)
    of_model = rng.normal(size=(models, 1)) + trained_on.mean(axis=1, keepdims=True)
    scores = rng.normal(scale=5, size=records) + rng.lognormal(size=records) * (own + shared + of_model)
    return np.round(scores + 3 * trained_on, 1), trained_on


def calibration_of(scores, trained_on, references, nominal=0.1, error=0.05):
    """Return the calibration of the conformal decisions on the models after the first `references`."""
    ours, outside = scores[:references], ~trained_on[:references]
    decisions = np.stack([p_values(row, ours, outside) <= nominal for row in scores[references:]])
    return calibration(decisions, ~trained_on[references:], outside.sum(axis=0), nominal, error)


SIZES = [(10, 5), (10, 20), (20, 50)]


@pytest.mark.parametrize("joins", [0.0, 0.5])
@pytest.mark.parametrize(("references", "targets"), SIZES)
def test_where_models_are_exchangeable_some_record_exceeds_in_five_percent_of_runs_at_most(references, targets, joins):
    rng, runs = np.random.default_rng(11), 300
    some = sum(
        calibration_of(*exchangeable_world(rng, references, targets, joins=joins), references).exceeded.any()
        for _ in range(runs)
    )
    assert some <= binom.ppf(1 - FALSE_ALARM, runs, 0.05)


def test_the_error_is_reached_where_records_are_independent_and_all_can_be_tested():
    rng, runs, references = np.random.default_rng(12), 400, 30
    some = 0
    for _ in range(runs):
        scores = rng.standard_cauchy((references + 30, 20))
        some += calibration_of(scores, np.zeros(scores.shape, dtype=bool), references, error=0.5).exceeded.any()
    # Of twenty independent tests at 1/40 some is significant with probability .4; discrete p-values make it less.
    assert 0.15 * runs < some <= binom.ppf(1 - FALSE_ALARM, runs, 0.5)


@pytest.mark.parametrize(("references", "targets"), SIZES)
def test_an_exposed_record_is_found_where_the_models_suffice(references, targets):
    rng, runs, hits, others = np.random.default_rng(13), 100, 0, 0
    for _ in range(runs):
        scores, trained_on = exchangeable_world(rng, references, targets, joins=0.0)
        scores[references:, 7] += 1000
        exceeded = calibration_of(scores, trained_on, references).exceeded
        hits += exceeded[7]
        others += np.delete(exceeded, 7).any()
    assert hits >= 0.9 * runs
    assert others <= binom.ppf(1 - FALSE_ALARM, runs, 0.05)


def test_too_few_models_can_test_no_record_and_say_so():
    # Three targets above all ten references: one of (13 choose 3) = 286 ways, and a hundred records are tested.
    rng = np.random.default_rng(14)
    scores, trained_on = exchangeable_world(rng, 10, 3, records=100, joins=0.0)
    scores[10:, 7] += 1000
    calibrated = calibration_of(scores, trained_on, 10)
    assert calibrated.rates[7] == 1
    assert calibrated.p_values[7] == calibrated.smallest[7] == pytest.approx(1 / 286)
    assert not calibrated.testable.any()
    assert not calibrated.exceeded.any()


def test_records_that_can_never_be_significant_do_not_cost_the_others_their_power():
    # Of 1000 records five have models to be tested with: each is held to .05 / 5, as if there were no others.
    references, targets = 10, 5
    outside = np.zeros((targets, 1000), dtype=bool)
    outside[0] = True
    outside[:, :5] = True
    decisions = np.zeros(outside.shape, dtype=bool)
    decisions[:, 0] = True
    calibrated = calibration(decisions, outside, np.full(1000, references), 0.1)
    assert calibrated.testable.nonzero()[0].tolist() == [0, 1, 2, 3, 4]
    assert (calibrated.rates[5:] == 0).all(), "one model is a rate, too"
    assert calibrated.exceeded.nonzero()[0].tolist() == [0]


@pytest.mark.parametrize(
    ("references", "targets", "nominal"),
    [(10, 5, 0.1), (10, 20, 0.3), (99, 7, 0.29), (6, 4, 0.5), (9, 5, np.nextafter(0.9, 0))],
)
def test_p_values_are_those_of_the_beta_binomial_law(references, targets, nominal):
    rank = max(k for k in range(references + 2) if k / (references + 1) <= nominal)
    for false in range(targets + 1):
        decisions = (np.arange(targets) < false)[:, None]
        calibrated = calibration(decisions, np.ones_like(decisions), np.array([references]), nominal)
        law = betabinom(targets, rank, references - rank + 1)
        assert calibrated.p_values[0] == pytest.approx(law.sf(false - 1), rel=1e-9)
        assert calibrated.smallest[0] == pytest.approx(law.pmf(targets), rel=1e-9)
        assert calibrated.p_values[0] <= 1


def test_p_values_count_the_orders_of_all_models():
    references, targets = 6, 4
    orders = list(combinations(range(references + targets), targets))
    for false in range(targets + 1):
        as_many = 0
        for places in orders:
            scores = np.arange(references + targets, dtype=float)[:, None]
            of_targets, of_others = scores[list(places)], np.delete(scores, places, axis=0)
            as_many += sum(p_values(row, of_others)[0] <= 0.3 for row in of_targets) >= false
        decisions = (np.arange(targets) < false)[:, None]
        calibrated = calibration(decisions, np.ones_like(decisions), np.array([references]), 0.3)
        assert calibrated.p_values[0] == pytest.approx(as_many / len(orders))


def test_records_without_a_target_model_or_with_too_few_reference_models_have_no_rate():
    outside = np.array([[True, False, True], [True, False, True]])
    calibrated = calibration(np.ones((2, 3), dtype=bool), outside, np.array([40, 40, 8]), 0.1)
    assert calibrated.rates[0] == 1
    assert np.isnan(calibrated.rates[1:]).all()
    assert calibrated.smallest[1:].tolist() == [1, 1]
    assert not calibrated.exceeded[1:].any()


def test_same_lists_agree_and_random_ones_do_by_chance():
    rng = np.random.default_rng(4)
    scores = rng.normal(size=200)
    same = stability(np.tile(scores, (3, 1)), rng)
    assert same.jaccard == 1
    assert same.always.tolist() == sorted(np.argsort(-scores)[:20].tolist())
    draws = [stability(rng.normal(size=(3, 200)), rng) for _ in range(300)]
    assert np.mean([draw.jaccard for draw in draws]) == pytest.approx(draws[0].by_chance, rel=0.05)
    # Twenty of two hundred share two on average: 2 / 38.
    assert draws[0].by_chance == pytest.approx(2 / 38, rel=0.15)


def test_two_lists_by_hand():
    agreement = stability(np.array([[4.0, 3.0, 2.0, 1.0], [4.0, 1.0, 3.0, 2.0]]), np.random.default_rng(0), listed=2)
    assert agreement.jaccard == pytest.approx(1 / 3)
    assert agreement.always.tolist() == [0]
    # Pairs of pairs of four: the same, one record in common (four of six), none.
    assert agreement.by_chance == pytest.approx((1 + 4 / 3) / 6)


def test_ties_do_not_agree_by_the_order_of_records():
    agreement = stability(np.zeros((6, 1000)), np.random.default_rng(5))
    assert agreement.jaccard < 0.1


def test_impossible_questions_are_refused():
    for references in (np.zeros((4, 2)), np.zeros(3), np.zeros((0, 3)), np.zeros((1, 1, 3))):
        with pytest.raises(ValueError, match=r"^scores of shape"):
            p_values(np.zeros(3), references)
    with pytest.raises(ValueError, match="not numbers"):
        p_values(np.array([np.nan]), np.zeros((4, 1)))
    some, counts = np.ones((3, 2), dtype=bool), np.array([40, 40])
    for outside, references in ((some[:2], counts), (some, counts[:1])):
        with pytest.raises(ValueError, match=r"^decisions of shape"):
            calibration(some, outside, references, 0.1)
    with pytest.raises(ValueError, match=r"^decisions of shape"):
        calibration(some[None], some[None], counts, 0.1)
    with pytest.raises(ValueError, match="no model"):
        calibration(some, ~some, counts, 0.1)
    for nominal, error in ((0.0, 0.1), (1.0, 0.1), (0.1, 0.0), (0.1, 1.0)):
        with pytest.raises(ValueError, match="expected both"):
            calibration(some, some, counts, nominal, error)
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
    assert {row.record for row in exposure.most().records} == set(range(10))
    assert exposure.nonmembers == 200
    agreement = exposure.agreement(rng)
    assert agreement.jaccard > 0.8 > 0.1 > agreement.by_chance


def test_equal_records_share_a_rank_and_those_that_are_cut_off_are_counted():
    exposure = Exposure(3)
    part = np.repeat(np.array([MEMBER, NONMEMBER], dtype=np.uint8), [6, 4])
    signal = Signal(card(), np.arange(10), np.zeros(10, dtype=np.int64), part, np.zeros((10, 2), dtype=np.float32))
    exposure.add(signal, np.array([5.0, 9, 7, 7, 7, 1, 0, 0, 2, 3]))
    most = exposure.most()
    assert [(row.rank, row.record, row.score) for row in most.records] == [(1, 1, 9), (2, 2, 7), (2, 3, 7)]
    assert most.tied == 1
    assert most.unseen == 5
    assert most.records[0].above == 0
    exposure.listed = 2
    assert exposure.most().tied == 2, "with the last that is listed"


def exposure_of(listed, *models):
    """Return the exposure of models, each given by its members' scores, by record, and its non-members'."""
    exposure = Exposure(listed)
    for members, nonmembers in models:
        records = np.array([*members, *range(1000, 1000 + len(nonmembers))])
        part = np.repeat(np.array([MEMBER, NONMEMBER], dtype=np.uint8), [len(members), len(nonmembers)])
        outputs = np.zeros((len(records), 2), dtype=np.float32)
        signal = Signal(card(), records, np.zeros(len(records), dtype=np.int64), part, outputs)
        exposure.add(signal, np.array([*members.values(), *nonmembers], dtype=float))
    return exposure


def test_only_members_of_more_than_half_as_many_models_as_any_other_are_listed():
    scores = {1: 4.0, 2: 3.0, 3: 2.0, 4: 1.0}  # record n is a member of all models but n - 1 of them
    models = [({n: score for n, score in scores.items() if n <= 4 - model}, [0.0] * 5) for model in range(4)]
    most = exposure_of(10, *models).most()
    assert [(row.record, row.models) for row in most.records] == [(1, 4), (2, 3)]
    assert most.tied == 0, "the list is shorter than it may be"


def test_means_over_models_rank_the_share_above_first_and_then_the_score():
    one = ({1: 9.0, 2: 9.0, 3: 2.5}, [1.0, 2.0, 3.0, 4.0])
    other = ({1: 3.5, 2: 4.0, 3: 90.0}, [1.0, 2.0, 3.0, 4.0, 4.5])
    exposure = exposure_of(2, one, other)
    most = exposure.most()
    assert [(row.rank, row.record) for row in most.records] == [(1, 2), (2, 1)]
    assert [row.above for row in most.records] == pytest.approx([0.2, 0.2])
    assert [row.score for row in most.records] == pytest.approx([6.5, 6.25])
    assert exposure.nonmembers == 4, "those of the model with the fewest"
    assert exposure_of(2, other, one).nonmembers == 4


def test_a_share_of_one_nonmember_is_seen_and_none_is_not():
    most = exposure_of(3, ({1: 9.0, 2: 3.5, 3: 0.0}, [1.0, 2.0, 3.0, 4.0])).most()
    assert [row.above for row in most.records] == [0, 0.25, 1]
    assert most.unseen == 1


@pytest.mark.parametrize("nonmembers", [10, 300, 2000])
def test_one_nonmember_above_is_seen_at_any_size(nonmembers):
    most = exposure_of(2, ({1: nonmembers - 1.5, 2: 0.5}, np.arange(nonmembers, dtype=float))).most()
    assert (most.records[0].above, most.unseen) == (1 / nonmembers, 0)


def test_sums_in_another_order_are_equal_means():
    scores = [0.1, 0.2, 0.3]
    assert sum(scores) != sum(scores[::-1])
    models = [({1: up, 2: down}, [0.0]) for up, down in zip(scores, scores[::-1], strict=True)]
    assert [row.rank for row in exposure_of(2, *models).most().records] == [1, 1]


def test_pairs_of_models_are_compared_on_the_members_that_they_share():
    # Records 10 to 29 are members of both: lists of two, of which one record agrees.
    one = {record: -float(record) for record in range(30)}
    other = {record: -float(record) for record in range(10, 40)} | {10: 100.0, 20: 99.0, 39: 101.0}
    # All have the same share of non-members above them, so their scores rank them.
    models = [(members, [-200.0, 200.0]) for members in (one, other)]
    agreement = exposure_of(5, *models).agreement(np.random.default_rng(0))
    assert agreement.pairs == 1
    assert agreement.jaccard == pytest.approx(1 / 3)
    # Pairs of 20 records: 36 of 190 have one record in common with a given pair, and one is that pair.
    assert agreement.by_chance == pytest.approx((36 / 3 + 1) / 190)
    assert not agreement.stable
    assert exposure_of(1, *models).agreement(np.random.default_rng(0)).jaccard == 1
    assert exposure_of(5, models[0], models[0], models[1]).agreement(np.random.default_rng(0)).pairs == 3


def test_ten_members_in_common_are_enough_for_a_list_of_one_and_nine_are_not():
    one, other = ({record: float(record) for record in rows} for rows in (range(20), range(10, 30)))
    fewer = {record: float(record) for record in range(11, 30)}
    rng = np.random.default_rng(0)
    agreement = exposure_of(5, (one, [0.0]), (other, [0.0])).agreement(rng)
    assert (agreement.jaccard, agreement.by_chance) == (1, pytest.approx(0.1))
    assert agreement.stable
    assert exposure_of(5, (one, [0.0]), (fewer, [0.0])).agreement(rng) is None


def test_lists_are_stable_from_halfway_between_chance_and_full_agreement():
    assert is_stable(0.75, 0.5)
    assert not is_stable(0.74, 0.5)
    assert is_stable(0.5, 0.0)
    assert not is_stable(0.49, 0.0)
    assert is_stable(1.0, 1.0)
