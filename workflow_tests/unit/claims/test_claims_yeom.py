"""The claims of Yeom et al.: each holds in a world where the paper is right, and falls where one mean differs."""

import numpy as np
import pandas as pd
import pytest
from claim_protocol import EachMean
from claim_worlds import World, met_at_random, scatter

from dpmia.claims.judge import JudgedRun, judge
from dpmia.papers.yeom.claims import CLAIMS
from dpmia.papers.yeom.claims.regression import AT_DEPTH, DEEP, KNOWN, MULTI, STRONG, TARGETS, UNKNOWN
from dpmia.theory.overfitting import gaussian_advantage, unknown_sigma_advantage

BY_ID = {claim.id: claim for claim in CLAIMS}
OF_STUDIES = [claim for claim in CLAIMS if claim.about_data and claim.tables[0].startswith("studies/")]
OF_NETWORKS = [claim for claim in CLAIMS if claim.about_data and claim not in OF_STUDIES]

DEPTHS = {1: 1.0, 9: 1.28, 15: 2.42, 20: 4.68, 30: 9.09}
PENALTIES = {5: 5.09, 20: 2.43, 50: 1.78, 1000: 1.19}
MEMBERSHIP = "membership"

# Regression and trees


def trees():
    """Return the mean advantages on trees by (depth, adversary, target)."""
    advantages = {}
    for depth, ratio in DEPTHS.items():
        advantages[depth, KNOWN, MEMBERSHIP] = float(gaussian_advantage(ratio)) - 0.01
        advantages[depth, UNKNOWN, MEMBERSHIP] = float(unknown_sigma_advantage(ratio)) + 0.19
        for target, values in TARGETS.items():
            advantages[depth, "uniform", target] = advantages[depth, UNKNOWN, MEMBERSHIP] / values
            advantages[depth, "attribute", target] = advantages[depth, UNKNOWN, MEMBERSHIP] / 2 + 0.05
            advantages[depth, MULTI, target] = advantages[depth, UNKNOWN, MEMBERSHIP] - 0.05
    for target, values in AT_DEPTH.items():
        advantages |= {(20, adversary, target): value for adversary, value in values.items()}
        advantages[20, "uniform", target] = advantages[20, UNKNOWN, MEMBERSHIP] / TARGETS[target]
    return advantages


def ridge():
    advantages = {
        (penalty, KNOWN, MEMBERSHIP): float(gaussian_advantage(ratio)) for penalty, ratio in PENALTIES.items()
    }
    return {key: value - (0.03 if key[0] >= STRONG else -0.02) for key, value in advantages.items()}


def study(means, ratios, noise=1e-4, splits=20):
    """Return the table of a study whose advantages scatter about `means`."""
    rows = [
        [parameter, ratios[parameter], adversary, target, split, mean + noisy[split]]
        for ((parameter, adversary, target), mean), noisy in zip(
            means.items(), scatter(len(means), splits, noise), strict=True
        )
        for split in range(splits)
    ]
    return pd.DataFrame(rows, columns=["parameter", "ratio", "adversary", "target", "replicate", "advantage"])


def studies(changes=None, **options):
    """Return the world of both studies, some means changed."""
    tables = {}
    for name, means, ratios in (("iwpc", trees(), DEPTHS), ("eyedata", ridge(), PENALTIES)):
        means |= {key: value for key, value in (changes or {}).items() if key in means}
        tables[f"studies/yeom_{name}"] = study(means, ratios, **options)
    return World({}, tables)


#: claim -> what is otherwise where it does not hold.
OTHERWISE = {
    "yeom-fig2a-agreement-tree": {(9, KNOWN, MEMBERSHIP): 0.2},
    "yeom-fig2a-agreement-ridge": {(20, KNOWN, MEMBERSHIP): 0.2},
    "yeom-fig2a-regression": {(5, KNOWN, MEMBERSHIP): 0.6},
    "yeom-fig2a-regression-below-theory": {(1000, KNOWN, MEMBERSHIP): 0.2},
    "yeom-fig2b-exceeds-theory": {(15, UNKNOWN, MEMBERSHIP): 0.4},
    "yeom-fig2b-unknown-beats-known": {(30, UNKNOWN, MEMBERSHIP): 0.7},
    "yeom-thm7-uniform": {(9, "uniform", "cyp2c9"): 0.1},
    "yeom-fig3-order": {(30, "attribute", "cyp2c9"): 0.8},
    "yeom-fig3-values": {(20, "attribute", "vkorc1"): 0.5},
}


class TestClaimsAboutStudies(EachMean):
    claims = OF_STUDIES
    world = studies()
    of_one = studies(splits=1)
    noisy = studies(noise=3.0)

    def otherwise(self, name):
        return studies(OTHERWISE[name])


def test_advantages_that_fall_with_the_ratio_refute_a_trend(tmp_path):
    world = studies({(20, KNOWN, MEMBERSHIP): 0.8, (50, KNOWN, MEMBERSHIP): 0.9, (1000, KNOWN, MEMBERSHIP): 0.95})
    world.write(tmp_path, BY_ID["yeom-fig2a-regression"].tables)
    outcome, finding = judge(BY_ID["yeom-fig2a-regression"], JudgedRun(tmp_path, False, "paper"))
    assert outcome == "not reproduced"
    assert finding.measured < 0


def test_without_deep_trees_claims_about_them_are_not_run(tmp_path):
    claim = BY_ID["yeom-fig2b-exceeds-theory"]
    shallow = {key: value for key, value in trees().items() if key[0] < DEEP}
    World({}, {"studies/yeom_iwpc": study(shallow, DEPTHS)}).write(tmp_path, claim.tables)
    outcome, finding = judge(claim, JudgedRun(tmp_path, False, "smoke"))
    assert outcome == "not run"
    outcome, finding = judge(claim, JudgedRun(tmp_path, False, "laptop"))
    assert (outcome, finding.note) == ("not run", "the study has no parameter from 15 up at scale laptop")


# Networks

SIZES = (1, 8, 16, 32, 128)
#: Data set -> advantage and precision of the threshold, generalisation error under collusion.
LEAKS = {"mnist": (0.03, 0.51), "cifar10": (0.5, 0.7), "cifar100": (0.8, 0.87)}
GAPS = {
    "mnist": (0.03, 0.05, 0.03, 0.01, 0.01),
    "cifar10": (0.1, 0.3, 0.52, 0.5, 0.5),
    "cifar100": (0.1, 0.4, 0.82, 0.8, 0.8),
}
COSTS = {"mnist": 0.014, "cifar10": 0.047, "cifar100": 0.031}


def networks():
    experiments = {}
    for name, (advantage, precision) in LEAKS.items():
        honest, colluding = {}, {}
        for size, gap in zip(SIZES, GAPS[name], strict=True):
            arm = f"s{size}", np.inf
            honest |= {(*arm, "average_threshold", "advantage"): advantage * size / 128}
            honest |= {(*arm, "average_threshold", "precision"): precision}
            honest |= {(*arm, "average_threshold", "recall"): 0.99}
            honest |= {(*arm, "model", "accuracy_nonmembers"): 0.6}
            colluding |= {(*arm, "collusion", "advantage"): 0.98 if size >= 16 else 0.1}
            colluding |= {(*arm, "model", "accuracy_nonmembers"): 0.6 - COSTS[name]}
            colluding |= {(*arm, "model", "accuracy_members"): 0.6 - COSTS[name] + gap}
        experiments |= {f"yeom_{name}": honest, f"yeom_{name}_collusion": colluding}
    return World(experiments)


BENT = {
    "yeom-fig2c-cnn-order": ("yeom_cifar10", 0.9, None, None, "average_threshold", "advantage"),
    "yeom-fig2c-cifar10-over-mnist": ("yeom_mnist", 0.9, None, None, "average_threshold", "advantage"),
    "yeom-table1-precision": ("yeom_cifar100", 0.8, "s32", None, "average_threshold", "precision"),
    "yeom-fig4a-advantage": ("yeom_cifar100_collusion", 0.94, "s16", None, "collusion", "advantage"),
    "yeom-fig4b-gen-error": ("yeom_mnist_collusion", 0.7, "s32", None, "model", "accuracy_members"),
    "yeom-fig4b-acc-cost": ("yeom_cifar10_collusion", 0.5, None, None, "model", "accuracy_nonmembers"),
}


def test_every_claim_about_data_is_bent_once():
    assert sorted([*OTHERWISE, *BENT]) == sorted(claim.id for claim in OF_STUDIES + OF_NETWORKS)


class TestClaimsAboutNetworks(EachMean):
    claims = OF_NETWORKS
    world = networks()

    def otherwise(self, name):
        return networks().bent(*BENT[name])


@pytest.mark.parametrize("claim", OF_NETWORKS, ids=[claim.id for claim in OF_NETWORKS])
def test_networks_are_judged_on_the_data_sets_that_are_there(claim, tmp_path):
    networks().write(tmp_path, [table for table in claim.tables if "cifar100" not in table])
    outcome, finding = judge(
        claim, JudgedRun(tmp_path, False, "laptop", {"yeom_cifar100": "only its test part is here"})
    )
    if claim.id == "yeom-fig2c-cnn-order":
        assert outcome == "not run", "an order of three takes all of them"
    else:
        assert outcome == "reproduced"
        assert ("judged without replicates/yeom_cifar100" in finding.note) == claim.some_suffice


def test_limits_over_splits_of_one_data_set_say_so(tmp_path):
    claim = BY_ID["yeom-fig2a-regression"]
    studies().write(tmp_path, claim.tables)
    _, finding = judge(claim, JudgedRun(tmp_path, False, "laptop"))
    assert finding.interval == "one-sided 95 % limits, over splits of these records"
    _, finding = judge(claim, JudgedRun(tmp_path, False, "laptop", times={}))
    assert finding.interval.endswith("limits, over splits of these records, look 1 of at most 4")


def test_claims_about_the_largest_of_several_means_need_all_replicates():
    ids = [claim.id for claim in CLAIMS if not all(condition.by_replicate for condition in claim.conditions)]
    assert ids == ["yeom-fig4b-gen-error"]


@pytest.mark.slow
def test_claims_met_by_random_scores_are_known():
    """Guessing stays below every bound; models that are equally accurate cost each other nothing."""
    world = World(networks().experiments, studies().others)
    for name, (_, precision) in LEAKS.items():  # the advantage that half of the records being members implies
        advantage = 0.99 * (2 - 1 / precision)
        world = world.bent(f"yeom_{name}", advantage, "s32", None, "average_threshold", "advantage")
    assert met_at_random(OF_STUDIES + OF_NETWORKS, world) == [
        "yeom-fig2a-regression-below-theory",
        "yeom-fig4b-acc-cost",
        "yeom-thm7-uniform",
    ]
