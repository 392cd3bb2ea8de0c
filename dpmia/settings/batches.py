"""Batches must fit into the training sets of all models: checked before anything is trained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dpmia.errors import ConfigError, DataError
from dpmia.registry import load
from dpmia.settings import jobs, names
from dpmia.settings.experiment import Experiment
from dpmia.settings.own_data import OwnData
from dpmia.settings.training_sets import Drawn, expected_size, shadow_size


def check_settings(experiment: Experiment, root: Path, where: str) -> None:
    """Refuse a batch that is larger than a training set, as far as the sizes are known before the data are prepared.

    These are sizes that are numbers, and those of one's own files. Rows of a file that preparing it leaves out still
    count here: `check_batches` on the splits themselves is exact.

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


def known(experiment: Experiment) -> bool:
    """Return whether the settings alone give the sizes of all training sets; if not, splits must be checked, too."""
    job = jobs.batch_job(experiment)
    if job is None:
        return True
    sizes = _numbers(job)
    populations = [each.population for each in sizes.values()] if job["shadows"] else []
    return set(sizes) == set(job["arms"]) and None not in populations


def check_batches(drawn: Mapping[str, Drawn], job: Mapping[str, Any], where: str) -> None:
    """Refuse a batch that is larger than a training set.

    Args:
        drawn: arm -> its sizes, the smallest ones of all replicates.
        job: as `dpmia.settings.jobs.batch_job` describes it.
        where: file and experiment, for messages.

    Raises:
        ConfigError: a batch is larger than a training set; the message is about the smallest one.
    """
    small = [each for arm, sizes in drawn.items() for each in _too_small(arm, sizes, job)]
    if not small:
        return
    records, models, arm, remedy = min(small)
    group = job["arms"][arm]["draw"].get("group", arm)
    raise ConfigError(
        f"{where}, key 'training.batch_size'",
        f"{job['batch_sizes'][arm]}, larger than the smallest training set of {models} "
        f"({records} records, arm {arm}{f', group {group!r}' if group != arm else ''})",
        f"at most {records}",
        remedy,
    )


def _too_small(arm: str, sizes: Drawn, job: Mapping[str, Any]) -> Iterator[tuple[int, str, str, str]]:
    """Yield the training sets of an arm that a batch does not fit into: records, whose, arm, remedy."""
    batch, lower = job["batch_sizes"][arm], "Lower training.batch_size"
    raised = "most" if sizes.training == job["most"] else job["raised"]
    raised = f", or raise membership.{raised}" if raised else ""
    if sizes.training < batch:
        yield sizes.training, "target models", arm, f"{lower}{raised}."
    elif job["left_out"] and sizes.training - 1 < batch:
        yield sizes.training - 1, "models without one record", arm, f"{lower}{raised}."
    if job["shadows"] and sizes.population is not None:
        records = shadow_size(sizes.population, job["shadows"])
        if records < batch:
            yield records, "shadow models", arm, f"{lower} or shadows.count."


def _numbers(job: Mapping[str, Any]) -> dict[str, Drawn]:
    """Return the sizes that are numbers in the settings."""
    found = {}
    for name, arm in job["arms"].items():
        draw = arm["draw"]
        training = draw.get("members", expected_size(arm))
        population = draw.get("population")
        if isinstance(training, int):
            found[name] = Drawn(training, population if isinstance(population, int) else None)
    return found


def _from_file(experiment: Experiment, job: Mapping[str, Any], root: Path, where: str) -> dict[str, Drawn] | None:
    """Return the sizes that are drawn from a file of one's own; None for published data and for made groups."""
    dataset, membership = experiment.dataset, experiment.membership
    if not isinstance(dataset, OwnData) or membership.kind in ("cluster", "bias"):
        return None
    reading = dataset.reading | {"path": str(root / dataset.path)}
    try:
        return load(names.DRAWN_SIZES)(reading, membership.by, names.MEMBERSHIP[membership.kind], job["arms"])
    except DataError as error:
        error.args = (f"{where}, {error}",)
        raise
