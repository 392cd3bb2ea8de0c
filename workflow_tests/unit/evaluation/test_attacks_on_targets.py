"""Tidy tables from signals, and their means."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from attack_checks import measure
from model_cards import card
from scipy import stats

from dpmia.attacks.control import RandomScores
from dpmia.attacks.threshold import AverageThreshold, OptimalThreshold
from dpmia.evaluation.accuracy import accuracy_rows
from dpmia.evaluation.attacks import attack_rows, scored
from dpmia.evaluation.summary import UNCERTAINTY, replicates_table, summary_table
from dpmia.formats.provenance import Provenance
from dpmia.formats.rows import BLIND, COLUMNS, EFFECTS, KEYS, MEASURED, RECORDS, write_rows
from dpmia.formats.signals import MEMBER, NONMEMBER, VALIDATION, Signal, load_all, save_signals
from dpmia.formats.tables import read_table, table_of
from dpmia.metrics.intervals import REPLICATES as REPLICATES_ONLY
from dpmia.metrics.precision import ACCEPTANCE, ROC_RATES
from dpmia.metrics.ranges import possible_range
from dpmia.metrics.ranking import held_rate
from dpmia.privacy.accounting import Mechanism
from dpmia.privacy.upper_bounds import precision_ceiling, tpr_ceiling, trade_off_of
from dpmia.theory.bounds import humphries_advantage


def attack_table(*given, **options):
    return table_of(attack_rows(*given, **options))


def accuracy_table(name, files, **options):
    return table_of(accuracy_rows(name, load_all(files), **options))


ARMS, EPSILONS, REPLICATES = ("va", "va-iid"), ("0.1", "1000", "inf"), range(4)


def model(arm, epsilon, replicate, validation=0, nonmembers=30, **more):
    number = [ARMS.index(arm), EPSILONS.index(epsilon), replicate]
    rng = np.random.default_rng(number)
    part = np.repeat(np.array([MEMBER, NONMEMBER, VALIDATION], dtype=np.uint8), [20, nonmembers, validation])
    key = {"arm": arm, "iid": arm.endswith("-iid"), "epsilon": epsilon, "replicate": replicate, "meaning": number}
    model_card = card(**{**key, "compares": "replace_one", **more})
    labels = rng.integers(0, 2, len(part))
    return Signal(
        model_card, np.arange(len(part)), labels, part, rng.standard_normal((len(part), 2)).astype(np.float32)
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Signals of two blocks of replicates and two groups of epsilons."""
    folder = tmp_path_factory.mktemp("signals")
    paths = []
    for group, block in itertools.product((EPSILONS[:2], EPSILONS[2:]), ((0, 1), (2, 3))):
        paths.append(folder / f"{group[0]}-{block[0]}.npz")
        save_signals(paths[-1], [model(*key) for key in itertools.product(ARMS, group, block)], Provenance())
    return paths


def measured(details=False):
    """Return what is measured of an attack on one model."""
    return measure(OptimalThreshold(), model("va", "inf", 0), None, None, details)


@pytest.fixture(scope="module")
def table(files):
    return attack_table("heart", "optimal_threshold", OptimalThreshold(), files, 1)


def test_attack_tables_are_tidy(table):
    assert table.columns.tolist() == MEASURED
    metrics = sorted(measured())
    assert {"advantage", "auc", "fpr", "resolution", "tpr", "tpr_at_0.1pct_fpr", "tpr_at_1pct_fpr"} <= set(metrics)
    expected = itertools.product(
        ["heart"], ARMS, [0.1, 1000.0, np.inf], ["optimal_threshold"], [True], metrics, REPLICATES
    )
    keys = [(e, arm, arm.endswith("-iid"), eps, attack, oracle, m, r) for e, arm, eps, attack, oracle, m, r in expected]
    assert list(table[COLUMNS].drop(columns="value").itertuples(index=False, name=None)) == keys
    assert not table.duplicated(COLUMNS[:-1]).any()


def test_values_are_those_of_each_model(table):
    key = {"arm": "va", "epsilon": 1000.0, "replicate": 3}
    rows = table[(table[list(key)] == pd.Series(key)).all(axis=1)].set_index("metric")["value"]
    signal = model("va", "1000", 3)
    losses = signal.losses
    steps = [np.mean(losses[:20] <= t) - np.mean(losses[20:] <= t) for t in [*losses, -1]]
    assert rows["advantage"] == pytest.approx(max(steps))
    assert rows["resolution"] == pytest.approx(1 / 30)
    assert np.isnan(rows["tpr_at_1pct_fpr"])


@pytest.mark.parametrize("attack", [OptimalThreshold(), RandomScores()])
def test_the_order_of_files_leaves_no_trace(files, attack):
    one = attack_table("heart", "any", attack, files, 1)
    other = attack_table("heart", "any", attack, files[::-1], 1)
    pd.testing.assert_frame_equal(one, other)
    pd.testing.assert_frame_equal(accuracy_table("heart", files), accuracy_table("heart", files[::-1]))


def test_a_model_is_attacked_with_the_same_randomness_in_any_block(files, tmp_path):
    save_signals(tmp_path / "alone.npz", [model("va", "1000", 3)], Provenance())
    alone = attack_table("heart", "random", RandomScores(), [tmp_path / "alone.npz"], 1)
    whole = attack_table("heart", "random", RandomScores(), files, 1)
    merged = alone.merge(whole, on=COLUMNS[:-1], suffixes=("_alone", ""))
    assert len(merged) == len(alone) == len(measured())
    assert merged["value_alone"].equals(merged["value"])


def test_random_attacks_follow_the_root_seed_the_name_and_the_model(files):
    def advantages(name="random", seed=1):
        table = attack_table("heart", name, RandomScores(), files[:1], seed)
        return table.loc[table["metric"] == "auc", "value"].tolist()

    assert advantages() == advantages()
    assert advantages() != advantages(seed=2)
    assert advantages() != advantages(name="other")
    assert len(set(advantages())) == len(advantages())


def test_only_models_of_the_chosen_epsilons_are_attacked(files, table):
    chosen = attack_table("heart", "optimal_threshold", OptimalThreshold(), files, 1, epsilons=["0.1", "inf"])
    expected = table[table["epsilon"] != 1000].reset_index(drop=True)
    pd.testing.assert_frame_equal(chosen, expected)


def test_details_are_measured_on_request(files, table):
    more = attack_table("heart", "optimal_threshold", OptimalThreshold(), files, 1, details=True)
    assert set(more["metric"]) == set(measured(details=True)) > set(table["metric"])


def test_records_without_a_score_rank_last_in_the_curves_of_an_audit(files):
    class Silent(AverageThreshold):
        def scores(self, signal, knowledge, rng):
            scores = -signal.losses
            scores[::7] = np.nan
            return scores

    class Changing(AverageThreshold):
        def scores(self, signal, knowledge, rng):
            scores = super().scores(signal, knowledge, rng)
            signal.logits[:] = 0
            return scores

    outcomes = list(scored({"changing": (Changing(), []), "silent": (Silent(), [])}, files[:1], 1))
    assert len(outcomes) == 2 * len(list(load_all(files[:1])))
    assert {name for name, _, _ in outcomes} == {"changing", "silent"}
    for name, signal, scores in outcomes:
        assert signal.logits.any(), "each attack has a copy"
        if name == "changing":
            continue
        assert np.isneginf(scores[::7]).all()
        assert np.isfinite(np.delete(scores, np.s_[::7])).all()
        assert len(scores) == len(signal.records)


def test_deterministic_attacks_do_not_follow_the_seed(files):
    one, other = (attack_table("heart", "a", AverageThreshold(), files, seed) for seed in (1, 2))
    pd.testing.assert_frame_equal(one, other)


def test_accuracy_is_reported_of_the_parts_that_there_are(tmp_path):
    with_validation, without = model("va", "1000", 0, validation=10), model("va-iid", "1000", 0)
    save_signals(tmp_path / "a.npz", [with_validation, without], Provenance())
    table = accuracy_table("heart", [tmp_path / "a.npz"])
    assert table.columns.tolist() == MEASURED
    assert table.set_index(["arm", "metric"])[RECORDS].to_dict() | {
        ("va", "accuracy_members"): 20, ("va", "loss_nonmembers"): 30, ("va", "accuracy_validation"): 10,
    } == table.set_index(["arm", "metric"])[RECORDS].to_dict()  # fmt: skip
    assert (set(table["attack"]), set(table["oracle"])) == ({"model"}, {False})
    metrics = {arm: rows.set_index("metric")["value"] for arm, rows in table.groupby("arm")}
    assert set(metrics["va-iid"].index) == {
        f"{what}_{part}" for what in ("accuracy", "loss") for part in ("members", "nonmembers")
    }
    assert set(metrics["va"].index) == set(metrics["va-iid"].index) | {"accuracy_validation", "loss_validation"}
    for part, rows in {"members": slice(0, 20), "nonmembers": slice(20, 50), "validation": slice(50, 60)}.items():
        right = with_validation.logits[rows].argmax(1) == with_validation.labels[rows]
        assert metrics["va"][f"accuracy_{part}"] == pytest.approx(right.mean())
        assert metrics["va"][f"loss_{part}"] == pytest.approx(with_validation.losses[rows].mean())


def test_the_best_accuracy_of_all_epochs_is_reported_where_it_was_measured(tmp_path):
    signal = replace(model("va", "1000", 0, validation=10), accuracy_by_epoch=np.array([0.2, 0.7, 0.6]))
    save_signals(tmp_path / "a.npz", [signal], Provenance())
    table = accuracy_table("heart", [tmp_path / "a.npz"]).set_index("metric")["value"]
    assert table["accuracy_validation_best"] == 0.7


def test_the_best_accuracy_of_all_epochs_varies_with_its_records_as_that_of_the_last(tmp_path):
    signal = replace(model("va", "1000", 0, validation=10), accuracy_by_epoch=np.array([0.2, 0.7, 0.6]))
    rows = {row[6]: row for row in accuracy_rows("heart", [signal])}
    best, last = rows["accuracy_validation_best"], rows["accuracy_validation"]
    assert best[9:] == last[9:]
    assert any(best[10:])


def test_tprs_at_low_rates_have_a_ceiling_where_non_members_are_enough(tmp_path):
    accounting = Mechanism("poisson", 0.1, 20, 2, "replace_one", 1e-5, "pld").record(1.0, 2.0, 1.0)
    metrics = {}
    for nonmembers in (99, 150):
        signal = model("va", "1000", 0, nonmembers=nonmembers, accounting=accounting, compares="replace_one")
        save_signals(tmp_path / "a.npz", [signal], Provenance())
        metrics[nonmembers] = accuracy_table("heart", [tmp_path / "a.npz"]).set_index("metric")["value"]
    # Of 150 non-members the highest passes at 1 %: the threshold is at the second, and passes 2 of 151 new ones.
    expected = tpr_ceiling(trade_off_of(accounting, "replace_one"), 2 / 151)
    assert metrics[150]["tpr_ceiling_at_1pct_fpr"] == pytest.approx(expected)
    assert np.isnan(metrics[99]["tpr_ceiling_at_1pct_fpr"])
    assert np.isnan(metrics[150]["tpr_ceiling_at_0.1pct_fpr"])


def ceiling(tmp_path, accounting, compares="replace_one"):
    save_signals(tmp_path / "a.npz", [model("va", "1000", 0, accounting=accounting, compares=compares)], Provenance())
    table = accuracy_table("heart", [tmp_path / "a.npz"]).set_index("metric")["value"]
    return table.get("advantage_ceiling")


@pytest.mark.parametrize(("rate", "prior"), [(0.1, 0.1), (None, 0.4)])
def test_precision_and_roc_have_the_ceiling_of_their_sampling_rate(tmp_path, rate, prior):
    accounting = Mechanism("poisson", 0.1, 20, 2, "add_remove", 1e-5, "rdp").record(1.0, 2.0, 1.0)
    # Without a rate, the prior is the share of members among the records asked about: 20 of 50.
    signal = model("va", "1000", 0, accounting=accounting, compares="add_remove", rate=rate)
    save_signals(tmp_path / "a.npz", [signal], Provenance())
    table = accuracy_table("heart", [tmp_path / "a.npz"], details=True).set_index("metric")["value"]
    curve = trade_off_of(accounting, "add_remove")
    assert table["precision_ceiling"] == float(precision_ceiling(curve, prior, ACCEPTANCE))
    held = [held_rate(fpr, int(signal.is_nonmember.sum())) for fpr in ROC_RATES]
    ceilings = [table[f"tpr_ceiling@{fpr:g}"] for fpr in ROC_RATES]
    np.testing.assert_array_equal(ceilings, tpr_ceiling(curve, held))
    assert np.isnan(ceilings[0])
    assert ceilings[-1] == 1
    brief = accuracy_table("heart", [tmp_path / "a.npz"])["metric"]
    assert set(table.index) - set(brief) == {f"tpr_ceiling@{fpr:g}" for fpr in ROC_RATES}


@pytest.mark.parametrize(("compares", "distance"), [("add_remove", 1), ("replace_one", 2)])
@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
def test_the_ceiling_of_one_noisy_sum_is_the_distance_of_two_normal_laws(tmp_path, compares, distance, relation):
    accounting = Mechanism("poisson", 1.0, 1, 1, relation, 1e-5, "pld").record(9.0, 1.5, 1.0)
    expected = 2 * stats.norm.cdf(distance / 1.5 / 2) - 1
    # It is drawn from above, and follows what the experiment compares and not what the promise was counted for.
    assert expected <= ceiling(tmp_path, accounting, compares) < expected + 1e-4


@pytest.mark.parametrize("epsilon", [0.1, 1, 10])
def test_a_ceiling_is_never_above_the_formula(tmp_path, epsilon):
    mechanism = Mechanism("poisson", 0.1, 20, 2, "replace_one", 1e-5, "pld")
    accounting = mechanism.record(epsilon, mechanism.noise_multiplier(epsilon), 1.0)
    assert 0 < ceiling(tmp_path, accounting) <= humphries_advantage(epsilon, 1e-5)


def test_a_model_without_privacy_has_no_ceiling(tmp_path):
    assert ceiling(tmp_path, None) is None


def test_no_files_are_an_empty_table():
    assert attack_table("heart", "a", AverageThreshold(), [], 1).columns.tolist() == MEASURED


def test_all_metrics_of_an_experiment_stand_in_one_table_in_one_order(table, files):
    accuracy = accuracy_table("heart", files)
    rows = replicates_table(pd.concat([table, accuracy]))
    assert rows.columns.tolist() == [*COLUMNS, RECORDS], "no arm shares records"
    shared = replicates_table(pd.concat([table, accuracy]), {"va"})
    assert shared.columns.tolist() == MEASURED
    without = shared[EFFECTS].isna().all(axis=1)
    assert without[shared["arm"] != "va"].all()
    assert not without[(shared["arm"] == "va") & (shared["metric"] == "advantage")].any()
    assert len(rows) == len(table) + len(accuracy)
    pd.testing.assert_frame_equal(
        rows, replicates_table(pd.concat([accuracy.iloc[::-1], table.iloc[:9], table.iloc[9:]]))
    )


def test_the_excess_of_an_attack_is_what_it_reaches_beyond_the_blind_baseline_of_its_split(table):
    blind = table[(table["metric"].isin(("advantage", "auc"))) & (table["replicate"] < 3)]
    blind = blind.assign(attack=BLIND, oracle=False, value=np.linspace(0, 1, len(blind)))
    rows = replicates_table(pd.concat([table, blind]))
    excess = rows[rows["metric"].str.endswith("_excess")]
    assert set(excess["attack"]) == {"optimal_threshold"}
    assert len(excess) == 2 * len(ARMS) * len(EPSILONS) * 3
    keys = ["arm", "epsilon", "replicate"]
    values = rows.set_index(["attack", "metric", *keys])["value"]
    for row in excess.itertuples():
        model, metric = (row.arm, row.epsilon, row.replicate), row.metric.removesuffix("_excess")
        assert row.value == values["optimal_threshold", metric, *model] - values[BLIND, metric, *model]
        assert row.oracle


def test_what_groups_of_records_add_to_an_excess_is_paired_too(table):
    blind = table[table["metric"].isin(("advantage", "auc"))].assign(attack=BLIND, oracle=False)
    blind = blind.assign(value=0.25, **{name: 0.5 * blind[name] + 0.01 for name in EFFECTS})
    rows = replicates_table(pd.concat([table, blind]), set(ARMS))
    effects = rows.set_index(["attack", "metric", "arm", "epsilon", "replicate"])[EFFECTS].astype(float).sort_index()
    for metric in ("advantage", "auc"):
        excess = effects.loc[("optimal_threshold", f"{metric}_excess")].dropna()
        assert len(excess)
        apart = effects.loc[("optimal_threshold", metric)] - effects.loc[(BLIND, metric)]
        np.testing.assert_allclose(excess, apart.loc[excess.index], atol=1e-12)
        assert not np.allclose(excess, effects.loc[("optimal_threshold", metric)].loc[excess.index])


def test_summaries_are_means_over_replicates_with_intervals(table, files):
    accuracy = accuracy_table("heart", files)
    summary = summary_table(replicates_table(pd.concat([table, accuracy])))
    assert summary.columns.tolist() == [*KEYS, "mean", "low", "high", "replicates", *UNCERTAINTY]
    assert len(summary) == len(ARMS) * len(EPSILONS) * (len(measured()) + 4)
    both = pd.concat([table, accuracy])
    for row in summary.itertuples():
        same = (both["arm"] == row.arm) & (both["epsilon"] == row.epsilon)
        values = both.loc[same & (both["attack"] == row.attack) & (both["metric"] == row.metric), "value"].to_numpy()
        assert len(values) == 4
        if np.isnan(values).all():
            assert (row.replicates, np.isnan(row.mean)) == (0, True)
            continue
        assert row.replicates == 4
        assert row.mean == pytest.approx(values.mean())
        if values.std() > 0:
            assert row.interval == REPLICATES_ONLY
            low, high = stats.t.interval(0.95, 3, loc=values.mean(), scale=stats.sem(values))
            least, most = possible_range(row.metric)
            if (least, most) == (0, 1):
                # The limits are those p from which the mean is t errors away, and the error goes with p (1 - p).
                for limit in (row.low, row.high):
                    error = stats.sem(values) * np.sqrt(limit * (1 - limit) / (row.mean * (1 - row.mean)))
                    assert abs(row.mean - limit) == pytest.approx(stats.t.isf(0.025, 3) * error)
                assert 0 <= row.low < row.mean < row.high <= 1
            else:
                assert (row.low, row.high) == pytest.approx(np.clip((low, high), least, most))


def test_infinite_epsilon_is_averaged_like_any_other(table):
    summary = summary_table(table)
    assert np.isinf(summary["epsilon"]).sum() == len(ARMS) * len(measured())


def test_tables_survive_being_written_and_read(table, files, tmp_path):
    for written in (table, accuracy_table("heart", files), summary_table(table)):
        written.to_csv(tmp_path / "a.csv", index=False)
        pd.testing.assert_frame_equal(read_table(tmp_path / "a.csv"), written)


def test_rows_are_written_as_pandas_would(table, tmp_path):
    rows = table.astype(object).to_numpy().tolist()
    rows[0][8], rows[1][8], rows[2][-1] = np.nan, np.inf, np.float64(1e-7)
    write_rows(tmp_path / "rows.csv", rows)
    expected = table_of(rows).to_csv(index=False)
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8") == expected
    assert list(tmp_path.iterdir()) == [tmp_path / "rows.csv"]


def test_what_is_missing_in_a_row_leaves_its_cell_empty(tmp_path):
    write_rows(tmp_path / "rows.csv", [["a, b", None, 3], ["c", np.nan, True]], ["name", "share", "count"])
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8") == 'name,share,count\n"a, b",,3\nc,,True\n'


def test_names_that_look_like_missing_values_stay_names_and_empty_cells_are_missing(tmp_path):
    names = ["null", "NA", "nan", "none", "None", "n/a", "-"]
    written = pd.DataFrame(
        {"experiment": names, "arm": names, "epsilon": [1, np.inf, 0.1, 1, 1, 1, 1], "mean": [0.5, np.nan, *[1.0] * 5]}
    )
    written.to_csv(tmp_path / "a.csv", index=False)
    frame = read_table(tmp_path / "a.csv")
    assert frame["arm"].tolist() == frame["experiment"].tolist() == names
    assert frame["epsilon"].tolist() == written["epsilon"].tolist()
    assert np.isnan(frame["mean"]).tolist() == [False, True, *[False] * 5]
