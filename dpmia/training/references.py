"""Reference models of the attacker: trained on further draws of an experiment, asked about all targets' records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dpmia.datasets.table import Dataset
from dpmia.losses import Losses
from dpmia.registry import load
from dpmia.settings.epsilon import spell_epsilon
from dpmia.signals import cross_entropy
from dpmia.splits.block import draw_block
from dpmia.splits.split import Split
from dpmia.training.answers import Wanted, answers, expected_size, seeds
from dpmia.training.block import Promise
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.recipe import Recipe, Run

ROLE = "reference"


def train_references(
    dataset: Dataset,
    clusters: np.ndarray | None,
    targets: Mapping[tuple[str, int], Split],
    job: Mapping[str, Any],
    root_seed: int,
    checkpoints: Checkpoints | None = None,
    progress: bool = False,
) -> Losses:
    """Train the reference models of one block and ask each about the records that any target model is asked about.

    Args:
        dataset: prepared data.
        clusters: group of every record where groups are made by clustering.
        targets: the splits of all target models.
        job: as `dpmia.settings.jobs.reference_job` describes it.
        root_seed: the user's seed.
        checkpoints: of the job; None for none.
        progress: show progress bars.

    Raises:
        TrainingError: the batch is larger than a training set, the promise cannot be kept, or a loss is not finite.
    """
    recipe = Recipe(**job["recipe"])
    splits = draw_block(
        dataset, clusters, load(job["draw"]), job["arm"], [draw_name(n) for n in job["numbers"]], root_seed
    )
    asked = queries(targets, job["population"])
    wanted = list(_references(dataset, splits, asked, job, recipe, root_seed))
    losses = np.empty((len(wanted), len(asked)), dtype=np.float32)
    place = {reference.run.name: row for row, reference in enumerate(wanted)}
    for trained in answers(dataset, wanted, job["engines"], recipe, checkpoints, progress):
        losses[place[trained.wanted.run.name]] = cross_entropy(trained.logits, dataset.y[asked])
    trained_on = np.stack([np.isin(asked, reference.run.records) for reference in wanted])
    return Losses([reference.about for reference in wanted], asked, losses, trained_on)


def queries(targets: Mapping[tuple[str, int], Split], population: bool) -> np.ndarray:
    """Return all records that a target model is asked about: int64, ascending; with or without the population."""
    parts = ["members", "nonmembers", *(["population"] if population else [])]
    return np.unique(np.concatenate([getattr(split, part) for split in targets.values() for part in parts]))


def draw_name(number: int) -> str:
    """Return the name of a draw that no replicate of the target models has."""
    return f"{ROLE} {number}"


def _references(
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    asked: np.ndarray,
    job: Mapping[str, Any],
    recipe: Recipe,
    root_seed: int,
) -> Iterator[Wanted]:
    promise = Promise(recipe, job["privacy"])
    ((arm_name, arm),) = job["arm"].items()
    for epsilon in job["epsilons"]:
        for number in job["numbers"]:
            records = splits[arm_name, draw_name(number)].training
            spelled = spell_epsilon(epsilon)
            meaning = [dataset.fingerprint, arm, draw_name(number), spelled, ROLE]
            expected = expected_size(arm)
            sigma, accounting = promise.kept(epsilon, len(records) if expected is None else expected)
            name = f"{arm_name}/epsilon {spelled}/{draw_name(number)}"
            run = Run(name, records, seeds(root_seed, meaning), sigma, expected=expected)
            about = {
                "arm": arm_name,
                "iid": arm["iid"],
                "epsilon": spelled,
                "role": ROLE,
                "number": number,
                "accounting": accounting,
                "model": job["model"],
                "engine": job["engines"]["plain" if sigma is None else "private"].partition(":")[2],
                "recipe": dict(job["recipe"]),
                "steps": recipe.steps(run.size),
                "seed": root_seed,
                "meaning": meaning,
            }
            yield Wanted(run, job["model"], asked, about)
