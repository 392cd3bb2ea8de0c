"""What each job of the workflow is told: plain data, and nothing that it does not need.

An arm is described by its meaning, so that seeds follow from what is computed and not from names.
"""

from __future__ import annotations

from typing import Any

from dpmia.settings import names
from dpmia.settings.arms import IID_SUFFIX
from dpmia.settings.schema import Experiment


def dataset_id(experiment: Experiment) -> str:
    """Return the name of the prepared data set: `adult`, or `adult-sex` with the attribute sex kept apart."""
    return "-".join([experiment.dataset, *sorted(experiment.attributes)])


def cluster_job(experiment: Experiment) -> dict[str, Any]:
    """Return how the groups of a `cluster` experiment are made."""
    membership = experiment.membership
    return {
        "count": membership.clusters,
        "pairing": membership.pairing,
        "seed": membership.cluster_seed,
        "restarts": membership.restarts,
    }


def arms(experiment: Experiment) -> dict[str, dict[str, Any]]:
    """Return the arms by name, IID arms included.

    Each is a mapping with `groups` (how records are grouped), `draw` (arguments of the drawing function) and
    `iid` (whether members and non-members are then shuffled).
    """
    membership = experiment.membership
    groups = {"iid": None, "group": membership.by, "cluster": cluster_job(experiment)}[membership.kind]
    found = {}
    for name, arm in experiment.arms.items():
        draw = {"members": membership.members, "nonmembers": membership.nonmembers, **arm.model_dump(exclude_none=True)}
        found[name] = {"kind": membership.kind, "groups": groups, "draw": draw, "iid": False}
        if experiment.iid_arms:
            found[name + IID_SUFFIX] = found[name] | {"iid": True}
    return found


def blocks(experiment: Experiment) -> dict[int, list[int]]:
    """Return the replicates of each block by the block's number."""
    size = experiment.block
    return {start // size: list(range(start, start + size)) for start in range(0, experiment.replicates, size)}


def split_job(experiment: Experiment, block: int) -> dict[str, Any]:
    """Return which splits to draw for one block."""
    return {
        "draw": names.MEMBERSHIP[experiment.membership.kind],
        "arms": arms(experiment),
        "replicates": blocks(experiment)[block],
    }


def train_job(experiment: Experiment, epsilons: list[float], block: int) -> dict[str, Any]:
    """Return which target models to train for one block and one group of epsilons."""
    recipe = experiment.training.model_dump(exclude={"engine"})
    return {
        "arms": arms(experiment),
        "replicates": blocks(experiment)[block],
        "epsilons": epsilons,
        "model": names.MODELS[experiment.model.kind],
        "shape": experiment.model.model_dump(exclude={"kind"}),
        "engines": engines(experiment),
        "recipe": recipe,
        "privacy": experiment.privacy.model_dump(),
    }


def engines(experiment: Experiment) -> dict[str, str]:
    """Return the engine for models with and without privacy."""
    name = experiment.training.engine
    return {"private": names.ENGINES[name], "plain": names.ENGINES["plain" if name == "opacus" else name]}


def training_code(experiment: Experiment) -> list[str]:
    """Return the modules that a training job loads by name."""
    return [names.MODELS[experiment.model.kind], *engines(experiment).values()]


def facts(experiment: Experiment) -> dict[str, Any]:
    """Return what a figure's caption says about an experiment."""
    training, privacy = experiment.training, experiment.privacy
    return {
        "epochs": training.epochs,
        "batch_size": training.batch_size,
        "optimiser": training.optimiser,
        "sampling": training.sampling,
        "clip_norm": training.clip_norm,
        "replicates": experiment.replicates,
        **privacy.model_dump(),
    }
