"""The claims of Humphries et al.: each holds in a world where the paper is right, and falls where one mean differs."""

import itertools

import numpy as np
import pandas as pd
import pytest
from claim_protocol import EachMean
from claim_worlds import World, met_at_random, verdict

from dpmia.claims.judge import JudgedRun, judge
from dpmia.papers.humphries.claims import CLAIMS, fig1, strong
from dpmia.papers.humphries.claims.fig6_to_9 import HOSPITALS
from dpmia.papers.humphries.claims.shared import AVERAGE, EVERY, OPTIMAL, RANDOM, SHADOW
from dpmia.papers.humphries.claims.table2 import EXCEPTIONS
from dpmia.papers.humphries.table2 import COLUMNS, PRINTED

BY_ID = {claim.id: claim for claim in CLAIMS}
THEORY = [claim.id for claim in CLAIMS if not claim.about_data]
OF_SIZES = ["humphries-table2-sizes", "humphries-adult-cluster-sizes"]
OF_MODELS = [claim for claim in CLAIMS if claim.about_data and claim.id not in OF_SIZES]

EPSILONS = EVERY.grid
CEILING = {0.01: 0.004, 0.1: 0.03, 1.0: 0.12, 10.0: 0.6, 100.0: 0.95, 1000.0: 1.0}
IID = {AVERAGE: 0.0, OPTIMAL: 0.1, SHADOW: 0.0, RANDOM: 0.09, **dict.fromkeys(strong.STRONG, 0.0)}
#: Advantage at each epsilon where members are dependent.
STRONG = {
    AVERAGE: (0.2, 0.5, 0.8, 0.85, 0.88, 0.9, 0.93),
    OPTIMAL: (0.3, 0.7, 0.9, 0.94, 0.96, 0.97, 0.98),
    SHADOW: (0.1, 0.4, 0.6, 0.7, 0.7, 0.7, 0.7),
}
#: Ours: attacks with reference models where members are dependent, and on worst-case records.
WITH_REFERENCES = dict.fromkeys(strong.STRONG, (0.1, 0.2, 0.4, 0.5, 0.5, 0.5, 0.5))
ON_CANARIES = dict.fromkeys((strong.LIRA, strong.OFFLINE_LIRA), (0.0, 0.01, 0.05, 0.4, 0.7, 0.8, 0.9))
#: By share of the group: advantage of the average and of the optimal threshold from epsilon 1 up.
GENDER = {"p0": (0.3, 0.4), "p25": (0.2, 0.3), "p50": (0.0, 0.1), "p75": (-0.05, 0.09), "p100": (-0.2, 0.08)}
EDUCATION = {"p0": (-0.2, 0.08), "p25": (-0.1, 0.09), "p50": (0.0, 0.1), "p75": (0.2, 0.3), "p100": (0.4, 0.5)}


def experiment(arms):
    """Return the means of arms, each given as advantages by attack: one number, or one for each epsilon."""
    means = {}
    for (arm, advantages), (place, epsilon) in itertools.product(arms.items(), enumerate(EPSILONS)):
        for attack, height in {**IID, **advantages}.items():
            means[arm, epsilon, attack, "advantage"] = height if np.isscalar(height) else height[place]
        for part in ("members", "nonmembers", "validation"):
            means[arm, epsilon, "model", f"accuracy_{part}"] = 0.8
        if epsilon in CEILING:
            means[arm, epsilon, "model", "advantage_ceiling"] = CEILING[epsilon]
    return means


def grouped(advantages, *arms):
    return experiment({name: values for arm in arms for name, values in ((arm, advantages), (f"{arm}-iid", {}))})


def shares(advantages):
    return experiment({arm: {AVERAGE: average, OPTIMAL: optimal} for arm, (average, optimal) in advantages.items()})


def strongly(*arms, iid=True):
    """Return the means of an experiment with reference models, in which LiRA is the stronger attack without privacy."""
    means = grouped(WITH_REFERENCES, *arms) if iid else experiment({arm: {} for arm in arms})
    for arm in (f"{arm}-iid" if iid else arm for arm in arms):
        means[arm, np.inf, strong.LIRA, "auc"], means[arm, np.inf, AVERAGE, "auc"] = 0.7, 0.6
        for epsilon, attack in itertools.product(CEILING, (AVERAGE, *strong.STRONG)):
            means[arm, epsilon, attack, "tpr_at_1pct_fpr"] = 0.01
            means[arm, epsilon, "model", "tpr_ceiling_at_1pct_fpr"] = 0.02
    return means


def true_world():
    """Return the world in which the paper is right in all."""
    world = World(
        {
            "adult_cluster": grouped(STRONG, "cluster"),
            "adult_cluster_reverse": grouped(STRONG, "cluster"),
            "compas_cluster": grouped(STRONG, "cluster"),
            "adult_gender": shares(GENDER),
            "adult_education": shares(EDUCATION),
            "heart": grouped({OPTIMAL: 0.5}, *HOSPITALS),
            "student": grouped({OPTIMAL: 0.5}, "gabriel_pereira"),
            "texas": grouped({OPTIMAL: 0.2}, "region_3"),
            "census_adult": grouped(STRONG, "census"),
            "adult_cluster_strong": strongly("cluster"),
            "student_strong": strongly("gabriel_pereira"),
            "compas_cluster_strong": strongly("cluster"),
            "adult_gender_strong": strongly("p50", iid=False),
            "adult_education_strong": strongly("p50", iid=False),
            "heart_strong": strongly(*HOSPITALS),
            "texas_strong": strongly("region_3"),
            "census_adult_strong": strongly("census"),
            "adult_canaries": experiment({"canaries": ON_CANARIES}),
            "student_canaries": experiment({"canaries": ON_CANARIES}),
        }
    )
    return (
        world.bent("adult_gender", 0.3, "p50", np.inf, AVERAGE)
        .bent("adult_gender", 0.35, "p25", np.inf, AVERAGE)
        .bent("adult_gender", 0.4, "p0", np.inf, AVERAGE)
        .bent("adult_gender", 0.7, "p100", metric="accuracy_members")
        .bent("adult_gender", 0.7, "p100", metric="accuracy_validation")
        .bent("adult_education", 0.7, "p0", metric="accuracy_members")
        .bent("texas", 0.81, "region_3", metric="accuracy_members")
        .bent("texas", 0.79, "region_3", metric="accuracy_nonmembers")
    )


WORLD = true_world()

#: claim -> what is otherwise where it does not hold.
OTHERWISE = {
    "humphries-fig2-noniid-near-one": ("adult_cluster", 0.5, "cluster", None, OPTIMAL),
    "humphries-fig2-noniid-above-iid": ("adult_cluster", 0.04, "cluster", 0.1, SHADOW),
    "humphries-fig2-iid-below-bound": ("adult_cluster", 0.5, "cluster-iid", 1.0, AVERAGE),
    "humphries-fig2-noniid-breaks-bound": ("adult_cluster", 0.04, "cluster", None, OPTIMAL),
    "humphries-fig2-noniid-breaks-ceiling": ("adult_cluster", 0.0, "cluster", None, AVERAGE),
    "humphries-fig2-grows-with-eps": ("adult_cluster", 0.0, "cluster", np.inf, OPTIMAL),
    "humphries-fig2-acc-flat-adv-rises": ("adult_cluster", 0.87, "cluster", np.inf, "model", "accuracy_members"),
    "humphries-fig2-reverse-similar": ("adult_cluster_reverse", 0.7, "cluster", 1.0, OPTIMAL),
    "humphries-fig3-compas-eps10": ("compas_cluster", 0.85, "cluster", 10.0, OPTIMAL),
    "humphries-fig3-order": ("compas_cluster", 0.19, "cluster", 0.1, OPTIMAL),
    "humphries-fig4-monotone-p": ("adult_gender", 0.6, "p100", 1.0, AVERAGE),
    "humphries-fig4-monotone-p-optimal": ("adult_gender", 0.9, "p100", 1.0, OPTIMAL),
    "humphries-fig4-negative": ("adult_gender", 0.06, ("p75", "p100"), None, AVERAGE),
    "humphries-fig4-bias-vs-privacy": ("adult_gender", 0.1, "p0", 0.1, AVERAGE),
    "humphries-fig4-validation": ("adult_gender", 0.6, "p0", None, "model", "accuracy_validation"),
    "humphries-fig4-p1-nonmember-acc": ("adult_gender", 0.82, "p100", 0.1, "model", "accuracy_members"),
    "humphries-fig5-monotone-p": ("adult_education", 0.9, "p75", 10.0, OPTIMAL),
    "humphries-fig5-breaks-bound": ("adult_education", 0.04, "p100", None, OPTIMAL),
    "humphries-fig5-p0-nonmember-acc": ("adult_education", 0.82, "p0", 1.0, "model", "accuracy_members"),
    "humphries-fig6-order": ("heart", 0.05, "va", 100.0, OPTIMAL),
    "humphries-fig6-iid-over-bound": ("heart", 0.01, None, 0.1, OPTIMAL),
    "humphries-fig7-order": ("student", 0.05, "gabriel_pereira", None, OPTIMAL),
    "humphries-fig8-modest": ("texas", 0.115, "region_3", 10.0, OPTIMAL),
    "humphries-fig8-acc": ("texas", 0.79, "region_3", np.inf, "model", "accuracy_members"),
    "humphries-fig9-order": ("census_adult", 0.05, "census", 1.0, SHADOW),
    "humphries-fig2-iid-below-ceiling": ("adult_cluster", 0.3, "cluster-iid", 1.0, SHADOW),
    "humphries-fig3-iid-below-ceiling": ("compas_cluster", 0.3, "cluster-iid", 1.0, AVERAGE),
    "humphries-fig4-iid-below-ceiling": ("adult_gender", 0.4, "p50", 1.0, OPTIMAL),
    "humphries-fig5-iid-below-ceiling": ("adult_education", 0.7, "p50", 10.0, AVERAGE),
    "humphries-fig6-iid-below-ceiling": ("heart", 0.3, "hungary-iid", 1.0, AVERAGE),
    "humphries-fig7-iid-below-ceiling": ("student", 0.4, "gabriel_pereira-iid", 1.0, OPTIMAL),
    "humphries-fig8-iid-below-ceiling": ("texas", 0.2, "region_3-iid", 1.0, AVERAGE),
    "humphries-fig9-iid-below-ceiling": ("census_adult", 0.2, "census-iid", 1.0, AVERAGE),
    "humphries-fig2-no-attack-exceeds": ("adult_cluster_strong", 0.03, "cluster-iid", 1.0, "rmia", "tpr_at_1pct_fpr"),
    "humphries-fig3-no-attack-exceeds": ("compas_cluster_strong", 0.59, "cluster-iid", np.inf, strong.LIRA, "auc"),
    "humphries-fig4-no-attack-exceeds": ("adult_gender_strong", 0.2, "p50", 1.0, "quantile_regression", "advantage"),
    "humphries-fig5-no-attack-exceeds": ("adult_education_strong", 0.7, "p50", 10.0, AVERAGE, "advantage"),
    "humphries-fig6-no-attack-exceeds": ("heart_strong", 0.03, "va-iid", 1.0, strong.LIRA, "tpr_at_1pct_fpr"),
    "humphries-fig7-no-attack-exceeds": ("student_strong", 0.59, "gabriel_pereira-iid", np.inf, strong.LIRA, "auc"),
    "humphries-fig8-no-attack-exceeds": ("texas_strong", 0.2, "region_3-iid", 1.0, "rmia_offline", "advantage"),
    "humphries-fig9-no-attack-exceeds": ("census_adult_strong", 0.2, "census-iid", 1.0, strong.LIRA, "tpr_at_1pct_fpr"),
    "humphries-strong-adult-breaks-ceiling": ("adult_cluster_strong", 0.0, "cluster", None, None, "advantage"),
    "humphries-strong-students-breaks-ceiling": ("student_strong", 0.0, "gabriel_pereira", None, None, "advantage"),
    "humphries-canaries-iid-below-ceiling": ("adult_canaries", 0.7, "canaries", 10.0, strong.OFFLINE_LIRA),
    "humphries-canaries-found": ("student_canaries", -0.1, "canaries", np.inf, strong.LIRA),
}


#: What an attack that guesses reproduces: statements that something is no larger, or alike.
GUESSED = """
    humphries-fig2-iid-below-bound humphries-fig2-reverse-similar humphries-fig4-bias-vs-privacy
    humphries-fig4-validation
"""


@pytest.mark.slow
def test_claims_met_by_random_scores_are_known():
    ids = [name for name in met_at_random(CLAIMS, WORLD) if not name.endswith("-iid-below-ceiling")]
    assert ids == sorted(GUESSED.split())


def test_every_claim_about_models_is_bent_once():
    assert sorted(OTHERWISE) == sorted(claim.id for claim in OF_MODELS)


class TestClaimsAboutModels(EachMean):
    claims = OF_MODELS
    world = WORLD
    not_blurred = frozenset({"humphries-fig4-validation"})  # accuracies that scatter by 3 are apart

    def otherwise(self, name):
        return WORLD.bent(*OTHERWISE[name])


def without(world, name, *epsilons):
    """Return a world in which models of an experiment were not trained with some epsilons."""
    means = {key: value for key, value in world.experiments[name].items() if key[1] not in epsilons}
    return World(world.experiments | {name: means}, world.others)


def test_epsilons_that_were_not_run_are_passed_over_and_named(tmp_path):
    claim = BY_ID["humphries-fig2-noniid-above-iid"]
    world = WORLD.bent("adult_cluster", 0.0, "cluster", 1000.0, AVERAGE)
    assert verdict(claim, world, tmp_path) == "not reproduced"
    without(world, "adult_cluster", 0.01, 1000.0).write(tmp_path, claim.tables)
    outcome, finding = judge(claim, JudgedRun(tmp_path, False, "laptop"))
    assert (outcome, finding.note.partition("; ")[2]) == ("reproduced", "judged without ε = 1000 of adult_cluster")


def test_that_some_epsilon_has_it_is_not_refuted_by_the_others_alone(tmp_path):
    claim = BY_ID["humphries-strong-students-breaks-ceiling"]
    world = WORLD.bent("student_strong", -0.1, "gabriel_pereira", 1.0, metric="advantage")
    assert verdict(claim, world, tmp_path) == "reproduced", "epsilon 0.1 shows it"
    nowhere = world.bent("student_strong", -0.1, "gabriel_pereira", 0.1, metric="advantage")
    assert verdict(claim, nowhere, tmp_path) == "not reproduced"
    without(nowhere, "student_strong", 0.1).write(tmp_path, claim.tables)
    outcome, finding = judge(claim, JudgedRun(tmp_path, False, "night"))
    assert outcome == "undecided"
    assert finding.note.endswith("judged without ε = 0.1 of student_strong; what was not run may meet it")


def test_epsilons_that_a_mean_leaves_out_are_no_cases_of_their_own(tmp_path):
    claim = BY_ID["humphries-fig4-negative"]
    world = without(WORLD.bent("adult_gender", 0.1, ("p75", "p100"), None, AVERAGE), "adult_gender", 1000.0)
    assert verdict(claim, world, tmp_path) == "not reproduced"


def test_without_an_attack_a_claim_about_it_is_not_run(tmp_path):
    means = {key: value for key, value in WORLD.experiments["adult_cluster"].items() if key[2] != SHADOW}
    claim = BY_ID["humphries-fig2-noniid-above-iid"]
    WORLD.write(tmp_path, claim.tables)
    World({"adult_cluster": means}).write(tmp_path, claim.tables)
    outcome, finding = judge(claim, JudgedRun(tmp_path, False, "laptop"))
    assert (outcome, finding.note) == (
        "not run",
        "adult_cluster has no advantage of shadow, arm cluster, ε from 0 to ∞ at scale laptop",
    )


# Sizes


def sizes(**changes):
    """Return the tables of sizes as the public files give them, with changes by experiment and column."""
    tables = {}
    for (name, arm), (_, _, *printed) in PRINTED.items():
        row = dict(zip(COLUMNS[2:], [*printed[:4], printed[4] or 0], strict=True))
        row |= {column: value for (label, column), (value, _) in EXCEPTIONS.items() if label == name}
        row |= {column: value for key, value in changes.items() for label, column in [key.split("__")] if label == name}
        others = {"validation": 0, "background": 0}
        tables.setdefault(f"sizes/{name}", []).append({"experiment": name, "arm": arm, **row, **others})
    return World({}, {name: pd.DataFrame(rows) for name, rows in tables.items()})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "reproduced"),
        ({"census_adult__population": 20000, "census_adult__features": 100}, "reproduced"),  # with the whole census
        ({"adult_cluster__population": 15132}, "reproduced"),
        ({"adult_cluster__population": 15134}, "not reproduced"),
        ({"heart__features": 23}, "not reproduced"),
        ({"student__members": 422}, "not reproduced"),
        ({"compas_cluster__population": 2172}, "reproduced"),  # the paper prints a dash
    ],
)
def test_sizes_are_those_of_the_print_or_of_the_named_exceptions(changes, expected, tmp_path):
    assert verdict(BY_ID["humphries-table2-sizes"], sizes(**changes), tmp_path) == expected


def test_exceptions_and_differences_are_named(tmp_path):
    claim = BY_ID["humphries-table2-sizes"]
    sizes(heart__features=23).write(tmp_path, [name for name in claim.tables if name != "sizes/texas"])
    _, finding = judge(claim, JudgedRun(tmp_path, False, "laptop", {"texas": "no file"}))
    assert finding.measured == 4  # four hospitals
    for text in ("heart features 23 for 22", "15135 for 15132", "18259 for 20000", "without sizes/texas (no file)"):
        assert text in finding.note


@pytest.mark.parametrize(("population", "expected"), [(15135, "reproduced"), (15500, "not reproduced")])
def test_the_size_of_the_smaller_cluster_is_what_it_leaves_to_the_attacker(population, expected, tmp_path):
    world = sizes(adult_cluster__population=population)
    assert verdict(BY_ID["humphries-adult-cluster-sizes"], world, tmp_path) == expected


# Theory

WRONG = {
    "humphries-fig1-tightest": ("humphries_advantage", lambda epsilon, delta=0: 1 - np.exp(-1.1 * np.asarray(epsilon))),
    "humphries-fig1-max-gap": ("humphries_advantage", lambda epsilon, delta=0: np.tanh(np.asarray(epsilon) / 2.2)),
    "humphries-fig1-gap": ("humphries_advantage", lambda epsilon, delta=0: np.tanh(np.asarray(epsilon) / 1.6)),
    "humphries-fig1-regimes": ("humphries_advantage", lambda epsilon, delta=0: np.tanh(np.asarray(epsilon) / 2.2)),
}


@pytest.mark.parametrize("name", THEORY)
def test_theory_is_reproduced_even_without_data(name, tmp_path):
    assert verdict(BY_ID[name], World({}), tmp_path, synthetic=True, scale="smoke") == "reproduced"


@pytest.mark.parametrize("name", THEORY)
def test_a_wrong_formula_is_found(name, tmp_path, monkeypatch):
    monkeypatch.setattr(fig1, *WRONG[name])
    assert verdict(BY_ID[name], World({}), tmp_path) == "not reproduced"


def test_without_privacy_the_average_threshold_has_to_gain_over_the_largest_finite_epsilon(tmp_path):
    world = WORLD.bent("adult_cluster", 0.95, "cluster", 1000.0, AVERAGE)
    assert verdict(BY_ID["humphries-fig2-acc-flat-adv-rises"], world, tmp_path) == "not reproduced"
