"""Plans: every pair keeps the bound and its promise; what cannot be is said; the picture shows the table."""

import numpy as np
import pandas as pd
import pytest

from dpmia.common.errors import ConfigError
from dpmia.privacy import planner
from dpmia.privacy.accounting import Mechanism
from dpmia.privacy.plan_request import PlanRequest
from dpmia.privacy.planner import COLUMNS, DELTA, TOO_FEW, TOO_HIGH, TOO_MANY, TOO_STRICT
from dpmia.theory.precision_bounds import precision_bound
from dpmia.theory.unlearning import deletion_capacity

ASKED = {"bound": 0.6, "records": 1000, "batch_size": 100, "epochs": 2, "delta": 1e-5}


def plan(**asked):
    """Return the plan of a request."""
    return planner.plan(PlanRequest(**asked))


@pytest.fixture(scope="module", params=["add_remove", "replace_one"])
def planned(request):
    return request.param, plan(**ASKED, relation=request.param, rates=(0.05, 0.2, 0.5, 0.6, 0.9))


def test_every_rate_has_a_row_and_says_why_it_is_out_of_the_question(planned):
    _, table = planned
    assert list(table.columns) == COLUMNS
    assert table["rate"].tolist() == [0.05, 0.2, 0.5, 0.6, 0.9]
    assert table["remark"].tolist() == [TOO_FEW, "", "", TOO_HIGH, TOO_HIGH]
    out = table[table["remark"] != ""]
    assert out[["noise_multiplier", "exact_precision", "deletion_capacity", "steps"]].isna().all(axis=None)
    assert out["epsilon"].isna().tolist() == [False, True, True]


@pytest.mark.parametrize("more", [{"epochs": 10**6}, {"records": 2**62}])
def test_a_plan_of_very_many_steps_is_none(more):
    table = plan(**ASKED | more, rates=(0.2, 0.5))
    assert table["remark"].tolist() == [TOO_MANY, TOO_MANY]
    assert table["noise_multiplier"].isna().all()


def test_the_epsilon_of_a_row_makes_theorem_3_3_the_bound(planned):
    _, table = planned
    met = table.dropna(subset="epsilon")
    assert len(met) == 3
    assert (np.diff(met["epsilon"]) < 0).all(), "the fewer are trained on, the more epsilon is left"
    bounds = precision_bound(met["epsilon"], met["rate"], 1e-5, 0.01)
    np.testing.assert_allclose(bounds, 0.6, atol=1e-12)


def test_the_noise_of_a_row_keeps_its_epsilon_and_hardly_more(planned):
    relation, table = planned
    for row in table.dropna(subset="noise_multiplier").itertuples():
        # A batch of 100 out of the expected training set, twice through all of it.
        assert row.batch_rate == 100 / (row.rate * 1000)
        assert row.steps == 2 * (row.rate * 1000) // 100
        mechanism = Mechanism("poisson", row.batch_rate, int(row.steps), 2, relation, 1e-5, "pld")
        kept = mechanism.epsilon(row.noise_multiplier, near=row.epsilon)
        assert 0.995 * row.epsilon <= kept <= row.epsilon


def test_the_exact_ceiling_lies_between_the_rate_and_the_bound(planned):
    _, table = planned
    trained = table.dropna(subset="noise_multiplier")
    assert (trained["exact_precision"] > trained["rate"]).all()
    assert (trained["exact_precision"] < 0.6).all()


def test_the_deletion_capacity_is_that_of_the_bound():
    (row,) = plan(**ASKED | {"bound": 0.02, "batch_size": 3}, rates=(0.003,), unlearning=0.8).itertuples()
    assert row.deletion_capacity == int(deletion_capacity(0.8, row.epsilon, row.rate, 1e-5, 0.01))
    # Without delta, ln B / ln(1 - bound) at every rate.
    assert row.deletion_capacity == int(np.log(0.8) / np.log(0.98)) == 11


def test_deletions_are_not_guaranteed_where_nothing_is_proved(planned):
    relation, table = planned
    assert table["deletion_capacity"].notna().any() == (relation == "add_remove")


def test_rates_are_those_of_whole_training_sets_and_each_once():
    table = plan(**ASKED, rates=(0.07, 0.0701, 0.07, 1e-9))
    assert table["members"].tolist() == [1, 70]
    assert table["rate"].tolist() == [0.001, 0.07]
    assert plan(**ASKED, rates=(0.9999,))["members"].tolist() == [999], "one is left to be no member"


def test_a_training_set_of_one_batch_is_trained_and_one_of_less_is_not():
    table = plan(**ASKED, rates=(0.099, 0.1))
    assert table["remark"].tolist() == [TOO_FEW, ""]
    assert table["batch_rate"].tolist()[1] == 1
    small = plan(**ASKED | {"records": 2, "batch_size": 1, "epochs": 1}, rates=(0.5,))
    assert (small["members"].item(), small["steps"].item()) == (1, 1)


def test_without_rates_the_plan_fits_the_bound(monkeypatch):
    assert all(0 < share < 1 for share in planner.SHARES)
    assert len({*planner.SHARES}) == 12, "as the docstring says"
    monkeypatch.setattr(planner, "SHARES", (0.1, 0.25))
    table = plan(**ASKED | {"batch_size": 150})
    assert table["members"].tolist() == [60, 150]
    assert table["remark"].tolist() == [TOO_FEW, ""]


def test_an_epsilon_next_to_nothing_is_said_and_not_trained_for():
    # Just below the bound: ln((1 - 0.4999) / 0.4999) = 4e-4.
    (row,) = plan(**ASKED | {"bound": 0.5, "records": 10_000, "delta": 1e-9}, rates=(0.4999,)).itertuples()
    assert row.epsilon == pytest.approx(4e-4, rel=1e-2)
    assert row.remark == TOO_STRICT
    assert np.isnan(row.noise_multiplier)


def test_a_row_depends_on_no_other_row(planned):
    relation, table = planned
    out = [0.05, 0.6]
    alone = plan(**ASKED, relation=relation, rates=tuple(out))
    pd.testing.assert_frame_equal(alone, table[table["rate"].isin(out)].reset_index(drop=True), check_dtype=False)


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        ({"bound": 1.0}, r"plan\.bound: 1.0 is not a number greater than 0 and less than 1"),
        ({"unlearning": 0}, r"plan\.unlearning: "),
        ({"rates": (0.2, 1.0)}, r"plan\.rates: 1.0 "),
        ({"rates": ()}, r"plan\.rates: "),
        ({"records": 1}, r"plan\.records: 1 is not a number of at least 2"),
        ({"batch_size": 2.5}, r"plan\.batch_size: 2.5 is not an integer"),
        ({"epochs": 0}, r"plan\.epochs: "),
        ({"delta": 0.0}, r"plan\.delta: "),
        (
            {"delta": 0.02},
            r"plan\.delta: 0.02 .*less than acceptance \(0.01\)",
        ),
        ({"acceptance": 1.5}, r"plan\.acceptance: "),
        ({"acceptance": 0.0}, r"plan\.acceptance: "),
        ({"relation": "neighbours"}, r"plan\.relation: 'neighbours' .*replace_one or add_remove"),
    ],
)
def test_questions_that_make_no_sense_are_refused_by_name(change, reported):
    with pytest.raises(ConfigError, match=reported):
        plan(**ASKED | change)


def test_a_delta_that_forbids_every_epsilon_is_named_as_the_reason():
    table = plan(bound=0.6, records=1000, batch_size=50, epochs=2, delta=9e-5, acceptance=1e-4, rates=(0.3,))
    assert table["remark"].tolist() == [DELTA]
