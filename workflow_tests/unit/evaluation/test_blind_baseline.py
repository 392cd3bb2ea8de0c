"""The blind baseline in tables: which models it is measured for, the same at every epsilon, and what losses add."""

from dataclasses import replace

import numpy as np
import pytest
from model_cards import card

from dpmia.common.errors import DataError
from dpmia.datasets.dataset import Dataset
from dpmia.evaluation.blind_baseline import _with_excess, blind_rows
from dpmia.formats.provenance import Provenance
from dpmia.formats.rows import BLIND, BLIND_WITH_LOSS, COLUMNS, MEASURED
from dpmia.formats.signals import MEMBER, NONMEMBER, QUERY_ARRAYS, VALIDATION, Signal, save_signals
from dpmia.formats.tables import table_of
from dpmia.jobs.attacking import BlindJob
from dpmia.metrics.ranking import advantage, ranking
from dpmia.splits.split import Split

EACH = 60
SPLIT = Split(np.arange(EACH), np.arange(EACH, 2 * EACH), [], np.arange(2 * EACH, 2 * EACH + 10))


def dataset(telling):
    """Return records whose first feature tells members from non-members, or does not."""
    rng = np.random.default_rng(0)
    x = rng.random((2 * EACH + 10, 3), dtype=np.float32)
    if telling:
        x[:EACH, 0] += 2
    return Dataset("toy", x, rng.integers(0, 2, len(x)), ("a", "b", "c"), ("no", "yes"), {})


def model(data, arm="one", epsilon="inf", replicate=0, gap=0.0, seed=0, draw="one"):
    """Return a model whose logit of the true class is higher by `gap` on members; `draw` is what its arm means."""
    rng = np.random.default_rng(seed)
    records = np.concatenate([SPLIT.members, SPLIT.nonmembers, SPLIT.validation])
    part = np.repeat(np.array([MEMBER, NONMEMBER, VALIDATION], dtype=np.uint8), [EACH, EACH, 10])
    logits = rng.normal(size=(len(records), 2)).astype(np.float32) / 10
    logits[np.arange(len(records)), data.y[records]] += gap * (part == MEMBER)
    meaning = [data.fingerprint, draw, replicate, epsilon]
    model_card = card(arm=arm, iid=arm.endswith("-iid"), epsilon=epsilon, replicate=replicate, meaning=meaning)
    return Signal(model_card, records, data.y[records], part, logits)


@pytest.fixture
def measured(tmp_path):
    """Return a function that measures models and returns the table, by keys if they are unique."""

    def measure(data, models, replicates=(0,), with_loss=(), seed=1):
        save_signals(tmp_path / "a.npz", models, Provenance())
        job = BlindJob(list(replicates), list(with_loss))
        return table_of(blind_rows("toy", data, [tmp_path / "a.npz"], job, seed))

    return measure


def value(table, attack, metric):
    (cell,) = table.loc[(table["attack"] == attack) & (table["metric"] == metric), "value"]
    return cell


def test_what_records_tell_needs_no_model_and_a_useless_model_adds_nothing(measured):
    data = dataset(telling=True)
    table = measured(data, [model(data)], with_loss=["inf"])
    assert table.columns.tolist() == MEASURED
    assert value(table, BLIND, "advantage") == value(table, BLIND, "auc") == 1
    assert abs(value(table, BLIND_WITH_LOSS, "advantage_excess")) < 0.05


def test_what_the_model_leaks_is_added_to_records_that_leak_nothing(measured):
    data = dataset(telling=False)
    table = measured(data, [model(data, gap=5.0)], with_loss=["inf"])
    # Of 60 and 60 exchangeable records, four standard errors of the AUC are .21.
    assert value(table, BLIND, "auc") == pytest.approx(0.5, abs=0.21)
    assert value(table, BLIND_WITH_LOSS, "auc") > 0.99
    for metric in ("advantage", "auc"):
        gained = value(table, BLIND_WITH_LOSS, metric) - value(table, BLIND, metric)
        assert value(table, BLIND_WITH_LOSS, f"{metric}_excess") == pytest.approx(gained)


def test_the_baseline_is_one_for_all_epsilons_and_losses_are_added_where_wanted(measured):
    data = dataset(telling=False)
    models = [model(data, epsilon=epsilon, seed=seed) for seed, epsilon in enumerate(("1", "10", "inf"))]
    table = measured(data, models, with_loss=["10"])
    blind = table[table["attack"] == BLIND]
    assert set(blind["epsilon"]) == {1, 10, np.inf}
    assert (blind.groupby("metric")["value"].nunique(dropna=False) == 1).all()
    assert set(table.loc[table["attack"] == BLIND_WITH_LOSS, "epsilon"]) == {10}
    assert not table["oracle"].any()
    assert not table.duplicated(COLUMNS[:-1]).any()


def test_only_the_chosen_replicates_are_measured_each_with_folds_of_its_own(measured):
    data = dataset(telling=False)
    models = [model(data, replicate=replicate, seed=replicate) for replicate in range(3)]
    table = measured(data, models, replicates=[0, 2])
    assert set(table["replicate"]) == {0, 2}
    aucs = table.loc[table["metric"] == "auc"].set_index("replicate")["value"]
    assert aucs[0] != aucs[2]
    assert measured(data, models[:1], replicates=[2]).empty


def test_another_name_of_an_arm_changes_nothing_and_another_draw_does(measured):
    data = dataset(telling=False)
    one = measured(data, [model(data)])["value"]
    assert measured(data, [model(data, "two")])["value"].equals(one)
    assert not measured(data, [model(data, draw="two")])["value"].equals(one)


def test_too_few_members_are_named_with_the_key(measured):
    data = dataset(telling=False)
    whole = model(data)
    kept = (whole.membership != MEMBER) | (whole.records < 9)
    few = replace(whole, **{name: getattr(whole, name)[kept] for name in QUERY_ARRAYS})
    with pytest.raises(DataError, match=r"experiment toy, arm one, replicate 0: 9 members.*not 10.*key `blind`"):
        measured(data, [few])


def test_the_root_seed_decides_and_other_models_do_not(measured):
    data = dataset(telling=False)
    alone = measured(data, [model(data, "one-iid")])
    among = measured(data, [model(data, "two"), model(data, "one-iid")])
    assert among[among["arm"] == "one-iid"].reset_index(drop=True).equals(alone)
    assert alone["iid"].all()
    assert not measured(data, [model(data, "one-iid")], seed=2)["value"].equals(alone["value"])


def test_the_excess_is_the_difference_of_both_scores():
    rng = np.random.default_rng(1)
    truth = np.arange(60) < 30
    more, without = rng.random(60) + 0.3 * truth, rng.random(60)
    kept = np.arange(60) % 3 > 0
    for part in (slice(None), kept):
        metrics, base = ({**ranking(scores[part], truth[part])} for scores in (more, without))
        excess = _with_excess(more, without, truth, part)
        assert excess["auc_excess"] == pytest.approx(metrics["auc"] - base["auc"])
        decided = [(scores[part] >= 0.5) for scores in (more, without)]
        gained = [advantage(decisions, truth[part])["advantage"] for decisions in decided]
        assert excess["advantage_excess"] == pytest.approx(gained[0] - gained[1])
    assert _with_excess(without, without, truth)["auc_excess"] == 0
