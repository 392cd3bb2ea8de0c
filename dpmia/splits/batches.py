"""Batches must fit into the training sets of all models, with one record less, too: checked before training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dpmia.common.errors import ConfigError
from dpmia.jobs.drawing import BatchLimits
from dpmia.privacy.sampling import fewer_without_one
from dpmia.settings.messages import place
from dpmia.splits.training_sets import TrainingSizes, shadow_size


def check_batches(drawn: Mapping[str, TrainingSizes], job: BatchLimits, where: str) -> None:
    """Refuse a batch that is larger than a training set, or gives models without one record fewer steps.

    Args:
        drawn: arm -> its sizes, the smallest ones of all replicates.
        job: which batches must fit.
        where: the experiment, for messages.

    Raises:
        ConfigError: a batch is larger than a training set, the message is about the smallest one; or it divides the
            number of members where models leave one out.
    """
    small = [training_set for arm, sizes in drawn.items() for training_set in _too_small(arm, sizes, job)]
    if small:
        records, models, arm, remedy = min(small)
        group = job.arms[arm].draw.get("group", arm)
        problem = (
            f"{job.batch_sizes[arm]} is larger than the smallest training set of {models} "
            f"({records} records, arm {arm}{f', group {group!r}' if group != arm else ''})"
        )
        raise ConfigError(place(where, job.key(arm)), problem, remedy)
    for arm in filter(drawn.__contains__, job.leave_one_out):
        if fewer_without_one(job.batch_sizes[arm], drawn[arm].training):
            problem = (
                f"{job.batch_sizes[arm]} divides the {drawn[arm].training} members of arm {arm}, so models without one "
                "record take fewer steps than the target model: that alone separates members from non-members"
            )
            raise ConfigError(
                place(where, job.key(arm)), problem, "Choose a size that does not divide the number of members."
            )


def _too_small(arm: str, sizes: TrainingSizes, job: BatchLimits) -> Iterator[tuple[int, str, str, str]]:
    """Yield the training sets of an arm that a batch does not fit into: records, whose, arm, remedy."""
    batch, lower = job.batch_sizes[arm], f"Lower {job.key(arm)}"
    raised = "membership.most" if sizes.training == job.most else job.raised.get(arm)
    raised = f", or raise {raised}" if raised else ""
    if sizes.training < batch:
        yield sizes.training, "target models", arm, f"{lower}{raised}."
    elif arm in job.leave_one_out and sizes.training - 1 < batch:
        yield sizes.training - 1, "models without one record", arm, f"{lower}{raised}."
    if job.shadows and sizes.population is not None:
        records = shadow_size(sizes.population, job.shadows)
        if records < batch:
            yield records, "shadow models", arm, f"{lower} or shadows.count."
