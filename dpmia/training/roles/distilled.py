"""Distilled models: the attacker's, trained as the target was on other draws, with the target's answers as labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from dpmia.common.registry import load
from dpmia.datasets.table import Dataset
from dpmia.formats.losses import Losses
from dpmia.formats.signals import Signal
from dpmia.settings.training_sets import expected_size
from dpmia.splits.block import draw_block
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.engines.evaluation import evaluate, set_state
from dpmia.training.recipe import Recipe, Run
from dpmia.training.roles.references import draw_name
from dpmia.training.train_models import Wanted, architecture_for, losses, seeds

ROLE = "distilled"


def train_distilled(
    dataset: Dataset,
    clusters: np.ndarray | None,
    targets: Sequence[Signal],
    job: Mapping[str, Any],
    root_seed: int,
    checkpoints: Checkpoints | None = None,
    progress: bool = False,
) -> list[Losses]:
    """Distil each target model on the draws of some reference models, without privacy.

    Source: Ye et al. 2022, attack D.

    Args:
        dataset: prepared data.
        clusters: group of every record where groups are made by clustering.
        targets: target models, with their parameters and buffers.
        job: as `dpmia.settings.jobs.distilled_job` describes it.
        root_seed: the user's seed.
        checkpoints: of the job; None for none.
        progress: show progress bars.

    Returns:
        For each target model the losses of its distilled models on the records that it is attacked with.

    Raises:
        TrainingError: the batch is larger than a training set, or a loss is not finite.
    """
    numbers = [draw_name(number) for number in job["numbers"]]
    splits = draw_block(dataset, clusters, load(job["draw"]), job["arms"], numbers, root_seed)
    wanted = list(_distilled(dataset, splits, targets, job, root_seed))
    width = len(job["numbers"])
    groups = [wanted[start : start + width] for start in range(0, len(wanted), width)]
    return losses(dataset, groups, job["engines"], checkpoints, progress)


def _distilled(
    dataset: Dataset,
    splits: Mapping[tuple[str, int | str], Any],
    targets: Sequence[Signal],
    job: Mapping[str, Any],
    root_seed: int,
) -> Iterator[Wanted]:
    for target in targets:
        about = target.about
        arm, replicate, epsilon = about["arm"], about["replicate"], about["epsilon"]
        recipe = Recipe(**job["recipes"][arm])
        labels = _Answers(dataset, target)
        for number in job["numbers"]:
            records = splits[arm, draw_name(number)].training
            meaning = [*about["meaning"], ROLE, number]
            name = f"{arm}/epsilon {epsilon}/replicate {replicate}/{ROLE} {number}"
            run = Run(
                name,
                records,
                seeds(root_seed, meaning),
                soft_labels=labels.probabilities(records),
                expected=expected_size(job["arms"][arm]),
            )
            told = {
                "arm": arm,
                "iid": about["iid"],
                "epsilon": epsilon,
                "replicate": replicate,
                "role": ROLE,
                "number": number,
                "accounting": None,
                "model": about["model"],
                "engine": job["engines"]["plain"].partition(":")[2],
                "recipe": dict(job["recipes"][arm]),
                "steps": recipe.steps(run.size),
                "seed": root_seed,
                "meaning": meaning,
            }
            yield Wanted(run, recipe, about["model"], np.unique(target.records), told)


class _Answers:
    """A target model that the attacker asks about its own records."""

    def __init__(self, dataset: Dataset, target: Signal) -> None:
        self.dataset = dataset
        self.module = architecture_for(dataset, target.about["model"]).module()
        buffers = np.empty(0) if target.buffers is None else target.buffers
        set_state(self.module, torch.from_numpy(target.parameters), torch.from_numpy(buffers))

    def probabilities(self, records: np.ndarray) -> np.ndarray:
        """Return the probabilities of all classes: float32 (records, classes)."""
        return torch.softmax(evaluate(self.module, torch.from_numpy(self.dataset.inputs(records))), 1).numpy()
