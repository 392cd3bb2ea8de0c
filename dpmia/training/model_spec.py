"""What a model to train is, of any role: its records, its seeds, its recipe, and its card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpmia.common.errors import TrainingError
from dpmia.common.registry import load
from dpmia.common.seeds import Meaning, derive_seed
from dpmia.formats.model_card import Architecture, ModelCard
from dpmia.formats.recipe import Recipe
from dpmia.formats.signals import Signal
from dpmia.jobs.training import Engines
from dpmia.training.run import Run, Seeds


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
    engine = engines.of(sigma is not None)
    expected = None if load(engine).own_epochs else expected
    run = Run(name, records, own, sigma, soft_labels, expected=expected, stated=card.stated)
    recipe = recipe.of(run.private)
    if recipe.sampling == "shuffle" and len(records) < recipe.batch_size:  # fewer than expected
        problem = f"its training set of {len(records)} records makes no batch of {recipe.batch_size}"
        raise TrainingError(f"model {name}", problem, "Take smaller batches, or more records")
    card = replace(
        card,
        model=model,
        engine=engine.partition(":")[2],
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
