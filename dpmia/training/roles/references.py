"""Reference models of the attacker: trained on further draws of an experiment, evaluated on all targets' records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import product

import numpy as np

from dpmia.common.epsilon import spell_epsilon
from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.formats.losses import Losses
from dpmia.formats.model_card import ModelCard
from dpmia.jobs.training import ReferenceJob
from dpmia.splits.block import draw_block
from dpmia.splits.split import Split
from dpmia.splits.training_sets import expected_size
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.model_spec import ModelSpec, specify
from dpmia.training.train_models import train_for_losses

ROLE = "reference"


def train_references(
    dataset: Dataset,
    clusters: np.ndarray | None,
    targets: Mapping[tuple[str, int], Split],
    job: ReferenceJob,
    root_seed: int,
    checkpoints: Checkpoints | None = None,
) -> list[Losses]:
    """Train the reference models of one block and evaluate each on the records of the target models it is used on.

    Args:
        dataset: prepared data.
        clusters: group of every record where groups are made by clustering.
        targets: the splits of all target models.
        job: see `ReferenceJob`.
        root_seed: the user's seed.
        checkpoints: of the job; None for none.

    Returns:
        The losses of the models of each arm.

    Raises:
        TrainingError: the batch is larger than a training set, no noise suffices, or a loss is not finite.
    """
    numbers = [draw_name(number) for number in job.numbers]
    splits = draw_block(dataset, clusters, load(job.draw), job.arms, numbers, root_seed)
    specs = list(_references(dataset, splits, targets, job, root_seed))
    groups = [[model for model in specs if model.card.arm == arm] for arm in job.arms]
    return train_for_losses(dataset, groups, job.engines, checkpoints)


def queries(targets: Mapping[tuple[str, int], Split], arms: Collection[str], population: bool) -> np.ndarray:
    """Return all records that the target models of some arms are evaluated on: int64, ascending.

    Args:
        targets: the splits of all target models by (arm, replicate).
        arms: those that count.
        population: whether the population is evaluated, too.
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
    job: ReferenceJob,
    root_seed: int,
) -> Iterator[ModelSpec]:
    for arm_name, arm in job.arms.items():
        recipe = job.recipes[arm_name]
        expected = expected_size(arm, len(dataset))
        evaluated = queries(targets, job.queried_by[arm_name], job.population)
        for epsilon, number in product(job.epsilons[arm_name], job.numbers):
            records = splits[arm_name, draw_name(number)].training
            spelled = spell_epsilon(epsilon)
            card = ModelCard(
                arm=arm_name,
                iid=arm.iid,
                epsilon=spelled,
                role=ROLE,
                meaning=[dataset.fingerprint, arm.meaning(), draw_name(number), spelled, ROLE],
                number=number,
                accounting=job.privacy.accounting(epsilon, recipe, len(records) if expected is None else expected),
                stated=job.privacy.stated(epsilon),
            )
            yield specify(
                f"{arm_name}/epsilon {spelled}/{draw_name(number)}",
                card,
                records,
                evaluated,
                recipe=job.recipes[arm_name],
                model=job.models[arm_name],
                engines=job.engines,
                root_seed=root_seed,
                expected=expected,
            )
