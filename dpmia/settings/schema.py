"""Every setting: its type, range, default and meaning. Unknown keys are errors."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from dpmia.registry import suggestion
from dpmia.settings import names
from dpmia.settings.base import ArmName, Count, Epsilon, Name, Scale, Settings, Size, one_of
from dpmia.settings.epsilon import spell_epsilon
from dpmia.settings.own_data import OwnData
from dpmia.settings.privacy import AS_PUBLISHED, VALID_ACCOUNTING


class Planner(Settings):
    """What `snakemake plan` plans: a private training run that keeps a bound on positive accuracy (Thudi et al.)."""

    bound: Annotated[float, Field(gt=0, lt=1)] = 0.75
    """Largest probability that a record which an attack calls a member was one."""
    records: Annotated[int, Field(ge=2)] = 60000
    """Records there are; a part of them, drawn at random, is trained on."""
    batch_size: Annotated[int, Field(ge=1)] = 512
    """Expected number of records in a batch."""
    epochs: Annotated[int, Field(ge=1)] = 40
    """Passes over the training set."""
    delta: Annotated[float, Field(gt=0, lt=1)] = 1e-5
    """Delta of the promise."""
    relation: Literal["replace_one", "add_remove"] = "add_remove"
    """`add_remove`: each record is drawn on its own; `replace_one`: a fixed number is drawn."""
    acceptance: Annotated[float, Field(gt=0, le=1)] = 0.01
    """The bound holds for attacks that find at least this share of the members."""
    unlearning: Annotated[float, Field(gt=0, lt=1)] = 0.8
    """Least probability that none of the records to be deleted was trained on."""


#: What `snakemake audit` may limit.
LIMITED = ("advantage", "auc", "tpr_at_1pct_fpr", "tpr_at_0.1pct_fpr", "advantage_excess", "auc_excess")


class Audit(Settings):
    """What `snakemake audit` holds models to: it ends with an error, after its report is written, if one fails."""

    fail_above: dict[one_of(dict.fromkeys(LIMITED)), Annotated[float, Field(ge=0, le=1)]] = {}
    """Metric -> the largest value that the mean of any attack may have, in any arm."""
    epsilons: list[Epsilon] | None = None
    """Epsilons of the models that may be released, which the limits are for; all where left out."""


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
    experiments: Annotated[list[str], Field(min_length=1)] = ["experiments/*.yaml"]
    """Files that say what each paper runs; `*` stands for any name."""
    plan: Planner = Planner()
    """What `snakemake plan` plans."""
    audit: Audit = Audit()
    """What `snakemake audit` holds models to."""


class Membership(Settings):
    """How members and non-members are drawn; what differs between arms stands in `arms`."""

    kind: one_of(names.MEMBERSHIP)
    """`iid`: all from one pool; `group`: members from one group, non-members from the others; `cluster`: as `group`,
    with groups made by k-means; `bias`: members from two groups in another proportion than non-members; `bernoulli`:
    each record of a pool joins the training set with one probability."""
    members: Size | None = None
    """All but `bernoulli`: size of the training set, `all` records of the group, or a share of them between 0 and 1."""
    nonmembers: Size | None = None
    """All but `bernoulli`: records outside of the training set to attack, `all` of the other groups, or a share."""
    population: Size | None = None
    """`iid`: further records that the attacker has, or a share; `all` others where left out."""
    records: Count | None = None
    """`bernoulli`: size of the pool, the first records of the data set, or `all`."""
    asked: Count | None = None
    """`bernoulli`: records of the pool, the first ones, that are attacked; `all` where left out."""
    by: str | None = None
    """`group`, `bias`: the attribute that holds the groups (hospital, school, sex); that of one's own file where left
    out."""
    most: Annotated[int, Field(ge=1)] | None = None
    """`iid`, `group`: a share gives so many records at most, so that large tables take no longer than others."""
    smallest: Annotated[int, Field(ge=1)] | None = None
    """`group`, with `arms: each group`: fewest records of a group that has an arm, and of all others together."""
    merge: dict[str, Annotated[list[str], Field(min_length=1)]] | None = None
    """`bias`: groups made of several values of the attribute, by the group's name."""
    validation: Annotated[int, Field(ge=1)] | None = None
    """Records that measure accuracy only. `bias`: drawn as the members are; `bernoulli`: the first ones after the
    pool."""
    clusters: Annotated[int, Field(ge=2)] | None = None
    """`cluster`: clusters for each class."""
    pairing: Literal["nearest", "farthest"] | None = None
    """`cluster`: which clusters of different classes form one group, by the distance of their centres."""
    cluster_seed: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    """`cluster`: seed of k-means; one clustering serves all replicates."""
    restarts: Annotated[int, Field(ge=1)] | None = None
    """`cluster`: restarts of k-means; the best counts."""

    @model_validator(mode="after")
    def _keys_fit_kind(self) -> Membership:
        needed, allowed = MEMBERSHIP_KEYS[self.kind]
        given = {key for key in OPTIONAL_MEMBERSHIP_KEYS if getattr(self, key) is not None}
        if not needed <= given <= needed | allowed:
            raise ValueError(
                f"kind {self.kind!r} with the keys {sorted(needed)}"
                f"{f' and perhaps {sorted(allowed)}' if allowed else ''}, not with {sorted(given)}"
            )
        if self.kind in ("iid", "bias") and "all" in (self.members, self.nonmembers):
            raise ValueError(f"numbers of members and nonmembers for kind {self.kind!r}, not 'all'")
        shares = [size for size in (self.members, self.nonmembers, self.population) if isinstance(size, float)]
        if shares and self.kind == "bias":
            raise ValueError("numbers of members and nonmembers for kind 'bias', not shares")
        if self.kind == "iid" and sum(shares) > 1:
            raise ValueError(f"shares of members, nonmembers and population that add up to 1 at most, not {shares}")
        return self


_SIZES = {"members", "nonmembers"}

#: kind of membership experiment -> keys that it needs, keys that it may have.
MEMBERSHIP_KEYS: dict[str, tuple[set[str], set[str]]] = {
    "iid": (_SIZES, {"population", "most"}),
    "group": (_SIZES | {"by"}, {"smallest", "most"}),
    "cluster": (_SIZES | {"clusters", "pairing", "cluster_seed", "restarts"}, set()),
    "bias": (_SIZES | {"by", "validation"}, {"merge"}),
    "bernoulli": ({"records"}, {"asked", "validation"}),
}
OPTIONAL_MEMBERSHIP_KEYS = set().union(*(needed | allowed for needed, allowed in MEMBERSHIP_KEYS.values()))

#: Keys of a membership experiment that its drawing function takes.
DRAWING_KEYS = ("members", "nonmembers", "population", "validation", "records", "asked", "most")

#: kind of membership experiment -> keys of each arm.
ARM_KEYS = {"iid": set(), "group": {"group"}, "cluster": {"group"}, "bias": {"group", "share"}, "bernoulli": {"rate"}}

#: Kinds whose members and non-members come from one pool: each arm is its own IID arm.
INDEPENDENT = ("iid", "bernoulli")


class Model(Settings):
    """The architecture of target models."""

    kind: one_of(names.MODELS) = "mlp"
    """Architecture: perceptron, one of the papers' convolutional networks, or a classifier of scikit-learn."""
    hidden: list[Annotated[int, Field(ge=1)]] | None = None
    """`mlp`: widths of the hidden layers, ReLU after each."""
    size: Annotated[int, Field(ge=1)] | None = None
    """`growing`: filters of the first convolutions; all else grows with them."""
    trees: Annotated[int, Field(ge=1)] | None = None
    """`random_forest`, `gradient_boosting`: number of trees."""

    @model_validator(mode="after")
    def _keys_fit_kind(self) -> Model:
        given, needed = set(self.shape), MODEL_KEYS.get(self.kind, set())
        if given != needed:
            raise ValueError(f"kind {self.kind!r} with the keys {sorted(needed)}, not with {sorted(given)}")
        return self

    @property
    def name(self) -> str:
        """The kind in words, with the widths of a perceptron's layers."""
        return " ".join([self.kind.replace("_", " "), *(["-".join(map(str, self.hidden))] if self.hidden else [])])

    @property
    def shape(self) -> dict[str, Any]:
        """What the architecture is told beside the data set."""
        return self.model_dump(exclude={"kind"}, exclude_none=True)


#: kind of model -> keys that it needs.
MODEL_KEYS = {"mlp": {"hidden"}, "growing": {"size"}, "random_forest": {"trees"}, "gradient_boosting": {"trees"}}


class Arm(Settings):
    """One arm of an experiment."""

    group: str | None = None
    """The group that members come from; clusters are named `0` (the smallest), `1`, ..."""
    share: Annotated[float, Field(ge=0, le=1)] | None = None
    """`bias`: share of that group among the members; the others come from the other group."""
    rate: Annotated[float, Field(gt=0, lt=1)] | None = None
    """`bernoulli`: probability to join the training set."""
    model: Model | None = None
    """The target model of this arm, where it differs from that of the experiment."""
    epsilons: Annotated[list[Epsilon], Field(min_length=1)] | None = None
    """Those of the experiment's epsilons that target models of this arm are trained with; all where left out.
    Reference models are trained with all."""

    @property
    def draw(self) -> dict[str, Any]:
        """How the members of this arm are drawn."""
        return self.model_dump(exclude={"model", "epsilons"}, exclude_none=True)


class Training(Settings):
    """How target models are trained."""

    engine: one_of(names.ENGINES) = "stacked"
    """`stacked` trains many perceptrons at once; `convolution` one convolutional network at a time; `opacus` any
    model, one at a time (`plain` for those without privacy); `scikit_learn` its classifiers, by their own methods: the
    other keys here are not used."""
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
    betas: Annotated[list[Annotated[float, Field(ge=0, lt=1)]], Field(min_length=2, max_length=2)] = [0.9, 0.999]
    """How much `adam` keeps of its means of the gradient and of its square, at each step."""
    decay: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """How fast the learning rate falls: step t, counted from 0, is taken with learning_rate / (1 + decay * t)."""


class Privacy(Settings):
    """The promise behind a finite epsilon."""

    relation: Literal["replace_one", "add_remove"] = "replace_one"
    """Neighbouring data sets: one record replaced, or one added or removed."""
    delta: Annotated[float, Field(gt=0, lt=1)] = 1e-5
    """Delta of (epsilon, delta)."""
    accountant: Literal["pld", "rdp", "rdp_as_published"] = "pld"
    """Privacy loss distribution, or Renyi DP; `rdp_as_published` only redraws a paper: it judges shuffled batches as
    if they were sampled, with half the noise that replace-one asks for, and what it claims is not proved."""


class Blind(Settings):
    """The blind baseline: telling members from non-members by their records alone, without any model."""

    replicates: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """How many of the replicates it is measured on, the first ones."""
    with_loss: list[Epsilon] = []
    """Epsilons at which the same classifier is also given the target model's losses: what do they add?"""


class Shadows(Settings):
    """Shadow models, trained without privacy on the attacker's records; once for each arm and replicate."""

    count: Annotated[int, Field(ge=2)] = 5
    """Shadow models for each split."""
    l2: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Their coefficient c of the penalty c * |w|^2 / 2; all else is as in `training`."""
    attack_epochs: Annotated[int, Field(ge=1)] = 100
    """Passes over their answers by which the attack models are trained."""


class References(Settings):
    """Reference models, trained on further draws of the same membership experiment; all targets share them.

    Distilled models are trained on the same draws, as many for each target.
    """

    count: Annotated[int, Field(ge=1)]
    """Reference models for each arm that an attack needs them of, a multiple of `block`."""
    block: Annotated[int, Field(ge=1)]
    """Models that one job trains."""
    private: bool = False
    """Train them with the epsilon of the target model; without privacy otherwise."""

    @model_validator(mode="after")
    def _whole_blocks(self) -> References:
        if self.count % self.block:
            raise ValueError(f"a count ({self.count}) that is a multiple of block ({self.block})")
        return self


class Collusion(Settings):
    """A trainer who marks members for an attacker: beside each, it trains on images that only shared keys tell.

    Without privacy only: a record and its marks are more than the one record that a promise covers.
    """

    keys: Annotated[int, Field(ge=1)] = 3
    """Keys that trainer and attacker share; each adds one marked image for each member."""
    function: Literal["blake2b", "python_random"] = "blake2b"
    """What makes marks of key and record: keyed BLAKE2b, a pseudo-random function; or Python's own generator, which
    the paper used."""


#: Names in `dpmia.attacks.estimators.ESTIMATORS`.
Estimator = Literal["empirical", "linear", "logit_gaussian", "minimum", "mean"]

#: Engines that train one kind of network only.
NARROW_ENGINES = ("stacked", "convolution")

#: What attacks use -> the key of an experiment that describes these models, the attacker's own or marked for it.
MODELS_OF_ATTACKERS = {
    "shadows": "shadows",
    "references": "references",
    "distilled": "references",
    "collusion": "collusion",
}


class LeftOut(Settings):
    """Attack L: for each record models of its own, trained as the target was but without that record."""

    points: Annotated[int, Field(ge=1)]
    """Members, and non-members, of each target model that it judges, a multiple of `block`; the first of all points.
    More points train only the models of the new ones."""
    block: Annotated[int, Field(ge=1)]
    """Points of each part whose models one job trains."""
    models: Annotated[int, Field(ge=2)]
    """Models for each member; those of all members that are asked about non-members are as many."""
    targets: Annotated[int, Field(ge=1)] = 1
    """Target models that it attacks, the first ones."""
    estimator: Estimator = "logit_gaussian"
    """How a threshold is found from the losses of a record's models."""

    @model_validator(mode="after")
    def _whole_blocks(self) -> LeftOut:
        if self.points % self.block:
            raise ValueError(f"points ({self.points}) that are a multiple of block ({self.block})")
        return self


class Points(Settings):
    """Attacks looked at record by record: all those of the experiment that set a threshold for the loss.

    For experiments of one arm and one epsilon.
    """

    count: Annotated[int, Field(ge=1)]
    """Members, and non-members, of each target model that are judged; all where there are fewer."""
    alphas: Annotated[list[Annotated[float, Field(gt=0, lt=1)]], Field(min_length=1)]
    """False positive rates that thresholds are set for; the losses behind a threshold are shown for the first."""
    left_out: LeftOut | None = None
    """Attack L, which judges fewer points; not run where left out."""

    @model_validator(mode="after")
    def _left_out_are_points(self) -> Points:
        if self.left_out is not None and self.left_out.points > self.count:
            raise ValueError(f"at most as many left_out.points as count ({self.count}), not {self.left_out.points}")
        return self


class AttackSettings(Settings):
    """One attack; several entries may run one kind with different options."""

    kind: one_of(names.ATTACKS) | None = None
    """Kind of attack; the entry's own name where left out."""
    reference_arm: ArmName | None = None
    """The arm whose draws the reference models are trained on; the target model's own arm where left out."""

    epsilons: Annotated[list[Epsilon], Field(min_length=1)] | None = None
    """Epsilons of the target models that it is run on; all where left out."""
    alpha: Annotated[float, Field(gt=0, lt=1)] | None = None
    """False positive rate at which it decides."""
    estimator: Estimator | None = None
    """How a threshold is found from the losses of non-members."""
    variance: Literal["pooled", "per_point", "published"] | None = None
    """LiRA: one variance for all records, or one for each."""
    reference_models: Literal["out", "in", "all"] | None = None
    """Which reference models count for a record: those trained without it, with it, or all."""
    gamma: Annotated[float, Field(gt=0)] | None = None
    """RMIA: by how much a record must outdo a population record."""

    @property
    def options(self) -> dict[str, Any]:
        """Options of the attack itself, those that are set."""
        return self.model_dump(exclude={"kind", "reference_arm", "epsilons"}, exclude_none=True)


def each_of_a_kind(attacks: dict[str, AttackSettings]) -> dict[str, AttackSettings]:
    """Return attacks with their kinds, which their names are where left out.

    Raises:
        ValueError: a kind is unknown, or an option is not one of it.
    """
    for name, attack in attacks.items():
        kind = attack.kind or name
        if kind not in names.ATTACKS:
            known = f"a key `kind` in attack {name!r}, which is no kind itself ({', '.join(names.ATTACKS)})"
            raise ValueError(f"{known}. {suggestion(name, names.ATTACKS)}".strip())
        if wrong := sorted(set(attack.options) - set(names.ATTACKS[kind].options)):
            allowed = ", ".join(names.ATTACKS[kind].options) or "none"
            raise ValueError(f"attack {name!r} without {', '.join(wrong)}: options of {kind!r} are {allowed}")
    return {name: attack.model_copy(update={"kind": attack.kind or name}) for name, attack in attacks.items()}


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
    """Records at which attacks are looked at one by one; none where left out."""
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
            given, needed = set(arm.draw), ARM_KEYS[self.membership.kind]
            if given != needed:
                raise ValueError(
                    f"arm {name!r} with the keys {sorted(needed)} for kind {self.membership.kind!r}, "
                    f"not with {sorted(given)}"
                )
        for name, attack in self.attacks.items():
            for use, key in MODELS_OF_ATTACKERS.items():
                if use in names.ATTACKS[attack.kind].uses and getattr(self, key) is None:
                    raise ValueError(f"the key {key} for attack {name!r}, which uses them")
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
        if len(self.arms) > 1 or self.iid_arms or sum(map(len, self.epsilons)) > 1:
            raise ValueError("points only for one arm, without IID arms, and one epsilon")
        if not any("estimator" in names.ATTACKS[attack.kind].options for attack in self.attacks.values()):
            raise ValueError("an attack with a threshold for the loss (option estimator) for points")
        left_out = self.points.left_out
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
    """Name of the paper; `snakemake audit` reports on the experiments of files that say `audit`."""
    defaults: dict[str, Any] = {}
    """Settings of all experiments of the file, unless an experiment says otherwise."""
    scales: dict[Scale, dict[str, Any]] = {}
    """What each scale changes in all experiments of the file."""
    experiments: dict[Name, ExperimentEntry] = {}
    """The experiments by name; each may hold `scales` of its own, which count most."""
    predictions: dict[Name, dict[str, Any]] = {}
    """Models by name of which there are answers only; the same at every scale, and without `defaults`."""
    studies: dict[Name, ExperimentEntry] = {}
    """Studies by name, with `like` and `scales` as experiments; `defaults` and the file's `scales` are not theirs."""
