"""Claims about figures 6 to 9: hospitals, schools, Texas and the two censuses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from dpmia.claims.claim import Claim, Tables
from dpmia.claims.comparisons import above, at_least, at_most
from dpmia.claims.decisions import Cells, Condition, Every, Some
from dpmia.claims.rows import ALL, Epsilons, Replicates
from dpmia.common.arms import IID_SUFFIX
from dpmia.common.epsilon import format_epsilon
from dpmia.papers.humphries.bounds import DELTA
from dpmia.papers.humphries.claims.shared import AVERAGE, FROM_1, OPTIMAL, SHADOW, gap, over_iid
from dpmia.theory.bounds import humphries_advantage

HOSPITALS = ("cleveland", "hungary", "switzerland", "va")
SCHOOL, TEXAS, ADULT = "gabriel_pereira", "region_3", "cluster"
#: The small epsilon of figure 6.
SMALL = 0.1
#: Figure 8: how many times its value on shuffled records the advantage on Texas exceeds, and where.
FACTOR, MIDDLE = 1.2, Epsilons(named=(1, 10, 100))
#: Epsilons of figure 9 that the claim speaks of.
CENSUS = Epsilons(named=(0.1, 1, np.inf))


def _hospitals_over_bound(tables: Tables) -> Cells:
    rows, bound = Replicates.of(tables, "heart"), humphries_advantage(SMALL, DELTA)
    return {arm: rows(arm + IID_SUFFIX, SMALL, OPTIMAL) - bound for arm in HOSPITALS}


def _school_over_iid(tables: Tables) -> pd.Series:
    rows = Replicates.of(tables, "student")
    epsilons = rows.epsilons(FROM_1, SCHOOL, OPTIMAL)
    return rows.mean(SCHOOL, epsilons, OPTIMAL) - rows.mean(SCHOOL + IID_SUFFIX, epsilons, OPTIMAL)


def _gap_of_adult_minus_texas(tables: Tables) -> Cells:
    texas, adult = Replicates.of(tables, "texas"), Replicates.of(tables, "adult_cluster")
    shared = set(adult.epsilons(ALL, ADULT, OPTIMAL))
    epsilons = [epsilon for epsilon in texas.epsilons(ALL, TEXAS, OPTIMAL) if epsilon in shared]
    of_adult, of_texas = (
        pd.concat([gap(rows, arm, epsilon, OPTIMAL) for epsilon in epsilons], axis=1).mean(axis=1)
        for rows, arm in ((adult, ADULT), (texas, TEXAS))
    )
    return {"mean gap of adult less that of texas": of_adult - of_texas}


def _over_several_times_iid(tables: Tables) -> Cells:
    """Return the advantage on Texas minus `FACTOR` times that on shuffled records: a ratio, without dividing by 0."""
    rows = Replicates.of(tables, "texas")
    return {
        f"non-IID less {FACTOR:g} times IID, ε = {format_epsilon(epsilon)}": rows(TEXAS, epsilon, OPTIMAL)
        - FACTOR * rows(TEXAS + IID_SUFFIX, epsilon, OPTIMAL)
        for epsilon in rows.epsilons(MIDDLE, TEXAS, OPTIMAL)
    }


def _accuracy_over_iid(name: str, metric: str) -> Callable[[Tables], Cells]:
    return lambda tables: {name: gap(Replicates.of(tables, "texas"), TEXAS, np.inf, "model", metric)}


CLAIMS = (
    Claim(
        id="humphries-fig6-order",
        artifact="humphries_fig6",
        statement="In each hospital the optimal threshold does better than on shuffled records.",
        tables=("replicates/heart",),
        rule=Every(over_iid("heart", HOSPITALS, (OPTIMAL,), FROM_1, above(0))),
    ),
    Claim(
        id="humphries-fig6-iid-over-bound",
        artifact="humphries_fig6",
        statement="On shuffled records the optimal threshold comes out above the bound at a small epsilon.",
        paper_value="slightly above",
        tables=("replicates/heart",),
        rule=Some(
            Condition(
                "advantage of the optimal threshold (an oracle, biased upwards on few records), IID, minus the "
                f"(epsilon, delta) bound, at epsilon {SMALL:g} in each hospital",
                above(0),
                _hospitals_over_bound,
            )
        ),
    ),
    Claim(
        id="humphries-fig7-order",
        artifact="humphries_fig7",
        statement="Attacks on members from one school do better than on the same records shuffled.",
        tables=("replicates/student",),
        rule=Every(
            Condition(
                f"advantage of the optimal threshold non-IID minus IID, mean over {FROM_1}", above(0), _school_over_iid
            )
        ),
    ),
    Claim(
        id="humphries-fig8-modest",
        artifact="humphries_fig8",
        statement="On Texas dependence helps less than on clusters of Adult, yet clearly for epsilon from 1 to 100.",
        tables=("replicates/texas", "replicates/adult_cluster"),
        rule=Every(
            Condition(
                "advantage of the optimal threshold non-IID minus IID, mean over the epsilons of both, Adult minus "
                "Texas",
                above(0),
                _gap_of_adult_minus_texas,
            ),
            Condition(
                f"advantage of the optimal threshold on Texas, non-IID minus {FACTOR:g} times IID, at {MIDDLE}",
                above(0),
                _over_several_times_iid,
            ),
        ),
    ),
    Claim(
        id="humphries-fig8-acc",
        artifact="humphries_fig8",
        statement="On Texas members are classified a little better and non-members a little worse than if shuffled.",
        tables=("replicates/texas",),
        rule=Every(
            Condition(
                "accuracy on members non-IID minus IID, without privacy",
                at_least(0),
                _accuracy_over_iid("members", "accuracy_members"),
            ),
            Condition(
                "accuracy on non-members non-IID minus IID, without privacy",
                at_most(0),
                _accuracy_over_iid("non-members", "accuracy_nonmembers"),
            ),
        ),
    ),
    Claim(
        id="humphries-fig9-order",
        artifact="humphries_fig9",
        statement="With census members and Adult non-members every attack does far better than if both are mixed.",
        tables=("replicates/census_adult",),
        rule=Every(over_iid("census_adult", ("census",), (AVERAGE, OPTIMAL, SHADOW), CENSUS, above(0.1))),
    ),
)
