"""Models trained together, whatever their role, and the outputs of each."""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import torch

from dpmia.common.errors import TrainingError
from dpmia.common.plugins import errors_of_file
from dpmia.common.probabilities import wrong_row
from dpmia.common.registry import load
from dpmia.common.seeds import Meaning, derive_seed
from dpmia.datasets.table import Dataset
from dpmia.formats.losses import Losses
from dpmia.formats.model_card import Architecture, ModelCard
from dpmia.formats.recipe import Recipe
from dpmia.formats.signals import Signal, cross_entropy
from dpmia.jobs.training import Engines
from dpmia.models.building import build
from dpmia.privacy.record import Accounting
from dpmia.training.checkpoints import Checkpoints
from dpmia.training.devices import chosen_device
from dpmia.training.engines.base import Engine, GradientEngine
from dpmia.training.finished import Outputs, load_outputs, save_outputs
from dpmia.training.lightning import fit
from dpmia.training.run import Run, Seeds

#: Fewer rows of logits may look like probabilities by chance.
FEWEST_ROWS = 20

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ModelSpec:
    """A model before training.

    Attributes:
        run: which records it is trained on, with which seeds and noise.
        recipe: how it is trained; its own, see `Recipe.of`.
        model: its architecture.
        queries: int64, rows of the data set on which it will be evaluated.
        card: what will be stored beside its outputs.
        validation: int64, rows on which its accuracy is measured after each epoch; None for no such measurement.
    """

    run: Run
    recipe: Recipe
    model: Architecture
    queries: np.ndarray
    card: ModelCard
    validation: np.ndarray | None = None


@dataclass(frozen=True)
class TrainedModel:
    """A model after training.

    Attributes:
        spec: the model before training.
        logits: float32, shape (len(queries), classes).
        parameters: float32, all weights and biases in one row.
        buffers: float64, all buffers (running statistics of batch norm) in one row; empty where there are none.
        accuracy_by_epoch: float64, shape (epochs,), on the validation records; None where there are none.
        curve: see `dpmia.formats.signals.Signal`.
    """

    spec: ModelSpec
    logits: np.ndarray
    parameters: np.ndarray
    buffers: np.ndarray
    accuracy_by_epoch: np.ndarray | None = None
    curve: np.ndarray | None = None


def seeds(root_seed: int, meaning: Sequence[Meaning]) -> Seeds:
    """Return the seeds of a model's random streams from what the model means."""
    return Seeds(*(derive_seed(root_seed, stream, *meaning) for stream in ("weights", "batches", "noise")))


def specify(
    name: str,
    card: ModelCard,
    records: np.ndarray,
    queries: np.ndarray,
    *,
    recipe: Recipe,
    model: Architecture,
    engines: Engines,
    root_seed: int,
    expected: int | None = None,
    soft_labels: np.ndarray | None = None,
    validation: np.ndarray | None = None,
) -> ModelSpec:
    """Return a model to train, of any role.

    Args:
        name: of the run, for messages.
        card: what the role knows of the model; all that concerns its training is added here.
        records: int64, rows of the training set.
        queries: see `ModelSpec`.
        recipe: of all models of its arm.
        model: see `ModelSpec`.
        engines: of all models.
        root_seed: the user's seed.
        expected: see `Run`.
        soft_labels: see `Run`.
        validation: see `ModelSpec`.

    Raises:
        TrainingError: the batch is larger than the training set.
    """
    sigma = None if card.accounting is None else card.accounting.noise_multiplier
    own = seeds(root_seed, card.meaning)
    run = Run(name, records, own, sigma, soft_labels, expected=expected, stated=card.stated)
    recipe = recipe.of(run.private)
    if recipe.sampling == "shuffle" and len(records) < recipe.batch_size:  # fewer than expected
        problem = f"its training set of {len(records)} records makes no batch of {recipe.batch_size}"
        raise TrainingError(f"model {name}", problem, "Take smaller batches, or more records")
    card = replace(
        card,
        model=model,
        engine=engines.of(run.private).partition(":")[2],
        recipe=recipe,
        steps=recipe.steps(run.size),
        seed=root_seed,
    )
    return ModelSpec(run, recipe, model, queries, card, validation)


def attackers_card(target: Signal, role: str, number: int) -> ModelCard:
    """Return the card of a model that an attacker trains to attack one target model: without privacy."""
    return ModelCard(
        arm=target.card.arm,
        iid=target.card.iid,
        epsilon=target.card.epsilon,
        role=role,
        meaning=[*target.card.meaning, role, number],
        replicate=target.card.replicate,
        number=number,
    )


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
    inputs = dataset.inputs()
    x, y = torch.from_numpy(inputs), torch.from_numpy(dataset.y)
    done = 0
    groups = list(_groups(dataset, specs, engines))
    for engine_type, architecture, group in groups:
        where = f"model {group[0].run.name}"
        with errors_of_file(group[0].model.build, where, every=True):
            engine_type.check(architecture, group[0].recipe, where)
            engine_type.try_out(architecture, group[0].recipe, where, x, y)
    for engine_type, architecture, group in groups:
        recipe = group[0].recipe
        width = engine_type.width(architecture, recipe)
        device = chosen_device(engine_type, engines, f"model {group[0].run.name}")
        for start in range(0, len(group), width):
            together = group[start : start + width]
            keeps = None if checkpoints is None or issubclass(engine_type, GradientEngine) else checkpoints
            if keeps and (finished := load_outputs(keeps, _name_on_queries(together[0]), len(together[0].queries))):
                done += 1
                log.info("%d of %d models trained, this one before the interruption", done, len(specs))
                yield TrainedModel(together[0], *finished)
                continue
            watched = any(one.validation is not None for one in together)
            after_epoch = partial(_accuracies, dataset, inputs, together) if watched else None
            accounting = together[0].card.accounting
            own = together[0].model.build, f"model {together[0].run.name}"
            with errors_of_file(*own, every=True):
                engine = engine_type(architecture, recipe, [one.run for one in together], x, y, device=device)
                fitted = fit(
                    engine,
                    checkpoints,
                    _digest(together),
                    after_epoch,
                    logs=checkpoints.current if checkpoints and spent else None,
                    spent=partial(spent, accounting) if spent and accounting else None,
                )
                engine.refuse_other_state()
            by_epoch = fitted.after_epoch
            done += len(together)
            log.info("%d of %d models trained", done, len(specs))
            for number, (one, parameters) in enumerate(zip(together, engine.parameters(), strict=True)):
                with errors_of_file(*own, every=True):
                    logits = engine.outputs_of(number, parameters, torch.from_numpy(inputs[one.queries]))
                    _check_outputs(logits, one, engine)
                accuracy = None if one.validation is None or by_epoch is None else by_epoch[:, number]
                buffers = engine.buffers()[number].numpy()
                outputs = Outputs(logits.numpy(), parameters.numpy().copy(), buffers, accuracy)
                if keeps:
                    save_outputs(keeps, _name_on_queries(one), outputs)
                yield TrainedModel(one, *outputs, fitted.curve if spent and number == 0 else None)


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
        losses[model.run.name] = cross_entropy(trained.logits, dataset.y[model.queries])
    return [
        Losses(
            [model.card for model in group],
            group[0].queries,
            np.stack([losses[model.run.name] for model in group]),
            np.stack([np.isin(model.queries, model.run.records) for model in group]),
        )
        for group in groups
    ]


def _accuracies(dataset: Dataset, inputs: np.ndarray, together: Sequence[ModelSpec], engine: Engine) -> list[float]:
    """Return the accuracy of each model on its validation records; NaN where it has none."""
    accuracies = []
    for number, (one, parameters) in enumerate(zip(together, engine.parameters(), strict=True)):
        if one.validation is None:
            accuracies.append(math.nan)
            continue
        logits = engine.outputs_of(number, parameters, torch.from_numpy(inputs[one.validation])).numpy()
        accuracies.append(float((logits.argmax(axis=1) == dataset.y[one.validation]).mean()))
    return accuracies


def _groups(
    dataset: Dataset, specs: Sequence[ModelSpec], engines: Engines
) -> Iterator[tuple[Any, Any, list[ModelSpec]]]:
    """Yield what can be trained together: one engine, one architecture, one recipe, one number of steps."""

    def kind(one: ModelSpec) -> tuple[str, bool, str, int]:
        recipe = json.dumps(asdict(one.recipe), sort_keys=True)
        return json.dumps(one.model.plain(), sort_keys=True), one.run.private, recipe, one.recipe.steps(one.run.size)

    for (_, private, _, _), together in groupby(sorted(specs, key=kind), key=kind):
        # The first is followed: the one of the largest epsilon, however many are trained at once.
        group = sorted(together, key=lambda one: -one.card.accounting.epsilon if one.card.accounting else 0.0)
        yield load(engines.of(private)), architecture_for(dataset, group[0].model), group


def architecture_for(dataset: Dataset, model: Architecture) -> Any:
    """Return the architecture that `model` describes, fitted to a data set."""
    return build(model, len(dataset.features), len(dataset.classes), dataset.image)


def _digest(together: Sequence[ModelSpec]) -> str:
    """Return a name that no other models share: whoever finds a checkpoint there may go on from it."""
    digest = hashlib.sha256(json.dumps([one.card.plain() for one in together], sort_keys=True).encode())
    for one in together:
        digest.update(one.run.records.tobytes())
        digest.update(b"" if one.run.soft_labels is None else one.run.soft_labels.tobytes())
    return digest.hexdigest()[:16]


def _name_on_queries(model: ModelSpec) -> str:
    """Return a name that no other model shares, nor this one on other queries."""
    return hashlib.sha256(_digest([model]).encode() + model.queries.tobytes()).hexdigest()[:16]
