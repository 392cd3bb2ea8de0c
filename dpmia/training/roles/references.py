"""Reference models of the attacker: trained on further draws of an experiment, asked about all targets' records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from dpmia.common.epsilon import spell_epsilon
from dpmia.common.registry import load
from dpmia.datasets.table import Dataset
from dpmia.formats.losses import Losses
from dpmia.settings.training_sets import expected_size
from dpmia.splits.block import draw_block
from dpmia.splits.split import Split
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.recipe import Recipe, Run
from dpmia.training.roles.targets import Promise
from dpmia.training.train_models import Wanted, losses, seeds

ROLE = "reference"


def train_references(
    dataset: Dataset,
    clusters: np.ndarray | None,
    targets: Mapping[tuple[str, int], Split],
    job: Mapping[str, Any],
    root_seed: int,
    checkpoints: Checkpoints | None = None,
    progress: bool = False,
) -> list[Losses]:
    """Train the reference models of one block and ask each about the records of the target models it is used on.

    Args:
        dataset: prepared data.
        clusters: group of every record where groups are made by clustering.
        targets: the splits of all target models.
        job: as `dpmia.settings.jobs.reference_job` describes it.
        root_seed: the user's seed.
        checkpoints: of the job; None for none.
        progress: show progress bars.

    Returns:
        The losses of the models of each arm.

    Raises:
        TrainingError: the batch is larger than a training set, the promise cannot be kept, or a loss is not finite.
    """
    numbers = [draw_name(number) for number in job["numbers"]]
    splits = draw_block(dataset, clusters, load(job["draw"]), job["arms"], numbers, root_seed)
    wanted = list(_references(dataset, splits, targets, job, root_seed))
    groups = [[model for model in wanted if model.about["arm"] == arm] for arm in job["arms"]]
    return losses(dataset, groups, job["engines"], checkpoints, progress)


def queries(targets: Mapping[tuple[str, int], Split], arms: Collection[str], population: bool) -> np.ndarray:
    """Return all records that the target models of some arms are asked about: int64, ascending.

    Args:
        targets: the splits of all target models by (arm, replicate).
        arms: those that count.
        population: whether the population is asked about, too.
    """
    parts = ["members", "nonmembers", *(["population"] if population else [])]
    splits = [split for (arm, _), split in targets.items() if arm in arms]
    return np.unique(np.concatenate([getattr(split, part) for split in splits for part in parts]))


def draw_name(number: int) -> str:
    """Return the name of a draw that no replicate of the target models has."""
    return f"{ROLE} {number}"


def _references(
    dataset: Dataset,
    splits: Mapping[tuple[str, int | str], Split],
    targets: Mapping[tuple[str, int], Split],
    job: Mapping[str, Any],
    root_seed: int,
) -> Iterator[Wanted]:
    promise = Promise(job["privacy"])
    for arm_name, arm in job["arms"].items():
        recipe = Recipe(**job["recipes"][arm_name])
        asked = queries(targets, job["asked_by"][arm_name], job["population"])
        for epsilon, number in product(job["epsilons"][arm_name], job["numbers"]):
            records = splits[arm_name, draw_name(number)].training
            spelled = spell_epsilon(epsilon)
            meaning = [dataset.fingerprint, arm, draw_name(number), spelled, ROLE]
            expected = expected_size(arm)
            sigma, accounting = promise.kept(epsilon, recipe, len(records) if expected is None else expected)
            name = f"{arm_name}/epsilon {spelled}/{draw_name(number)}"
            run = Run(name, records, seeds(root_seed, meaning), sigma, expected=expected)
            about = {
                "arm": arm_name,
                "iid": arm["iid"],
                "epsilon": spelled,
                "role": ROLE,
                "number": number,
                "accounting": accounting,
                "model": job["models"][arm_name],
                "engine": job["engines"]["plain" if sigma is None else "private"].partition(":")[2],
                "recipe": dict(job["recipes"][arm_name]),
                "steps": recipe.steps(run.size),
                "seed": root_seed,
                "meaning": meaning,
            }
            yield Wanted(run, recipe, job["models"][arm_name], asked, about)
