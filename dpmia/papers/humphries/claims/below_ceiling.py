"""Claims of ours: attacks on independent records stay below the exact upper bound of the mechanism (the ceiling)."""

from __future__ import annotations

from dpmia.claims.claim import Claim
from dpmia.claims.comparisons import at_most
from dpmia.claims.decisions import Condition, Every
from dpmia.claims.quantities import at_each, metric
from dpmia.claims.rows import ALL
from dpmia.common.arms import IID_SUFFIX
from dpmia.papers.humphries.claims.fig6_to_9 import HOSPITALS
from dpmia.papers.humphries.claims.shared import ATTACKS, AVERAGE, OPTIMAL, RANDOM, SHADOW, ceiling


def _below_ceiling(experiment: str, arms: tuple[str, ...], attacks: tuple[str, ...]) -> Every:
    """Return the rule that attacks on independent records stay below the exact upper bound.

    The optimal threshold is an oracle. On samples it exceeds its true advantage by no more, on average, than the
    largest deviation of two samples, which is what random scores reach under the same rule; so much is subtracted.
    """
    excess = {}
    for arm in arms:
        advantages = {attack: metric(experiment, arm, attack) for attack in attacks}
        oracle = metric(experiment, arm, OPTIMAL) - metric(experiment, arm, RANDOM)
        for name, advantage in {**advantages, f"{OPTIMAL} less {RANDOM}": oracle}.items():
            excess[f"{arm}, {name}"] = advantage - ceiling(experiment, arm)
    of = ", ".join(ATTACKS[attack] for attack in attacks)
    quantity = (
        f"advantage of {of} and (minus that of random scores) the optimal threshold, IID, minus the exact upper bound, "
        "at every finite epsilon"
    )
    return Every(Condition(quantity, at_most(0), at_each(ALL, excess)))


_HOSPITALS = tuple(arm + IID_SUFFIX for arm in HOSPITALS)

CLAIMS = tuple(
    Claim(
        id=name,
        artifact=artifact,
        statement="On independent records no attack exceeds the mechanism's exact upper bound.",
        ours=True,
        tables=(f"replicates/{experiment}",),
        rule=_below_ceiling(experiment, arms, attacks),
    )
    for name, artifact, experiment, arms, attacks in (
        ("humphries-fig2-iid-below-ceiling", "humphries_fig2", "adult_cluster", ("cluster-iid",), (AVERAGE, SHADOW)),
        ("humphries-fig3-iid-below-ceiling", "humphries_fig3", "compas_cluster", ("cluster-iid",), (AVERAGE,)),
        ("humphries-fig4-iid-below-ceiling", "humphries_fig4", "adult_gender", ("p50",), (AVERAGE, SHADOW)),
        ("humphries-fig5-iid-below-ceiling", "humphries_fig5", "adult_education", ("p50",), (AVERAGE, SHADOW)),
        ("humphries-fig6-iid-below-ceiling", "humphries_fig6", "heart", _HOSPITALS, (AVERAGE,)),
        ("humphries-fig7-iid-below-ceiling", "humphries_fig7", "student", ("gabriel_pereira-iid",), (AVERAGE,)),
        ("humphries-fig8-iid-below-ceiling", "humphries_fig8", "texas", ("region_3-iid",), (AVERAGE, SHADOW)),
        ("humphries-fig9-iid-below-ceiling", "humphries_fig9", "census_adult", ("census-iid",), (AVERAGE, SHADOW)),
    )
)
