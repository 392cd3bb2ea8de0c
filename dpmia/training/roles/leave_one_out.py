"""Models that leave one record out: the attacker's, trained as the target was on all other members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpmia.common.errors import TrainingError
from dpmia.datasets.dataset import Dataset
from dpmia.formats.losses import Losses
from dpmia.formats.model_card import ModelCard
from dpmia.formats.signals import Signal, cross_entropy
from dpmia.jobs.training import LeaveOneOutJob
from dpmia.splits.sampled_records import draw_records
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.model_spec import ModelSpec, attackers_card, specify
from dpmia.training.train_models import train_models

ROLE = "leave_one_out"

#: Name of the role in seeds. Another one would change every published number.
SEED_NAME = "left_out"


def train_leave_one_out(
    dataset: Dataset,
    target: Signal,
    job: LeaveOneOutJob,
    root_seed: int,
    checkpoints: Checkpoints | None = None,
) -> Losses:
    """Train models without each of some members, evaluated on it; and models of all members, evaluated on the others.

    For a non-member, the training set without it is the whole training set; what differs are the seeds.

    Source: Ye et al. 2022, 3.5 (attack L).

    Args:
        dataset: prepared data.
        target: the target model, trained without privacy.
        job: see `LeaveOneOutJob`. Members, and non-members, from `first` to `last`, `last`
            excluded, in the order of `dpmia.splits.sampled_records.draw_records`.
        root_seed: the user's seed.
        checkpoints: of the job; None for none.

    Returns:
        Losses of all query records, as many models for each. No model was trained on a record that it is evaluated on.

    Raises:
        TrainingError: the batch is larger than a training set or divides the number of members, or a loss is not
            finite.
    """
    count = int(target.is_member.sum())
    if job.recipe.steps(count - 1) < job.recipe.steps(count):
        problem = f"{job.recipe.batch_size} divides the {count} members, so models without one take fewer steps"
        raise TrainingError("training.batch_size", problem, "Choose a size that does not divide their number")
    members, nonmembers = (part[job.first :] for part in draw_records(target, job.last, root_seed))
    records = np.sort(np.concatenate([members, nonmembers]))
    losses = np.full((job.count, len(records)), np.nan)
    specs = list(_specs(target, members, nonmembers, job, root_seed))
    for trained in train_models(dataset, specs, job.engines, checkpoints):
        queries = trained.spec.queries
        losses[trained.spec.card.number, np.searchsorted(records, queries)] = cross_entropy(
            trained.outputs.logits, dataset.y[queries]
        )
    # One card for all models of a number: that of the whole training set.
    cards = [
        replace(
            _spec(target, None, nonmembers, number, job, root_seed).card,
            meaning=_card(target, number).meaning,
        )
        for number in range(job.count)
    ]
    return Losses(cards, records, losses, np.zeros_like(losses, dtype=bool))


def _specs(
    target: Signal, members: np.ndarray, nonmembers: np.ndarray, job: LeaveOneOutJob, root_seed: int
) -> Iterator[ModelSpec]:
    """Yield a model without each of the members, evaluated on it, and one of all members for the non-members."""
    for number in range(job.count):
        for record in members.tolist():
            yield _spec(target, record, np.array([record]), number, job, root_seed)
        if len(nonmembers):
            yield _spec(target, None, nonmembers, number, job, root_seed)


def _spec(
    target: Signal, record: int | None, queries: np.ndarray, number: int, job: LeaveOneOutJob, root_seed: int
) -> ModelSpec:
    """Return a model of all members but `record`; of all where it is None."""
    training = np.sort(target.records[target.is_member])
    card = _card(target, number)
    excluded = "nobody" if record is None else record
    return specify(
        f"{card.arm}/replicate {card.replicate}/{ROLE} {excluded}/{number}",
        replace(card, meaning=[*card.meaning, excluded]),
        training if record is None else training[training != record],
        queries,
        recipe=job.recipe,
        model=job.model,
        engines=job.engines,
        root_seed=root_seed,
    )


def _card(target: Signal, number: int) -> ModelCard:
    return replace(attackers_card(target, SEED_NAME, number), role=ROLE)
