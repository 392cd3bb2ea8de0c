"""`epsilons` of `config.yaml`: one grid of epsilons for all experiments that train private models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpmia.common.epsilon import spell_epsilon
from dpmia.settings.experiment import Experiment


def with_epsilons(settings: Mapping[str, Any], experiment: Experiment, epsilons: Sequence[float]) -> dict[str, Any]:
    """Return the settings of an experiment with other epsilons, unless it computes them or trains no private models.

    One job trains all epsilons where one trained all of the experiment's own; else each epsilon has its own jobs. What
    is limited to epsilons, an attack, an arm or the blind baseline with the loss, keeps those that are left, and has
    all where none is. Where each arm is limited, and no arm would have some of the grid, all have all of it.

    Args:
        settings: keys and values of the experiment.
        experiment: the same, checked.
        epsilons: the grid; `inf` counts only for experiments that train without privacy, too.
    """
    own = {*experiment.all_epsilons}
    grid = [epsilon for epsilon in epsilons if math.isfinite(epsilon) or math.inf in own]
    if experiment.precision_budgets or own == {math.inf} or not grid:
        return dict(settings)
    attacks = {
        name: attack if {*grid} & {*(experiment.attacks[name].epsilons or grid)} else attack | {"epsilons": None}
        for name, attack in settings["attacks"].items()
    }
    limits = {name: _left(arm.epsilons, grid) for name, arm in experiment.arms.items() if arm.epsilons is not None}
    # Where each arm has epsilons of its own, some arm must have each of the grid.
    idle = {*grid}.difference(*limits.values()) if len(limits) == len(experiment.arms) else set()
    arms = {
        name: arm | {"epsilons": grid if idle else limits[name]} if name in limits else arm
        for name, arm in settings["arms"].items()
    }
    changed: dict[str, Any] = {"attacks": attacks, "arms": arms}
    if experiment.blind is not None and experiment.blind.with_loss:
        changed["blind"] = settings["blind"] | {"with_loss": _left(experiment.blind.with_loss, grid)}
    if experiment.privacy.mechanisms:
        left = {*map(spell_epsilon, grid)}
        mechanisms = settings["privacy"]["mechanisms"]
        stated = {epsilon: steps for epsilon, steps in mechanisms.items() if spell_epsilon(float(epsilon)) in left}
        changed["privacy"] = settings["privacy"] | {"mechanisms": stated}
    groups = [grid] if len(experiment.epsilons) == 1 else [[epsilon] for epsilon in grid]
    return {**settings, **changed, "epsilons": groups}


def _left(limit: Sequence[float], grid: Sequence[float]) -> list[float]:
    """Return those of some epsilons that a grid has; all of the grid where it has none of them."""
    return [epsilon for epsilon in grid if epsilon in limit] or [*grid]
