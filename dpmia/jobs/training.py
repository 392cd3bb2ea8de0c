"""Jobs that train models, by role."""

from __future__ import annotations

from dataclasses import dataclass

from dpmia.common.plain import PlainData
from dpmia.formats.model_card import Architecture
from dpmia.formats.recipe import Recipe
from dpmia.jobs.drawing import ArmDraw
from dpmia.privacy.calibration import NoiseCalibration


@dataclass(frozen=True)
class Engines(PlainData):
    """Which engines train models, and on which device.

    Attributes:
        private: name of the engine of models with privacy, as `dpmia.common.registry.load` takes it.
        nonprivate: name of the engine of models without.
        accelerator: `auto`, `cpu` or `gpu`.
        devices: 1 for any device of that kind, or a list with the index of one.
    """

    private: str
    nonprivate: str
    accelerator: str = "auto"
    devices: int | list[int] = 1

    def of(self, private: bool) -> str:
        """Return the name of the engine of models with or without privacy."""
        return self.private if private else self.nonprivate


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
        engines: of all models.
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
    engines: Engines
    recipes: dict[str, Recipe]
    privacy: NoiseCalibration
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
    engines: Engines
    recipes: dict[str, Recipe]


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
    engines: Engines
    recipes: dict[str, Recipe]
    privacy: NoiseCalibration
    population: bool


@dataclass(frozen=True)
class DistilJob(PlainData):
    """Which models to distil from each target model: one on the draw of each number. Fields: `ReferenceJob`."""

    draw: str
    arms: dict[str, ArmDraw]
    numbers: list[int]
    models: dict[str, Architecture]
    engines: Engines
    recipes: dict[str, Recipe]


@dataclass(frozen=True)
class LeaveOneOutJob(PlainData):
    """Which models without one record to train for one target model.

    Attributes:
        arm: of the target model.
        replicate: of the target model.
        first: number of the first record.
        last: number after that of the last record.
        count: models for each record.
        model: architecture, as the target model's.
        engines: see `TrainJob`.
        recipe: as the target model's.
    """

    arm: str
    replicate: int
    first: int
    last: int
    count: int
    model: Architecture
    engines: Engines
    recipe: Recipe
