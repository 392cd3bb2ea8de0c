"""Claims of ours: attacks that could exceed the exact upper bound, and records on which they would."""

from __future__ import annotations

import numpy as np

from dpmia.claims.build import claim
from dpmia.claims.claim import Claim
from dpmia.claims.comparisons import above, at_most
from dpmia.claims.decisions import Condition, Some
from dpmia.claims.quantities import Measure, at, at_each, metric
from dpmia.claims.rows import Epsilons
from dpmia.common.arms import IID_SUFFIX
from dpmia.papers.humphries.claims.fig6_to_9 import HOSPITALS
from dpmia.papers.humphries.claims.shared import AVERAGE, FROM_1, STRICT, ceiling
from dpmia.papers.humphries.names import ALIKE, EQUAL, ONLINE

#: Experiment -> its arm.
DEPENDENT = {"adult_cluster_strong": "cluster", "student_strong": "gabriel_pereira"}
WORST_CASE = {"adult_canaries": "canaries", "student_canaries": "canaries"}

LIRA, OFFLINE_LIRA = "lira", "lira_offline"
STRONG = (LIRA, OFFLINE_LIRA, "rmia", "rmia_offline", "quantile_regression")


def _excess(arms: dict[str, str], attacks: tuple[str, ...], epsilons: Epsilons) -> Measure:
    """Return the measure of advantage minus the exact upper bound, in the arm of each experiment."""
    excess = {
        f"{experiment}, {attack}": metric(experiment, arm, attack) - ceiling(experiment, arm)
        for experiment, arm in arms.items()
        for attack in attacks
    }
    return at_each(epsilons, excess)


def _tables(arms: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"replicates/{experiment}" for experiment in arms)


def _breaks_ceiling(id: str, records: str, experiment: str) -> Claim:
    """Return the claim that attacks on dependent records exceed the bound for independent ones.

    Without attacks of `ONLINE` where the number of reference models that hold a record separates members by itself.
    """
    alike = experiment in ALIKE
    attacks = STRONG if alike else tuple(attack for attack in STRONG if attack not in ONLINE)
    return claim(
        id,
        f"On {records} LiRA, RMIA or quantile regression exceeds the exact upper bound for independent records.",
        Condition(
            f"advantage of LiRA, RMIA ({'online and offline' if alike else 'offline'}) and quantile regression, "
            f"non-IID, minus the exact upper bound, at {STRICT}",
            above(0),
            _excess({experiment: DEPENDENT[experiment]}, attacks, STRICT),
            epsilons=STRICT,
        ),
        artifact="humphries_strong",
        tables=(f"replicates/{experiment}",),
        ours=True,
        rule=Some,
    )


def _no_attack_exceeds(id: str, experiment: str, records: str, arms: tuple[str, ...]) -> Claim:
    """Return the claim that no attack exceeds the bound, with what LiRA gains without privacy as its positive control.

    Without the control, attacks that guess would reproduce it, and so would an attack that hardly finds members.
    Judged from epsilon 1 up, as `dpmia.papers.humphries.claims.below_ceiling` is.

    Args:
        id: of the claim, with the figure of the paper that the experiment repeats.
        experiment: with reference models.
        records: what its records are.
        arms: those in which members and non-members are independent.
    """
    attacks = (AVERAGE, *STRONG)

    def excess(name: str, bound: str) -> Measure:
        cells = {
            f"{arm}, {attack}": metric(experiment, arm, attack, name) - metric(experiment, arm, name=bound)
            for arm in arms
            for attack in attacks
        }
        return at_each(FROM_1, cells)

    of_all = "the average threshold, LiRA and RMIA (online and offline) and quantile regression, IID"
    control = {
        f"{arm}, AUC of LiRA less average threshold": metric(experiment, arm, LIRA, "auc")
        - metric(experiment, arm, AVERAGE, "auc")
        for arm in arms
    }
    return claim(
        id,
        f"On {records} LiRA is a stronger attack than the average threshold without privacy, and no attack exceeds the "
        "exact upper bound with epsilon 1 or more.",
        Condition(
            f"advantage of {of_all}, minus the exact upper bound, at every finite epsilon from 1 up",
            at_most(0),
            excess("advantage", "advantage_ceiling"),
            epsilons=FROM_1,
        ),
        Condition(
            "their true positive rate at 1 % false positives, minus its exact upper bound",
            at_most(0),
            excess("tpr_at_1pct_fpr", "tpr_ceiling_at_1pct_fpr"),
            epsilons=FROM_1,
        ),
        Condition(
            "AUC of LiRA minus that of the average threshold, IID, without privacy", above(0), at(np.inf, control)
        ),
        artifact="humphries_strong_limits",
        tables=(f"replicates/{experiment}",),
        ours=True,
    )


_HOSPITALS = tuple(arm + IID_SUFFIX for arm in HOSPITALS)

#: By figure: judged where attacks that could exceed the bound were run, with models without privacy beside them.
NO_ATTACK_EXCEEDS = (
    _no_attack_exceeds("humphries-fig2-no-attack-exceeds", "adult_cluster_strong", "Adult", ("cluster-iid",)),
    _no_attack_exceeds("humphries-fig3-no-attack-exceeds", "compas_cluster_strong", "COMPAS", ("cluster-iid",)),
    _no_attack_exceeds(
        "humphries-fig4-no-attack-exceeds", "adult_gender_strong", "Adult with as many men as women", (EQUAL,)
    ),
    _no_attack_exceeds(
        "humphries-fig5-no-attack-exceeds", "adult_education_strong", "Adult with as many of either education", (EQUAL,)
    ),
    _no_attack_exceeds("humphries-fig6-no-attack-exceeds", "heart_strong", "patients of all hospitals", _HOSPITALS),
    _no_attack_exceeds(
        "humphries-fig7-no-attack-exceeds", "student_strong", "students of both schools", ("gabriel_pereira-iid",)
    ),
    _no_attack_exceeds("humphries-fig8-no-attack-exceeds", "texas_strong", "Texas", ("region_3-iid",)),
    _no_attack_exceeds("humphries-fig9-no-attack-exceeds", "census_adult_strong", "Census and Adult", ("census-iid",)),
)

CLAIMS = (
    *NO_ATTACK_EXCEEDS,
    _breaks_ceiling("humphries-strong-adult-breaks-ceiling", "clusters of Adult", "adult_cluster_strong"),
    _breaks_ceiling("humphries-strong-students-breaks-ceiling", "students of one school", "student_strong"),
    claim(
        "humphries-canaries-iid-below-ceiling",
        "On worst-case records no attack exceeds the exact upper bound for their membership.",
        Condition(
            "advantage of LiRA (online and offline) and the average threshold on canaries in Adult and students, minus "
            "the exact upper bound, at every finite epsilon from 1 up",
            at_most(0),
            _excess(WORST_CASE, (AVERAGE, LIRA, OFFLINE_LIRA), FROM_1),
            epsilons=FROM_1,
        ),
        artifact="humphries_canaries",
        tables=_tables(WORST_CASE),
        ours=True,
    ),
    claim(
        "humphries-canaries-found",
        "Without privacy LiRA finds worst-case records.",
        Condition(
            "advantage of LiRA on canaries in Adult and students, without privacy",
            above(0),
            at(np.inf, {experiment: metric(experiment, arm, LIRA) for experiment, arm in WORST_CASE.items()}),
        ),
        artifact="humphries_canaries",
        tables=_tables(WORST_CASE),
        ours=True,
    ),
)
