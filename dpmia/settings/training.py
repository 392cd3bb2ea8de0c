"""Settings of target models: architecture, recipe, and privacy guarantee."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from dpmia.common.epsilon import parse_epsilon, spell_epsilon
from dpmia.common.limits import MOST_STEPS
from dpmia.common.plugins import is_part_of_file
from dpmia.settings import names
from dpmia.settings.base import Delta, NotNegative, OneOf, Positive, Settings, require_keys
from dpmia.settings.own_program import PROGRAM_KEYS, check_command, check_files


class Model(Settings):
    """The architecture of target models."""

    kind: Annotated[str, OneOf(names.MODELS, files=True)] = "mlp"
    """Architecture: perceptron, one of the papers' convolutional networks, or a classifier of scikit-learn.
    `my_model.py:make` is a function in a file."""
    hidden: list[Annotated[int, Field(ge=1)]] | None = None
    """`mlp`: widths of the hidden layers; required there."""
    activation: Literal["relu", "tanh"] | None = None
    """`mlp`: activation after each hidden layer; default: `relu`."""
    initial_weights: Literal["glorot", "torch_default"] | None = None
    """Perceptron and convolutional networks: `glorot` (uniform on ±sqrt(6 / (in + out)), zero biases) or
    `torch_default` (those of PyTorch's layers), drawn from the seeds of each model; default: `glorot`."""
    size: Annotated[int, Field(ge=1)] | None = None
    """`growing`: filters of the first convolutions; all else grows with them."""
    trees: Annotated[int, Field(ge=1)] | None = None
    """`random_forest`, `gradient_boosting`: number of trees."""

    arguments: dict[str, Any] | None = None
    """Further arguments of a model of a plug-in or of a file, by the names that its function gives them."""

    @model_validator(mode="after")
    def _keys_fit_kind(self) -> Model:
        given = set(self.model_dump(exclude={"kind"}, exclude_none=True))
        if self.kind not in names.MODELS.built_in:
            require_keys(f"kind {self.kind!r}, which is not built in,", given, set(), {"arguments"})
            return self
        needed, allowed = MODEL_KEYS.get(self.kind, set()), OPTIONAL_KEYS.get(self.kind, set())
        require_keys(f"kind {self.kind!r}", given, needed, allowed)
        return self

    @property
    def name(self) -> str:
        """The kind as text, with the widths of a perceptron's layers; of a file, the object in it."""
        if is_part_of_file(self.kind):
            return f"own model {self.kind.rpartition(':')[2]}"
        return " ".join([self.kind.replace("_", " "), *(["-".join(map(str, self.hidden))] if self.hidden else [])])

    @property
    def details(self) -> str:
        """Activation and initial weights of a network of this library; the file of one's own; nothing for others."""
        if is_part_of_file(self.kind):
            return self.kind.rpartition(":")[0]
        if self.kind not in ACTIVATIONS:
            return ""
        activation = self.activation or ACTIVATIONS[self.kind]
        return f"{_WRITTEN[activation]}, {_WRITTEN[self.initial_weights or 'glorot']} initial weights"

    @property
    def shape(self) -> dict[str, Any]:
        """Arguments of the architecture beside the data set, without defaults: one model has one description."""
        if self.kind not in names.MODELS.built_in:
            return dict(self.arguments or {})
        defaults = {"activation": ACTIVATIONS.get(self.kind), "initial_weights": "glorot"}
        given = self.model_dump(exclude={"kind"}, exclude_none=True)
        return {key: value for key, value in given.items() if value != defaults.get(key)}


#: kind of model -> keys that it needs.
MODEL_KEYS = {"mlp": {"hidden"}, "growing": {"size"}, "random_forest": {"trees"}, "gradient_boosting": {"trees"}}

#: kind of network -> its activation, by default or for good.
ACTIVATIONS = {
    "alexnet": "relu",
    "growing": "relu",
    "mlp": "relu",
    "tramer_boneh": "tanh",
    "two_convolutions": "relu",
    "vgg": "relu",
}

#: kind of model -> keys that it may have.
OPTIONAL_KEYS = {kind: {"initial_weights"} for kind in ACTIVATIONS} | {"mlp": {"activation", "initial_weights"}}

_WRITTEN = {"relu": "ReLU", "tanh": "tanh", "glorot": "Glorot", "torch_default": "PyTorch's default"}


class Training(Settings):
    """How target models are trained."""

    engine: Annotated[str, OneOf(names.ENGINES)] = "stacked"
    """`stacked` trains many perceptrons at once; `convolution` one convolutional network at a time; `opacus` a
    network of layers that Opacus supports (`plain` for models without privacy); `plain` any network, without
    privacy; `lightning` a `LightningModule` of yours by its own loss and optimiser, where epsilon is finite by Opacus;
    `scikit_learn` its classifiers, by their own methods: the other keys here are not used; `command` runs a program of
    yours, which the next five keys describe."""
    command: str | None = None
    """Engine `command`: your program with its arguments, run once for each model, without a shell. `{train}`, `{query}`
    and `{outputs}` become names of files; `{seed}`, `{epsilon}`, `{delta}` and `{classes}` numbers. Paths start in the
    working folder."""
    files: list[str] = []
    """Engine `command`: files that the program consists of, beside those on its command line; an edit trains again."""
    format: Literal["npz", "csv"] = "npz"
    """Engine `command`: of the files that the program reads and writes."""
    scale: Literal["probabilities", "logits"] = "probabilities"
    """Engine `command`: what the program writes for each class."""
    timeout: Annotated[float, Field(gt=0, le=1e6)] = 3600
    """Engine `command`: seconds that the program may take for one model."""
    grad_sample_mode: Literal["auto", "hooks", "ghost"] = "auto"
    """Engine `opacus`: `hooks` forms the gradient of each record; `ghost` computes norms only, in a further backward
    pass; `auto` is `hooks` for convolutional networks, `ghost` for others."""
    accelerator: Literal["auto", "cpu", "gpu"] = "auto"
    """Engines `convolution`, `lightning`, `opacus` and `plain`: `auto` is a GPU where there is one; the others use the
    CPU."""
    devices: Literal[1] | Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1, max_length=1)] = 1
    """Engines `convolution`, `lightning`, `opacus` and `plain`: 1 is the first that a job sees, `[2]` that of index 2.
    A model is trained on one device."""
    precision: Literal["32-true", "bf16-mixed"] = "32-true"
    """Engines `lightning` and `plain`: `bf16-mixed` multiplies matrices in bfloat16. Clipping needs exact norms, so the
    other engines, and models with a finite epsilon, take `32-true` only."""
    optimiser: Literal["adam", "sgd"] = "adam"
    """DP-Adam or DP-SGD where epsilon is finite, Adam or SGD where it is not."""
    learning_rate: Positive = 0.01
    """Step size."""
    momentum: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Momentum of `sgd`."""
    batch_size: Annotated[int, Field(ge=1)] = 200
    """Number of records in a batch; under Poisson sampling the expected one."""
    epochs: Annotated[int, Field(ge=1)] = 100
    """Passes over the training set."""
    sampling: Literal["poisson", "shuffle"] = "poisson"
    """Batches of models with a finite epsilon. `poisson`: each record joins a batch independently; `shuffle`: batches
    cut from a permutation, without amplification."""
    sampling_without_privacy: Literal["shuffle", "poisson"] = "shuffle"
    """Batches of models without privacy, those of attackers included. `shuffle`: each epoch cuts a permutation of the
    records into batches of exactly `batch_size` and leaves out the rest; `poisson`: each record joins a batch
    independently."""
    clip_norm: Positive = 1.0
    """Bound C on the gradient of one record; private models only, or all of them, see `clip_all`."""
    clip_all: bool = False
    """Clip the gradients of models without privacy, too; no noise is added to them."""
    l2: NotNegative = 0.0
    """Coefficient c of the penalty c * |w|^2 / 2."""
    betas: Annotated[list[Annotated[float, Field(ge=0, lt=1)]], Field(min_length=2, max_length=2)] = [0.9, 0.999]
    """How much `adam` keeps of its means of the gradient and of its square, at each step."""
    decay: NotNegative = 0.0
    """How fast the learning rate falls: step t, counted from 0, is taken with learning_rate / (1 + decay * t)."""

    @model_validator(mode="after")
    def _keys_fit_optimiser(self) -> Training:
        if self.optimiser == "adam" and self.momentum:
            raise ValueError("momentum cannot be combined with optimiser 'adam'. Use optimiser: sgd, or betas")
        if self.optimiser == "sgd" and "betas" in self.model_fields_set:
            raise ValueError("betas cannot be combined with optimiser 'sgd'. Use optimiser: adam, or momentum")
        return self

    @model_validator(mode="after")
    def _keys_fit_engine(self) -> Training:
        given = self.model_fields_set - {"engine"}
        if self.engine == "lightning":
            require_keys("engine 'lightning'", given, set(), LIGHTNING_KEYS)
        if self.engine != names.COMMAND:
            if wrong := sorted(given & {*PROGRAM_KEYS}):
                raise ValueError(f"engine {self.engine!r} does not take {', '.join(wrong)}: only 'command' does")
            return self
        if self.command is None:
            raise ValueError("engine 'command' needs command. Write your program with its arguments")
        require_keys("engine 'command'", given, {"command"}, {*PROGRAM_KEYS})
        check_command(self.command)
        check_files(self.files)
        return self

    @property
    def kind(self) -> names.EngineKind:
        """What the engine trains, and what it can do."""
        return names.ENGINES[self.engine]

    @property
    def recipe(self) -> dict[str, Any]:
        """The fields of `dpmia.formats.recipe.Recipe`."""
        own = {"optimiser": "its own"} if self.kind.own_loss else {}
        return self.model_dump(exclude={"engine", "accelerator", "devices", *PROGRAM_KEYS}) | own


class ArmTraining(Settings):
    """What differs in how the models of one arm are trained; all else is as in the experiment's `training`."""

    learning_rate: Positive | None = None
    """Step size."""
    batch_size: Annotated[int, Field(ge=1)] | None = None
    """Number of records in a batch; under Poisson sampling the expected one."""
    epochs: Annotated[int, Field(ge=1)] | None = None
    """Passes over the training set."""
    l2: NotNegative | None = None
    """Coefficient c of the penalty c * |w|^2 / 2."""


#: Keys of `training` that a `LightningModule` leaves to the settings.
LIGHTNING_KEYS = {"accelerator", "batch_size", "clip_norm", "devices", "epochs", "precision", "sampling"}


class StatedMechanism(Settings):
    """DP-SGD or DP-Adam as your program does it, for one epsilon: Poisson batches, clipping, Gaussian noise."""

    noise_multiplier: Annotated[float, Field(ge=1e-3, le=1e6)]
    """Standard deviation of the noise on a sum of gradients, in units of `clip_norm`."""
    sampling_rate: Annotated[float, Field(ge=1e-12, le=1)]
    """Probability that a record is in a batch; 1 where each batch holds all records."""
    steps: Annotated[int, Field(ge=1, le=MOST_STEPS)]
    """Number of optimiser steps."""
    clip_norm: Positive
    """Bound C on the gradient of one record."""


#: Epsilon as a key, in its one spelling.
EpsilonKey = Annotated[str, BeforeValidator(lambda value: spell_epsilon(parse_epsilon(value)))]


class Privacy(Settings):
    """The privacy guarantee behind a finite epsilon."""

    relation: Literal["replace_one", "add_remove"] = "replace_one"
    """Neighbouring data sets: one record replaced, or one added or removed."""
    delta: Delta = 1e-5
    """Delta of (epsilon, delta)."""
    accountant: Literal["pld", "rdp", "rdp_as_published"] = "pld"
    """Privacy loss distribution, or Renyi DP; `rdp_as_published` only reproduces a paper: it treats shuffled batches
    as if each were drawn anew, with half the noise that replace-one needs, and no theorem covers it."""
    mechanisms: dict[EpsilonKey, StatedMechanism] = {}
    """Engine `command`: epsilon -> the mechanism of your program. Exact upper bounds need it."""
