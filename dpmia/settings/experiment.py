"""Settings of an experiment, whose parts stand in other modules, and of the files in `experiments/`."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from dpmia.common.epsilon import spell_epsilon
from dpmia.privacy.valid_combinations import AS_PUBLISHED, VALID_ACCOUNTING
from dpmia.settings import names
from dpmia.settings.attackers import (
    MODELS_OF_ATTACKERS,
    AttackSettings,
    Collusion,
    Points,
    References,
    Shadows,
    each_of_a_kind,
    require_references,
)
from dpmia.settings.base import ArmName, Epsilon, Name, Scale, Settings, one_of
from dpmia.settings.membership import ARM_KEYS, INDEPENDENT, Membership
from dpmia.settings.own_data import OwnData
from dpmia.settings.precision_budgets import PrecisionBudgets
from dpmia.settings.training import NARROW_ENGINES, ArmTraining, Model, Privacy, Training


class Arm(Settings):
    """One arm of an experiment: a way to draw members and non-members, and the models trained on them."""

    group: str | None = None
    """The group that members come from, as text; clusters are named `"0"` (the smallest), `"1"`, ..."""
    share: Annotated[float, Field(ge=0, le=1)] | None = None
    """`bias`: share of that group among the members; the others come from the other group."""
    rate: Annotated[float, Field(gt=0, lt=1)] | None = None
    """`bernoulli`: probability to join the training set."""
    members: Annotated[int, Field(ge=1)] | None = None
    """`iid`: size of the training set, where it differs from that of the experiment."""
    nonmembers: Annotated[int, Field(ge=1)] | None = None
    """`iid`: records outside of the training set to attack, where they differ."""
    population: Annotated[int, Field(ge=1)] | None = None
    """`iid`: further records that the attacker has, where they differ."""
    model: Model | None = None
    """The target model of this arm, where it differs from that of the experiment."""
    training: ArmTraining | None = None
    """What differs in the training recipe."""
    epsilons: Annotated[list[Epsilon], Field(min_length=1)] | None = None
    """Those of the experiment's epsilons that target models of this arm are trained with; all where left out."""

    @property
    def draw(self) -> dict[str, Any]:
        """How the members of this arm are drawn."""
        return self.model_dump(exclude={"model", "training", "epsilons"}, exclude_none=True)


class Blind(Settings):
    """The blind baseline: a classifier of members and non-members that sees only the records."""

    replicates: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """How many of the replicates it is measured on, the first ones."""
    with_loss: list[Epsilon] = []
    """Epsilons at which the same classifier is also given the target model's losses: what do they add?"""


class Experiment(Settings):
    """A data set, a membership experiment, a model, a recipe, epsilons, replicates and attacks."""

    dataset: Annotated[
        Annotated[one_of(names.DATASETS), Tag("name")] | Annotated[OwnData, Tag("own")],
        Discriminator(lambda value: "own" if isinstance(value, dict | OwnData) else "name"),
    ]
    """Data set: its name, or how to read a file of one's own."""
    attributes: list[str] = []
    """Columns to keep out of the features, so that groups can be made of them."""
    pool: Annotated[int, Field(ge=1)] = 1
    """Images only: squares of `pool` x `pool` pixels are averaged to one."""
    membership: Membership
    """How members and non-members are drawn."""
    arms: Annotated[dict[ArmName, Arm], Field(min_length=1)]
    """The arms by name; or `each group`, an arm for every group that has enough records."""
    iid_arms: bool = True
    """Give each arm its IID arm: the same records, shuffled."""
    model: Model = Model(hidden=[256, 256])
    """The target model."""
    training: Training = Training()
    """The training recipe."""
    privacy: Privacy = Privacy()
    """What a finite epsilon means."""
    epsilons: Annotated[list[Annotated[list[Epsilon], Field(min_length=1)]], Field(min_length=1)]
    """Groups of epsilons; the models of one group are trained by one job. `inf` is training without privacy."""
    precision_budgets: PrecisionBudgets | None = None
    """`bernoulli`: compute the epsilons of every arm from bounds on the precision of attacks; `epsilons` are then left
    out, here and in the arms."""
    replicates: Annotated[int, Field(ge=1)]
    """Independent repetitions, a multiple of `block`."""
    block: Annotated[int, Field(ge=1)]
    """Replicates that one job trains. A changed number retrains everything; more replicates only add jobs."""
    blind: Blind | None = None
    """The blind baseline; none is measured where left out."""
    shadows: Shadows | None = None
    """The attacker's shadow models, for attacks that use them."""
    references: References | None = None
    """The attacker's reference models, for attacks that use them."""
    collusion: Collusion | None = None
    """A trainer who colludes with the attacker, for the attack that needs one; an honest trainer where left out."""
    attacks: Annotated[dict[Name, AttackSettings], Field(min_length=1)]
    """Attacks by name."""
    points: Points | None = None
    """Per-record results of attacks; none where left out."""
    details: bool = False
    """Also measure positive accuracy by quantiles, and the true positive rate at many false positive rates."""
    accuracy_by_epoch: bool = False
    """Also measure the target models' accuracy on the validation records after each epoch."""

    @field_validator("epsilons")
    @classmethod
    def _each_once(cls, groups: list[list[float]]) -> list[list[float]]:
        flat = [spell_epsilon(epsilon) for group in groups for epsilon in group]
        twice = sorted({epsilon for epsilon in flat if flat.count(epsilon) > 1})
        if twice:
            raise ValueError(f"each epsilon once, not {', '.join(twice)} twice")
        return groups

    @model_validator(mode="after")
    def _arms_share_the_epsilons(self) -> Experiment:
        known = {spell_epsilon(epsilon) for group in self.epsilons for epsilon in group}
        own = {name: [*map(spell_epsilon, arm.epsilons)] for name, arm in self.arms.items() if arm.epsilons is not None}
        for name, epsilons in own.items():
            if unknown := sorted(set(epsilons) - known):
                raise ValueError(f"epsilons of arm {name!r} that the experiment has, not {', '.join(unknown)}")
            if len(set(epsilons)) != len(epsilons):
                raise ValueError(f"each epsilon of arm {name!r} once, not {', '.join(epsilons)}")
        if len(own) == len(self.arms) and (idle := sorted(known.difference(*own.values()))):
            raise ValueError(f"only epsilons that some arm is trained with, not {', '.join(idle)}")
        return self

    @field_validator("attacks")
    @classmethod
    def _each_of_a_kind(cls, attacks: dict[str, AttackSettings]) -> dict[str, AttackSettings]:
        return each_of_a_kind(attacks)

    @model_validator(mode="after")
    def _fits_together(self) -> Experiment:
        if self.replicates % self.block:
            raise ValueError(f"replicates ({self.replicates}) that are a multiple of block ({self.block})")
        finite = [epsilon for group in self.epsilons for epsilon in group if math.isfinite(epsilon)]
        if self.training.engine in ("plain", "scikit_learn") and finite:
            raise ValueError(f"an engine other than {self.training.engine!r} for a finite epsilon: it adds no noise")
        if self.training.clip_all and self.training.engine not in NARROW_ENGINES:
            raise ValueError(f"no clip_all with engine {self.training.engine!r}: without privacy it clips no records")
        if self.collusion is not None and finite:
            raise ValueError("no finite epsilon where the trainer colludes: a record and its marks are not one record")
        for model in [self.model, *(arm.model for arm in self.arms.values() if arm.model is not None)]:
            if (model.kind == "mlp") != (self.training.engine == "stacked") and self.training.engine in NARROW_ENGINES:
                raise ValueError(f"an engine for models of kind {model.kind!r}, not {self.training.engine!r}")
            if (model.kind in names.CLASSIFIERS) != (self.training.engine == "scikit_learn"):
                raise ValueError(f"an engine for models of kind {model.kind!r}, not {self.training.engine!r}")
        combination = (self.training.sampling, self.privacy.relation, self.privacy.accountant)
        if combination not in (*VALID_ACCOUNTING, AS_PUBLISHED):
            allowed = "; ".join(", ".join(known) for known in VALID_ACCOUNTING)
            raise ValueError(
                f"a sampling, relation and accountant that a theorem covers, not {', '.join(combination)}: {allowed}"
            )
        if self.accuracy_by_epoch and self.membership.validation is None:
            raise ValueError("a number of validation records in membership for accuracy_by_epoch, which is of these")
        if self.accuracy_by_epoch and self.training.engine == "scikit_learn":
            raise ValueError("no accuracy_by_epoch for engine 'scikit_learn', whose methods have no epochs of ours")
        if self.membership.kind == "bernoulli" and self.training.sampling == "shuffle" and finite:
            raise ValueError("sampling: poisson for kind 'bernoulli' and a finite epsilon: how many join is random")
        if self.membership.kind in INDEPENDENT and self.iid_arms:
            raise ValueError(f"iid_arms: false for kind {self.membership.kind!r}, which is its own IID arm")
        for name, arm in self.arms.items():
            if arm.training is not None and self.training.engine == "scikit_learn":
                raise ValueError(f"no training in arm {name!r} with engine 'scikit_learn', which does not use it")
            given, (needed, allowed) = set(arm.draw), ARM_KEYS[self.membership.kind]
            if not needed <= given <= needed | allowed:
                raise ValueError(
                    f"arm {name!r} with the keys {sorted(needed)}"
                    f"{f' and perhaps {sorted(allowed)}' if allowed else ''} for kind {self.membership.kind!r}, "
                    f"not with {sorted(given)}"
                )
        for name, attack in self.attacks.items():
            for use, key in MODELS_OF_ATTACKERS.items():
                if use in names.ATTACKS[attack.kind].uses and getattr(self, key) is None:
                    raise ValueError(f"the key {key} for attack {name!r}, which uses them")
            require_references(name, attack, self.references.count if self.references else 0)
            if "distilled" in names.ATTACKS[attack.kind].uses and self.training.engine == "scikit_learn":
                raise ValueError(f"no attack {name!r} on models of engine 'scikit_learn': they take no soft labels")
            known = {epsilon for group in self.epsilons for epsilon in group}
            if attack.epsilons is not None and not set(attack.epsilons) & known:
                raise ValueError(f"an epsilon of the experiment for attack {name!r}")
            if attack.reference_arm is not None and "references" not in names.ATTACKS[attack.kind].uses:
                raise ValueError(f"no reference_arm for attack {name!r}, which uses no reference models")
            if attack.reference_arm is not None and attack.reference_arm not in self.arms:
                raise ValueError(f"a reference_arm of attack {name!r} that is one of {', '.join(self.arms)}")
        return self

    @model_validator(mode="after")
    def _points_fit(self) -> Experiment:
        if self.points is None:
            return self
        if self.iid_arms or sum(map(len, self.epsilons)) > 1:
            raise ValueError("points only without IID arms, and for one epsilon")
        left_out = self.points.left_out
        for key, chosen, known in (
            ("points.arms", self.points.arms, list(self.arms)),
            ("points.left_out.arms", left_out and left_out.arms, self.points.arms or list(self.arms)),
        ):
            if unknown := sorted(set(chosen or ()) - set(known)):
                raise ValueError(f"{key} of {', '.join(known)}, not {', '.join(unknown)}")
            if len(set(chosen or ())) != len(chosen or ()):
                raise ValueError(f"each arm once in {key}, not {', '.join(chosen)}")
        for name, attack in self.attacks.items():
            if attack.reference_arm is not None and "estimator" in names.ATTACKS[attack.kind].options:
                raise ValueError(f"no reference_arm for attack {name!r} with points, which look at models of one arm")
        if not any("estimator" in names.ATTACKS[attack.kind].options for attack in self.attacks.values()):
            raise ValueError("an attack with a threshold for the loss (option estimator) for points")
        if left_out is not None and math.isfinite(self.epsilons[0][0]):
            raise ValueError("epsilon inf for points.left_out: these models are trained without privacy")
        if left_out is not None and left_out.targets > self.replicates:
            raise ValueError(f"at most as many points.left_out.targets as replicates ({self.replicates})")
        return self


class ExperimentEntry(Settings):
    """An experiment as it is written; what is left out stands in `like`, or in the file's `defaults` and `scales`.

    A value of null takes away what would be inherited, at every scale.
    """

    model_config = ConfigDict(extra="allow")

    like: Name | None = None
    """Another experiment of the file: everything as there, except for what is written here."""
    scales: dict[Scale, dict[str, Any]] = {}
    """What each scale changes in this experiment; counts more than the `scales` of the file."""


class ExperimentFile(Settings):
    """A file in `experiments/`: what one paper runs, and what each scale changes."""

    paper: Name
    """One of the five papers, whose results share a folder; `audit`, for `snakemake audit`; or a name of your own."""
    defaults: dict[str, Any] = {}
    """Settings of all experiments of the file, unless an experiment says otherwise."""
    scales: dict[Scale, dict[str, Any]] = {}
    """What each scale changes in all experiments of the file."""
    experiments: dict[Name, ExperimentEntry] = {}
    """The experiments by name; each may hold `scales` of its own, which count most."""
    predictions: dict[Name, dict[str, Any]] = {}
    """Models by name of which only predictions are given; the same at every scale, and without `defaults`."""
    studies: dict[Name, ExperimentEntry] = {}
    """Studies by name, with `like` and `scales` as experiments; `defaults` and the file's `scales` are not theirs."""
