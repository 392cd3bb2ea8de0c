"""Settings of an experiment, whose parts stand in other modules, and of the files in `experiments/`."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from dpmia.common.command_line import placeholders, split_command
from dpmia.common.epsilon import spell_epsilon
from dpmia.common.limits import MOST_MODELS, RAREST
from dpmia.common.registry import suggestion
from dpmia.privacy.record import STATED
from dpmia.privacy.valid_combinations import AS_PUBLISHED, VALID_ACCOUNTING
from dpmia.settings import names
from dpmia.settings.attackers import (
    MODELS_OF_ATTACKERS,
    AttackSettings,
    Collusion,
    PerRecordSettings,
    ReferenceModels,
    Shadows,
    each_of_a_kind,
    require_references,
)
from dpmia.settings.base import ArmName, Epsilon, Name, OneOf, Scale, Settings, require_keys
from dpmia.settings.membership import GROUPED, INDEPENDENT, TRAINED_ON_MEMBERS, Membership, arm_keys
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


def _require_known(what: str, epsilons: Iterable[float], allowed: Collection[str]) -> None:
    """Refuse epsilons that are none of the experiment's, which are spelled."""
    if unknown := sorted(set(map(spell_epsilon, epsilons)).difference(allowed)):
        raise ValueError(f"epsilon {', '.join(unknown)} of {what} is not one of the experiment")


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

    @model_validator(mode="after")
    def _images_are_pooled(self) -> Experiment:
        own = not isinstance(self.dataset, str)
        named = self.dataset.path if isinstance(self.dataset, OwnData) else self.dataset
        if self.pool > 1 and named not in names.IMAGES and (own or named in names.DATASETS.built_in):
            images = ", ".join(names.IMAGES)
            raise ValueError(f"pool cannot be combined with dataset {named!r}: only {images} are pooled. Remove it")
        return self

    @field_validator("epsilons")
    @classmethod
    def _each_once(cls, groups: list[list[float]]) -> list[list[float]]:
        flat = [spell_epsilon(epsilon) for group in groups for epsilon in group]
        twice = sorted({epsilon for epsilon in flat if flat.count(epsilon) > 1})
        if twice:
            raise ValueError(f"epsilon {', '.join(twice)} is given more than once")
        return groups

    @model_validator(mode="after")
    def _arms_share_the_epsilons(self) -> Experiment:
        allowed = {*map(spell_epsilon, self.all_epsilons)}
        own = {name: [*map(spell_epsilon, arm.epsilons)] for name, arm in self.arms.items() if arm.epsilons is not None}
        for name, epsilons in own.items():
            _require_known(f"arm {name!r}", self.arms[name].epsilons or [], allowed)
            if len(set(epsilons)) != len(epsilons):
                raise ValueError(f"arm {name!r} has an epsilon more than once: {', '.join(epsilons)}")
        _require_known("epsilons of blind.with_loss", self.blind.with_loss if self.blind else [], allowed)
        if len(own) == len(self.arms) and (idle := sorted(allowed.difference(*own.values()))):
            raise ValueError(f"no arm is trained with epsilon {', '.join(idle)}. Remove it, or add it to an arm")
        return self

    @field_validator("attacks")
    @classmethod
    def _each_of_a_kind(cls, attacks: dict[str, AttackSettings]) -> dict[str, AttackSettings]:
        return each_of_a_kind(attacks)

    @model_validator(mode="after")
    def _program_fits(self) -> Experiment:
        if self.training.engine != names.COMMAND:
            if self.privacy.mechanisms:
                raise ValueError(
                    f"privacy.mechanisms cannot be combined with engine {self.training.engine!r}, whose noise is known"
                )
            return self
        if "model" in self.model_fields_set or any(arm.model for arm in self.arms.values()):
            raise ValueError("model cannot be combined with engine 'command', which has a model of its own. Remove it")
        if self.collusion is not None:
            raise ValueError("collusion cannot be combined with engine 'command': its programs know of no marks")
        epsilons = {*self.all_epsilons}
        if any(map(math.isfinite, epsilons)):
            given = self.privacy.model_fields_set
            if missing := sorted({"delta", "relation"} - given):
                raise ValueError(
                    f"engine 'command' with a finite epsilon needs privacy.{' and privacy.'.join(missing)}: the "
                    "guarantee that you state of your program is incomplete without"
                )
            if unknown := sorted({*self.privacy.mechanisms} - {*map(spell_epsilon, epsilons - {math.inf})}):
                raise ValueError(f"privacy.mechanisms: epsilon {', '.join(unknown)} is not one of the experiment")
            if "accountant" in given:
                raise ValueError("privacy.accountant cannot be combined with engine 'command': you state the guarantee")
            if self.shadows is not None or (self.references is not None and not self.references.private):
                epsilons.add(math.inf)
        if len(epsilons) > 1 and "epsilon" not in placeholders(split_command(self.training.command or "")):
            raise ValueError(
                f"models with epsilon {', '.join(map(spell_epsilon, sorted(epsilons)))} are trained, and "
                "training.command would train them alike. Give it {epsilon}"
            )
        return self

    @property
    def all_epsilons(self) -> list[float]:
        """The epsilons of all groups."""
        return [epsilon for group in self.epsilons for epsilon in group]

    @property
    def _finite(self) -> list[float]:
        return [*filter(math.isfinite, self.all_epsilons)]

    @model_validator(mode="after")
    def _whole_blocks(self) -> Experiment:
        if self.replicates % self.block:
            raise ValueError(f"replicates ({self.replicates}) is not a multiple of block ({self.block})")
        return self

    @model_validator(mode="after")
    def _engine_fits(self) -> Experiment:
        training, engine, kind = self.training, self.training.engine, self.training.kind
        if self._finite and not kind.adds_noise:
            raise ValueError(f"engine {engine!r} cannot be combined with a finite epsilon: it adds no noise")
        if training.clip_all and not kind.clips_all:
            raise ValueError(f"clip_all cannot be combined with engine {engine!r}: without privacy it does not clip")
        if training.grad_sample_mode != "auto" and engine != "opacus":
            raise ValueError(f"grad_sample_mode cannot be combined with engine {engine!r}: only 'opacus' takes it")
        if training.devices != 1 and not kind.gpu:
            raise ValueError(f"devices cannot be combined with engine {engine!r}: it uses the CPU. Remove it")
        if training.accelerator == "gpu" and not kind.gpu:
            others = " or ".join(name for name, other in names.ENGINES.items() if other.gpu)
            raise ValueError(
                f"accelerator 'gpu' cannot be combined with engine {engine!r}: it uses the CPU. Use accelerator: auto, "
                f"or engine: {others}"
            )
        if training.precision != "32-true" and not kind.precisions:
            others = " and ".join(repr(name) for name, other in names.ENGINES.items() if other.precisions)
            raise ValueError(
                f"precision {training.precision!r} cannot be combined with engine {engine!r}: only {others} take it"
            )
        for model in [self.model, *(arm.model for arm in self.arms.values() if arm.model is not None)]:
            # An engine itself refuses a model of a plug-in that it cannot train.
            if not (model.kind in kind.trains if model.kind in names.MODELS.built_in else kind.plugins):
                trainable = ", ".join(kind.trains) or "a LightningModule of yours"
                raise ValueError(
                    f"engine {engine!r} does not train models of kind {model.kind!r}. It trains {trainable}"
                )
        if self.accuracy_by_epoch and kind.own_loss:
            raise ValueError(f"accuracy_by_epoch cannot be combined with engine {engine!r}: it has no epochs of ours")
        return self

    @model_validator(mode="after")
    def _privacy_fits(self) -> Experiment:
        if not self._finite:
            return self
        if self.training.precision != "32-true":
            raise ValueError(
                f"precision {self.training.precision!r} cannot be combined with a finite epsilon: clipping needs exact "
                "norms. Use 32-true"
            )
        if self.collusion is not None:
            raise ValueError(
                "collusion cannot be combined with a finite epsilon: a record and its marked images count as several"
            )
        combination = (self.training.sampling, self.privacy.relation, self.privacy.accountant)
        if self.training.engine != names.COMMAND and combination not in (*VALID_ACCOUNTING, AS_PUBLISHED):
            allowed = "; ".join(", ".join(valid) for valid in VALID_ACCOUNTING)
            raise ValueError(
                "sampling {!r}, relation {!r} and accountant {!r} cannot be combined: no theorem covers them. "
                "Valid combinations: {}".format(*combination, allowed)
            )
        if self.membership.kind == "bernoulli" and self.training.sampling == "shuffle":
            raise ValueError(
                "sampling 'shuffle' cannot be combined with membership.kind 'bernoulli' and a finite epsilon: the size "
                "of the training set is random. Use 'poisson'"
            )
        return self

    @model_validator(mode="after")
    def _arms_fit(self) -> Experiment:
        kind = self.membership.kind
        if self.accuracy_by_epoch and self.membership.validation is None:
            raise ValueError("accuracy_by_epoch needs validation records. Set membership.validation")
        if kind in INDEPENDENT and self.iid_arms:
            raise ValueError(
                f"iid_arms cannot be combined with membership.kind {kind!r}: each arm is its own IID arm. Set "
                "iid_arms: false"
            )
        for name, arm in self.arms.items():
            if arm.training is not None and self.training.kind.own_loss:
                problem = f"cannot be combined with engine {self.training.engine!r}: it is not used there"
                raise ValueError(f"training of arm {name!r} {problem}")
            given = set(arm.model_dump(exclude={"model", "training", "epsilons"}, exclude_none=True))
            require_keys(f"arm {name!r} with membership.kind {kind!r}", given, *arm_keys(kind))
        return self

    @model_validator(mode="after")
    def _attacks_fit(self) -> Experiment:
        epsilons = {*self.all_epsilons}
        for name, attack in self.attacks.items():
            uses = names.ATTACKS[attack.kind].uses
            for use, key in MODELS_OF_ATTACKERS.items():
                if use in uses and getattr(self, key) is None:
                    raise ValueError(f"attack {name!r} needs the key {key}")
            require_references(name, attack, self.references.count if self.references else 0)
            of_iid_arms = self.iid_arms and attack.reference_arm is None
            if names.ATTACKS[attack.kind].both_sides and self.membership.kind in GROUPED and not of_iid_arms:
                problem = f"needs reference models of IID arms with membership.kind {self.membership.kind!r}"
                why = "others are trained on no non-member"
                raise ValueError(f"attack {name!r} {problem}: {why}. Set iid_arms: true, and leave reference_arm out")
            if "distilled" in uses and self.training.kind.own_loss:
                problem = f"cannot be combined with engine {self.training.engine!r}: its models take no soft labels"
                raise ValueError(f"attack {name!r} {problem}")
            if attack.epsilons is not None and not set(attack.epsilons) & epsilons:
                raise ValueError(f"no epsilon of attack {name!r} is one of the experiment")
            if attack.reference_arm is not None and "references" not in uses:
                raise ValueError(f"attack {name!r} does not take reference_arm: it uses no reference models")
            if attack.reference_arm is not None and attack.reference_arm not in self.arms:
                near = suggestion(attack.reference_arm, self.arms) or f"Arms: {', '.join(self.arms)}"
                raise ValueError(f"reference_arm {attack.reference_arm!r} of attack {name!r} is not an arm. {near}")
        return self

    @property
    def guarantee(self) -> dict[str, Any]:
        """What a finite epsilon means; of a program of the user's own it is what the user states."""
        return self.privacy.model_dump() | ({"accountant": STATED} if self.training.engine == names.COMMAND else {})

    @model_validator(mode="after")
    def _per_record_fits(self) -> Experiment:
        if self.per_record is None:
            return self
        if self.iid_arms or len(self.all_epsilons) > 1:
            raise ValueError("per_record cannot be combined with IID arms or several epsilons. Set iid_arms: false")
        leave_one_out = self.per_record.leave_one_out
        for key, chosen, valid in (
            ("per_record.arms", self.per_record.arms, list(self.arms)),
            (
                "per_record.leave_one_out.arms",
                leave_one_out.arms if leave_one_out else None,
                self.per_record.arms or list(self.arms),
            ),
        ):
            if unknown := sorted(set(chosen or ()) - set(valid)):
                raise ValueError(f"{key} names unknown arms: {', '.join(unknown)}. Valid arms: {', '.join(valid)}")
            if len(set(chosen or ())) != len(chosen or ()):
                raise ValueError(f"{key} names an arm more than once: {', '.join(chosen or ())}")
        for name, attack in self.attacks.items():
            if attack.reference_arm is not None and names.ATTACKS[attack.kind].per_record:
                raise ValueError(
                    f"reference_arm of attack {name!r} cannot be combined with per_record, which uses models of one arm"
                )
        if not any(names.ATTACKS[attack.kind].per_record for attack in self.attacks.values()):
            able = ", ".join(name for name, kind in names.ATTACKS.built_in.items() if kind.per_record)
            raise ValueError(f"per_record needs an attack with a threshold for the loss: {able}")
        if leave_one_out is not None and math.isfinite(self.epsilons[0][0]):
            raise ValueError(
                "per_record.leave_one_out cannot be combined with a finite epsilon: its models have no privacy"
            )
        if leave_one_out is not None and (self.collusion or self.membership.kind not in TRAINED_ON_MEMBERS):
            other = "collusion" if self.collusion else f"membership.kind {self.membership.kind!r}"
            raise ValueError(
                f"per_record.leave_one_out cannot be combined with {other}: targets are trained on more than the "
                f"members that are attacked, which is all that its models know. Kinds: {', '.join(TRAINED_ON_MEMBERS)}"
            )
        if leave_one_out is not None and leave_one_out.targets > self.replicates:
            raise ValueError(
                f"per_record.leave_one_out.targets ({leave_one_out.targets}) is greater than "
                f"replicates ({self.replicates})"
            )
        return self


class ExperimentEntry(Settings):
    """An experiment in a file. Keys that are left out come from `like`, or from the file's `defaults` and `scales`.

    null removes an inherited value, at every scale.
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
