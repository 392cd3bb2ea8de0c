"""`precision_budgets`: epsilons of the arms computed from bounds on the precision of attacks, before the run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dpmia.common.epsilon import spell_epsilon
from dpmia.common.errors import ConfigError
from dpmia.common.optional import needed
from dpmia.jobs.describing import PrecisionBudget
from dpmia.settings.messages import checked, place
from dpmia.settings.precision_budgets import PrecisionBudgets
from dpmia.settings.training import Privacy

#: Budgets are cut to so many digits after the point; downwards, so that they keep their bound.
DIGITS = 3


def with_precision_budgets(settings: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the settings of an experiment with `epsilons`, of the experiment and of each arm, from its budgets.

    Args:
        settings: of one experiment, at one scale, not yet checked.
        where: the place, for messages.

    Raises:
        ConfigError: epsilons are given besides, arms have no sampling rates, or the bounds do not follow from the
            neighbouring relation.
    """
    settings = dict(settings)
    if settings.get("precision_budgets") is None:
        return settings
    here = place(where, "precision_budgets")
    budgets, arms = checked(PrecisionBudgets, settings["precision_budgets"], here), settings.get("arms")
    if not isinstance(arms, dict) or not all(_rate(arm) is not None for arm in arms.values()):
        raise ConfigError(here, "an arm has no sampling rate", "Give every arm the key rate, between 0 and 1")
    given = [name for name, entry in [("the experiment", settings), *arms.items()] if entry.get("epsilons") is not None]
    if given:
        problem = f"precision_budgets cannot be combined with epsilons of {', '.join(given)}: it computes them"
        raise ConfigError(here, problem, "Remove the epsilons")
    privacy = checked(Privacy, settings.get("privacy", {}), place(where, "privacy"))
    delta = privacy.delta
    if privacy.relation != "add_remove":
        problem = f"bounds on precision follow from relation add_remove, and it is {privacy.relation}"
        raise ConfigError(here, problem, "Set privacy: {relation: add_remove}")
    if none := [spell_epsilon(epsilon) for epsilon in budgets.epsilons if _bound(epsilon, budgets, delta) >= 1]:
        problem = (
            f"epsilon {', '.join(none)} bounds no precision, at delta {delta:g} and acceptance {budgets.acceptance:g}"
        )
        raise ConfigError(here, problem, "Choose smaller epsilons, a smaller delta, or a larger acceptance")
    rates = {name: needed(_rate(arm)) for name, arm in arms.items()}
    by_bound = [budgets_of(epsilon, budgets, rates, delta) for epsilon in budgets.epsilons]
    for name, rate in rates.items():
        if not any(name in epsilons for epsilons in by_bound):
            problem = f"at rate {rate:g} no epsilon keeps one of these bounds"
            remedy = "Add a larger epsilon to precision_budgets, which stands for a larger bound; or leave the arm out"
            raise ConfigError(place(where, f"arms.{name}"), problem, remedy)
    settings["arms"] = {
        name: arm | {"epsilons": [epsilons[name] for epsilons in by_bound if name in epsilons]}
        for name, arm in arms.items()
    }
    groups = [list(dict.fromkeys(epsilons.values())) for epsilons in by_bound]
    together = [list(dict.fromkeys(epsilon for group in groups for epsilon in group))]
    settings["epsilons"] = together if budgets.jobs == "together" else groups
    return settings


def budget_rows(budgets: PrecisionBudgets, rates: Mapping[str, float], delta: float) -> list[PrecisionBudget]:
    """Return the epsilon of every bound and arm.

    Args:
        budgets: of an experiment.
        rates: sampling rate of each arm.
        delta: of (epsilon, delta).
    """
    return [
        PrecisionBudget(
            bound=_bound(epsilon, budgets, delta),
            arm=arm,
            rate=rate,
            epsilon=budgets_of(epsilon, budgets, rates, delta).get(arm),
        )
        for epsilon in budgets.epsilons
        for arm, rate in rates.items()
    ]


def budgets_of(epsilon: float, budgets: PrecisionBudgets, rates: Mapping[str, float], delta: float) -> dict[str, float]:
    """Return for each arm the epsilon that keeps the bound which `epsilon` gives at the rate of the budgets.

    Args:
        epsilon: at `budgets.rate`.
        budgets: the rate, and the acceptance of the bound.
        rates: sampling rate of each arm.
        delta: of (epsilon, delta).

    Returns:
        Arm -> epsilon, cut to `DIGITS` digits; without arms for which no epsilon keeps the bound.
    """
    from dpmia.theory.precision_bounds import epsilon_for_bound  # here: few runs need it, and it imports NumPy

    bound = _bound(epsilon, budgets, delta)
    exact = {name: float(epsilon_for_bound(bound, rate, delta, budgets.acceptance)) for name, rate in rates.items()}
    # An epsilon that is a whole number of the last digit must not fall below it by rounding.
    cut = {name: math.floor(value * 10**DIGITS + 1e-6) / 10**DIGITS for name, value in exact.items() if value == value}
    return {name: value for name, value in cut.items() if value > 0}


def _bound(epsilon: float, budgets: PrecisionBudgets, delta: float) -> float:
    """Return the bound on precision that an epsilon gives at the rate of the budgets."""
    from dpmia.theory.precision_bounds import precision_bound  # here: as above

    return float(precision_bound(epsilon, budgets.rate, delta, budgets.acceptance))


def _rate(arm: Any) -> float | None:
    rate = arm.get("rate") if isinstance(arm, dict) else None
    return rate if isinstance(rate, float) and 0 < rate < 1 else None
