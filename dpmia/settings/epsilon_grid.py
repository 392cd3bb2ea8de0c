"""`epsilons` of `config.yaml`: one grid of epsilons for all experiments that train private models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpmia.settings.experiment import Experiment


def with_epsilons(settings: Mapping[str, Any], experiment: Experiment, epsilons: Sequence[float]) -> dict[str, Any]:
    """Return the settings of an experiment with other epsilons, unless it computes them or trains no private models.

    One job trains all epsilons where one trained all of the experiment's own; else each epsilon has its own jobs. An
    attack that is limited to epsilons of which none is left runs on all.

    Args:
        settings: keys and values of the experiment.
        experiment: the same, checked.
        epsilons: the grid; `inf` counts only for experiments that train without privacy, too.
    """
    own = {epsilon for group in experiment.epsilons for epsilon in group}
    grid = [epsilon for epsilon in epsilons if math.isfinite(epsilon) or math.inf in own]
    if experiment.precision_budgets or own == {math.inf} or not grid:
        return dict(settings)
    attacks = {
        name: attack if {*grid} & {*(experiment.attacks[name].epsilons or grid)} else attack | {"epsilons": None}
        for name, attack in settings["attacks"].items()
    }
    groups = [grid] if len(experiment.epsilons) == 1 else [[epsilon] for epsilon in grid]
    return {**settings, "attacks": attacks, "epsilons": groups}
