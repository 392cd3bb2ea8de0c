"""The claims of Ye et al.: each holds in a world of the printed numbers, and falls where one thing is otherwise."""

import itertools

import numpy as np
import pandas as pd
import pytest
from claim_protocol import EachClaim, EachMean
from claim_worlds import World, met_at_random, verdict

from dpmia.claims.judge import JudgedRun, judge
from dpmia.claims.power import verdict_shares
from dpmia.formats.stages import NULLS, PER_RECORD
from dpmia.papers.ye import agreement, names
from dpmia.papers.ye.claims import CLAIMS

BY_ID = {claim.id: claim for claim in CLAIMS}
OF_TABLES = [claim for claim in CLAIMS if claim.tables[0].startswith("replicates/")]
OF_RECORDS = [claim for claim in CLAIMS if claim.tables[0].startswith("per_record/")]
OF_NULLS = [claim for claim in CLAIMS if claim.tables[0].startswith("nulls/")]


def experiments():
    """Return the printed AUCs and accuracies of all configurations, and a TPR that follows the AUC."""
    by_experiment = {}
    for row in names.CONFIGURATIONS:
        means = by_experiment.setdefault(row.experiment, {})
        for quantity, metric in names.MODEL_METRICS.items():
            means[row.arm, np.inf, "model", metric] = row.printed[quantity][0] / 100
        for letter, attack in names.PAPER.items():
            auc = row.printed[letter][0]
            means[row.arm, np.inf, attack, "auc"] = auc
            means[row.arm, np.inf, attack, "tpr@0.2"] = 0.2 ** (1 / auc - 1)
    return by_experiment


#: Attack -> how many members and non-members it calls members: what table 2 prints.
RATES = {
    letter: tuple(
        rate if part == "train" else 1 - rate
        for part in ("train", "test")
        for pair, rate in zip(itertools.combinations(agreement.ORDER, 2), agreement.PRINTED[part], strict=True)
        if pair == ("GT", letter)
    )
    for letter in agreement.NAMES
}

#: What attacks would do on the target models of the other arm: no claim about records would hold there.
OTHER_RATES = RATES | {"D": (0.5, 0.1)}


def per_record(arm, rates, count=2000):
    """Return verdicts on so many members and non-members of attacks that agree as their rates allow; but for R."""
    rng = np.random.default_rng(1)
    tables = []
    for place, part in enumerate(agreement.PARTS):
        common = rng.permutation((np.arange(count) + 0.5) / count)
        for letter, rate in rates.items():
            draw = rng.permutation(common) if letter == "R" else common
            threshold = rate[place] - draw
            keys = {"experiment": "ye_purchase", "arm": arm, "target": 0, "label": 1, "membership": part}
            keys |= {"alpha": agreement.ALPHA, "attack": agreement.NAMES[letter], "loss": 0.0}
            keys |= {"record": place * count + np.arange(count)}
            tables.append(pd.DataFrame({**keys, "threshold": threshold, "decision": threshold >= 0}))
    return pd.concat(tables)[PER_RECORD]


#: Attack -> spread of its null losses; threshold under the first and the second target model.
SPREADS = {"S": 2.0, "P": 1.5, "R": 1.0, "D": 0.5}
THRESHOLDS = {"S": (0.1, 0.1), "P": (0.2, 0.3), "R": (0.4, 0.4), "D": (0.5, 0.6)}

#: Those of the other arm.
OTHER_SPREADS, OTHER_THRESHOLDS = SPREADS | {"R": 2.5}, THRESHOLDS | {"R": (0.4, 0.41)}


def nulls(arm, spreads, thresholds, targets=(1, 2)):
    """Return null losses of two records under one and under two target models."""
    rows = []
    for together, letter, record in itertools.product(targets, spreads, (7, 9)):
        for target in range(together):
            prefix = ["ye_purchase", arm, together, target, record, 3, names.PAPER[letter], 0.1, record / 10]
            prefix += [thresholds[letter][target], 21]
            rows += [[*prefix, value] for value in spreads[letter] * np.linspace(0, 1, 21)]
    return pd.DataFrame(rows, columns=NULLS)


def world(rates=RATES, spreads=SPREADS, thresholds=THRESHOLDS, arms=("Ia", "IIa"), **options):
    """Return the world in which all is as printed, except for the arguments.

    Claims about single records are about one arm each, which follows the arguments; the other differs.
    """
    nulls_of = {"Ia": nulls("Ia", OTHER_SPREADS, thresholds), "IIa": nulls("IIa", spreads, OTHER_THRESHOLDS)}
    records_of = {"Ia": per_record("Ia", OTHER_RATES, **options), "IIa": per_record("IIa", rates, **options)}
    seen = {"nulls": nulls_of, "per_record": records_of}
    others = {f"{stage}/ye_purchase": pd.concat([of_arm[arm] for arm in arms]) for stage, of_arm in seen.items()}
    return World(experiments(), others)


def without(experiment, *arms):
    """Return the world in which an experiment has no such arms."""
    all_of_them = experiments()
    there = {key: value for key, value in all_of_them[experiment].items() if key[0] not in arms}
    return World(all_of_them | {experiment: there})


#: claim -> the mean that is otherwise where it does not hold: experiment, arm, value, attack, metric.
BENT = {
    "ye-table1-purchase-auc": ("ye_purchase", "IIb", 0.7, "population", "auc"),
    "ye-table3-cifar10-auc": ("ye_cifar10_vgg", "III", 0.5, "model", "accuracy_members"),
    "ye-table4-cifar100-auc": ("ye_cifar100", "Ia", 0.5, "model", "accuracy_nonmembers"),
    "ye-table5-mnist-auc": ("ye_mnist", "IIb", 0.56, "distillation", "auc"),
    "ye-table1-d-best": ("ye_purchase_clipped", "IV", 0.71, "reference", "auc"),
    "ye-table1-r-beats-sp": ("ye_purchase", "III", 0.76, "population", "auc"),
    "ye-table1-l2-lowers-auc": ("ye_purchase", "IIb", 0.8, "shadow_threshold", "auc"),
    "ye-table1-more-data-lowers-auc": ("ye_purchase", "IIa", 0.6, "reference", "auc"),
    "ye-table5-r-best-mnist": ("ye_mnist", "Ia", 0.53, "population", "auc"),
    "ye-fig4-p-near-chance-iv": ("ye_purchase_clipped", "IV", 0.66, "population", "auc"),
    "ye-fig3-roc": ("ye_purchase", "Ia", 0.9, "population", "tpr@0.2"),
}

#: claim about each configuration by itself -> its configurations: experiment -> arms.
_ALL_PURCHASE = {"ye_purchase": ("Ia", "Ib", "IIa", "IIb", "III"), "ye_purchase_clipped": ("IV",)}
_ALL_MNIST = {"ye_mnist": ("Ia", "Ib", "IIa", "IIb")}
EACH = {
    "ye-table1-purchase-auc": _ALL_PURCHASE,
    "ye-table3-cifar10-auc": {"ye_cifar10": ("I", "II"), "ye_cifar10_vgg": ("III",)},
    "ye-table4-cifar100-auc": {"ye_cifar100": ("Ia", "Ib", "IIa", "IIb")},
    "ye-table5-mnist-auc": _ALL_MNIST,
    "ye-table1-d-best": _ALL_PURCHASE,
    "ye-table1-r-beats-sp": {"ye_purchase": ("Ia", "IIa", "III"), "ye_purchase_clipped": ("IV",)},
    "ye-table5-r-best-mnist": _ALL_MNIST,
    "ye-fig3-roc": {"ye_purchase": ("Ia", "IIa")},
    "ye-fig4-p-near-chance-iv": {"ye_purchase_clipped": ("IV",)},
}

#: claim about several configurations together -> the arms of its experiment that it needs.
TOGETHER = {
    "ye-table1-l2-lowers-auc": ("Ia", "Ib", "IIa", "IIb"),
    "ye-table1-more-data-lowers-auc": ("Ia", "IIa", "III"),
}

#: claim -> the world in which it does not hold.
OTHERWISE = {
    "ye-table2-gt-train": {"rates": RATES | {"L": (0.7, 0.59)}},
    "ye-table2-gt-test": {"rates": RATES | {"S": (0.696, 0.7)}},
    "ye-table2-d-closest-l": {"rates": RATES | {"D": (0.992, 0.1)}},
    "ye-table2-fpr-control": {"rates": RATES | {"P": (0.662, 0.45)}},
    "ye-fig1-concentration": {"spreads": SPREADS | {"R": 2.5}},
    "ye-fig2-model-dependence": {"thresholds": THRESHOLDS | {"R": (0.4, 0.41)}},
    "ye-fig5-r-vs-d": {"rates": RATES | {"D": (0.5, 0.3)}},
}


def test_every_claim_is_bent_once():
    assert sorted([*BENT, *OTHERWISE]) == sorted(BY_ID)
    assert sorted([*EACH, *TOGETHER]) == sorted(claim.id for claim in OF_TABLES) == sorted(BENT)
    assert {claim.id for claim in CLAIMS if claim.some_suffice} == {*EACH}


class TestClaimsAboutTargetModels(EachMean):
    claims = OF_TABLES
    world = world()

    def otherwise(self, name):
        experiment, arm, value, attack, metric = BENT[name]
        return world().bent(experiment, value, arm=arm, attack=attack, metric=metric)


class TestClaimsAboutRecords(EachClaim):
    claims = OF_RECORDS + OF_NULLS
    world = world()

    def otherwise(self, name):
        return world(**OTHERWISE[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [claim.id for claim in OF_RECORDS + OF_NULLS])
def test_a_claim_about_records_is_judged_on_its_own_arm(name, tmp_path):
    stage, arm = BY_ID[name].tables[0].partition("/")[0], "Ia" if name == "ye-fig2-model-dependence" else "IIa"
    (other,) = {"Ia", "IIa"} - {arm}
    table = world().others[f"{stage}/ye_purchase"]
    swapped = table.assign(arm=table["arm"].map({arm: other, other: arm}))
    assert verdict(BY_ID[name], World({}, {BY_ID[name].tables[0]: swapped}), tmp_path) == "not reproduced"
    assert verdict(BY_ID[name], world(arms=[other]), tmp_path) == "not run"
    assert verdict(BY_ID[name], world(arms=[arm]), tmp_path) == "reproduced"


@pytest.mark.parametrize("claim", OF_RECORDS, ids=[claim.id for claim in OF_RECORDS])
def test_few_records_leave_a_claim_undecided(claim, tmp_path):
    assert verdict(claim, world(count=6), tmp_path) == "undecided"


def test_how_many_numbers_of_a_table_are_near_the_print_is_in_the_note(tmp_path):
    claim = BY_ID["ye-table5-mnist-auc"]
    without("ye_mnist", "Ia").bent("ye_mnist", 0.9, arm="IIb", attack="distillation").write(tmp_path, claim.tables)
    outcome, finding = judge(claim, JudgedRun(tmp_path, False, "laptop"))
    assert outcome == "not reproduced"
    assert finding.note == "17 of 18 within 0.05; worst of 18: MNIST IIb, D; judged without MNIST Ia"


def test_what_a_claim_was_judged_without_names_tables_and_arms(tmp_path):
    claim = BY_ID["ye-table1-purchase-auc"]
    without("ye_purchase", "IIa", "Ib").write(tmp_path, ["replicates/ye_purchase"])
    outcome, finding = judge(claim, JudgedRun(tmp_path, False, "laptop"))
    assert outcome == "reproduced"
    assert finding.note.startswith("18 of 18 within 0.05; worst of 18: ")
    left_out = "; judged without Purchase100 Ib, Purchase100 IIa; judged without replicates/ye_purchase_clipped"
    assert finding.note.endswith(left_out)


@pytest.mark.parametrize(
    ("name", "experiment", "missing"),
    [
        (name, experiment, arm)
        for name, experiments in EACH.items()
        for experiment, arms in experiments.items()
        for arm in arms
        if len(arms) > 1
    ],
)
def test_a_claim_about_each_configuration_is_judged_on_those_that_were_run(name, experiment, missing, tmp_path):
    without(experiment, missing).write(tmp_path, BY_ID[name].tables)
    outcome, finding = judge(BY_ID[name], JudgedRun(tmp_path, False, "laptop"))
    assert outcome == "reproduced"
    (label,) = {row.label for row in names.CONFIGURATIONS if (row.experiment, row.arm) == (experiment, missing)}
    assert finding.note.partition("judged without ")[2] == label


@pytest.mark.parametrize("name", EACH)
def test_a_claim_of_whose_configurations_none_was_run_is_not_judged(name, tmp_path):
    nothing = World({experiment: {("other", np.inf, "model", "auc"): 1.0} for experiment in EACH[name]})
    assert verdict(BY_ID[name], nothing, tmp_path) == "not run"


@pytest.mark.parametrize(("name", "experiment"), [(name, experiment) for name in EACH for experiment in EACH[name]])
def test_a_claim_does_not_miss_what_it_does_not_speak_of(name, experiment, tmp_path):
    others = {row.arm for row in names.CONFIGURATIONS if row.experiment == experiment} - {*EACH[name][experiment]}
    without(experiment, *others).write(tmp_path, BY_ID[name].tables)
    outcome, finding = judge(BY_ID[name], JudgedRun(tmp_path, False, "laptop"))
    assert outcome == "reproduced"
    assert "judged without" not in finding.note


@pytest.mark.parametrize(("name", "missing"), [(name, arm) for name, arms in TOGETHER.items() for arm in arms])
def test_a_claim_that_compares_configurations_needs_all_of_them(name, missing, tmp_path):
    without("ye_purchase", missing).write(tmp_path, BY_ID[name].tables)
    outcome, finding = judge(BY_ID[name], JudgedRun(tmp_path, False, "laptop"))
    assert outcome == "not run"
    assert f"arm {missing}" in finding.note


def test_attacks_that_judged_no_record_leave_claims_about_them_not_run(tmp_path):
    few = world(rates={letter: rate for letter, rate in RATES.items() if letter != "L"})
    assert verdict(BY_ID["ye-table2-gt-test"], few, tmp_path) == "not run"
    assert verdict(BY_ID["ye-fig5-r-vs-d"], few, tmp_path) == "reproduced"


def test_target_models_without_common_members_leave_figure_2_not_run(tmp_path):
    claim = BY_ID["ye-fig2-model-dependence"]
    alone = pd.concat([nulls("Ia", SPREADS, THRESHOLDS, targets=(1,)), nulls("IIa", SPREADS, THRESHOLDS)])
    assert verdict(claim, World({}, {"nulls/ye_purchase": alone}), tmp_path) == "not run"


@pytest.mark.slow
def test_claims_met_by_random_scores_are_known():
    """Where members are drawn at random, D still predicts "member" most often: these claims are about predictions."""
    claims = [claim for claim in CLAIMS if not claim.tables[0].startswith("nulls/")]
    assert met_at_random(claims, world()) == [
        "ye-fig5-r-vs-d",
        "ye-table2-d-closest-l",
        "ye-table2-gt-test",
        "ye-table2-gt-train",
    ]


def null_losses(spreads):
    """Return null losses of two records under one and under two target models; those of R and S are of all alike."""
    table = pd.concat([nulls("Ia", spreads, THRESHOLDS), nulls("IIa", spreads, THRESHOLDS)], ignore_index=True)
    model = table["attack"].isin([names.PAPER[letter] for letter in "PD"]) * table["target"]
    return {"nulls/ye_purchase": table.assign(null_loss=table["null_loss"] + 0.01 * model)}


@pytest.mark.slow  # three worlds, simulated
def test_random_losses_give_what_follows_from_how_attacks_take_theirs():
    """Reference models are the same for all target models, so R's thresholds are, too: whatever the models learnt."""
    claims = [BY_ID["ye-fig1-concentration"], BY_ID["ye-fig2-model-dependence"]]
    shares = verdict_shares(claims, null_losses(SPREADS | {"S": 4.0})).set_index(["id", "world"])
    reproduced = shares["reproduced"]
    assert reproduced["ye-fig2-model-dependence", "as measured"] > 0.95
    assert reproduced["ye-fig2-model-dependence", "placebo"] > 0.7, "ties among few losses aside"
    assert reproduced["ye-fig1-concentration", "as measured"] > 0.95
    assert 0.02 < reproduced["ye-fig1-concentration", "placebo"] < 0.3, "S is the widest of three by chance, twice"
    assert "no opposite" in shares.loc[("ye-fig1-concentration", "opposite"), "reason"]
