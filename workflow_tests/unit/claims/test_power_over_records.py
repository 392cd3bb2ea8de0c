"""Power of claims whose replicates share records, in worlds made of what these do to all replicates alike."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from world_tables import metrics_table, shared_table

from dpmia.claims import drawn_cells
from dpmia.claims.build import claim
from dpmia.claims.comparisons import above, at_most, highest_at
from dpmia.claims.decisions import Condition, Highest, NoLater
from dpmia.claims.judge import (
    REPRODUCED,
    SETTINGS_LOST,
    TOO_FEW_RECORDS,
    UNDECIDED,
    VERDICTS,
    JudgedRun,
    decided,
    judge_all,
)
from dpmia.claims.limits import ERROR, WITHOUT_LIMIT
from dpmia.claims.more_replicates import decided_shares
from dpmia.claims.power import MORE_RECORDS, describe, power, verdict_shares
from dpmia.claims.quantities import at, metric
from dpmia.claims.rows import Replicates
from dpmia.claims.world import Chance
from dpmia.claims.worlds import MetricWorld
from dpmia.formats.rows import COLUMNS, EFFECTS, GROUPS
from dpmia.metrics.intervals import REPLICATES, Estimate
from dpmia.metrics.shared_records import common_effects, shared_variances, variance_of

DRAWS = 200
LOSS = metric("toy", "a", "loss")


def of(*conditions, **options):
    return claim("toy-leaks", "It leaks.", *conditions, artifact="toy_fig1", tables=("replicates/toy",), **options)


LEAKS = of(Condition("advantage", above(0), at(1, LOSS)))


def shares(table, judged=LEAKS, counts=(6, 100), worlds=("as measured",)):
    return verdict_shares([judged], {"replicates/toy": table}, counts, DRAWS, worlds=worlds)


@pytest.fixture
def effects():
    rng = np.random.default_rng(2)
    return rng.normal(size=(40, 1, GROUPS)) + rng.normal(size=(40, 5, GROUPS))


def test_common_effects_vary_as_replicates_vary_together(effects):
    shared = common_effects(effects)
    assert shared.mean(axis=1) == pytest.approx(0)
    for of_one, common in zip(effects, shared, strict=True):
        assert variance_of(common) == pytest.approx(shared_variances(of_one).mean())
    of_mean = np.array([variance_of(values.mean(axis=0)) for values in effects])
    assert of_mean.mean() > 1.1 * np.mean([variance_of(common) for common in shared]), "means hold own parts, too"


def test_replicates_without_a_metric_have_no_part_in_its_common_effects(effects):
    missing = np.concatenate([effects, np.full((40, 1, GROUPS), np.nan)], axis=1)
    np.testing.assert_allclose(common_effects(missing), common_effects(effects))


def test_records_with_opposite_effects_on_replicates_have_none_in_common():
    one = np.random.default_rng(0).normal(size=GROUPS)
    assert not common_effects(np.array([[one, -one], [one, np.full(GROUPS, np.nan)]])).any()


def test_replicates_of_one_draw_have_their_records_in_common():
    table = shared_table(0.5)
    world = MetricWorld.of(table)
    drawn = world.draw(Chance(4, 20_000))
    assert drawn.shared
    values = drawn.part(slice(0, 80_000))("a", 1, "loss").to_numpy().reshape(20_000, 4)
    covariance = np.cov(values.T)
    records = shared_variances(table[EFFECTS].to_numpy()).mean()
    assert covariance[~np.eye(4, dtype=bool)] == pytest.approx(records, rel=0.05)
    assert covariance.diagonal() == pytest.approx(records + table["value"].var(), rel=0.05)
    assert not MetricWorld.of(metrics_table()).draw(Chance(4)).shared


def test_without_a_group_of_records_all_replicates_lack_its_effect():
    world = MetricWorld.of(shared_table(0.5))
    drawn = world.draw(Chance(3, 2))
    whole, part = (drawn.part(slice(1, 5), group)("a", 1, "loss") for group in (None, 7))
    assert (whole - part).to_numpy() == pytest.approx(world.effects[0, 7])


def test_records_that_are_shared_lower_the_power():
    table = shared_table(0.4)
    alone = shares(table[COLUMNS])
    together = shares(table)
    assert (alone["reproduced"] == 1).all()
    assert (together["reproduced"] < 0.8).all()
    assert alone["unlimited"].unique() == ["reproduced"]
    assert together["unlimited"].unique() == [MORE_RECORDS]
    assert shares(shared_table(4.0))["unlimited"].unique() == ["reproduced"]


def test_a_claim_that_needs_more_records_says_so():
    table = shared_table(0.4)
    tables = {"replicates/toy": table}
    (row,) = [row for _, row in power(shares(table, worlds=("as measured", "placebo")), [LEAKS], tables).iterrows()]
    assert row["never"] == MORE_RECORDS
    assert "0.8 with more records only" in describe(row)


def test_replicates_with_records_of_their_own_decide_without_limit_what_many_do_not():
    table = shared_table(0.02, common=0.0, own=5.0)[COLUMNS]
    tables = {"replicates/toy": table}
    (row,) = [row for _, row in power(shares(table, worlds=("as measured", "placebo")), [LEAKS], tables).iterrows()]
    assert row["power"] < 0.5
    assert row["never"] == "above 100"
    assert decided_shares(LEAKS, tables, [WITHOUT_LIMIT], ERROR) == {WITHOUT_LIMIT: 1.0}


def verdict(table: pd.DataFrame, folder: Path) -> tuple[str, str]:
    (folder / "replicates").mkdir(parents=True)
    table.to_csv(folder / "replicates/toy.csv", index=False)
    judged = judge_all({"toy": [LEAKS]}, JudgedRun(folder, synthetic=False, scale="paper")).iloc[0]
    return judged["verdict"], judged["note"]


def test_what_more_replicates_would_hardly_decide_takes_records(tmp_path):
    assert verdict(shared_table(0.1), tmp_path / "few") == (
        TOO_FEW_RECORDS,
        "more replicates of the same records hardly decide it",
    )
    assert verdict(shared_table(4.0), tmp_path / "large") == (REPRODUCED, "")
    assert verdict(shared_table(0.1)[COLUMNS].head(2), tmp_path / "own")[0] == UNDECIDED


def test_only_claims_that_the_data_can_decide_are_counted():
    experiments = pd.DataFrame({"verdict": VERDICTS, "kind": "experiment"})
    theory = pd.DataFrame({"verdict": [REPRODUCED, SETTINGS_LOST], "kind": "theory"})
    assert decided(pd.concat([experiments, theory])) == "theory 1 of 1, experiment 3 of 5"
    assert decided(experiments[experiments["verdict"] == TOO_FEW_RECORDS]) == ""


def test_no_effect_on_shared_records_is_rarely_taken_for_one():
    placebo = shares(shared_table(0.4), worlds=("placebo",))
    assert (placebo["reproduced"] <= ERROR + 3.1 * np.sqrt(ERROR * (1 - ERROR) / DRAWS)).all()
    assert (placebo["unlimited"] == "undecided").all() | (placebo["unlimited"] == "not reproduced").all()


def test_what_two_tables_compare_varies_as_their_difference():
    first, second = shared_table(0.5, own=0.5), shared_table(0.0)
    both = {"replicates/toy": first, "replicates/other": second.assign(experiment="other")}
    more = Condition("rise", above(0), at(1, LOSS - metric("other", "a", "loss")))
    compared = claim("toy-other", "It leaks more.", more, artifact="toy_fig1", tables=tuple(both))
    numbers = ["value", *EFFECTS]
    difference = first.assign(**{name: first[name] - second[name] for name in numbers})
    of_both = verdict_shares([compared], both, (3, 6), DRAWS, worlds=("as measured",))
    of_one = shares(difference, counts=(3, 6))
    pd.testing.assert_frame_equal(of_both.drop(columns="id"), of_one.drop(columns="id"))
    assert (of_both["reproduced"] == 1).all(), "records that both share leave nothing of what is special about them"


def test_replicates_of_one_table_without_a_partner_in_the_other_leave_what_records_share():
    rng = np.random.default_rng(4)
    of_groups = rng.normal(size=(GROUPS, 1)) + np.zeros(6)
    values = np.vstack([np.zeros(6), -of_groups])
    values[:, 3:] = np.nan  # the other experiment has three replicates
    np.testing.assert_allclose(drawn_cells._effects(values), of_groups[:, 0])
    values[1, 0] = np.nan  # without this group a replicate has no number
    np.testing.assert_allclose(drawn_cells._effects(values)[0], of_groups[0, 0] * 2 / 3)
    alone = Estimate(0.5, 0.1, 5.0, 6, REPLICATES)
    assert alone.with_records(float("nan")) == alone


def test_what_replicates_choose_together_is_judged_on_the_same_records():
    table = shared_table(0.8)
    together = Condition("advantage", above(0), at(1, LOSS), by_replicate=False)
    np.testing.assert_allclose(
        shares(table, of(together), (6,))["reproduced"], shares(table, LEAKS, (6,))["reproduced"], atol=0.02
    )


@pytest.mark.parametrize("rule", [Highest, NoLater])
def test_curves_are_judged_on_the_same_records(rule):
    def curve(tables):
        values = Replicates.of(tables, "toy")("a", 1, "loss")
        return {0.1: values, 0.9: 1e-9 * values}

    pair = rule is NoLater
    comparison = at_most(-0.8 + 1e-9) if pair else highest_at(0.1)
    flat = lambda curves: {0.1: curves[0.9], 0.9: 1 + curves[0.9]}  # noqa: E731
    condition = Condition(
        "x", comparison, lambda tables: {"": (curve(tables), flat(curve(tables))) if pair else curve(tables)}
    )
    table = shared_table(0.8)
    of_curve, of_mean = shares(table, of(condition, rule=rule), (6,)), shares(table, LEAKS, (6,))
    np.testing.assert_allclose(of_curve["reproduced"], of_mean["reproduced"], atol=0.02)
