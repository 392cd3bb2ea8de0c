"""Which reference models an experiment needs: of which arms and epsilons, and against which target models."""

from __future__ import annotations

import math

from dpmia.common.arms import IID_SUFFIX
from dpmia.common.optional import needed
from dpmia.jobs.training import ReferenceJob
from dpmia.planning import jobs
from dpmia.settings import names
from dpmia.settings.experiment import Experiment


def job(experiment: Experiment, group: list[float], block: int) -> ReferenceJob:
    """Return which reference models to train for one group of epsilons and one block: of the arms that need some."""
    size = needed(experiment.references).block
    attacked, epsilons = queried_by(experiment), _epsilons(experiment, group)
    drawn, built, recipe_of = jobs.arms(experiment), jobs.models(experiment), jobs.recipes(experiment)
    return ReferenceJob(
        draw=names.MEMBERSHIP[experiment.membership.kind],
        arms={arm: drawn[arm] for arm in epsilons},
        queried_by={arm: attacked[arm] for arm in epsilons},
        epsilons=epsilons,
        numbers=list(range(block * size, (block + 1) * size)),
        models={arm: built[arm] for arm in epsilons},
        engines=jobs.engines(experiment),
        recipes={arm: recipe_of[arm] for arm in epsilons},
        privacy=experiment.noise_calibration,
        population=jobs.uses(experiment, "population"),
    )


def queried_by(experiment: Experiment) -> dict[str, list[str]]:
    """Return the arms that attacks use reference models of -> the arms on whose target models they use them.

    It is the same for all groups of epsilons, since the models of all groups stand in one table.
    """
    target_arms: dict[str, set[str]] = {}
    for name in experiment.attacks:
        for arm in arms(experiment, name):
            target_arms[arm] = target_arms.get(arm, set()) | set(_attacked_arms(experiment, name, arm))
    return {arm: sorted(attacked) for arm, attacked in target_arms.items()}


def _epsilons(experiment: Experiment, group: list[float]) -> dict[str, list[float]]:
    """Return the arms that attacks use reference models of -> those epsilons of a group that they need them for."""
    if not needed(experiment.references).private:
        return {arm: list(group) for arm in jobs.arms(experiment) if arm in queried_by(experiment)}
    of_targets = jobs.epsilons_by_arm(experiment, group)
    epsilons: dict[str, set[float]] = {}
    for name, attack in experiment.attacks.items():
        for arm in arms(experiment, name):
            targets = {
                epsilon for target_arm in _attacked_arms(experiment, name, arm) for epsilon in of_targets[target_arm]
            }
            wanted = targets if attack.epsilons is None else targets & set(attack.epsilons)
            epsilons[arm] = epsilons.get(arm, set()) | wanted
    return {arm: sorted(epsilons[arm]) for arm in jobs.arms(experiment) if epsilons.get(arm)}


def _attacked_arms(experiment: Experiment, attack: str, arm: str) -> list[str]:
    """Return the arms on whose target models an attack uses the reference models of an arm."""
    if experiment.attacks[attack].reference_arm is not None:
        return list(jobs.arms(experiment))
    return [arm.removesuffix(IID_SUFFIX), arm] if experiment.iid_arms else [arm]


def groups(experiment: Experiment, attack: str | None = None) -> list[list[float]]:
    """Return the groups of epsilons that reference models are trained with; those that an attack needs, if given."""
    if not needed(experiment.references).private:
        return [[math.inf]]
    return experiment.epsilons if attack is None else jobs.attacked_groups(experiment, attack)


def blocks(experiment: Experiment) -> range:
    """Return the numbers of the blocks of reference models."""
    return range(needed(experiment.references).count // needed(experiment.references).block)


def arms(experiment: Experiment, attack: str) -> list[str]:
    """Return the arms of which an attack needs reference models; none for an attack without them."""
    settings = experiment.attacks[attack]
    if "references" not in names.ATTACKS[settings.kind].uses:
        return []
    if settings.reference_arm is not None:
        return [settings.reference_arm]
    return [name for name, arm in jobs.arms(experiment).items() if arm.iid or not experiment.iid_arms]
