"""What claims about several figures share: attacks, epsilons, and differences to IID arms and to the bound."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from dpmia.claims.claim import Tables
from dpmia.claims.comparisons import Comparison, above
from dpmia.claims.decisions import Cells, Condition
from dpmia.claims.rows import Epsilons, Replicates
from dpmia.common.arms import IID_SUFFIX
from dpmia.common.epsilon import format_epsilon
from dpmia.papers.humphries.bounds import DELTA
from dpmia.theory.bounds import humphries_advantage

AVERAGE, OPTIMAL, SHADOW, RANDOM = "average_threshold", "optimal_threshold", "shadow", "random"

#: Attack -> as criteria call it.
ATTACKS = {AVERAGE: "the average threshold", OPTIMAL: "the optimal threshold", SHADOW: "the shadow-model attack"}

#: From .1 up the paper's figures; the smallest epsilon, .01, is next to no training at all.
FROM_01, FROM_1, UP_TO_1 = Epsilons(least=0.1), Epsilons(least=1), Epsilons(most=1)
STRICT = Epsilons(named=(0.1, 1))


def gap(rows: Replicates, arm: str, epsilon: float, attack: str, metric: str = "advantage") -> pd.Series:
    """Return a metric on an arm minus that on its IID arm."""
    return rows(arm, epsilon, attack, metric) - rows(arm + IID_SUFFIX, epsilon, attack, metric)


def over_iid(
    experiment: str, arms: tuple[str, ...], attacks: tuple[str, ...], epsilons: Epsilons, comparison: Comparison
) -> Condition:
    """Return the condition on what attacks gain on an arm over its IID arm."""

    def measure(tables: Tables) -> Cells:
        rows = Replicates.of(tables, experiment)
        return {
            f"{arm}, {attack}, ε = {format_epsilon(epsilon)}": gap(rows, arm, epsilon, attack)
            for arm in arms
            for attack in attacks
            for epsilon in rows.epsilons(epsilons, arm, attack)
        }

    of = "all three attacks" if len(attacks) == len(ATTACKS) else " and ".join(ATTACKS[attack] for attack in attacks)
    where = f" in each of {', '.join(arms)}" if len(arms) > 1 else ""
    return Condition(f"advantage of {of} non-IID minus IID{where}, at {epsilons}", comparison, measure)


def over_bound(experiment: str, arm: str, attack: str, epsilons: Epsilons) -> Callable[[Tables], Cells]:
    """Return the measure of an attack's advantage minus the (epsilon, delta) bound for independent records."""

    def measure(tables: Tables) -> Cells:
        rows = Replicates.of(tables, experiment)
        return {
            f"ε = {format_epsilon(epsilon)}": rows(arm, epsilon, attack) - humphries_advantage(epsilon, DELTA)
            for epsilon in rows.epsilons(epsilons, arm, attack)
        }

    return measure


def nonmembers_better(experiment: str, arm: str, p: str) -> Condition:
    """Return the condition that non-members are classified better than members up to epsilon 1."""

    def measure(tables: Tables) -> Cells:
        rows = Replicates.of(tables, experiment)
        return {
            f"ε = {format_epsilon(epsilon)}": rows(arm, epsilon, metric="accuracy_nonmembers")
            - rows(arm, epsilon, metric="accuracy_members")
            for epsilon in rows.epsilons(UP_TO_1, arm, metric="accuracy_members")
        }

    return Condition(f"accuracy on non-members minus that on members at p = {p}, at {UP_TO_1}", above(0), measure)
