"""From the description of an architecture to what engines train: of this library, of a plug-in, of a file of one's own.

A function of one's own may return what this library's functions return, or simply a network (`torch.nn.Module`), a
`LightningModule`, or a classifier of scikit-learn.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from dpmia.common.errors import TrainingError
from dpmia.common.plugins import errors_of_file
from dpmia.common.registry import load
from dpmia.formats.model_card import Architecture
from dpmia.models.initial_weights import torch_default

#: Functions of this library that need images.
IMAGE_NETWORKS = "dpmia.models.networks"

#: Usual numbers of channels: grey, colours, colours with transparency.
CHANNELS = (1, 3, 4)


@dataclass(frozen=True)
class OwnNetwork:
    """A network of the user's own.

    Attributes:
        create: returns a new one, with the initial weights that the framework draws.
        shape: of one record; None for flat rows of features.
        outputs: number of classes.
        lightning: whether it is a `LightningModule`, which has a loss and an optimiser of its own.
    """

    create: Callable[[], torch.nn.Module]
    shape: tuple[int, ...] | None
    outputs: int
    lightning: bool

    def module(self) -> torch.nn.Module:
        """Return the network on flat rows of features."""
        network = self.create()
        return network if self.shape is None else torch.nn.Sequential(torch.nn.Unflatten(1, self.shape), network)

    def layer_name(self, name: str) -> str:
        """Return the name of a layer of `module()` as its author knows it."""
        return name if self.shape is None else name.removeprefix("1.")

    def initial_parameters(self, generator: torch.Generator) -> list[torch.Tensor]:
        """Return the parameters of a new one; what is drawn comes from the generator."""
        return torch_default(self, generator)


def build(model: Architecture, inputs: int, outputs: int, image: tuple[int, ...] | None) -> Any:
    """Return the architecture that a description stands for, fitted to a data set.

    Args:
        model: the description.
        inputs: number of features.
        outputs: number of classes.
        image: shape of one record, where it is no flat row of features.

    Raises:
        TrainingError: the function fails, or returns what no engine trains; the message names its file and line.
    """
    where = f"model {model.build}"
    function = load(model.build)
    given = {"inputs": inputs, "outputs": outputs, "image": image}
    if model.build.startswith("dpmia."):
        if model.build.startswith(IMAGE_NETWORKS) and (image is None or len(image) != 3):
            problem = "it takes images, and the data set has none"
            raise TrainingError(where, problem, "Bring an .npz with x of shape (records, channels, height, width)")
        try:
            return function(**given, **model.shape)
        except ValueError as error:
            raise TrainingError(where, str(error), "Choose another model, or larger images") from error
    if not callable(function) or isinstance(function, torch.nn.Module):
        problem = f"it is an object of type {type(function).__name__}, and each model is made anew"
        raise TrainingError(where, problem, "Name a class, or a function that returns a new model")
    accepted = _accepted(function, given)
    if twice := [name for name in model.shape if name in accepted]:
        problem = f"{', '.join(twice)} follows from the data set, and stands in arguments, too"
        raise TrainingError(where, problem, "Remove it there")
    create = partial(function, **accepted, **model.shape)
    tried = errors_of_file(model.build, where, every=True, remedy=_order_of(image))
    with tried, torch.random.fork_rng(devices=[]):
        created = create()
        fits, is_made = hasattr(created, "fit"), hasattr(created, "module") or hasattr(created, "make")
    if isinstance(created, torch.nn.Module):
        return _network(created, create, model.build, inputs, outputs, image)
    if fits:
        return _classifier(created, outputs, where)
    if is_made:
        return created
    problem = f"it returns {type(created).__name__}, which no engine trains"
    raise TrainingError(where, problem, "Return a torch.nn.Module, a LightningModule or a classifier of scikit-learn")


def _order_of(image: tuple[int, ...] | None) -> str:
    """Return what images should be like, where theirs seem to have no channels, or to have them last."""
    if image is None or (len(image) == 3 and not (image[2] in CHANNELS and image[0] not in CHANNELS)):
        return ""
    shape = "(channels, height, width)"
    return f"If these are images: records are {shape}, so x has the shape (records, channels, height, width)"


def _accepted(function: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return those of some arguments that a function or a class of the user's own has a name for, or takes unnamed."""
    origin = getattr(getattr(function, "__init__", None), "__module__", "")  # classes written in C have none
    if inspect.isclass(function) and origin.partition(".")[0] in ("torch", "pytorch_lightning"):
        return {}  # it inherits `__init__`, which takes anything to refuse it
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # some classes written in C tell nothing of their parameters
        return {}
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return given
    return {name: value for name, value in given.items() if name in parameters}


def _network(
    network: torch.nn.Module, create: Any, spec: str, inputs: int, outputs: int, image: tuple[int, ...] | None
) -> OwnNetwork:
    """Return the architecture of a network, after it was tried on two records of zeros."""
    architecture = OwnNetwork(create, image, outputs, hasattr(network, "training_step"))
    shape = (2, *(image or (inputs,)))
    where = f"model {spec}"
    with errors_of_file(spec, "its method forward", every=True):
        forward = getattr(type(network), "forward", None)  # the class of a TorchScript module has none
        if getattr(forward, "__qualname__", "") in ("_forward_unimplemented", "LightningModule.forward"):
            raise TrainingError(where, "it has no method forward", "Add one that returns logits")
    tried = errors_of_file(spec, f"records of shape {shape}", every=True, remedy=_order_of(image))
    with torch.random.fork_rng(devices=[]), torch.inference_mode(), tried:
        logits = network.eval()(torch.zeros(shape))
    wanted = (2, outputs)
    if not isinstance(logits, torch.Tensor) or tuple(logits.shape) != wanted:
        returned = f"shape {tuple(logits.shape)}" if isinstance(logits, torch.Tensor) else type(logits).__name__
        problem = f"forward returns {returned} for {shape[0]} records, not {wanted}"
        raise TrainingError(where, problem, "Return logits: one for each class, also where there are two")
    return architecture


def _classifier(classifier: Any, outputs: int, where: str) -> Any:
    from dpmia.models.classifiers import Classifier  # here: networks do without scikit-learn

    if not hasattr(classifier, "predict_proba"):
        problem = f"{type(classifier).__name__} has no predict_proba, so it has no outputs to attack"
        raise TrainingError(where, problem, "Wrap it in sklearn.calibration.CalibratedClassifierCV")
    return Classifier(outputs, partial(_seeded, classifier))


def _seeded(classifier: Any, seed: int) -> Any:
    """Return an unfitted copy whose random numbers, and those of its parts, come from a seed."""
    from sklearn.base import clone

    fresh = clone(classifier)
    return fresh.set_params(**{name: seed for name in fresh.get_params() if name.endswith("random_state")})
