"""Settings of attackers: their own models, their attacks, and per-record results."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from dpmia.common.limits import MOST_MODELS
from dpmia.common.no_attacks import NO_ATTACKS
from dpmia.common.registry import suggestion
from dpmia.settings import names
from dpmia.settings.base import ArmName, Epsilon, NotNegative, OneOf, Settings


class Shadows(Settings):
    """Shadow models of each arm and replicate; always trained without privacy, as in the papers."""

    count: Annotated[int, Field(ge=2)] = 5
    """Shadow models for each split."""
    l2: NotNegative = 0.0
    """Their coefficient c of the penalty c * |w|^2 / 2; all else is as in `training`."""
    attack_epochs: Annotated[int, Field(ge=1)] = 100
    """Epochs of the attack models, over the outputs of the shadow models."""


class ReferenceModels(Settings):
    """Reference models, trained on further draws of the same membership experiment; all targets of one epsilon share
    them.

    Distilled models are trained on the same draws, as many for each target.
    """

    count: Annotated[int, Field(ge=1, le=MOST_MODELS)]
    """Reference models for each arm that an attack needs them of, a multiple of `block`."""
    block: Annotated[int, Field(ge=1)]
    """Models of each arm that one job trains."""
    private: bool = True
    """Train them as the target model is trained, with its epsilon: `count` models for each epsilon that is attacked.
    `false`: without privacy, once for all epsilons; this is cheaper and understates the leakage of private models."""

    @model_validator(mode="after")
    def _whole_blocks(self) -> ReferenceModels:
        if self.count % self.block:
            raise ValueError(f"count ({self.count}) is not a multiple of block ({self.block})")
        return self


class Collusion(Settings):
    """A trainer who marks members for an attacker.

    It also trains on images derived from each member and a shared secret key. Without privacy only: a guarantee for one
    record does not cover a record and its marks.
    """

    keys: Annotated[int, Field(ge=1)] = 3
    """Keys that trainer and attacker share; each adds one marked image for each member."""
    function: Literal["blake2b", "python_random"] = "blake2b"
    """Function of key and record that makes the marks: keyed BLAKE2b, a pseudo-random function; or Python's own
    generator, which the paper used."""


#: What attacks use -> the key of an experiment that describes these models, the attacker's own or marked for it.
MODELS_OF_ATTACKERS = {
    "shadows": "shadows",
    "references": "references",
    "distilled": "references",
    "collusion": "collusion",
}


#: What offline RMIA takes where no `offline_a` is given.
OFFLINE_A = 0.3

#: Names in `dpmia.attacks.estimators.ESTIMATORS`.
Estimator = Literal["empirical", "linear", "logit_gaussian", "minimum", "mean"]


class LeaveOneOutSettings(Settings):
    """Attack L: for each record models of its own, trained as the target was but without that record."""

    records: Annotated[int, Field(ge=1, le=MOST_MODELS)]
    """Members, and non-members, of each target model that it attacks, a multiple of `block`; the first of those with
    per-record results. More of them train only the models of the new ones."""
    block: Annotated[int, Field(ge=1)]
    """Members, and non-members, whose models one job trains."""
    models: Annotated[int, Field(ge=2)]
    """Models for each member; as many models of all members are evaluated on non-members."""
    arms: Annotated[list[ArmName], Field(min_length=1)] | None = None
    """Arms whose target models it attacks. Default: those of `per_record.arms`."""
    targets: Annotated[int, Field(ge=1)] = 1
    """Target models of each arm that it attacks, the first ones."""
    estimator: Estimator = "logit_gaussian"
    """How a threshold is found from the losses of a record's models."""

    @model_validator(mode="after")
    def _whole_blocks(self) -> LeaveOneOutSettings:
        if self.records % self.block:
            raise ValueError(f"records ({self.records}) is not a multiple of block ({self.block})")
        return self


class PerRecordSettings(Settings):
    """Per-record results of all attacks of the experiment that set a threshold for the loss.

    For experiments of one epsilon, without IID arms.
    """

    arms: Annotated[list[ArmName], Field(min_length=1)] | None = None
    """Arms with per-record results. Default: all."""
    count: Annotated[int, Field(ge=1)]
    """Members, and non-members, of each target model with per-record results; all where there are fewer."""
    alphas: Annotated[list[Annotated[float, Field(gt=0, lt=1)]], Field(min_length=1)]
    """False positive rates that thresholds are set for; the losses behind a threshold are shown for the first."""
    leave_one_out: LeaveOneOutSettings | None = None
    """Attack L, evaluated on fewer records. Default: not run."""

    @model_validator(mode="after")
    def _leave_one_out_are_measured(self) -> PerRecordSettings:
        if self.leave_one_out is not None and self.leave_one_out.records > self.count:
            raise ValueError(
                f"leave_one_out.records ({self.leave_one_out.records}) is greater than count ({self.count})"
            )
        return self


class AttackSettings(Settings):
    """One attack; several entries may run one kind with different options."""

    kind: Annotated[str, OneOf(names.ATTACKS, files=True)] = ""
    """Kind of attack. Default: the entry's own name. `my_attack.py:MyAttack` is a class in a file."""
    reference_arm: ArmName | None = None
    """The arm whose draws the reference models are trained on. Default: the IID arm of the target model's arm, as the
    attacker does not know where members come from; its own where it has none."""

    epsilons: Annotated[list[Epsilon], Field(min_length=1)] | None = None
    """Epsilons of the target models that it is run on. Default: all."""
    alpha: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Nominal false positive rate of its decisions."""
    estimator: Estimator | None = None
    """How a threshold is found from the losses of non-members: `empirical`, a rank; `linear`, between two ranks;
    `logit_gaussian`, a normal distribution of the logits of confidences; `minimum` or `mean` of the last two."""
    variance: Literal["pooled", "per_point", "published"] | None = None
    """LiRA: `pooled`, one variance for all records; `per_point`, one for each; `published`, as in the authors' code:
    one variance over all confidences, not about the mean of each record, and medians as means."""
    reference_models: Literal["out", "in", "all"] | None = None
    """Which reference models count for a record: those trained without it, with it, or all."""
    gamma: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = None
    """RMIA: least likelihood ratio at which a record dominates a population record."""
    offline_a: Annotated[float, Field(ge=0, le=1)] | None = None
    """Offline RMIA: assumed effect of training on a record, from 0 (its probability becomes 1) to 1 (none)."""

    arguments: dict[str, Any] | None = None
    """Further options of an attack of a plug-in or of a file, by the names that its class gives them."""

    @property
    def options(self) -> dict[str, Any]:
        """Options of the attack itself, those that are set."""
        own = self.model_dump(exclude={"kind", "reference_arm", "epsilons", "arguments"}, exclude_none=True)
        return own | (self.arguments or {})


def each_of_a_kind(attacks: dict[str, AttackSettings]) -> dict[str, AttackSettings]:
    """Return attacks with their kinds, which their names are where left out.

    Raises:
        ValueError: a kind is unknown, or an option is not one of it.
    """
    for name, attack in attacks.items():
        kind = attack.kind or name
        if name in NO_ATTACKS:
            raise ValueError(f"{name!r} cannot name an attack: tables have rows of that name. Choose another")
        if kind not in names.ATTACKS:
            remedy = f"Name one under the key kind: {', '.join(names.ATTACKS)}. {suggestion(name, names.ATTACKS)}"
            raise ValueError(f"{name!r} is not a kind of attack. {remedy}".strip())
        if attack.arguments is not None and kind in names.ATTACKS.built_in:
            raise ValueError(f"attack {name!r} does not take arguments: it is built in. Write its options beside kind")
        if wrong := sorted(set(attack.options) - set(names.ATTACKS[kind].options)):
            allowed = ", ".join(names.ATTACKS[kind].options) or "none"
            raise ValueError(f"attack {name!r} does not take {', '.join(wrong)}. Options of {kind!r}: {allowed}")
    return {name: attack.model_copy(update={"kind": attack.kind or name}) for name, attack in attacks.items()}


def require_references(name: str, attack: AttackSettings, count: int) -> None:
    """Check that there are reference models enough for an attack.

    Raises:
        ValueError: there are fewer than a variance needs; the published form of LiRA takes one over all records.
    """
    kind = names.ATTACKS[attack.kind]
    if count < kind.fewest and attack.variance != "published":
        sides = f"{kind.each_side} trained without each record{f' and {kind.each_side} with it' * kind.both_sides}"
        raise ValueError(f"attack {name!r} needs at least {kind.fewest} reference models, {sides}, and has {count}")
