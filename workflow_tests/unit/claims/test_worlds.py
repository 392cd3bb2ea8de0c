"""Worlds of known truth: what they keep of the measured tables, and what a part of the effect makes of them."""

import numpy as np
import pandas as pd
import pytest
from world_tables import MEASURED, PLACEBO, metrics_table, records_table, study_table

from dpmia.claims.record_worlds import NullWorld
from dpmia.claims.rows import MeasuredReplicates, Splits
from dpmia.claims.world import PARTS, Chance
from dpmia.claims.worlds import RANDOM, MetricWorld, RecordWorld, StudyWorld
from dpmia.metrics.ranking import ranking


def means_of(world):
    keys = zip(*(world.keys[name] for name in ("attack", "oracle", "metric")), strict=True)
    return dict(zip(keys, world.means, strict=True))


def values_of(replicates):
    """Return a column for each attack's metric of arm a at epsilon 1."""
    names = [(attack, name) for attack, _, name in MEASURED]
    return pd.DataFrame({name: replicates("a", 1, *name) for name in names})


def test_a_world_has_the_means_and_the_covariance_that_were_measured():
    table = metrics_table()
    drawn = MetricWorld.of(table).draw(Chance(20_000)).part(slice(0, 20_000))
    old, new = values_of(MeasuredReplicates.read(table)), values_of(drawn)
    assert (drawn.experiment, drawn.arms) == ("toy", ["a"])
    assert new.mean().to_numpy() == pytest.approx(old.mean().to_numpy(), abs=0.005)
    assert new.cov().to_numpy() == pytest.approx(old.cov().to_numpy(), rel=0.1)


def test_parts_of_what_was_drawn_are_replicates_of_it():
    drawn = MetricWorld.of(metrics_table()).draw(Chance(10))
    whole, part = values_of(drawn.part(slice(0, 10))), values_of(drawn.part(slice(4, 7)))
    assert part.to_numpy() == pytest.approx(whole.to_numpy()[4:7])


def test_a_metric_of_one_replicate_has_no_spread_and_is_left_out():
    table = metrics_table()
    alone = (table["metric"] == "auc") & (table["replicate"] > 0)
    assert ("loss", False, "auc") not in means_of(MetricWorld.of(table[~alone]))
    missing = table.assign(value=table["value"].mask((table["metric"] == "auc") & (table["replicate"] == 0)))
    world = MetricWorld.of(missing)
    left = missing.loc[missing["metric"] == "auc", "value"].dropna()
    place = world.places["a", 1.0, "loss", "auc"]
    assert np.sqrt((world.deviations[place] ** 2).sum()) == pytest.approx(left.std())


def test_under_placebo_attacks_guess_and_members_are_nothing_special():
    assert means_of(MetricWorld.of(metrics_table()).with_effect(0.0)) == pytest.approx(PLACEBO)


@pytest.mark.parametrize("nonmembers", [100, 150, 10_000])
@pytest.mark.parametrize("metric", ["tpr_at_1pct_fpr", "tpr@0.01"])
def test_under_placebo_tprs_are_those_that_random_scores_have_on_so_few_non_members(nonmembers, metric):
    means = {("loss", False, metric): 0.3, ("loss", False, "resolution"): 1 / nonmembers}
    placebo = means_of(MetricWorld.of(metrics_table(means=means)).with_effect(0.0))
    rng = np.random.default_rng(0)
    is_member = np.arange(2 * nonmembers) < nonmembers
    rates = [ranking(rng.random(len(is_member)), is_member)["tpr_at_1pct_fpr"] for _ in range(400)]
    error = np.std(rates) / np.sqrt(len(rates))
    assert placebo["loss", False, metric] == pytest.approx(np.mean(rates), abs=4 * error)


def test_under_placebo_a_tpr_of_the_few_replicates_that_resolve_it_stays():
    means = {("loss", False, "tpr@0.01"): 0.3, ("loss", False, "resolution"): 1 / 95}
    placebo = means_of(MetricWorld.of(metrics_table(means=means)).with_effect(0.0))
    assert placebo["loss", False, "tpr@0.01"] == pytest.approx(2 / 101)


def test_under_placebo_arms_make_no_difference():
    better = MEASURED | {("model", False, "accuracy_nonmembers"): 0.95, (RANDOM, True, "advantage"): 0.1}
    table = pd.concat([metrics_table(), metrics_table(["b"]), metrics_table(["a-iid"], better)])
    world = MetricWorld.of(table).with_effect(0.0)
    accuracy = {
        world.means[world.places[arm, 1.0, "model", f"accuracy_{part}"]]
        for arm in ("a", "a-iid", "b")
        for part in ("members", "nonmembers")
    }
    assert [*accuracy] == pytest.approx([(0.85 + 0.85 + 0.95) / 3])
    guessed = {arm: world.means[world.places[arm, 1.0, "oracle", "advantage"]] for arm in ("a", "a-iid", "b")}
    assert guessed == pytest.approx({"a": 0.08, "a-iid": 0.08, "b": 0.06})  # an arm and its IID arm are as large


def test_other_worlds_have_a_part_of_the_measured_effect():
    worlds = {name: means_of(MetricWorld.of(metrics_table()).with_effect(effect)) for name, effect in PARTS.items()}
    oracle = {name: means["oracle", True, "advantage"] for name, means in worlds.items()}
    assert oracle == pytest.approx({"as measured": 0.4, "half": 0.23, "placebo": 0.06, "opposite": -0.28})
    assert worlds["as measured"] == pytest.approx(MEASURED)  # without a null value, too


def test_printed_means_take_the_place_of_measured_ones():
    printed = {("a", 1.0, "loss", "auc"): 0.8, ("a", 1.0, "absent", "auc"): 0.9}
    means = means_of(MetricWorld.of(metrics_table()).with_means(printed))
    assert means == pytest.approx(MEASURED | {("loss", False, "auc"): 0.8})


@pytest.mark.parametrize(("effect", "expected"), [(1.0, 0.4), (0.5, 0.2), (0.0, 0.0), (-1.0, -0.4)])
def test_in_a_study_attacks_have_a_part_of_their_advantage_and_models_keep_their_errors(effect, expected):
    drawn = StudyWorld.of(study_table()).with_effect(effect).draw(Chance(1000)).part(slice(0, 1000))
    assert isinstance(drawn, Splits)
    assert drawn.ratio.to_dict() == {1.0: 1.2, 2.0: 1.8}
    assert drawn(2, "threshold").mean() == pytest.approx(expected, abs=0.01)
    assert drawn(2, "threshold").std() == pytest.approx(Splits.read(study_table())(2, "threshold").std(), rel=0.1)


@pytest.mark.parametrize(("effect", "share"), [(1.0, 0.9), (0.5, 0.7), (0.0, 0.5), (-1.0, 0.1)])
def test_single_records_are_members_as_often_as_the_effect_says(effect, share):
    table = records_table()
    drawn = RecordWorld.of(table).with_effect(effect).draw(Chance(9)).part(slice(3, 8))
    assert list(drawn.columns) == list(table.columns)
    assert drawn.groupby(["target", "membership"])["record"].nunique().to_dict() == {
        (target, part): 200 for target in range(5) for part in ("member", "nonmember")
    }
    shares = drawn.groupby("membership")["decision"].mean()
    assert shares.to_dict() == pytest.approx({"member": share, "nonmember": 1 - share}, abs=0.05)


def null_table():
    """Return null losses of one record under two target models: P takes other ones for each, R the same."""
    own = {"R": ([1.0, 2.0], [1.0, 2.0]), "P": ([5.0, 6.0], [7.0, 8.0])}
    rows = [
        ["toy", "a", 2, target, 3, attack, 0.5, 0.0, loss]
        for attack, of_models in own.items()
        for target, losses in enumerate(of_models)
        for loss in losses
    ]
    columns = ["experiment", "arm", "targets", "target", "record", "attack", "alpha", "threshold", "null_loss"]
    return pd.DataFrame(rows, columns=columns)


def test_null_losses_of_all_target_models_alike_stay_so():
    for effect in (1.0, 0.0):
        world = NullWorld.of(null_table()).with_effect(effect)
        alike = {"R": [], "P": []}
        for seed in range(40):
            drawn = world.draw(Chance(2, seed=seed)).part(slice(0, 2))
            for attack, rows in drawn.groupby("attack"):
                first, second = (of_one["threshold"].iloc[0] for _, of_one in rows.groupby("target"))
                alike[attack].append(first == second)
                assert first == np.quantile(rows.loc[rows["target"] == 0, "null_loss"], 0.5)
        assert all(alike["R"])
        assert not all(alike["P"])


def test_under_placebo_attacks_take_null_losses_from_the_same_ones():
    def losses(effect):
        world = NullWorld.of(null_table()).with_effect(effect)
        drawn = pd.concat([world.draw(Chance(2, seed=seed)).part(slice(0, 2)) for seed in range(200)])
        return drawn.groupby("attack")["null_loss"]

    assert losses(1.0).max().to_dict() == {"P": 8.0, "R": 2.0}
    assert losses(0.0).max().to_dict() == {"P": 8.0, "R": 8.0}
    assert losses(0.0).mean()["R"] == pytest.approx(losses(0.0).mean()["P"], abs=0.4)
    assert losses(1.0).mean()["R"] < losses(0.5).mean()["R"] < losses(0.0).mean()["R"]
