"""Models that leave one record out: the attacker's, trained as the target was on all other members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dpmia.datasets.table import Dataset
from dpmia.formats.losses import Losses
from dpmia.formats.signals import Signal, cross_entropy
from dpmia.splits.sampled_records import draw_points
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.recipe import Recipe, Run
from dpmia.training.train_models import Wanted, answers, seeds

ROLE = "left_out"


def train_left_out(
    dataset: Dataset,
    target: Signal,
    job: Mapping[str, Any],
    root_seed: int,
    checkpoints: Checkpoints | None = None,
    progress: bool = False,
) -> Losses:
    """Train models without each of some members, and ask them about it; and models of all members about the others.

    For a non-member, the training set without it is the whole training set; what differs are the seeds.

    Source: Ye et al. 2022, 3.5 (attack L).

    Args:
        dataset: prepared data.
        target: the target model, trained without privacy.
        job: as `dpmia.settings.jobs.left_out_job` describes it. Of each part the points from `first` to `last`, `last`
            excluded, in the order of `dpmia.splits.sampled_records.draw_points`.
        root_seed: the user's seed.
        checkpoints: of the job; None for none.
        progress: show progress bars.

    Returns:
        Losses of all points, as many models for each. No model was trained on the record that it is asked about.

    Raises:
        TrainingError: the batch is larger than a training set, or a loss is not finite.
    """
    recipe = Recipe(**job["recipe"])
    members, nonmembers = (part[job["first"] :] for part in draw_points(target, job["last"], root_seed))
    wanted = list(_left_out(target, members, nonmembers, job, recipe, root_seed))
    records = np.sort(np.concatenate([members, nonmembers]))
    losses = np.full((job["count"], len(records)), np.nan, dtype=np.float32)
    for trained in answers(dataset, wanted, job["engines"], checkpoints, progress):
        asked = trained.wanted.asked
        losses[trained.wanted.about["number"], np.searchsorted(records, asked)] = cross_entropy(
            trained.logits, dataset.y[asked]
        )
    about = [_about(target, job, recipe, root_seed, number) for number in range(job["count"])]
    return Losses(about, records, losses, np.zeros_like(losses, dtype=bool))


def _left_out(
    target: Signal,
    members: np.ndarray,
    nonmembers: np.ndarray,
    job: Mapping[str, Any],
    recipe: Recipe,
    root_seed: int,
) -> Iterator[Wanted]:
    training = np.sort(target.records[target.is_member])
    for number in range(job["count"]):
        about = _about(target, job, recipe, root_seed, number)
        for record in (*members.tolist(), None):
            meaning = [*about["meaning"], "nobody" if record is None else record]
            asked = nonmembers if record is None else np.array([record])
            name = f"{about['arm']}/replicate {about['replicate']}/{ROLE} {meaning[-1]}/{number}"
            rest = training if record is None else training[training != record]
            if len(asked):
                run = Run(name, rest, seeds(root_seed, meaning))
                yield Wanted(run, recipe, target.about["model"], asked, about | {"meaning": meaning})


def _about(target: Signal, job: Mapping[str, Any], recipe: Recipe, root_seed: int, number: int) -> dict[str, Any]:
    about = target.about
    return {
        **{key: about[key] for key in ("arm", "iid", "epsilon", "replicate", "model")},
        "role": ROLE,
        "number": number,
        "accounting": None,
        "engine": job["engines"]["plain"].partition(":")[2],
        "recipe": dict(job["recipe"]),
        "steps": recipe.steps(int(target.is_member.sum())),
        "seed": root_seed,
        "meaning": [*about["meaning"], ROLE, number],
    }
