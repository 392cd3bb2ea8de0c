"""Which models a training job trains, and how many steps: from the settings alone, before any data are there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, cast

from dpmia.common.errors import DataError
from dpmia.common.optional import needed
from dpmia.common.plain import PlainData
from dpmia.formats.model_card import Architecture
from dpmia.formats.recipe import Recipe
from dpmia.jobs.drawing import ArmDraw, records_wanted
from dpmia.planning import jobs, reference_jobs
from dpmia.planning.own_program import BUILD
from dpmia.settings import names
from dpmia.settings.experiment import Experiment
from dpmia.settings.own_data import OwnData
from dpmia.splits.training_sets import shadow_size

#: Published data set -> records, features, classes, and rows of pixels of an image.
SIZES = {
    "adult": (48842, 104, 2, 0),
    "census_adult": (44861, 99, 2, 0),
    "cifar10": (60000, 3072, 10, 32),
    "cifar100": (60000, 3072, 100, 32),
    "compas": (6172, 15, 2, 0),
    "eyedata": (120, 200, 1, 0),
    "heart": (920, 22, 2, 0),
    "iwpc": (4819, 17, 1, 0),
    "mnist": (70000, 784, 10, 28),
    "purchase100": (197324, 600, 100, 0),
    "student": (649, 42, 2, 0),
    "svhn": (630420, 3072, 10, 32),
    "texas": (41000, 269, 100, 0),
}
#: Of a data set of a plug-in, and of a file that cannot be read: its size is not known.
UNKNOWN_SIZE = (1000, 30, 2, 0)

#: Network -> multiplications for one colour image of 32 x 32 pixels, and parameters. Others are computed.
_NETWORKS = {
    names.MODELS.built_in["alexnet"]: (6.3e7, 2.3e7),
    names.MODELS.built_in["tramer_boneh"]: (3.9e7, 5.5e5),
    names.MODELS.built_in["two_convolutions"]: (4.2e6, 3.2e5),
    names.MODELS.built_in["vgg"]: (3.9e7, 5.5e5),
}
#: The same for grey images, of networks that are others for them.
_GREY_NETWORKS = {names.MODELS.built_in["tramer_boneh"]: (5.2e5, 2.6e4)}
#: The same for models of a plug-in, whose size is known only when they were made.
_OWN_NETWORK = (1e6, 1e5)


@dataclass(frozen=True)
class Trained(PlainData):
    """Models that cost the same.

    Attributes:
        engine: name of the engine.
        architecture: of the models.
        data: features, classes, and rows of pixels of an image, 0 for none.
        private: whether they are trained with noise.
        recipe: how they are trained.
        models: their number.
        records: of each training set.
        queries: records whose outputs are kept.
        by_epoch: records that each is evaluated on after each epoch.
    """

    engine: str
    architecture: Architecture
    data: tuple[int, int, int]
    private: bool
    recipe: Recipe
    models: int
    records: int
    queries: int
    by_epoch: int = 0

    @property
    def evaluated(self) -> int:
        """Records that each model is evaluated on, in its whole training and after it."""
        return self.queries + self.by_epoch * self.recipe.epochs

    @property
    def steps(self) -> int:
        """Optimiser steps of all models; for models that fit themselves, their number."""
        return self.models * max(1, self.records // self.recipe.batch_size * self.recipe.epochs)

    @property
    def timeout(self) -> float | None:
        """Seconds that one model may take, of a program of the user's own; None for all other models."""
        return self.architecture.shape.get("timeout") if self.architecture.build == BUILD else None

    @property
    def network(self) -> tuple[float, float]:
        """Multiplications for one record, and parameters."""
        (inputs, outputs, rows), build = self.data, self.architecture.build
        if build == names.MODELS.built_in["mlp"]:
            widths = [inputs, *(self.architecture.shape["hidden"] or ()), outputs]
            weights = float(sum(a * b for a, b in pairwise(widths)))
            return weights, weights
        if build == names.MODELS.built_in["growing"]:
            size = self.architecture.shape["size"]
            work, parameters = 2.4e4 * size**2 + 3e4 * size, 320.0 * size**2
        else:
            networks = _NETWORKS | (_GREY_NETWORKS if inputs == rows**2 else {})
            work, parameters = networks.get(build, _OWN_NETWORK)
        return work * (rows / 32) ** 2 if rows else work, parameters


def data_size(experiment: Experiment) -> tuple[int, int, int, int]:
    """Return records, features, classes and rows of pixels of the data set of an experiment."""
    dataset = experiment.dataset
    own = isinstance(dataset, OwnData)
    records, inputs, outputs, rows = _file_size(experiment) if own else SIZES.get(str(dataset), UNKNOWN_SIZE)
    pooled = rows // experiment.pool
    return records, inputs * pooled**2 // rows**2 if rows else inputs, outputs, pooled


def _file_size(experiment: Experiment) -> tuple[int, int, int, int]:
    """Return the size of a file of one's own, as it is before it is prepared."""
    from dpmia.datasets.groups import file_size  # here: it imports NumPy

    dataset, membership = cast(OwnData, experiment.dataset), experiment.membership
    path = Path.cwd() / dataset.path
    by = None if membership.kind in ("cluster", "bias") else membership.by  # as the check of batches reads it
    try:
        return file_size(dataset.reading.at(path), by)
    except DataError:  # the job that prepares it says what is wrong
        return UNKNOWN_SIZE


class DrawSizes(NamedTuple):
    """Sizes of a draw: of a training set, and of the records that its models are evaluated on, by part."""

    training: int
    attacked: int
    population: int
    validation: int

    @property
    def queries(self) -> int:
        """Records whose outputs are kept."""
        return self.attacked + self.population + self.validation


def drawn(experiment: Experiment, arm: ArmDraw) -> DrawSizes:
    """Return the sizes of a draw of an arm. The population counts where an attack uses it."""
    records, draw = data_size(experiment)[0], arm.draw

    def count(wanted: int | float | str, of: int) -> int:
        return records_wanted(wanted, of, draw.get("most"))

    validation, uses_population = draw.get("validation") or 0, jobs.uses(experiment, "population")
    if arm.joins_at is not None:
        pool = count(draw["records"], records)
        rest = max(0, records - pool - validation)
        population = min(rest, count(draw.get("population", rest), records)) if uses_population else 0
        return DrawSizes(int(pool * arm.joins_at), count(draw.get("queries", "all"), pool), population, validation)
    # Of groups, about a half each way: what is in a group is known only when the data are there.
    of = records if arm.kind == "iid" else records // (1 + len(experiment.arms))
    members, others = count(draw["members"], of), count(draw["nonmembers"], of)
    population = count(draw.get("population", 0), of) if uses_population else 0
    return DrawSizes(members, members + others, population, validation)


@dataclass(frozen=True)
class ExperimentWork:
    """What all jobs of an experiment share: it is worked out once, as an experiment has hundreds of jobs."""

    experiment: Experiment
    recipes: dict[str, Recipe]
    models: dict[str, Architecture]
    sizes: dict[str, DrawSizes]
    referenced: dict[str, int]

    @classmethod
    def of(cls, experiment: Experiment) -> ExperimentWork:
        """Work out recipe, architecture and sizes of each arm: see `drawn` and `_referenced`."""
        sizes = {name: drawn(experiment, arm) for name, arm in jobs.arms(experiment).items()}
        models, referenced = jobs.models(experiment), _referenced(experiment, sizes)
        return cls(experiment, jobs.recipes(experiment), models, sizes, referenced)

    def trained(self, kind: str, wildcards: Mapping[str, str]) -> list[Trained]:
        """Return the models that a job trains; none for a job that trains none.

        Args:
            kind: rule of the job.
            wildcards: of the job.
        """
        engines, data = jobs.engines(self.experiment), data_size(self.experiment)[1:]
        return [
            Trained(
                engines.of(private),
                self.models[arm],
                data,
                private,
                self.recipes[arm].of(private),
                count,
                *(self._of_shadows(arm) if kind == "train_shadows" else self._of_others(kind, arm)),
            )
            for arm, private, count in _counts(kind, self.experiment, wildcards)
            if count
        ]

    def _of_shadows(self, arm: str) -> tuple[int, int]:
        """Return the size of the training set of a shadow model, and on how many records it is evaluated."""
        # The attacker has about as many records as are queried.
        sizes = self.sizes[arm]
        records = shadow_size(sizes.attacked + sizes.population, needed(self.experiment.shadows).count)
        return records, 2 * records

    def _of_others(self, kind: str, arm: str) -> tuple[int, int, int]:
        """Return the size of a training set, and on how many records a model is evaluated: at its end, and by epoch."""
        sizes = self.sizes[arm]
        if kind == "train_references":
            return sizes.training, self.referenced[arm], 0
        if kind != "train_block":
            return sizes.training, sizes.attacked + sizes.population, 0
        by_epoch = sizes.validation if self.experiment.accuracy_by_epoch else 0
        return sizes.training * self._marked, sizes.queries * self._marked, by_epoch

    @property
    def _marked(self) -> int:
        """How many records a target model takes for one of the data set: itself and, under collusion, its marks."""
        return 1 + self.experiment.collusion.keys if self.experiment.collusion else 1

    def targets(self) -> tuple[int, int]:
        """Return the number of target models of one block, and the records that all of them are evaluated on."""
        by_arm = jobs.epsilons_by_arm(self.experiment, self.experiment.all_epsilons)
        models = {arm: len(of_arm) * self.experiment.block for arm, of_arm in by_arm.items()}
        return sum(models.values()), sum(count * self.sizes[arm].queries for arm, count in models.items())


def _referenced(experiment: Experiment, sizes: Mapping[str, DrawSizes]) -> dict[str, int]:
    """Return on how many records the reference models of an arm are evaluated at most.

    These are the records of all target models that they are used against: the whole data set, where those are many.
    """
    if experiment.references is None:
        return {}
    records = data_size(experiment)[0]
    return {
        arm: min(
            records,
            experiment.replicates
            * sum(sizes[target_arm].attacked + sizes[target_arm].population for target_arm in attacked),
        )
        for arm, attacked in reference_jobs.queried_by(experiment).items()
    }


def _counts(kind: str, experiment: Experiment, wildcards: Mapping[str, str]) -> Iterator[tuple[str, bool, int]]:
    """Yield arm, privacy and number of the models that a job trains."""
    group = [float(epsilon) for epsilon in wildcards.get("epsilons", "").split("_") if epsilon]
    if kind == "train_block":
        for arm, epsilons in jobs.epsilons_by_arm(experiment, group).items():
            yield from _by_privacy(arm, epsilons, experiment.block)
    elif kind == "train_shadows" and experiment.shadows:
        for arm in jobs.arms(experiment):
            yield arm, False, experiment.block * experiment.shadows.count
    elif kind == "train_references" and experiment.references:
        for arm, epsilons in reference_jobs.job(experiment, group, int(wildcards["block"])).epsilons.items():
            yield from _by_privacy(arm, epsilons, experiment.references.block)
    elif kind == "train_distilled" and experiment.references:
        for arm, epsilons in jobs.epsilons_by_arm(experiment, group).items():
            yield arm, False, len(epsilons) * experiment.block * experiment.references.block
    elif kind == "train_leave_one_out":
        job = jobs.leave_one_out_job(experiment, wildcards["arm"], int(wildcards["replicate"]), int(wildcards["block"]))
        yield wildcards["arm"], False, (job.last - job.first) * job.count


def _by_privacy(arm: str, epsilons: list[float], times: int) -> Iterator[tuple[str, bool, int]]:
    for private in (True, False):
        yield arm, private, times * sum(math.isfinite(epsilon) == private for epsilon in epsilons)
