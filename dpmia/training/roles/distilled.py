"""Distilled models: the attacker's, trained as the target was on other draws, with the target's outputs as labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from dpmia.common.errors import DataError
from dpmia.common.registry import load
from dpmia.common.seeds import derive_seed
from dpmia.datasets.dataset import Dataset
from dpmia.formats.losses import Losses
from dpmia.formats.model_card import Architecture
from dpmia.formats.signals import Signal
from dpmia.jobs.training import DistilJob
from dpmia.models.generators import drawing_from
from dpmia.splits.block import draw_block
from dpmia.splits.training_sets import expected_size
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.evaluation import evaluate, set_state
from dpmia.training.model_spec import ModelSpec, attackers_card, specify
from dpmia.training.roles.references import draw_name
from dpmia.training.streams import full_generator
from dpmia.training.train_models import architecture_for, train_for_losses

ROLE = "distilled"


def train_distilled(
    dataset: Dataset,
    clusters: np.ndarray | None,
    targets: Sequence[Signal],
    job: DistilJob,
    root_seed: int,
    checkpoints: Checkpoints | None = None,
) -> list[Losses]:
    """Distil each target model on the draws of some reference models, without privacy.

    Source: Ye et al. 2022, attack D.

    Args:
        dataset: prepared data.
        clusters: group of every record where groups are made by clustering.
        targets: target models, with their parameters and buffers.
        job: see `DistilJob`.
        root_seed: the user's seed.
        checkpoints: of the job; None for none.

    Returns:
        For each target model the losses of its distilled models on the records that it is attacked with.

    Raises:
        TrainingError: the batch is larger than a training set, or a loss is not finite.
    """
    numbers = [draw_name(number) for number in job.numbers]
    splits = draw_block(dataset, clusters, load(job.draw), job.arms, numbers, root_seed)
    specs = list(_distilled(dataset, splits, targets, job, root_seed))
    width = len(job.numbers)
    groups = [specs[start : start + width] for start in range(0, len(specs), width)]
    return train_for_losses(dataset, groups, job.engines, checkpoints)


def _distilled(
    dataset: Dataset,
    splits: Mapping[tuple[str, int | str], Any],
    targets: Sequence[Signal],
    job: DistilJob,
    root_seed: int,
) -> Iterator[ModelSpec]:
    for target in targets:
        arm = target.card.arm
        queried = _QueriedTarget(dataset, target, job.models[arm], root_seed)
        for number in job.numbers:
            records = splits[arm, draw_name(number)].training
            yield specify(
                f"{arm}/epsilon {target.card.epsilon}/replicate {target.card.replicate}/{ROLE} {number}",
                attackers_card(target, ROLE, number),
                records,
                np.unique(target.records),
                recipe=job.recipes[arm],
                model=job.models[arm],
                engines=job.engines,
                root_seed=root_seed,
                expected=expected_size(job.arms[arm], len(dataset)),
                soft_labels=queried.probabilities(records),
            )


class _QueriedTarget:
    """A target model that the attacker queries on its own records."""

    def __init__(self, dataset: Dataset, target: Signal, model: Architecture, root_seed: int) -> None:
        self.dataset = dataset
        self.seed = derive_seed(root_seed, "outputs", *target.card.meaning)
        self.module = architecture_for(dataset, model).module()
        buffers = np.empty(0) if target.buffers is None else target.buffers
        try:
            if target.parameters is None:
                raise ValueError("it has no parameters")
            set_state(self.module, torch.from_numpy(target.parameters), torch.from_numpy(buffers))
        except ValueError as error:
            where = f"signals of the target model {target.card.arm}, replicate {target.card.replicate}"
            raise DataError(where, f"it is no such network ({error})", "Delete them, and start again") from error

    def probabilities(self, records: np.ndarray) -> np.ndarray:
        """Return the probabilities of all classes: float32 (records, classes)."""
        with drawing_from(full_generator(self.seed)):
            logits = evaluate(self.module, torch.from_numpy(self.dataset.inputs(records)))
        return torch.softmax(logits, 1).numpy()
