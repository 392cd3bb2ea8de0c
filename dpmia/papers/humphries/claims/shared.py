"""What claims about several figures share: attacks, epsilons, and differences to IID arms and to upper bounds."""

from __future__ import annotations

import math
from dataclasses import replace

from dpmia.claims.comparisons import Comparison
from dpmia.claims.decisions import Condition
from dpmia.claims.quantities import Quantity, at_each, metric
from dpmia.claims.rows import Epsilons
from dpmia.common.arms import IID_SUFFIX
from dpmia.papers.humphries.bounds import DELTA
from dpmia.theory.bounds import humphries_advantage

AVERAGE, OPTIMAL, SHADOW, RANDOM = "average_threshold", "optimal_threshold", "shadow", "random"

#: Attack -> as criteria call it.
ATTACKS = {AVERAGE: "the average threshold", OPTIMAL: "the optimal threshold", SHADOW: "the shadow-model attack"}

#: The epsilons of the paper's figures.
EVERY = Epsilons(grid=(0.01, 0.1, 1, 10, 100, 1000, math.inf))
#: The smallest epsilon, .01, is next to no training at all.
FROM_01, FROM_1, UP_TO_1 = replace(EVERY, least=0.1), replace(EVERY, least=1), replace(EVERY, most=1)
STRICT = Epsilons(named=(0.1, 1))


def bound(epsilon: float) -> float:
    """Return the (epsilon, delta) bound for independent records."""
    return float(humphries_advantage(epsilon, DELTA))


def ceiling(experiment: str, arm: str) -> Quantity:
    """Return the exact upper bound of the trained mechanism; it is there at finite epsilons."""
    return metric(experiment, arm, name="advantage_ceiling")


def gap(experiment: str, arm: str, attack: str = "model", name: str = "advantage") -> Quantity:
    """Return a metric on an arm minus that on its IID arm."""
    return metric(experiment, arm, attack, name) - metric(experiment, arm + IID_SUFFIX, attack, name)


def over_iid(
    experiment: str, arms: tuple[str, ...], attacks: tuple[str, ...], epsilons: Epsilons, comparison: Comparison
) -> Condition:
    """Return the condition on what attacks gain on an arm over its IID arm."""
    of = "all three attacks" if len(attacks) == len(ATTACKS) else " and ".join(ATTACKS[attack] for attack in attacks)
    where = f" in each of {', '.join(arms)}" if len(arms) > 1 else ""
    gaps = {f"{arm}, {attack}": gap(experiment, arm, attack) for arm in arms for attack in attacks}
    quantity = f"advantage of {of} non-IID minus IID{where}, at {epsilons}"
    return Condition(quantity, comparison, at_each(epsilons, gaps), epsilons=epsilons)
