"""Settings of an experiment, whose parts stand in other modules, and of the files in `experiments/`."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from dpmia.common.epsilon import spell_epsilon
from dpmia.common.limits import MOST_MODELS, RAREST
from dpmia.privacy.calibration import NoiseCalibration
from dpmia.privacy.record import STATED
from dpmia.settings import names
from dpmia.settings.attackers import (
    AttackSettings,
    Collusion,
    PerRecordSettings,
    ReferenceModels,
    Shadows,
    each_of_a_kind,
)
from dpmia.settings.base import ArmName, Epsilon, Name, OneOf, Scale, Settings
from dpmia.settings.combinations import check_combinations
from dpmia.settings.membership import Membership
from dpmia.settings.own_data import OwnData
from dpmia.settings.precision_budgets import PrecisionBudgets
from dpmia.settings.training import ArmTraining, Model, Privacy, Training


class Arm(Settings):
    """One arm of an experiment: a way to draw members and non-members, and the models trained on them."""

    group: str | None = None
    """The group that members come from, as text; clusters are named `"0"` (the smallest), `"1"`, ..."""
    share: Annotated[float, Field(ge=0, le=1)] | None = None
    """`bias`: share of that group among the members; the others come from the other group."""
    rate: Annotated[float, Field(ge=RAREST, lt=1)] | None = None
    """`bernoulli`: probability to join the training set."""
    members: Annotated[int, Field(ge=1)] | None = None
    """`iid`: size of the training set, where it differs from that of the experiment."""
    nonmembers: Annotated[int, Field(ge=1)] | None = None
    """`iid`: records outside of the training set to attack, where they differ."""
    population: Annotated[int, Field(ge=1)] | None = None
    """`iid`: further records that the attacker has, where they differ."""
    arguments: dict[str, Any] | None = None
    """Membership of a plug-in or of a file: further arguments of its function in this arm."""
    model: Model | None = None
    """The target model of this arm, where it differs from that of the experiment."""
    training: ArmTraining | None = None
    """What differs in the training recipe."""
    epsilons: Annotated[list[Epsilon], Field(min_length=1)] | None = None
    """Those of the experiment's epsilons that target models of this arm are trained with. Default: all."""

    @property
    def draw(self) -> dict[str, Any]:
        """How the members of this arm are drawn."""
        own = self.model_dump(exclude={"model", "training", "epsilons", "arguments"}, exclude_none=True)
        return own | (self.arguments or {})


class Blind(Settings):
    """The blind baseline: a classifier that sees only the records, supervised on other records of both groups."""

    replicates: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """How many of the replicates it is measured on, the first ones."""
    with_loss: list[Epsilon] = []
    """Epsilons at which the same classifier is also given the target model's losses: what do they add?"""


class Experiment(Settings):
    """A data set, a membership experiment, a model, a recipe, epsilons, replicates and attacks."""

    dataset: Annotated[
        Annotated[str, OneOf(names.DATASETS), Tag("name")] | Annotated[OwnData, Tag("own")],
        Discriminator(lambda value: "own" if isinstance(value, dict | OwnData) else "name"),
    ]
    """Data set: its name, or how to read a file of one's own."""
    attributes: list[str] = []
    """Columns to keep out of the features, so that groups can be made of them."""
    pool: Annotated[int, Field(ge=1)] = 1
    """Published images only: squares of `pool` x `pool` pixels are averaged to one."""
    membership: Membership
    """How members and non-members are drawn."""
    arms: Annotated[dict[ArmName, Arm], Field(min_length=1)]
    """The arms by name; or `each group`, an arm for every group that has enough records."""
    iid_arms: bool = True
    """Give each arm its IID arm: the same records, shuffled. Set it to false for `iid` and `bernoulli`, whose arms are
    IID themselves."""
    model: Model = Model(hidden=[256, 256])
    """The target model. Default: an `mlp` with `hidden: [256, 256]`."""
    training: Training = Training()
    """The training recipe."""
    privacy: Privacy = Privacy()
    """What a finite epsilon means."""
    epsilons: Annotated[list[Annotated[list[Epsilon], Field(min_length=1)]], Field(min_length=1)]
    """Groups of epsilons; the models of one group are trained by one job. `inf` is training without privacy."""
    precision_budgets: PrecisionBudgets | None = None
    """`bernoulli`: compute the epsilons of every arm from bounds on the precision of attacks; `epsilons` are then left
    out, here and in the arms."""
    replicates: Annotated[int, Field(ge=1, le=MOST_MODELS)]
    """Independent repetitions, a multiple of `block`."""
    block: Annotated[int, Field(ge=1)]
    """Replicates that one job trains. A changed number retrains everything; more replicates only add jobs."""
    blind: Blind | None = None
    """The blind baseline. Default: none is measured."""
    shadows: Shadows | None = None
    """The attacker's shadow models, for attacks that use them."""
    references: ReferenceModels | None = None
    """The attacker's reference models, for attacks that use them."""
    collusion: Collusion | None = None
    """A trainer who colludes with the attacker, for the attack that needs one. Default: an honest trainer."""
    attacks: Annotated[dict[Name, AttackSettings], Field(min_length=1)]
    """Attacks by name."""
    per_record: PerRecordSettings | None = None
    """Per-record results of attacks. Default: none."""
    details: bool = False
    """Also measure precision by quantiles of the scores, and the true positive rate at many false positive rates."""
    accuracy_by_epoch: bool = False
    """Also measure the target models' accuracy on the validation records after each epoch."""

    @field_validator("epsilons")
    @classmethod
    def _each_once(cls, groups: list[list[float]]) -> list[list[float]]:
        flat = [spell_epsilon(epsilon) for group in groups for epsilon in group]
        twice = sorted({epsilon for epsilon in flat if flat.count(epsilon) > 1})
        if twice:
            raise ValueError(f"epsilon {', '.join(twice)} is given more than once")
        return groups

    @field_validator("attacks")
    @classmethod
    def _each_of_a_kind(cls, attacks: dict[str, AttackSettings]) -> dict[str, AttackSettings]:
        return each_of_a_kind(attacks)

    @property
    def all_epsilons(self) -> list[float]:
        """The epsilons of all groups."""
        return [epsilon for group in self.epsilons for epsilon in group]

    @property
    def finite_epsilons(self) -> list[float]:
        """Those of models that are trained with privacy."""
        return [*filter(math.isfinite, self.all_epsilons)]

    @model_validator(mode="after")
    def _fits_together(self) -> Experiment:
        check_combinations(self)
        return self

    @property
    def noise_calibration(self) -> NoiseCalibration:
        """What a finite epsilon means; of a program of the user's own it is what the user states."""
        stated = {"accountant": STATED} if self.training.engine == names.COMMAND else {}
        return NoiseCalibration(**self.privacy.model_dump() | stated)


class ExperimentEntry(Settings):
    """An experiment in a file. Keys that are left out come from `like`, or from the file's `defaults` and `scales`.

    null removes an inherited value: at every scale, or at one if it stands below `scales`.
    """

    model_config = ConfigDict(extra="allow")

    like: Name | None = None
    """Another experiment of the file: everything as there, except for what is written here."""
    scales: dict[Scale, dict[str, Any]] = {}
    """What each scale changes in this experiment; overrides the `scales` of the file."""
    at_scales: list[Scale] | None = None
    """The scales at which it is run; null: those of `like`, or all."""


class ExperimentFile(Settings):
    """A file in `experiments/`: what one paper runs, and what each scale changes."""

    paper: Name
    """One of the five papers, whose results share a folder; `audit`, for `snakemake audit`; or a name of your own."""
    defaults: dict[str, Any] = {}
    """Settings of all experiments of the file, unless an experiment says otherwise."""
    scales: dict[Scale, dict[str, Any]] = {}
    """What each scale changes in all experiments of the file; `night` starts from `paper`."""
    experiments: dict[Name, ExperimentEntry] = {}
    """The experiments by name; each may hold `scales` of its own, which take precedence."""
    predictions: dict[Name, dict[str, Any]] = {}
    """Models by name of which only predictions are given; the same at every scale, and without `defaults`."""
    studies: dict[Name, ExperimentEntry] = {}
    """Studies by name, with `like` and `scales` as experiments; `defaults` and the file's `scales` are not theirs."""
