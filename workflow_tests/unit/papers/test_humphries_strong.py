"""Strong attacks and worst-case records of Humphries et al., from synthetic tables whose numbers are known."""

import itertools

import numpy as np
import pandas as pd
import pytest
from drawn import caption, lines, titles
from scipy.special import stdtrit
from settings_samples import OWN_CONFIG, ROOT

from dpmia.common.formatting import format_lower_bound
from dpmia.evaluation.summary import UNCERTAINTY
from dpmia.formats.rows import COLUMNS, KEYS
from dpmia.metrics.intervals import EXACT, REPLICATES, TOO_FEW, mean_interval
from dpmia.metrics.ranking import GUESSED, guesses
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries import canaries, strong, strong_limits
from dpmia.planning.descriptions import describe_experiment
from dpmia.planning.plan import make_plan
from dpmia.privacy.lower_bounds import epsilon_from_guesses

EXPERIMENTS = make_plan(OWN_CONFIG | {"experiments": ["experiments/humphries.yaml"]}, ROOT).experiments
EPSILONS = [1.0, 10.0, np.inf]
ARM_OF = {"adult_cluster_strong": "cluster", "student_strong": "gabriel_pereira"}
#: attack -> its mean advantage at each epsilon in the IID arm; the other arm has twice it. TPRs are half as high.
HEIGHTS = {
    "lira_offline": [0.02, 0.2, 0.3],
    "rmia_offline": [0.03, 0.1, 0.4],
    "average_threshold": [0.01, 0.05, 0.1],
    "optimal_threshold": [0.45, 0.45, 0.45],
    "blind": [0.44, 0.44, 0.44],
}
CEILING = {1.0: 0.1, 10.0: 0.6}
#: Of each mean over four replicates, such that its 95 % limits are 0.01 away.
ERROR = 0.01 / float(stdtrit(3, 0.975))


def run_summary(names):
    return RunSummary(True, "laptop", {name: describe_experiment(EXPERIMENTS[name]) for name in names})


def summary(experiment, measurable=True):
    """Return a summary of four replicates; without enough non-members TPRs at 1 % are missing."""
    rows = []
    for iid, (place, epsilon) in itertools.product((False, True), enumerate(EPSILONS)):
        arm = ARM_OF[experiment] + "-iid" * iid
        for attack, heights in HEIGHTS.items():
            mean = heights[place] * (1 if iid else 2)
            key = [experiment, arm, iid, epsilon, attack, attack == "optimal_threshold"]
            rows.append([*key, "advantage", mean, mean - 0.01, mean + 0.01, 4, REPLICATES, ERROR, 3.0, 0.0])
            tpr = mean / 2 if measurable else np.nan
            rows.append([*key, "tpr_at_1pct_fpr", tpr, tpr - 0.01, tpr + 0.01, 4, REPLICATES, ERROR, 3.0, 0.0])
            rows.append([*key, "auc", 0.7, 0.6, 0.8, 4, REPLICATES, 10 * ERROR, 3.0, 0.0])
        if epsilon in CEILING:
            for metric, ceiling in (("advantage_ceiling", 1), ("tpr_ceiling_at_1pct_fpr", 0.5)):
                height = ceiling * CEILING[epsilon] if measurable or metric == "advantage_ceiling" else np.nan
                key = [experiment, arm, iid, epsilon, "model", False, metric]
                rows.append([*key, height, height, height, 4, EXACT, 0.0, 3.0, 0.0])
    return pd.DataFrame(rows, columns=[*KEYS, "mean", "low", "high", "replicates", *UNCERTAINTY])


def tidy(names=tuple(ARM_OF), **options):
    return strong.tabulate({f"summary/{name}": summary(name, **options) for name in names}, run_summary(names))


def test_the_best_attack_is_no_oracle_and_no_baseline():
    table = tidy()
    assert set(table["metric"]) == {*strong.METRICS, *(bound for bound, _ in strong.METRICS.values()), "bound"}
    assert not {"optimal_threshold", "blind"} & set(table["attack"])
    best = table[table["best"]].set_index(["experiment", "arm", "metric", "epsilon"])["attack"]
    assert len(best) == best.index.nunique() == 2 * 2 * 2 * 3
    for (_, _, _, epsilon), attack in best.items():
        assert attack == {1.0: "rmia_offline", 10.0: "lira_offline", np.inf: "rmia_offline"}[epsilon]


@pytest.mark.parametrize(
    ("experiment", "arm", "counted"),
    [
        ("adult_cluster_strong", "cluster", False),
        ("adult_cluster_strong", "cluster-iid", True),
        ("adult_gender_strong", "p0", False),
        ("adult_gender_strong", "p50", True),
        ("student_strong", "gabriel_pereira", True),
    ],
)
def test_online_attacks_count_unless_the_number_of_their_models_separates_members(experiment, arm, counted):
    given = summary("student_strong").assign(experiment=experiment, arm=arm)
    given = given[given["iid"] == arm.endswith("-iid")].replace({"attack": {"lira_offline": "lira"}})
    table = strong.tabulate({f"summary/{experiment}": given}, RunSummary(True, "night", {}))
    assert ("lira" in set(table["attack"])) == counted


def test_limits_hold_for_all_attacks_together():
    table = tidy()
    half = (table["high"] - table["low"])[table["metric"] == "advantage"] / 2
    np.testing.assert_allclose(half, ERROR * stdtrit(3, 1 - 0.025 / 3))
    assert half.min() > 0.013
    bounds = table[table["metric"] == "advantage_ceiling"]
    assert (bounds["low"] == bounds["high"]).all()


@pytest.mark.parametrize("count", [1, 2])
def test_few_replicates_have_no_limits(count):
    given = summary("student_strong").assign(low=np.nan, high=np.nan, replicates=count, error=np.nan, interval=TOO_FEW)
    table = strong.tabulate({"summary/student_strong": given}, run_summary(["student_strong"]))
    assert table[["low", "high"]].isna().all(axis=None)
    strong.draw(table, run_summary(["student_strong"]))


def test_panels_show_the_best_attack_of_both_arms_and_the_ceiling():
    table = tidy()
    figure = strong.draw(table, run_summary(ARM_OF))
    assert titles(figure) == [
        *("Adult: membership advantage", "Adult: TPR at 1 % FPR"),
        *("students: membership advantage", "students: TPR at 1 % FPR"),
    ]
    for panel, factor in zip(figure.axes, (1, 0.5, 1, 0.5), strict=True):
        drawn = lines(panel)
        np.testing.assert_allclose(drawn["best attack, IID"], [[1, 0.03 * factor], [10, 0.2 * factor]])
        np.testing.assert_allclose(drawn["best attack, non-IID"], [[1, 0.06 * factor], [10, 0.4 * factor]])
        np.testing.assert_allclose(drawn["exact upper bound, IID"], [[1, 0.1 * factor], [10, 0.6 * factor]])
        assert [tick.get_text() for tick in panel.get_xticklabels()] == ["1", "10", "∞"]
        assert ("(ε, δ) bound, IID" in drawn) == (factor == 1), "of advantages"
    text = caption(figure)
    assert "Best of average threshold, lira offline, rmia offline, at each ε" in text
    assert "6 reference models" in text


def test_a_tpr_that_cannot_be_measured_is_not_drawn():
    figure = strong.draw(tidy(["student_strong"], measurable=False), run_summary(["student_strong"]))
    _, panel = figure.axes
    assert not lines(panel)
    assert [text.get_text() for text in panel.texts] == ["fewer than 100 non-members"]


# Worst-case records

RIGHT = {("lira", 1.0): 0.6, ("lira", np.inf): 1.0, ("random", 1.0): 0.5, ("random", np.inf): 0.5}


def replicates(experiment, count=3):
    """Return a table in which an attack makes this share of right guesses, whatever the share of the records."""
    rows = []
    for ((attack, epsilon), right), replicate in itertools.product(RIGHT.items(), range(count)):
        values = {f"guessed_right@{share:g}": right for share in GUESSED}
        values |= {"advantage": 0.1 * replicate, "auc": 0.6, "tpr_at_1pct_fpr": np.nan}
        key = [experiment, "canaries", False, epsilon, attack, attack == "random"]
        rows += [[*key, metric, replicate, value] for metric, value in values.items()]
        if np.isfinite(epsilon) and attack == "lira":
            rows.append([*key[:4], "model", False, "advantage_ceiling", replicate, 0.2501])
    return pd.DataFrame(rows, columns=COLUMNS)


def of_canaries(count=3):
    names = ["adult_canaries", "student_canaries"]
    return canaries.tabulate({f"replicates/{name}": replicates(name, count) for name in names}, run_summary(names))


def test_each_attack_has_a_lower_bound_that_holds_together_with_all_others():
    table = of_canaries().set_index(["experiment", "epsilon", "attack"])
    assert len(table) == 2 * 2 * 2
    row = table.loc[("adult_canaries", "∞", "lira")]
    # 100 canaries of each of 3 models; two attacks and four shares of guesses.
    expected = epsilon_from_guesses(300, 300, 300, 1e-5, 1 - 0.05 / 8)
    assert row["right guesses"] == "300 of 300"
    assert row["lower bound on epsilon"] == format_lower_bound(expected, 2)
    assert float(row["lower bound on epsilon"]) < expected
    assert expected > 3.5
    assert table.loc[("adult_canaries", "∞", "random"), "lower bound on epsilon"] == "0.00"
    at_one = float(table.loc[("student_canaries", "1", "lira"), "lower bound on epsilon"])
    assert at_one == pytest.approx(
        max(epsilon_from_guesses(round(0.6 * 3 * count), 3 * count, 300, 1e-5, 1 - 0.05 / 8) for count in GUESSES),
        abs=0.01,
    )


GUESSES = [guesses(100, share) for share in GUESSED]


def test_advantages_stand_beside_their_ceiling():
    row = of_canaries().set_index(["experiment", "epsilon", "attack"]).loc[("adult_canaries", "1", "lira")]
    interval = mean_interval(np.array([0, 0.1, 0.2]))
    assert row["advantage"] == f"0.100 [{interval.low:.3f}, {interval.high:.3f}]"
    assert row["advantage, exact upper bound"] == "0.251", "rounded up"
    assert row[["TPR at 1 % FPR", "TPR at 1 % FPR, exact upper bound"]].isna().all(), "fifty non-members: no number"
    assert row["replicates"] == 3


def test_more_models_raise_the_lower_bound():
    few, many = (of_canaries(count).set_index(["experiment", "epsilon", "attack"]) for count in (2, 20))
    column = "lower bound on epsilon"
    key = ("adult_canaries", "∞", "lira")
    assert float(few.loc[key, column]) < float(many.loc[key, column])


# The table of all experiments with reference models


def test_the_strongest_attack_stands_beside_both_bounds():
    names = tuple(ARM_OF)
    table = strong_limits.tabulate({f"summary/{name}": summary(name) for name in names}, run_summary(names))
    assert table.columns.tolist() == strong_limits.COLUMNS
    assert len(table) == 2 * 3
    row = table.set_index(["experiment", "epsilon"]).loc[("student_strong", "10")]
    half = ERROR * stdtrit(3, 1 - 0.025 / 3)
    assert row["arm"] == "gabriel_pereira"
    assert (row["exact upper bound"], row["TPR at 1 % FPR, exact upper bound"]) == ("0.600", "0.300")
    assert row["best attack, IID"] == f"lira_offline 0.200 [{0.2 - half:.3f}, {0.2 + half:.3f}]"
    assert row["best attack, non-IID"].startswith("lira_offline 0.400 [")
    assert row["TPR at 1 % FPR, IID"].startswith("lira_offline 0.100 [")
    assert (row["replicates"], row["interval"]) == (4, REPLICATES)
    without = table.set_index(["experiment", "epsilon"]).loc[("student_strong", "∞")]
    assert pd.isna(without["exact upper bound"])
    assert without["best attack, IID"].startswith("rmia_offline 0.400 [")


def test_bounds_are_rounded_up():
    given = summary("student_strong")
    given.loc[given["metric"].str.contains("ceiling"), ["mean", "low", "high"]] += 1e-5
    table = strong_limits.tabulate({"summary/student_strong": given}, run_summary(["student_strong"]))
    row = table.set_index("epsilon").loc["10"]
    assert (row["exact upper bound"], row["TPR at 1 % FPR, exact upper bound"]) == ("0.601", "0.301")


def test_rates_that_cannot_be_measured_are_missing():
    table = strong_limits.tabulate(
        {"summary/student_strong": summary("student_strong", measurable=False)}, run_summary(["student_strong"])
    )
    rates = [column for column in table if column.startswith("TPR")]
    assert table[rates].isna().all(axis=None)
    assert table["best attack, IID"].notna().all()


def test_where_arms_are_shares_that_of_equal_ones_is_independent():
    given = summary("adult_cluster_strong").assign(experiment="adult_gender_strong")
    given["arm"] = given["arm"].map({"cluster": "p100", "cluster-iid": "p50"})
    given["iid"] = False
    table = strong_limits.tabulate({"summary/adult_gender_strong": given}, RunSummary(True, "night", {}))
    assert table["arm"].tolist() == ["p100"] * 3
    assert table["best attack, IID"].iloc[0].startswith("rmia_offline 0.030 [")
    assert table["exact upper bound"].iloc[0] == "0.100"
