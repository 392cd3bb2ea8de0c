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
from dpmia.claims.comparisons import Comparison, above, at_most, below, near, not_above, not_below
from dpmia.claims.decisions import Condition, Some
from dpmia.claims.quantities import at, at_each, mean_over, metric
from dpmia.papers.humphries.claims.shared import ATTACKS, AVERAGE, FROM_1, OPTIMAL, STRICT, UP_TO_1, bound

GENDER, EDUCATION = "adult_gender", "adult_education"

#: Arm -> the share p of the group.
SHARES = {"p0": 0, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p100": 1}

#: The epsilon at which bias is compared with no privacy.
SMALL = 0.1


def _more_than(experiment: str, attack: str, comparison: Comparison, where: str, *pairs: tuple[str, str]) -> Condition:
    """Return the condition on the advantage at the first share of each pair minus that at the second."""
    steps = {
        f"{more} less {less}": metric(experiment, more, attack) - metric(experiment, less, attack)
        for more, less in pairs
    }
    return Condition(f"advantage of {ATTACKS[attack]} at {where}, at {FROM_1}", comparison, at_each(FROM_1, steps))


def _falls_with_men(attack: str) -> tuple[Condition, ...]:
    return (
        _more_than(GENDER, attack, above(0), "p = 0 minus that at p = 1", ("p0", "p100")),
        _more_than(GENDER, attack, not_below(0), "each p minus that at the next larger", *pairwise(SHARES)),
    )


def _nonmembers_better(experiment: str, arm: str) -> Condition:
    """Return the condition that non-members are classified better than members up to epsilon 1."""
    members, nonmembers = (metric(experiment, arm, name=f"accuracy_{part}") for part in ("members", "nonmembers"))
    quantity = f"accuracy on non-members minus that on members at p = {SHARES[arm]}, at {UP_TO_1}"
    return Condition(quantity, above(0), at_each(UP_TO_1, nonmembers - members))


def _mean_advantage(arm: str, comparison: Comparison) -> Condition:
    p = f"p = {SHARES[arm]}"
    quantity = f"advantage of the average threshold at {p}, mean over {FROM_1}"
    return Condition(quantity, comparison, mean_over(FROM_1, {p: metric(GENDER, arm, AVERAGE)}))


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
        *_falls_with_men(AVERAGE),
    ),
    _gender(
        "humphries-fig4-monotone-p-optimal",
        "The more men among the members, the worse the optimal threshold does.",
        *_falls_with_men(OPTIMAL),
    ),
    _gender(
        "humphries-fig4-negative",
        "Where most members are men the average threshold has a negative advantage.",
        _mean_advantage("p100", below(0)),
        _mean_advantage("p75", not_above(0)),
        paper_value="negative from p = 0.75",
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
        ),
    ),
    _gender(
        "humphries-fig4-p1-nonmember-acc",
        "Where all members are men, non-members are classified better than members.",
        _nonmembers_better(GENDER, "p100"),
    ),
    _education(
        "humphries-fig5-monotone-p",
        "The more members with little education, the better the optimal threshold does.",
        _more_than(EDUCATION, OPTIMAL, above(0), "p = 1 minus that at p = 0.5", ("p100", "p50")),
        _more_than(EDUCATION, OPTIMAL, not_below(0), "p = 0.75 minus that at p = 0.5", ("p75", "p50")),
        paper_value="better for large p",
    ),
    _education(
        "humphries-fig5-breaks-bound",
        "With members of little education only, the attack exceeds the bound for independent records.",
        Condition(
            f"advantage of the optimal threshold at p = 1 minus the (epsilon, delta) bound, at {STRICT}",
            above(0),
            at_each(STRICT, metric(EDUCATION, "p100", OPTIMAL) - bound),
        ),
        rule=Some,
    ),
    _education(
        "humphries-fig5-p0-nonmember-acc",
        "Where all members are of much education, non-members are classified better than members.",
        _nonmembers_better(EDUCATION, "p0"),
    ),
)
