"""Sizes of training sets that are known while planning: numbers, and what a file of one's own gives."""

from __future__ import annotations

from pathlib import Path

from dpmia.common.errors import DataError
from dpmia.jobs.drawing import BatchLimits
from dpmia.planning import jobs
from dpmia.settings import names
from dpmia.settings.experiment import Experiment
from dpmia.settings.own_data import OwnData
from dpmia.splits.batches import check_batches
from dpmia.splits.training_sets import TrainingSizes, expected_size


def check_known_sizes(experiment: Experiment, root: Path, where: str) -> None:
    """Refuse a batch that is larger than a training set whose size is known before the data are prepared.

    Rows of a file that preparing it removes still count here; when splits are drawn, the check is exact.

    Args:
        experiment: its settings.
        root: folder to which paths are relative.
        where: the place, for messages.

    Raises:
        ConfigError: a batch is larger than a training set.
        DataError: the file has too few records for what is drawn from it.
    """
    job = jobs.batch_job(experiment)
    if job is not None:
        check_batches(_from_file(experiment, job, root, where) or _numbers(job), job, where)


def _numbers(job: BatchLimits) -> dict[str, TrainingSizes]:
    """Return the sizes that are numbers in the settings."""
    sizes = {}
    for name, arm in job.arms.items():
        draw = arm.draw
        training = draw.get("members", expected_size(arm, None))
        population = draw.get("population")
        if isinstance(training, int):
            sizes[name] = TrainingSizes(training, population if isinstance(population, int) else None)
    return sizes


def _from_file(experiment: Experiment, job: BatchLimits, root: Path, where: str) -> dict[str, TrainingSizes] | None:
    """Return the sizes that are drawn from a file of one's own; None for published data and for made groups."""
    dataset, membership = experiment.dataset, experiment.membership
    if not isinstance(dataset, OwnData) or membership.kind in ("cluster", "bias"):
        return None
    from dpmia.splits.file_sizes import from_file  # here: it imports NumPy

    reading = dataset.reading.at(root / dataset.path)
    try:
        return from_file(reading, membership.by, names.MEMBERSHIP[membership.kind], job.arms)
    except DataError as error:
        raise error.within(where) from None
