"""Every setting: its type, range, default and meaning. Unknown keys are errors."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from dpmia.settings import names
from dpmia.settings.epsilon import parse_epsilon, spell_epsilon
from dpmia.settings.privacy import VALID_ACCOUNTING

Epsilon = Annotated[float, BeforeValidator(parse_epsilon)]
Count = Annotated[int, Field(ge=1)] | Literal["all"]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Scale = Literal["smoke", "laptop", "paper"]


def _one_of(registry: dict[str, str]) -> Any:
    return Literal[tuple(registry)]


class Settings(BaseModel):
    """What all groups of settings share: no unknown keys, no change after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, bool) and cls.model_fields[info.field_name].annotation is not bool:
            raise ValueError("a value other than true and false")
        return value


class Config(Settings):
    """`config.yaml`: which data, how much of it all, and from which seed."""

    data: Literal["embedded", "real"] = "embedded"
    """`embedded` makes stand-in data and needs no network; `real` takes the publishers' files."""
    scale: Scale = "laptop"
    """How much is run: `smoke` takes seconds, `laptop` minutes, `paper` is the papers' own size."""
    data_mirror: str | None = None
    """Folder with raw files that were fetched before (`real` only); what is missing there is downloaded."""
    seed: Annotated[int, Field(ge=0)] = 1
    """The root of all randomness: the same seed gives the same numbers."""
    experiments: Annotated[list[str], Field(min_length=1)] = ["experiments/humphries.yaml"]
    """Files that say what each paper runs."""


class Membership(Settings):
    """How members and non-members are drawn; what differs between arms stands in `arms`."""

    kind: _one_of(names.MEMBERSHIP)
    """`iid`: all from one pool; `group`: members from one group, non-members from the others; `cluster`: as `group`,
    with groups made by k-means."""
    members: Count
    """Size of the training set, or `all` records of the group."""
    nonmembers: Count
    """Records outside of the training set to attack, or `all` of the other groups."""
    by: str | None = None
    """`group` only: the attribute that holds the groups (hospital, school)."""
    clusters: Annotated[int, Field(ge=2)] | None = None
    """`cluster` only: clusters for each class."""
    pairing: Literal["nearest", "farthest"] | None = None
    """`cluster` only: which clusters of different classes form one group, by the distance of their centres."""
    cluster_seed: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    """`cluster` only: seed of k-means; one clustering serves all replicates."""
    restarts: Annotated[int, Field(ge=1)] | None = None
    """`cluster` only: restarts of k-means; the best counts."""

    @model_validator(mode="after")
    def _keys_fit_kind(self) -> Membership:
        needed = {"iid": set(), "group": {"by"}, "cluster": {"clusters", "pairing", "cluster_seed", "restarts"}}
        optional = set().union(*needed.values())
        given = {key for key in optional if getattr(self, key) is not None}
        if given != needed[self.kind]:
            raise ValueError(
                f"kind {self.kind!r} with the keys {sorted(needed[self.kind])} beside members and nonmembers, "
                f"not with {sorted(given)}"
            )
        if self.kind == "iid" and "all" in (self.members, self.nonmembers):
            raise ValueError("numbers of members and nonmembers for kind 'iid', not 'all'")
        return self


class Arm(Settings):
    """One arm of an experiment."""

    group: str | None = None
    """The group that members come from; clusters are named `0` (the smallest), `1`, ..."""


class Model(Settings):
    """The architecture of target models."""

    kind: _one_of(names.MODELS) = "mlp"
    """Architecture."""
    hidden: list[Annotated[int, Field(ge=1)]] = [256, 256]
    """Widths of the hidden layers, ReLU after each."""


class Training(Settings):
    """How target models are trained."""

    engine: _one_of(names.ENGINES) = "stacked"
    """`stacked` trains many perceptrons at once; `opacus` one model at a time (`plain` for those without privacy)."""
    optimiser: Literal["adam", "sgd"] = "adam"
    """DP-Adam or DP-SGD where epsilon is finite, Adam or SGD where it is not."""
    learning_rate: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 0.01
    """Step size."""
    momentum: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Momentum of `sgd`."""
    batch_size: Annotated[int, Field(ge=1)] = 200
    """Expected number of records in a batch."""
    epochs: Annotated[int, Field(ge=1)] = 100
    """Passes over the training set."""
    sampling: Literal["poisson", "shuffle"] = "poisson"
    """`poisson`: each record joins a batch independently; `shuffle`: batches cut from a permutation, without
    amplification."""
    clip_norm: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    """Bound C on the gradient of one record; private models only."""
    l2: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Coefficient c of the penalty c * |w|^2 / 2."""


class Privacy(Settings):
    """The promise behind a finite epsilon."""

    relation: Literal["replace_one", "add_remove"] = "replace_one"
    """Neighbouring data sets: one record replaced, or one added or removed."""
    delta: Annotated[float, Field(gt=0, lt=1)] = 1e-5
    """Delta of (epsilon, delta)."""
    accountant: Literal["pld", "rdp"] = "pld"
    """Privacy loss distribution, or Renyi DP."""


class Experiment(Settings):
    """A data set, a membership experiment, a model, a recipe, epsilons, replicates and attacks."""

    dataset: _one_of(names.DATASETS)
    """Data set."""
    attributes: list[str] = []
    """Columns to keep out of the features, so that groups can be made of them."""
    membership: Membership
    """How members and non-members are drawn."""
    arms: Annotated[dict[Name, Arm], Field(min_length=1)]
    """The arms by name."""
    iid_arms: bool = True
    """Give each arm its IID arm: the same records, shuffled."""
    model: Model = Model()
    """The target model."""
    training: Training = Training()
    """The training recipe."""
    privacy: Privacy = Privacy()
    """What a finite epsilon means."""
    epsilons: Annotated[list[Annotated[list[Epsilon], Field(min_length=1)]], Field(min_length=1)]
    """Groups of epsilons; the models of one group are trained by one job. `inf` is training without privacy."""
    replicates: Annotated[int, Field(ge=1)]
    """Independent repetitions, a multiple of `block`."""
    block: Annotated[int, Field(ge=1)]
    """Replicates that one job trains. A changed number retrains everything; more replicates only add jobs."""
    attacks: Annotated[list[_one_of(names.ATTACKS)], Field(min_length=1)]
    """Attacks by name."""

    @field_validator("epsilons")
    @classmethod
    def _each_once(cls, groups: list[list[float]]) -> list[list[float]]:
        flat = [spell_epsilon(epsilon) for group in groups for epsilon in group]
        twice = sorted({epsilon for epsilon in flat if flat.count(epsilon) > 1})
        if twice:
            raise ValueError(f"each epsilon once, not {', '.join(twice)} twice")
        return groups

    @field_validator("attacks")
    @classmethod
    def _each_attack_once(cls, attacks: list[str]) -> list[str]:
        twice = sorted({attack for attack in attacks if attacks.count(attack) > 1})
        if twice:
            raise ValueError(f"each attack once, not {', '.join(twice)} twice")
        return attacks

    @model_validator(mode="after")
    def _fits_together(self) -> Experiment:
        if self.replicates % self.block:
            raise ValueError(f"replicates ({self.replicates}) that are a multiple of block ({self.block})")
        finite = [epsilon for group in self.epsilons for epsilon in group if math.isfinite(epsilon)]
        if self.training.engine == "plain" and finite:
            raise ValueError("an engine other than 'plain' for a finite epsilon: it adds no noise")
        combination = (self.training.sampling, self.privacy.relation, self.privacy.accountant)
        if combination not in VALID_ACCOUNTING:
            allowed = "; ".join(", ".join(known) for known in VALID_ACCOUNTING)
            raise ValueError(
                f"a sampling, relation and accountant that a theorem covers, not {', '.join(combination)}: {allowed}"
            )
        if self.membership.kind == "iid" and self.iid_arms:
            raise ValueError("iid_arms: false for kind 'iid', which is its own IID arm")
        for name, arm in self.arms.items():
            if (arm.group is None) != (self.membership.kind == "iid"):
                raise ValueError(
                    f"arm {name!r} {'with' if arm.group is None else 'without'} the key group "
                    f"for kind {self.membership.kind!r}"
                )
        return self


class ExperimentEntry(Settings):
    """An experiment as it is written; what is left out stands in the file's `defaults` and `scales`."""

    model_config = ConfigDict(extra="allow")

    scales: dict[Scale, dict[str, Any]] = {}
    """What each scale changes in this experiment; counts more than the `scales` of the file."""


class ExperimentFile(Settings):
    """A file in `experiments/`: what one paper runs, and what each scale changes."""

    paper: Name
    """Name of the paper."""
    defaults: dict[str, Any] = {}
    """Settings of all experiments of the file, unless an experiment says otherwise."""
    scales: dict[Scale, dict[str, Any]] = {}
    """What each scale changes in all experiments of the file."""
    experiments: Annotated[dict[Name, ExperimentEntry], Field(min_length=1)]
    """The experiments by name; each may hold `scales` of its own, which count most."""
