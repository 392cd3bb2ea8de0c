"""Models trained together, whatever their role, and the outputs of each."""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import torch

from dpmia.common.errors import TrainingError
from dpmia.common.plugins import errors_of_file
from dpmia.common.probabilities import wrong_row
from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.formats.losses import Losses
from dpmia.formats.model_card import Architecture
from dpmia.formats.recipe import Recipe
from dpmia.formats.signals import cross_entropy
from dpmia.jobs.training import Engines
from dpmia.models.building import build
from dpmia.privacy.record import Accounting
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.devices import chosen_device
from dpmia.training.engines.base import Engine, GradientEngine
from dpmia.training.finished import Outputs, load_outputs, save_outputs
from dpmia.training.lightning import fit
from dpmia.training.model_spec import ModelSpec

#: Fewer rows of logits may look like probabilities by chance.
FEWEST_ROWS = 20

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TrainedModel:
    """A model after training.

    Attributes:
        spec: the model before training.
        outputs: what jobs need of it.
        curve: see `dpmia.formats.signals.Signal`.
    """

    spec: ModelSpec
    outputs: Outputs
    curve: np.ndarray | None = None


def train_models(
    dataset: Dataset,
    specs: Sequence[ModelSpec],
    engines: Engines,
    checkpoints: Checkpoints | None = None,
    spent: Callable[[Accounting, int], float] | None = None,
) -> Iterator[TrainedModel]:
    """Train all models and yield each with its outputs.

    Models come as they are done: those that can be trained together, together.

    Args:
        dataset: prepared data.
        specs: the models.
        engines: of all models.
        checkpoints: of the job; None for none.
        spent: epsilon of the first steps of a private training. Where given, the training curve of the first of the
            models that are trained together is kept.

    Raises:
        TrainingError: an engine cannot train an architecture, which is found before any model is trained; the batch is
            larger than a training set, or a loss is not finite.
    """
    groups = list(_groups(dataset, specs, engines))
    records = _Records.of(dataset)
    for group in groups:
        group.try_out(records)
    done = 0
    for group in groups:
        device = chosen_device(group.engine_type, engines, group.where)
        for stack in group.stacks():
            kept = _load(group.keeps(checkpoints), stack[0])
            trained = [kept] if kept else _train_together(stack, group, records, device, checkpoints, spent)
            done += len(stack)
            when = ", this one before the interruption" if kept else ""
            log.info("%d of %d models trained%s", done, len(specs), when)
            yield from trained


@dataclass(frozen=True)
class _Records:
    """All records of a data set, as numpy and as torch have them; both share their memory."""

    inputs: np.ndarray
    labels: np.ndarray
    x: torch.Tensor
    y: torch.Tensor

    @classmethod
    def of(cls, dataset: Dataset) -> _Records:
        inputs = dataset.inputs()
        return cls(inputs, dataset.y, torch.from_numpy(inputs), torch.from_numpy(dataset.y))


@dataclass(frozen=True)
class _Group:
    """Models of one engine, one architecture, one recipe and one number of steps: they can be trained together."""

    engine_type: Any
    architecture: Any
    models: list[ModelSpec]

    @property
    def where(self) -> str:
        """The first of them, as messages name it."""
        return f"model {self.models[0].run.name}"

    @property
    def recipe(self) -> Recipe:
        return self.models[0].recipe

    def keeps(self, checkpoints: Checkpoints | None) -> Checkpoints | None:
        """Return where finished models are kept; None for an engine that goes on within a model."""
        return None if issubclass(self.engine_type, GradientEngine) else checkpoints

    def try_out(self, records: _Records) -> None:
        """Refuse what the engine cannot train, before any model is trained."""
        with _errors_of(self.models[0]):
            self.engine_type.check(self.architecture, self.recipe, self.where)
            self.engine_type.try_out(self.architecture, self.recipe, self.where, records.x, records.y)

    def stacks(self) -> Iterator[list[ModelSpec]]:
        """Yield as many models as the engine trains at a time."""
        width = self.engine_type.width(self.architecture, self.recipe)
        for start in range(0, len(self.models), width):
            yield self.models[start : start + width]


def _groups(dataset: Dataset, specs: Sequence[ModelSpec], engines: Engines) -> Iterator[_Group]:
    """Yield what can be trained together."""

    def kind(one: ModelSpec) -> tuple[str, bool, str, int]:
        recipe = json.dumps(asdict(one.recipe), sort_keys=True)
        return json.dumps(one.model.plain(), sort_keys=True), one.run.private, recipe, one.recipe.steps(one.run.size)

    for (_, private, _, _), together in groupby(sorted(specs, key=kind), key=kind):
        # The first is followed: the one of the largest epsilon, however many are trained at once.
        models = sorted(together, key=lambda one: -one.card.accounting.epsilon if one.card.accounting else 0.0)
        yield _Group(load(engines.of(private)), architecture_for(dataset, models[0].model), models)


def _train_together(
    stack: Sequence[ModelSpec],
    group: _Group,
    records: _Records,
    device: Any,
    checkpoints: Checkpoints | None,
    spent: Callable[[Accounting, int], float] | None,
) -> list[TrainedModel]:
    """Train some models of a group at a time, and evaluate each.

    Args:
        stack: the models.
        group: that they are of.
        records: of the data set.
        device: to train on.
        checkpoints: see `train_models`.
        spent: see `train_models`.
    """
    keeps = group.keeps(checkpoints)
    watched = any(model.validation is not None for model in stack)
    accounting = stack[0].card.accounting
    with _errors_of(stack[0]):
        runs = [model.run for model in stack]
        engine = group.engine_type(group.architecture, group.recipe, runs, records.x, records.y, device=device)
        fitted = fit(
            engine,
            checkpoints,
            _digest(stack),
            partial(_accuracies, records, stack) if watched else None,
            logs=checkpoints.current if checkpoints and spent else None,
            spent=partial(spent, accounting) if spent and accounting else None,
        )
        engine.refuse_other_state()
    trained = []
    for number, (model, parameters) in enumerate(zip(stack, engine.parameters(), strict=True)):
        with _errors_of(stack[0]):
            logits = engine.outputs_of(number, parameters, torch.from_numpy(records.inputs[model.queries]))
            _check_outputs(logits, model, engine)
        by_epoch = fitted.after_epoch
        accuracy = None if model.validation is None or by_epoch is None else by_epoch[:, number]
        outputs = Outputs(logits.numpy(), parameters.numpy().copy(), engine.buffers()[number].numpy(), accuracy)
        if keeps:
            save_outputs(keeps, _name_on_queries(model), outputs)
        trained.append(TrainedModel(model, outputs, fitted.curve if spent and number == 0 else None))
    return trained


def _load(keeps: Checkpoints | None, model: ModelSpec) -> TrainedModel | None:
    """Return a model that was trained before an interruption, if it was."""
    outputs = keeps and load_outputs(keeps, _name_on_queries(model), len(model.queries))
    return TrainedModel(model, outputs) if outputs else None


def _errors_of(model: ModelSpec) -> AbstractContextManager[None]:
    """Return the block in which what a file of the user's raises is reported as of that file."""
    return errors_of_file(model.model.build, f"model {model.run.name}", every=True)


def _check_outputs(logits: torch.Tensor, model: ModelSpec, engine: Engine) -> None:
    """Refuse outputs that are not finite, and probabilities.

    The loss takes the softmax of what a network returns: of probabilities it is another model than the user means, and
    attacks would see other losses than its own.

    Raises:
        TrainingError: outputs are such.
    """
    where = f"model {model.run.name}"
    finite = logits.isfinite().all(dim=1)
    if not finite.all():
        record = model.queries[int(finite.int().argmin())]
        problem = f"its output for record {record} is not finite, though its training loss was"
        remedy = f"{engine.lower_rate}, or mend what the network returns"
        raise TrainingError(where, problem, remedy)
    if len(logits) >= FEWEST_ROWS and wrong_row(logits.numpy()) is None:
        problem = "all its outputs are probabilities, from 0 to 1 with the sum 1"
        raise TrainingError(where, problem, "Return logits: leave out the last softmax, which the loss applies")


def train_for_losses(
    dataset: Dataset,
    groups: Sequence[Sequence[ModelSpec]],
    engines: Engines,
    checkpoints: Checkpoints | None = None,
) -> list[Losses]:
    """Train the attacker's models, all together, and keep one loss for each query record.

    Args:
        dataset: prepared data.
        groups: models that are evaluated on the same records.
        engines: see `train_models`.
        checkpoints: see `train_models`.

    Returns:
        The losses of each group.

    Raises:
        TrainingError: see `train_models`.
    """
    losses = {}
    for trained in train_models(dataset, [model for group in groups for model in group], engines, checkpoints):
        model = trained.spec
        losses[model.run.name] = cross_entropy(trained.outputs.logits, dataset.y[model.queries])
    return [
        Losses(
            [model.card for model in group],
            group[0].queries,
            np.stack([losses[model.run.name] for model in group]),
            np.stack([np.isin(model.queries, model.run.records) for model in group]),
        )
        for group in groups
    ]


def _accuracies(records: _Records, stack: Sequence[ModelSpec], engine: Engine) -> list[float]:
    """Return the accuracy of each model on its validation records; NaN where it has none."""
    accuracies = []
    for number, (model, parameters) in enumerate(zip(stack, engine.parameters(), strict=True)):
        if model.validation is None:
            accuracies.append(math.nan)
            continue
        logits = engine.outputs_of(number, parameters, torch.from_numpy(records.inputs[model.validation])).numpy()
        accuracies.append(float((logits.argmax(axis=1) == records.labels[model.validation]).mean()))
    return accuracies


def architecture_for(dataset: Dataset, model: Architecture) -> Any:
    """Return the architecture that `model` describes, fitted to a data set."""
    return build(model, len(dataset.features), len(dataset.classes), dataset.image)


def _digest(together: Sequence[ModelSpec]) -> str:
    """Return a name that no other models share: whoever finds a checkpoint there may go on from it."""
    digest = hashlib.sha256(json.dumps([one.card.plain() for one in together], sort_keys=True).encode())
    for one in together:
        digest.update(one.run.records.tobytes())
        digest.update(b"" if one.run.soft_labels is None else one.run.soft_labels.tobytes())
        digest.update(b"" if one.validation is None else one.validation.tobytes())
    return digest.hexdigest()[:16]


def _name_on_queries(model: ModelSpec) -> str:
    """Return a name that no other model shares, nor this one on other queries."""
    return hashlib.sha256(_digest([model]).encode() + model.queries.tobytes()).hexdigest()[:16]
