"""Claims of ours: the paper's attacks on independent records stay below the exact upper bound (the ceiling).

They are judged from epsilon 1 up: below, the bound is smaller than what the records can resolve (.013 at epsilon .1).
These attacks are weak. Whether any attack exceeds the bound is tried by stronger ones
(`dpmia.papers.humphries.claims.strong.NO_ATTACK_EXCEEDS`).
"""

from __future__ import annotations

from dpmia.claims.build import claim
from dpmia.claims.claim import Claim
from dpmia.claims.comparisons import at_most
from dpmia.claims.decisions import Condition
from dpmia.claims.quantities import at_each, metric
from dpmia.common.arms import IID_SUFFIX
from dpmia.papers.humphries.claims.fig6_to_9 import HOSPITALS
from dpmia.papers.humphries.claims.shared import ATTACKS, AVERAGE, FROM_1, OPTIMAL, RANDOM, SHADOW, ceiling
from dpmia.papers.humphries.names import EQUAL


def _below_ceiling(id: str, figure: int, experiment: str, arms: tuple[str, ...], *attacks: str) -> Claim:
    """Return the claim that attacks on independent records stay below the exact upper bound.

    The optimal threshold is an oracle. On samples it exceeds its true advantage by no more, on average, than the
    largest deviation of two samples, which is what random scores reach under the same rule; so much is subtracted.
    """
    excess = {}
    for arm in arms:
        advantages = {attack: metric(experiment, arm, attack) for attack in attacks}
        oracle = metric(experiment, arm, OPTIMAL) - metric(experiment, arm, RANDOM)
        for name, advantage in {**advantages, f"{OPTIMAL} less {RANDOM}": oracle}.items():
            excess[f"{arm}, {name}"] = advantage - ceiling(experiment, arm)
    quantity = (
        f"advantage of {', '.join(ATTACKS[attack] for attack in attacks)} and (minus that of random scores) the "
        f"optimal threshold, IID, minus the exact upper bound, at {FROM_1}"
    )
    return claim(
        id,
        "On independent records the paper's attacks stay below the mechanism's exact upper bound.",
        Condition(quantity, at_most(0), at_each(FROM_1, excess), epsilons=FROM_1),
        artifact=f"humphries_fig{figure}",
        tables=(f"replicates/{experiment}",),
        ours=True,
    )


_HOSPITALS = tuple(arm + IID_SUFFIX for arm in HOSPITALS)

CLAIMS = (
    _below_ceiling("humphries-fig2-iid-below-ceiling", 2, "adult_cluster", ("cluster-iid",), AVERAGE, SHADOW),
    _below_ceiling("humphries-fig3-iid-below-ceiling", 3, "compas_cluster", ("cluster-iid",), AVERAGE),
    _below_ceiling("humphries-fig4-iid-below-ceiling", 4, "adult_gender", (EQUAL,), AVERAGE, SHADOW),
    _below_ceiling("humphries-fig5-iid-below-ceiling", 5, "adult_education", (EQUAL,), AVERAGE, SHADOW),
    _below_ceiling("humphries-fig6-iid-below-ceiling", 6, "heart", _HOSPITALS, AVERAGE),
    _below_ceiling("humphries-fig7-iid-below-ceiling", 7, "student", ("gabriel_pereira-iid",), AVERAGE),
    _below_ceiling("humphries-fig8-iid-below-ceiling", 8, "texas", ("region_3-iid",), AVERAGE, SHADOW),
    _below_ceiling("humphries-fig9-iid-below-ceiling", 9, "census_adult", ("census-iid",), AVERAGE, SHADOW),
)
