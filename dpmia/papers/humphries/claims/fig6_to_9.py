"""Claims about figures 6 to 9: hospitals, schools, Texas and the two censuses."""

from __future__ import annotations

from functools import partial

import numpy as np

from dpmia.claims.build import claim
from dpmia.claims.comparisons import above, at_least, at_most
from dpmia.claims.decisions import Condition, Some
from dpmia.claims.quantities import at, at_each, mean_over, metric
from dpmia.claims.rows import Epsilons
from dpmia.common.arms import IID_SUFFIX
from dpmia.papers.humphries.claims.shared import AVERAGE, EVERY, FROM_1, OPTIMAL, SHADOW, bound, gap, over_iid

HOSPITALS = ("cleveland", "hungary", "switzerland", "va")
SCHOOL, TEXAS, ADULT = ("student", "gabriel_pereira"), ("texas", "region_3"), ("adult_cluster", "cluster")
#: The small epsilon of figure 6.
SMALL = 0.1
#: Figure 8: how many times its value on shuffled records the advantage on Texas exceeds, and where.
FACTOR, MIDDLE = 1.2, Epsilons(named=(1, 10, 100))
#: Epsilons of the claim about figure 9.
CENSUS = Epsilons(named=(0.1, 1, np.inf))

_on_texas, _on_texas_iid = metric(*TEXAS, OPTIMAL), metric(TEXAS[0], TEXAS[1] + IID_SUFFIX, OPTIMAL)

_fig6 = partial(claim, artifact="humphries_fig6", tables=("replicates/heart",))
_fig8 = partial(claim, artifact="humphries_fig8", tables=("replicates/texas",))

CLAIMS = (
    _fig6(
        "humphries-fig6-order",
        "In each hospital the optimal threshold does better than on shuffled records.",
        over_iid("heart", HOSPITALS, (OPTIMAL,), FROM_1, above(0)),
    ),
    _fig6(
        "humphries-fig6-iid-over-bound",
        "On shuffled records the optimal threshold comes out above the bound at a small epsilon.",
        Condition(
            "advantage of the optimal threshold (an oracle, biased upwards on few records), IID, minus the "
            f"(epsilon, delta) bound, at epsilon {SMALL:g} in each hospital",
            above(0),
            at(SMALL, {arm: metric("heart", arm + IID_SUFFIX, OPTIMAL) - bound for arm in HOSPITALS}),
        ),
        paper_value="slightly above",
        rule=Some,
    ),
    claim(
        "humphries-fig7-order",
        "On members from one school the optimal threshold does better than on the same records shuffled.",
        Condition(
            f"advantage of the optimal threshold non-IID minus IID, mean over {FROM_1}",
            above(0),
            mean_over(FROM_1, gap(*SCHOOL, OPTIMAL)),
            epsilons=FROM_1,
        ),
        artifact="humphries_fig7",
        tables=("replicates/student",),
    ),
    _fig8(
        "humphries-fig8-modest",
        "On Texas dependence helps less than on clusters of Adult, yet clearly for epsilon from 1 to 100.",
        Condition(
            "advantage of the optimal threshold non-IID minus IID, mean over the epsilons of both, Adult minus Texas",
            above(0),
            mean_over(EVERY, {"mean gap of adult less that of texas": gap(*ADULT, OPTIMAL) - gap(*TEXAS, OPTIMAL)}),
            epsilons=EVERY,
        ),
        Condition(
            f"advantage of the optimal threshold on Texas, non-IID minus {FACTOR:g} times IID, at {MIDDLE}",
            above(0),  # a ratio, without dividing by 0
            at_each(MIDDLE, {f"non-IID less {FACTOR:g} times IID": _on_texas - FACTOR * _on_texas_iid}),
            epsilons=MIDDLE,
        ),
        tables=("replicates/texas", "replicates/adult_cluster"),
    ),
    _fig8(
        "humphries-fig8-acc",
        "On Texas members are classified a little better and non-members a little worse than if shuffled.",
        Condition(
            "accuracy on members non-IID minus IID, without privacy",
            at_least(0),
            at(np.inf, {"members": gap(*TEXAS, name="accuracy_members")}),
        ),
        Condition(
            "accuracy on non-members non-IID minus IID, without privacy",
            at_most(0),
            at(np.inf, {"non-members": gap(*TEXAS, name="accuracy_nonmembers")}),
        ),
    ),
    claim(
        "humphries-fig9-order",
        "With census members and Adult non-members every attack does far better than if both are mixed.",
        over_iid("census_adult", ("census",), (AVERAGE, OPTIMAL, SHADOW), CENSUS, above(0.1)),
        artifact="humphries_fig9",
        tables=("replicates/census_adult",),
    ),
)
