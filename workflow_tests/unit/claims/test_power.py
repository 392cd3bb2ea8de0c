"""How often claims are reproduced in worlds of known truth, and what is said of it."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp
from world_tables import REPLICATES, metrics_table, records_table, study_table

from dpmia.claims.build import claim
from dpmia.claims.comparisons import above, at_most, near
from dpmia.claims.decisions import Condition, Some
from dpmia.claims.drawn_cells import _shares
from dpmia.claims.judge import JudgedRun, counts, judge_all
from dpmia.claims.power import COLUMNS, SHARES, describe, met_at_random, planned_counts, power, verdict_shares
from dpmia.claims.quantities import at, metric
from dpmia.claims.render import worlds_markdown
from dpmia.claims.rows import Splits
from dpmia.formats.rows import COLUMNS as COLUMNS_OF_ROWS

_claim = {"artifact": "toy_fig1", "tables": ("replicates/toy",)}
_loss, _lira = metric("toy", "a", "loss"), metric("toy", "a", "lira", "precision_best")
_excess = _lira - metric("toy", "a", "lira", "precision_baseline")
_errors = metric("toy", "a", "loss", "nan_scores")
_auc = Condition("AUC", above(0.75), at(1, metric("toy", "a", "loss", "auc")))

CLAIMS = (
    claim("toy-effect", "It leaks.", Condition("advantage", above(0.05), at(1, _loss)), **_claim),
    claim("toy-some", "It leaks.", Condition("advantage", above(0.05), at(1, _loss)), rule=Some, **_claim),
    claim("toy-null", "It does not.", Condition("advantage", near(0, 0.2), at(1, _loss)), **_claim),
    claim("toy-no-attack", "It gains something.", Condition("gain", above(0), at(1, _excess)), **_claim),
    claim("toy-unknown", "All.", Condition("scores that are no number", at_most(0.5), at(1, _errors)), **_claim),
    claim("toy-printed", "It leaks.", _auc, **_claim, printed={"replicates/toy": {("a", 1.0, "loss", "auc"): 0.9}}),
    claim(
        "toy-absent",
        "All.",
        Condition("gain", at_most(0), lambda tables: [1, 2]),
        **_claim | {"tables": ("summary/toy",)},
    ),
)
TABLES = {"replicates/toy": metrics_table(), "summary/toy": pd.DataFrame()}


@pytest.fixture(scope="module")
def shares():
    return verdict_shares(CLAIMS, TABLES, [3, 10], draws=40)


def test_claims_are_judged_in_every_world_at_every_number_of_replicates(shares):
    assert list(shares.columns) == COLUMNS
    assert {*shares["id"]} == {toy_claim.id for toy_claim in CLAIMS}
    judged = shares[shares["reason"] == ""]
    assert judged.groupby("id")["replicates"].unique().map(list).tolist() == [[3, REPLICATES, 10]] * (len(CLAIMS) - 1)
    assert judged[SHARES].sum(axis=1).to_numpy() == pytest.approx(1)
    of_ten = judged[judged["replicates"] == 10].set_index(["id", "world"])
    reproduced, refuted = of_ten["reproduced"], of_ten["not reproduced"]
    for name in ("toy-effect", "toy-some"):
        assert reproduced[name, "as measured"] > 0.95
        assert reproduced[name, "as measured"] >= reproduced[name, "half"] > reproduced[name, "placebo"]
        assert reproduced[name, "placebo"] <= 0.05
        assert refuted[name, "opposite"] > 0.95
    assert reproduced["toy-null", "placebo"] > 0.95
    assert refuted["toy-null", "as measured"] > 0.4
    assert reproduced["toy-no-attack", "placebo"] > 0.9  # the best of forty quantiles gains by construction


def test_where_a_claim_has_no_world_the_reason_stands(shares):
    missing = shares[shares["reason"] != ""].set_index(["id", "world"])
    assert missing[SHARES].isna().all(axis=None)
    assert missing["replicates"].isna().all()
    reasons = missing["reason"]
    assert reasons["toy-unknown", "placebo"] == "toy has no nan_scores of loss, arm a, ε = 1"
    assert reasons["toy-absent", "as measured"] == "summary/toy: no world"
    assert reasons["toy-effect", "as printed"] == "the paper prints no number that it compares"
    assert ("toy-printed", "as printed") not in reasons


def test_in_the_world_as_printed_means_are_those_of_the_paper(shares):
    reproduced = shares[(shares["id"] == "toy-printed") & (shares["replicates"] == 10)].set_index("world")["reproduced"]
    assert reproduced["as printed"] > 0.9
    assert reproduced["as measured"] < 0.1


def test_the_same_seed_gives_the_same_shares_whatever_else_is_judged(shares):
    alone = verdict_shares(CLAIMS[:1], {"replicates/toy": TABLES["replicates/toy"]}, [3, 10], draws=40)
    with_others = shares[shares["id"] == "toy-effect"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, with_others)
    other = verdict_shares(CLAIMS[:1], TABLES, [3, 10], draws=40, seed=1)
    assert not other[SHARES].equals(alone[SHARES])


def test_what_all_replicates_choose_together_is_measured_in_each_draw():
    def largest(tables):
        return max((at(1, quantity)(tables)[""] for quantity in (_loss, _lira)), key=np.mean)

    def judged(by_replicate):
        condition = Condition("larger one", above(0.9), largest, by_replicate=by_replicate)
        return verdict_shares([claim("toy-largest", "S.", condition, **_claim)], TABLES, [5], draws=30)

    shares = verdict_shares(
        [claim("toy-largest", "S.", Condition("lira", above(0.9), at(1, _lira)), **_claim)], TABLES, [5], draws=30
    )
    assert judged(False)[SHARES].equals(shares[SHARES])  # the larger one is the same in each draw here


def test_studies_and_single_records_have_a_placebo():
    over = Condition("advantage", above(0.1), lambda tables: Splits.of(tables, "toy")(2, "threshold"))
    of_study = claim("toy-study", "S.", over, artifact="toy_fig1", tables=("studies/toy",))

    def decisions(tables):
        rows = tables["per_record/toy"]
        return rows.loc[rows["membership"] == "member", "decision"].astype(float)

    rate = Condition("true positive rate over records", above(0.7), decisions)
    of_records = claim("toy-records", "S.", rate, artifact="toy_fig1", tables=("per_record/toy",))
    tables = {"studies/toy": study_table(), "per_record/toy": records_table()}
    shares = verdict_shares([of_study, of_records], tables, [10], draws=10).set_index(["id", "world"])
    for name, count in (("toy-study", 10), ("toy-records", 2)):
        rows = shares[shares["replicates"] == count]["reproduced"]
        assert (rows[name, "as measured"], rows[name, "placebo"], rows[name, "opposite"]) == (1, 0, 0)


def test_power_is_that_at_the_replicates_of_the_run_and_the_number_it_takes(shares):
    powers = power(shares, CLAIMS, TABLES, 40).set_index("id")
    assert powers["replicates"].tolist()[:-1] == [REPLICATES] * (len(CLAIMS) - 1)
    assert powers["world"].to_dict() == dict.fromkeys(powers.index, "as measured") | {"toy-printed": "as printed"}
    assert powers["met_at_random"].to_dict() == {
        toy_claim.id: toy_claim.id in ("toy-null", "toy-no-attack") for toy_claim in CLAIMS
    }
    assert (powers.loc["toy-effect", "needed"], powers.loc["toy-effect", "most"]) == (3, 10)
    assert describe(powers.loc["toy-effect"]) == (
        f"{powers.loc['toy-effect', 'power']:.2f} with 5 replicates, 0.8 from 3 on (effect as measured)"
    )
    assert describe(powers.loc["toy-null"]).endswith(
        "0.8 at no number, as it does not hold at this effect (effect as measured)"
    )
    assert describe(powers.loc["toy-absent"]) == ""


def test_a_share_is_too_large_for_the_rule_only_beyond_chance():
    rows = pd.DataFrame({"reproduced": [0.05, 0.09, 0.2, float("nan")]})
    assert met_at_random(rows, 100).tolist() == [False, False, True, False]


def test_a_claim_has_as_many_replicates_as_its_largest_experiment():
    both = claim("toy-both", "S.", CLAIMS[0].conditions[0], artifact="a", tables=("replicates/toy", "replicates/other"))
    planned = {"laptop": {"toy": 4, "other": 2}, "paper": {"toy": 50}}
    assert planned_counts([both], planned) == {"toy-both": {"laptop": 4, "paper": 50}}


def test_the_page_lists_what_placebo_reproduces_and_what_has_none(shares, tmp_path):
    planned = {toy_claim.id: {"laptop": 3, "paper": 10} for toy_claim in CLAIMS}
    page = worlds_markdown(shares, power(shares, CLAIMS, TABLES, 40), planned, JudgedRun(tmp_path, True, "laptop"))
    assert "Made of the synthetic data of this run, scale laptop" in page
    header, effect = (next(line for line in page.splitlines() if word in line) for word in ("| claim", "| toy-effect"))
    cells = dict(zip(*([cell.strip() for cell in line.split("|")[1:-1]] for line in (header, effect)), strict=True))
    rows = shares[(shares["id"] == "toy-effect") & (shares["world"] == "as measured")].set_index("replicates")
    assert cells["power, laptop"] == f"{rows.loc[3, 'reproduced']:.2f}"
    assert cells["power, paper"] == f"{rows.loc[10, 'reproduced']:.2f}"
    assert "(2): toy-null, toy-no-attack." in page
    assert "- toy-absent: summary/toy: no world" in page
    assert "- toy-unknown: toy has no nan_scores" in page


def test_what_placebo_reproduces_is_not_counted_as_reproduced(tmp_path):
    (tmp_path / "replicates").mkdir()
    metrics_table().to_csv(tmp_path / "replicates/toy.csv", index=False)
    verdicts = judge_all({"toy": CLAIMS}, JudgedRun(tmp_path, synthetic=False, scale="paper")).set_index("id")
    assert verdicts["verdict"].to_dict() == {
        "toy-effect": "reproduced",
        "toy-some": "reproduced",
        "toy-null": "not reproduced",
        "toy-no-attack": "met by random scores",
        "toy-unknown": "reproduced",
        "toy-printed": "not reproduced",
        "toy-absent": "not run",
    }
    assert verdicts.loc["toy-no-attack", "note"].endswith("random scores and equal accuracies give it, too")
    assert "(effect as printed); 0.8 for a margin of 0.0" in verdicts.loc["toy-printed", "power"]
    assert verdicts.loc["toy-absent", "power"] == ""
    counted = counts(verdicts.reset_index()).loc[("experiment", "all")]
    assert (counted["reproduced"], counted["met by random scores"]) == (3, 1)


def test_a_verdict_agrees_with_the_table_of_worlds(tmp_path):
    """Both judge the same draws."""
    (tmp_path / "replicates").mkdir()
    metrics_table().to_csv(tmp_path / "replicates/toy.csv", index=False)
    judged = judge_all({"toy": CLAIMS[:4]}, JudgedRun(tmp_path, synthetic=False, scale="paper")).set_index("id")
    of_all = power(verdict_shares(CLAIMS[:6], TABLES), CLAIMS[:6], TABLES).set_index("id").loc[judged.index]
    assert judged["power"].str.partition(";")[0].tolist() == [describe(row) for _, row in of_all.iterrows()]


def normal_table(experiment, replicates):
    """Return a table of one metric with a mean of .03 and a standard deviation of .05."""
    values = np.linspace(-1, 1, replicates)
    values = 0.03 + 0.05 * values / values.std(ddof=1)
    key = [experiment, "a", False, 1.0, "loss", False, "advantage"]
    return pd.DataFrame([[*key, number, value] for number, value in enumerate(values)], columns=COLUMNS_OF_ROWS)


def test_each_experiment_of_a_claim_has_its_own_number_of_replicates():
    tables = {"replicates/few": normal_table("few", 5), "replicates/many": normal_table("many", 100)}
    conditions = [Condition(name, above(0), at(1, metric(name, "a", "loss"))) for name in ("few", "many")]
    both = claim("toy-both", "It leaks.", *conditions, artifact="toy_fig1", tables=(*tables,))
    shares = verdict_shares([both], tables, [200], draws=400, worlds=("as measured",)).set_index("replicates")
    rng = np.random.default_rng(0)

    def shown(replicates, draws=20_000):
        values = 0.03 + 0.05 * rng.normal(size=(draws, replicates))
        return (ttest_1samp(values, 0, axis=1, alternative="greater").pvalue < 0.05).mean()

    assert shares.loc[100, "reproduced"] == pytest.approx(shown(5) * shown(100), abs=0.07)
    assert shares.loc[200, "reproduced"] == pytest.approx(shown(10), abs=0.07)
    (row,) = [row for _, row in power(shares.reset_index(), [both], tables, 400).iterrows()]
    assert describe(row).split(",")[0].endswith("with 5 to 100 replicates")


def test_what_was_not_measured_is_drawn_with_the_most_replicates():
    drawn = [{"a": np.zeros(40), "b": np.zeros(40)}, {"c": {0.1: np.zeros(40)}}]
    measured = [{"a": np.array([1.0, 2.0, np.nan])}, {}]
    assert _shares(drawn, measured, 4) == [{"a": 0.5, "b": 1.0}, {"c": {0.1: 1.0}}]
