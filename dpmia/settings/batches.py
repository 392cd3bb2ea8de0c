"""Batches must fit into the training sets of all models: checked before anything is trained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dpmia.common.errors import ConfigError
from dpmia.jobs.drawing import BatchLimits
from dpmia.settings.messages import place
from dpmia.settings.training_sets import TrainingSizes, shadow_size


def check_batches(drawn: Mapping[str, TrainingSizes], job: BatchLimits, where: str) -> None:
    """Refuse a batch that is larger than a training set.

    Args:
        drawn: arm -> its sizes, the smallest ones of all replicates.
        job: which batches must fit.
        where: the experiment, for messages.

    Raises:
        ConfigError: a batch is larger than a training set; the message is about the smallest one.
    """
    small = [training_set for arm, sizes in drawn.items() for training_set in _too_small(arm, sizes, job)]
    if not small:
        return
    records, models, arm, remedy = min(small)
    group = job.arms[arm].draw.get("group", arm)
    raise ConfigError(
        place(where, "training.batch_size"),
        f"{job.batch_sizes[arm]} is larger than the smallest training set of {models} "
        f"({records} records, arm {arm}{f', group {group!r}' if group != arm else ''})",
        remedy,
    )


def _too_small(arm: str, sizes: TrainingSizes, job: BatchLimits) -> Iterator[tuple[int, str, str, str]]:
    """Yield the training sets of an arm that a batch does not fit into: records, whose, arm, remedy."""
    batch, lower = job.batch_sizes[arm], "Lower training.batch_size"
    raised = "most" if sizes.training == job.most else job.raised
    raised = f", or raise membership.{raised}" if raised else ""
    if sizes.training < batch:
        yield sizes.training, "target models", arm, f"{lower}{raised}."
    elif job.leave_one_out and sizes.training - 1 < batch:
        yield sizes.training - 1, "models without one record", arm, f"{lower}{raised}."
    if job.shadows and sizes.population is not None:
        records = shadow_size(sizes.population, job.shadows)
        if records < batch:
            yield records, "shadow models", arm, f"{lower} or shadows.count."
