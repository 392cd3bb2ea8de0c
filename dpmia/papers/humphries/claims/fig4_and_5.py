"""Claims about figures 4 and 5: the share p of a group among the members of Adult.

The group is men in figure 4, and people with little education in figure 5.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from dpmia.claims.build import claim
from dpmia.claims.claim import Tables
from dpmia.claims.comparisons import Comparison, above, at_most, below, listed_numbers, near
from dpmia.claims.decisions import Condition, Some
from dpmia.claims.quantities import at, at_each, mean_over, metric, trend
from dpmia.papers.humphries.claims.shared import ATTACKS, AVERAGE, FROM_1, OPTIMAL, STRICT, UP_TO_1, bound

GENDER, EDUCATION = "adult_gender", "adult_education"

#: Arm -> the share p of the group.
SHARES = {"p0": 0, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p100": 1}

#: The epsilon at which bias is compared with no privacy.
SMALL = 0.1


def _trend(experiment: str, attack: str, comparison: Comparison, group: str, arms: tuple[str, ...]) -> Condition:
    """Return the condition on the slope of the advantage over the share of a group."""
    shares = [SHARES[arm] for arm in arms]
    quantity = (
        f"slope of the advantage of {ATTACKS[attack]} over the share p of {group} from {shares[0]:g} to {shares[-1]:g}"
    )
    slope = trend({SHARES[arm]: metric(experiment, arm, attack) for arm in arms})
    return Condition(f"{quantity}, at {FROM_1}", comparison, at_each(FROM_1, slope), epsilons=FROM_1)


def _steps(experiment: str, attack: str, group: str, arms: tuple[str, ...]) -> Condition:
    """Return the condition that the advantage rises from each share of a group to the next."""
    rises = {
        f"p = {SHARES[more]:g} less {SHARES[less]:g}": metric(experiment, more, attack)
        - metric(experiment, less, attack)
        for less, more in pairwise(arms)
    }
    shares = listed_numbers(tuple(SHARES[arm] for arm in arms))
    quantity = f"advantage of {ATTACKS[attack]} at each share p of {group} ({shares}) minus that at the one before"
    return Condition(f"{quantity}, at {FROM_1}", above(0), at_each(FROM_1, rises), epsilons=FROM_1)


def _nonmembers_better(experiment: str, arm: str) -> Condition:
    """Return the condition that non-members are classified better than members up to epsilon 1."""
    members, nonmembers = (metric(experiment, arm, name=f"accuracy_{part}") for part in ("members", "nonmembers"))
    quantity = f"accuracy on non-members minus that on members at p = {SHARES[arm]}, at {UP_TO_1}"
    return Condition(quantity, above(0), at_each(UP_TO_1, nonmembers - members), epsilons=UP_TO_1)


def _distance_of_accuracies(tables: Tables) -> pd.Series:
    """Return the distance between accuracy on members and on validation records, mean over shares and epsilons."""
    distances = {
        arm: abs(metric(GENDER, arm, name="accuracy_members") - metric(GENDER, arm, name="accuracy_validation"))
        for arm in SHARES
    }
    return pd.concat([*at_each(UP_TO_1, distances)(tables).values()], axis=1).mean(axis=1)


_gender = partial(claim, artifact="humphries_fig4", tables=(f"replicates/{GENDER}",))
_education = partial(claim, artifact="humphries_fig5", tables=(f"replicates/{EDUCATION}",))

CLAIMS = (
    _gender(
        "humphries-fig4-monotone-p",
        "The more men among the members, the worse the average threshold does.",
        _trend(GENDER, AVERAGE, below(0), "men", tuple(SHARES)),
    ),
    _gender(
        "humphries-fig4-monotone-p-optimal",
        "The more men among the members, the worse the optimal threshold does.",
        _trend(GENDER, OPTIMAL, below(0), "men", tuple(SHARES)),
    ),
    _gender(
        "humphries-fig4-negative",
        "Where most members are men the advantage of the average threshold can be negative.",
        Condition(
            f"advantage of the average threshold at p = 0.75 and 1, mean over {FROM_1}",
            below(0),
            mean_over(FROM_1, {f"p = {SHARES[arm]:g}": metric(GENDER, arm, AVERAGE) for arm in ("p75", "p100")}),
            epsilons=FROM_1,
            mean_over_epsilons=True,
        ),
        paper_value="can be negative from p = 0.75",
        rule=Some,
    ),
    _gender(
        "humphries-fig4-bias-vs-privacy",
        "Members without men leak at epsilon 0.1 about what members without bias leak without privacy.",
        Condition(
            f"advantage of the average threshold at p = 0 and epsilon {SMALL:g} minus that at p = 0.5 without privacy",
            near(0, 0.05),
            at(SMALL, metric(GENDER, "p0", AVERAGE) - metric(GENDER, "p50", AVERAGE).fixed(np.inf)),
        ),
        paper_value="similar",
    ),
    _gender(
        "humphries-fig4-validation",
        "Members are classified as well as other records drawn like them: what is learnt is the bias.",
        Condition(
            f"distance between accuracy on members and on validation records, mean over all p and {UP_TO_1}",
            at_most(0.02),
            _distance_of_accuracies,
            epsilons=UP_TO_1,
        ),
    ),
    _gender(
        "humphries-fig4-p1-nonmember-acc",
        "Where all members are men, non-members are classified better than members up to epsilon 1.",
        _nonmembers_better(GENDER, "p100"),
    ),
    _education(
        "humphries-fig5-monotone-p",
        "The more members with little education, the better the optimal threshold does.",
        _steps(EDUCATION, OPTIMAL, "people with little education", ("p50", "p75", "p100")),
        paper_value="better for large p",
    ),
    _education(
        "humphries-fig5-breaks-bound",
        "With members of little education only, the attack exceeds the bound for independent records.",
        Condition(
            f"advantage of the optimal threshold at p = 1 minus the (epsilon, delta) bound, at {STRICT}",
            above(0),
            at_each(STRICT, metric(EDUCATION, "p100", OPTIMAL) - bound),
            epsilons=STRICT,
        ),
        rule=Some,
    ),
    _education(
        "humphries-fig5-p0-nonmember-acc",
        "Where all members are of much education, non-members are classified better than members up to epsilon 1.",
        _nonmembers_better(EDUCATION, "p0"),
    ),
)
