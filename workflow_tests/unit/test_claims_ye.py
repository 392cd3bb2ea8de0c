"""The claims of Ye et al.: each holds in a world of the printed numbers, and falls where one thing is otherwise."""

import itertools

import numpy as np
import pandas as pd
import pytest
from claim_worlds import World, verdict

from dpmia.claims.judge import Run, judge
from dpmia.measure_points import NULLS, POINTS
from dpmia.papers.ye import agreement, names
from dpmia.papers.ye.claims import CLAIMS

BY_ID = {claim.id: claim for claim in CLAIMS}
OF_TABLES = [claim.id for claim in CLAIMS if claim.tables[0].startswith("replicates/")]
OF_POINTS = [claim.id for claim in CLAIMS if claim.tables[0].startswith("points/")]
OF_NULLS = [claim.id for claim in CLAIMS if claim.tables[0].startswith("nulls/")]


def experiments():
    """Return the printed AUCs and accuracies of all configurations, and a TPR that follows the AUC."""
    found = {}
    for name, row in names.BY_EXPERIMENT.items():
        means = {
            ("iid", np.inf, "model", metric): row.printed[quantity][0] / 100
            for quantity, metric in names.MODEL_METRICS.items()
        }
        for letter, attack in names.PAPER.items():
            auc = row.printed[letter][0]
            means |= {("iid", np.inf, attack, "auc"): auc, ("iid", np.inf, attack, "tpr@0.2"): 0.2 ** (1 / auc - 1)}
        found[name] = means
    return found


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


def points(rates, count=2000):
    """Return verdicts on so many members and non-members of attacks that agree as their rates allow; but for R."""
    rng = np.random.default_rng(1)
    tables = []
    for place, part in enumerate(agreement.PARTS):
        common = rng.permutation((np.arange(count) + 0.5) / count)
        for letter, rate in rates.items():
            draw = rng.permutation(common) if letter == "R" else common
            threshold = rate[place] - draw
            facts = {"experiment": "ye_purchase_2a", "target": 0, "label": 1, "part": part, "alpha": agreement.ALPHA}
            facts |= {"attack": agreement.NAMES[letter], "loss": 0.0, "record": np.arange(count)}
            tables.append(pd.DataFrame({**facts, "threshold": threshold, "says": threshold >= 0}))
    return pd.concat(tables)[POINTS]


#: Attack -> spread of its null losses; threshold under the first and the second target model.
SPREADS = {"S": 2.0, "P": 1.5, "R": 1.0, "D": 0.5}
THRESHOLDS = {"S": (0.1, 0.1), "P": (0.2, 0.3), "R": (0.4, 0.4), "D": (0.5, 0.6)}


def nulls(spreads, thresholds, targets=(1, 2)):
    """Return null losses of two records under one and under two target models."""
    rows = []
    for together, letter, record in itertools.product(targets, spreads, (7, 9)):
        for target in range(together):
            about = ["one", together, target, record, 3, names.PAPER[letter], 0.1, record / 10]
            about += [thresholds[letter][target], 21]
            rows += [[*about, value] for value in spreads[letter] * np.linspace(0, 1, 21)]
    return pd.DataFrame(rows, columns=NULLS)


def world(rates=RATES, spreads=SPREADS, thresholds=THRESHOLDS, **options):
    """Return the world in which all is as printed, but for what is told."""
    seen = {"ye_purchase_1a": nulls(spreads, thresholds), "ye_purchase_2a": nulls(spreads, thresholds)}
    others = {f"nulls/{name}": table for name, table in seen.items()}
    return World(experiments(), others | {"points/ye_purchase_2a": points(rates, **options)})


#: claim -> the mean that is otherwise where it does not hold: experiment, value, attack, metric.
BENT = {
    "ye-table1-purchase-auc": ("ye_purchase_2b", 0.7, "population", "auc"),
    "ye-table3-cifar10-auc": ("ye_cifar10_3", 0.5, "model", "accuracy_members"),
    "ye-table4-cifar100-auc": ("ye_cifar100_1a", 0.5, "model", "accuracy_nonmembers"),
    "ye-table5-mnist-auc": ("ye_mnist_2b", 0.56, "distillation", "auc"),
    "ye-table1-d-best": ("ye_purchase_4", 0.71, "reference", "auc"),
    "ye-table1-r-beats-sp": ("ye_purchase_3", 0.76, "population", "auc"),
    "ye-table1-l2-lowers-auc": ("ye_purchase_2b", 0.8, "shadow_threshold", "auc"),
    "ye-table1-more-data-lowers-auc": ("ye_purchase_3", 0.8, "reference", "auc"),
    "ye-table5-r-best-mnist": ("ye_mnist_1a", 0.53, "population", "auc"),
    "ye-fig4-p-near-chance-iv": ("ye_purchase_4", 0.66, "population", "auc"),
    "ye-fig3-roc": ("ye_purchase_1a", 0.9, "population", "tpr@0.2"),
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


@pytest.mark.parametrize("name", BY_ID)
def test_a_claim_holds_where_the_paper_is_right(name, tmp_path):
    assert verdict(BY_ID[name], world(), tmp_path) == "reproduced"


@pytest.mark.parametrize("name", OF_TABLES)
def test_a_claim_about_target_models_falls_where_one_mean_is_otherwise(name, tmp_path):
    experiment, value, attack, metric = BENT[name]
    bent = world().bent(experiment, value, attack=attack, metric=metric)
    assert verdict(BY_ID[name], bent, tmp_path) == "not reproduced"


@pytest.mark.parametrize("name", OF_POINTS + OF_NULLS)
def test_a_claim_about_records_falls_where_one_thing_is_otherwise(name, tmp_path):
    assert verdict(BY_ID[name], world(**OTHERWISE[name]), tmp_path) == "not reproduced"


@pytest.mark.parametrize("name", OF_TABLES)
@pytest.mark.parametrize("options", [{"replicates": 1}, {"noise": 3.0}], ids=["one target", "noise"])
def test_too_little_leaves_a_claim_about_target_models_undecided(name, options, tmp_path):
    assert verdict(BY_ID[name], world(), tmp_path, **options) == "undecided"


@pytest.mark.parametrize("name", OF_POINTS)
def test_few_records_leave_a_claim_undecided(name, tmp_path):
    assert verdict(BY_ID[name], world(count=6), tmp_path) == "undecided"


def test_how_many_numbers_of_a_table_are_near_the_print_is_told(tmp_path):
    claim = BY_ID["ye-table5-mnist-auc"]
    world().bent("ye_mnist_2b", 0.9, attack="distillation").write(tmp_path, claim.tables[1:])
    found, finding = judge(claim, Run(tmp_path, False, "laptop"))
    assert found == "not reproduced"
    assert finding.note.startswith("17 of 18 within 0.05; worst of 18: MNIST IIb, D; ")
    assert "judged without replicates/ye_mnist_1a" in finding.note


def test_attacks_that_judged_no_record_leave_claims_about_them_not_run(tmp_path):
    without = world(rates={letter: rate for letter, rate in RATES.items() if letter != "L"})
    assert verdict(BY_ID["ye-table2-gt-test"], without, tmp_path) == "not run"
    assert verdict(BY_ID["ye-fig5-r-vs-d"], without, tmp_path) == "reproduced"


def test_target_models_without_common_members_leave_figure_2_not_run(tmp_path):
    claim = BY_ID["ye-fig2-model-dependence"]
    lonely = World({}, {"nulls/ye_purchase_1a": nulls(SPREADS, THRESHOLDS, targets=(1,))})
    assert verdict(claim, lonely, tmp_path) == "not run"


def test_made_up_records_are_not_judged(tmp_path):
    assert {judge(claim, Run(tmp_path, True, "laptop"))[0] for claim in CLAIMS} == {"stand-in"}
