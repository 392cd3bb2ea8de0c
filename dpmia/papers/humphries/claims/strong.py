"""Claims of ours: attacks that could exceed the exact upper bound, and records on which they would."""

from __future__ import annotations

import numpy as np

from dpmia.claims.build import claim
from dpmia.claims.claim import Claim
from dpmia.claims.comparisons import above, at_most
from dpmia.claims.decisions import Condition, Some
from dpmia.claims.quantities import Measure, at, at_each, metric
from dpmia.claims.rows import ALL, Epsilons
from dpmia.common.arms import IID_SUFFIX
from dpmia.papers.humphries.claims.shared import AVERAGE, UP_TO_1, ceiling

#: Experiment -> its arm.
DEPENDENT = {"adult_cluster_strong": "cluster", "student_strong": "gabriel_pereira"}
INDEPENDENT = {experiment: arm + IID_SUFFIX for experiment, arm in DEPENDENT.items()}
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
    """Return the claim that attacks on dependent records exceed the bound for independent ones."""
    return claim(
        id,
        f"On {records} LiRA, RMIA or quantile regression exceeds the exact upper bound for independent records.",
        Condition(
            "advantage of LiRA, RMIA (online and offline) and quantile regression, non-IID, minus the exact upper "
            f"bound, at {UP_TO_1}",
            above(0),
            _excess({experiment: DEPENDENT[experiment]}, STRONG, UP_TO_1),
        ),
        artifact="humphries_strong",
        tables=(f"replicates/{experiment}",),
        ours=True,
        rule=Some,
    )


CLAIMS = (
    claim(
        "humphries-strong-iid-below-ceiling",
        "On independent records LiRA, RMIA and quantile regression stay below the exact upper bound.",
        Condition(
            "advantage of LiRA, RMIA (online and offline) and quantile regression, IID, minus the exact upper bound, "
            "on Adult and students, at every finite epsilon",
            at_most(0),
            _excess(INDEPENDENT, STRONG, ALL),
        ),
        artifact="humphries_strong",
        tables=_tables(DEPENDENT),
        ours=True,
    ),
    _breaks_ceiling("humphries-strong-adult-breaks-ceiling", "clusters of Adult", "adult_cluster_strong"),
    _breaks_ceiling("humphries-strong-students-breaks-ceiling", "students of one school", "student_strong"),
    claim(
        "humphries-canaries-iid-below-ceiling",
        "On worst-case records no attack exceeds the exact upper bound for their membership.",
        Condition(
            "advantage of LiRA (online and offline) and the average threshold on canaries in Adult and students, minus "
            "the exact upper bound, at every finite epsilon",
            at_most(0),
            _excess(WORST_CASE, (AVERAGE, LIRA, OFFLINE_LIRA), ALL),
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
