"""What each name in the settings stands for, as `module` or `module:object` (see `dpmia.common.registry.load`).

Only text: no part is imported before it is used, and the jobs of the workflow are handed the text of the names they
use. So a job reaches the modules of those names and no others, and a new line here reruns nothing.

Parts of installed packages (entry points) and of files (`file.py:Object`) stand beside those of this library; see
`docs/extend.md`.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from dpmia.common.errors import UserError, shown
from dpmia.common.plugins import Parts, errors_of_file
from dpmia.common.registry import load, suggestion

#: what every attack is a subclass of; what one is that has results for each record; what it can know.
ATTACK, PER_RECORD = "dpmia.attacks.base:Attack", "dpmia.attacks.hypothesis:HypothesisTest"
KNOWLEDGE = "dpmia.attacks.base:Knowledge"


class AttackKind(NamedTuple):
    """An attack: the class that runs it, what the attacker needs beside the target model's outputs, its options.

    `by_default`: whether `dpmia attack` and `dpmia.attack` run it where the user names none, and the page of an audit
    names it where it was not run: no oracle, no control, and of use beyond the experiments of the papers.
    The others are attributes of the class (`dpmia.attacks.base.Attack`).
    """

    spec: str
    uses: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    each_side: int = 1
    both_sides: bool = False
    per_record: bool = False
    needs_classes: bool = False
    even_counts: bool = False
    by_default: bool = True

    @property
    def fewest(self) -> int:
        """Smallest number of reference models."""
        return self.each_side * (1 + self.both_sides) if "references" in self.uses else 0


#: Attributes of an attack that are true or false.
_FLAGS = ("both_sides", "per_record", "needs_classes", "even_counts")


def _attack_kind(spec: str) -> AttackKind:
    """Return the kind of an attack that is not of this library: what it uses and takes is read off its class.

    Raises:
        UserError: it is no class of attacks.
    """
    attack = load(spec)
    if load(ATTACK) not in inspect.getmro(attack if inspect.isclass(attack) else object):
        raise UserError(spec, f"not a subclass of {ATTACK.replace(':', '.')}", "Derive it from that class")
    if attack.per_record and load(PER_RECORD) not in inspect.getmro(attack):
        problem = f"per_record is true, but it is no subclass of {PER_RECORD.replace(':', '.')}"
        raise UserError(spec, problem, "Derive it from that class, or leave per_record out")
    check_uses(attack, spec)
    with errors_of_file(spec, "attack", every=True):
        options = tuple(name for name in inspect.signature(attack).parameters)
        flags = {name: bool(getattr(attack, name)) for name in _FLAGS}
        by_default = not attack.oracle
        return AttackKind(spec, tuple(attack.uses), options, int(attack.each_side), **flags, by_default=by_default)


def check_uses(attack: Any, where: str) -> None:
    """Refuse an attack, or a class of attacks, whose `uses` names what no attacker has.

    Raises:
        UserError: it does.
    """
    names = ["population", *load(KNOWLEDGE).__dataclass_fields__]
    uses = attack.uses
    if not isinstance(uses, tuple | list) or (unknown := [use for use in uses if use not in names]):
        near = suggestion(str(unknown[0]), names) if isinstance(uses, tuple | list) else ""
        remedy = " ".join(filter(None, (f"Write a tuple of: {', '.join(names)}.", near)))
        raise UserError(where, f"its attribute uses is {shown(uses)}", remedy)


def _same(spec: str) -> str:
    return spec


#: data sets: a module with `read` and `encode` (see `dpmia.datasets`).
_DATASETS = {
    "adult": "dpmia.datasets.published.adult",
    "census_adult": "dpmia.datasets.published.census_adult",
    "cifar10": "dpmia.datasets.published.cifar10",
    "cifar100": "dpmia.datasets.published.cifar100",
    "compas": "dpmia.datasets.published.compas",
    "eyedata": "dpmia.datasets.published.eyedata",
    "heart": "dpmia.datasets.published.heart",
    "iwpc": "dpmia.datasets.published.iwpc",
    "mnist": "dpmia.datasets.published.mnist",
    "purchase100": "dpmia.datasets.published.purchase100",
    "student": "dpmia.datasets.published.student",
    "svhn": "dpmia.datasets.published.svhn",
    "texas": "dpmia.datasets.published.texas",
}

DATASETS = Parts("dpmia.datasets", _DATASETS, _same)

#: published images.
IMAGES = ("cifar10", "cifar100", "mnist", "svhn")

#: a data set from a file of one's own: a module as those above.
OWN_DATA = "dpmia.datasets.own.table"

#: what writes the synthetic raw files of a data set: a function of its name, a folder, a seed and a scale. Most have
#: nothing but a table, `dpmia/datasets/synthetic/<name>.toml`. Of a plug-in: function `write_synthetic` of its module.
_SYNTHETIC = dict.fromkeys(_DATASETS, "dpmia.datasets.synthetic.sampler:write_files") | {
    "adult": "dpmia.datasets.synthetic.adult:write_files",
    "census_adult": "dpmia.datasets.synthetic.census_adult:write_files",
    "cifar10": "dpmia.datasets.synthetic.images:write_cifar10",
    "cifar100": "dpmia.datasets.synthetic.images:write_cifar100",
    "compas": "dpmia.datasets.synthetic.compas:write_files",
    "eyedata": "dpmia.datasets.synthetic.eyedata:write_files",
    "iwpc": "dpmia.datasets.synthetic.iwpc:write_files",
    "mnist": "dpmia.datasets.synthetic.images:write_mnist",
    "purchase100": "dpmia.datasets.synthetic.purchase100:write_files",
    "svhn": "dpmia.datasets.synthetic.images:write_svhn",
    "texas": "dpmia.datasets.synthetic.texas:write_files",
}
SYNTHETIC = Parts("dpmia.datasets", _SYNTHETIC, lambda spec: f"{spec}:write_synthetic")

#: membership experiments: a function that draws one split (see `dpmia.splits.draws`).
_MEMBERSHIP = {
    "iid": "dpmia.splits.draws:iid",
    "group": "dpmia.splits.draws:group",
    "cluster": "dpmia.splits.draws:group",
    "bias": "dpmia.splits.draws:bias",
    "bernoulli": "dpmia.splits.draws:bernoulli",
}
MEMBERSHIP = Parts("dpmia.membership", _MEMBERSHIP, _same)

#: architectures of target models: a function of inputs, outputs and image that takes the other keys of `model`.
_MODELS = {
    "alexnet": "dpmia.models.networks:alexnet",
    "gradient_boosting": "dpmia.models.classifiers:gradient_boosting",
    "growing": "dpmia.models.networks:growing",
    "logistic_regression": "dpmia.models.classifiers:logistic_regression",
    "mlp": "dpmia.models.mlp:perceptron",
    "random_forest": "dpmia.models.classifiers:random_forest",
    "tramer_boneh": "dpmia.models.networks:tramer_boneh",
    "two_convolutions": "dpmia.models.networks:two_convolutions",
    "vgg": "dpmia.models.networks:vgg",
}
MODELS = Parts("dpmia.models", _MODELS, _same)

#: those that scikit-learn fits.
CLASSIFIERS = (
    "gradient_boosting",
    "logistic_regression",
    "random_forest",
)

#: those that are trained by gradients.
NETWORKS = tuple(name for name in _MODELS if name not in CLASSIFIERS)


class EngineKind(NamedTuple):
    """A training engine (see `dpmia.training.engines.base`): what it trains, and what it can do.

    Attributes:
        plain: the class that trains models without privacy.
        private: the class that trains models with it.
        trains: the models of this library that it trains.
        plugins: whether it trains models of plug-ins.
        adds_noise: whether it trains models with privacy.
        own_loss: whether its models have a loss and an optimiser of their own.
        own_steps: whether its models train themselves, by no step of ours; then they have a loss of their own, too.
        clips_all: whether it can clip the gradients of models without privacy.
        gpu: whether it can use a GPU.
        precisions: whether it takes another precision than 32 bits.
    """

    plain: str
    private: str
    trains: tuple[str, ...] = NETWORKS
    plugins: bool = True
    adds_noise: bool = True
    own_loss: bool = False
    own_steps: bool = False
    clips_all: bool = False
    gpu: bool = False
    precisions: bool = False


def _of_one_class(spec: str, **more: Any) -> EngineKind:
    return EngineKind(spec, spec, **more)


#: The engine of a training program of the user's own.
COMMAND = "command"

ENGINES = {
    COMMAND: _of_one_class("dpmia.training.engines.command:CommandEngine", own_loss=True, own_steps=True),
    "convolution": _of_one_class(
        "dpmia.training.engines.convolution:ConvolutionEngine",
        trains=tuple(name for name in NETWORKS if name != "mlp"),
        clips_all=True,
        gpu=True,
    ),
    "lightning": EngineKind(
        "dpmia.training.engines.lightning_module:LightningEngine",
        "dpmia.training.engines.private_lightning:PrivateLightningEngine",
        trains=(),
        own_loss=True,
        gpu=True,
        precisions=True,
    ),
    "opacus": EngineKind(
        "dpmia.training.engines.plain:PlainEngine", "dpmia.training.engines.opacus:OpacusEngine", gpu=True
    ),
    "plain": _of_one_class("dpmia.training.engines.plain:PlainEngine", adds_noise=False, gpu=True, precisions=True),
    "scikit_learn": _of_one_class(
        "dpmia.training.engines.scikit_learn:ScikitLearnEngine",
        trains=CLASSIFIERS,
        adds_noise=False,
        own_loss=True,
        own_steps=True,
    ),
    "stacked": _of_one_class(
        "dpmia.training.engines.stacked:StackedEngine", trains=("mlp",), plugins=False, clips_all=True
    ),
}

#: studies: a function `run` (see `dpmia.studies`).
STUDIES = {
    "linear_generator": "dpmia.studies.linear_generator:run",
    "regression": "dpmia.studies.regression:run",
}

_TEST = ("alpha", "estimator")
_REFERENCE_TEST = (*_TEST, "reference_models")

#: attacks (see `dpmia.attacks`).
_ATTACKS = {
    "average_threshold": AttackKind("dpmia.attacks.threshold:AverageThreshold"),
    "bounded_loss": AttackKind("dpmia.attacks.bounded_loss:ZeroOneLoss", needs_classes=True, by_default=False),
    "collusion": AttackKind("dpmia.attacks.collusion:CollusionAttack", ("collusion",), by_default=False),
    "distillation": AttackKind(
        "dpmia.attacks.hypothesis:Distillation", ("distilled",), _REFERENCE_TEST, per_record=True, even_counts=True
    ),
    "lira": AttackKind("dpmia.attacks.lira:OnlineLira", ("references",), ("variance",), 2, both_sides=True),
    "lira_offline": AttackKind("dpmia.attacks.lira:OfflineLira", ("references",), ("variance", "alpha"), 2),
    "optimal_threshold": AttackKind("dpmia.attacks.threshold:OptimalThreshold", by_default=False),
    "population": AttackKind("dpmia.attacks.hypothesis:Population", ("population",), _TEST, per_record=True),
    "quantile_regression": AttackKind(
        "dpmia.attacks.quantile_regression:QuantileRegression",
        ("population", "features"),
        ("alpha",),
        needs_classes=True,
    ),
    "random": AttackKind("dpmia.attacks.control:RandomScores", by_default=False),
    "reference": AttackKind(
        "dpmia.attacks.hypothesis:Reference", ("references",), _REFERENCE_TEST, per_record=True, even_counts=True
    ),
    "rmia": AttackKind(
        "dpmia.attacks.rmia:OnlineRmia", ("references", "population"), ("gamma", "alpha"), both_sides=True
    ),
    "rmia_offline": AttackKind(
        "dpmia.attacks.rmia:OfflineRmia", ("references", "population"), ("gamma", "alpha", "offline_a")
    ),
    "shadow": AttackKind("dpmia.attacks.shadow:ShadowModels", ("shadows",)),
    "shadow_threshold": AttackKind(
        "dpmia.attacks.hypothesis:ShadowThreshold", ("references", "population"), _TEST, per_record=True
    ),
}
ATTACKS = Parts("dpmia.attacks", _ATTACKS, _attack_kind)

#: Attacks of this library that run where they are named only.
BY_NAME_ONLY = tuple(name for name, kind in _ATTACKS.items() if not kind.by_default)

#: Attack L: looked at record by record only, as each record needs models of its own.
LEAVE_ONE_OUT = "dpmia.attacks.hypothesis:LeaveOneOut"

#: What plug-ins may add, by the name that `snakemake list_parts` prints.
PARTS: dict[str, Parts[AttackKind] | Parts[str]] = {
    "attack": ATTACKS,
    "data set": DATASETS,
    "membership": MEMBERSHIP,
    "model": MODELS,
}
