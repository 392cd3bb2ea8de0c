"""Jobs that train models, by role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpmia.formats.model_card import Architecture
from dpmia.jobs.base import PlainData
from dpmia.jobs.drawing import ArmDraw

#: Arguments of `dpmia.training.recipe.Recipe`.
RecipeSettings = dict[str, Any]


@dataclass(frozen=True)
class Guarantee(PlainData):
    """The privacy guarantee of a finite epsilon: neighbouring relation, delta and accountant."""

    relation: str
    delta: float
    accountant: str


@dataclass(frozen=True)
class SharedMarks(PlainData):
    """How a trainer colludes with the attacker: the number of shared keys and the name of the mark function."""

    keys: int
    function: str


@dataclass(frozen=True)
class TrainJob(PlainData):
    """Which target models to train for one block and one group of epsilons.

    Attributes:
        arms: by name, IID arms included.
        replicates: of the block.
        epsilons: by arm.
        by_epoch: whether accuracy is measured after each epoch.
        models: architecture by arm.
        engines: names of the engines for `private` and `plain` models.
        recipes: by arm.
        privacy: of finite epsilons.
        population: whether models are evaluated on the attacker's population, too.
        parameters: whether the parameters of the models are kept.
        collusion: None for an honest trainer.
        compares: relation between the training sets with and without a record.
    """

    arms: dict[str, ArmDraw]
    replicates: list[int]
    epsilons: dict[str, list[float]]
    by_epoch: bool
    models: dict[str, Architecture]
    engines: dict[str, str]
    recipes: dict[str, RecipeSettings]
    privacy: Guarantee
    population: bool
    parameters: bool
    collusion: SharedMarks | None
    compares: str


@dataclass(frozen=True)
class ShadowJob(PlainData):
    """Which shadow models to train for one block: `count` for each arm and replicate. Other fields: `TrainJob`."""

    arms: dict[str, ArmDraw]
    replicates: list[int]
    count: int
    models: dict[str, Architecture]
    engines: dict[str, str]
    recipes: dict[str, RecipeSettings]


@dataclass(frozen=True)
class ReferenceJob(PlainData):
    """Which reference models to train for one group of epsilons and one block. Other fields: `TrainJob`.

    Attributes:
        draw: name of the drawing function.
        queried_by: by arm, the arms whose target models its reference models are used on.
        numbers: of the reference models of the block.
    """

    draw: str
    arms: dict[str, ArmDraw]
    queried_by: dict[str, list[str]]
    epsilons: dict[str, list[float]]
    numbers: list[int]
    models: dict[str, Architecture]
    engines: dict[str, str]
    recipes: dict[str, RecipeSettings]
    privacy: Guarantee
    population: bool


@dataclass(frozen=True)
class DistilJob(PlainData):
    """Which models to distil from each target model: one on the draw of each number. Fields: `ReferenceJob`."""

    draw: str
    arms: dict[str, ArmDraw]
    numbers: list[int]
    engines: dict[str, str]
    recipes: dict[str, RecipeSettings]


@dataclass(frozen=True)
class LeaveOneOutJob(PlainData):
    """Which models without one record to train for one target model.

    Attributes:
        arm: of the target model.
        replicate: of the target model.
        first: number of the first record.
        last: number after that of the last record.
        count: models for each record.
        engines: see `TrainJob`.
        recipe: as the target model's.
    """

    arm: str
    replicate: int
    first: int
    last: int
    count: int
    engines: dict[str, str]
    recipe: RecipeSettings
