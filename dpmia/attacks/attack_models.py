"""Small classifiers of very different training sets, trained together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from dpmia.common.seeds import derive_seed
from dpmia.formats.recipe import Recipe
from dpmia.models.mlp import MLP
from dpmia.training.engines.base import refuse_broken
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.run import Run, Seeds
from dpmia.training.streams import Streams

#: Models are stacked as long as the shortest training is at least this share of the longest: what has its steps done
#: is carried along to the end, and even so more models at once are faster than several engines.
SHORTEST = 0.5


@dataclass(frozen=True)
class Task:
    """One classifier to train.

    Attributes:
        name: for messages.
        rows: int64, its training set as rows of the shared data.
        seed: of its initial weights and batches.
    """

    name: str
    rows: np.ndarray
    seed: int


def train_classifiers(
    architecture: MLP, recipe: Recipe, tasks: Sequence[Task], x: torch.Tensor, y: torch.Tensor
) -> list[torch.Tensor]:
    """Train one perceptron for each task, each for as many steps as its own training set needs.

    A task with fewer rows than a batch is trained in batches of all its rows.

    Args:
        architecture: of all of them.
        recipe: of all of them.
        tasks: in any order.
        x: float32, shape (rows, inputs).
        y: int64, shape (rows,).

    Returns:
        Weights and biases of each, in the order of `tasks`.

    Raises:
        TrainingError: the loss of a model is not finite.
    """
    weights: dict[int, torch.Tensor] = {}
    for batch_size, together in _stacks(architecture, recipe, tasks):
        shared = replace(recipe, batch_size=batch_size)
        weights.update(_train_stack(architecture, shared, {place: tasks[place] for place in together}, x, y))
    return [weights[place] for place in range(len(tasks))]


def _stacks(architecture: MLP, recipe: Recipe, tasks: Sequence[Task]) -> Iterator[tuple[int, list[int]]]:
    """Yield a batch size and the places of the tasks to train together with it, the longest training first."""

    def kind(place: int) -> tuple[int, int]:
        batch_size = min(recipe.batch_size, len(tasks[place].rows))
        return batch_size, len(tasks[place].rows) // batch_size

    stack: list[int] = []
    for place in sorted(range(len(tasks)), key=kind, reverse=True):
        if stack:
            (batch_size, batches), (mine, my_batches) = kind(stack[0]), kind(place)
            width = StackedEngine.width(architecture, replace(recipe, batch_size=batch_size))
            if mine != batch_size or my_batches < SHORTEST * batches or len(stack) == width:
                yield batch_size, stack
                stack = []
        stack.append(place)
    if stack:
        yield kind(stack[0])[0], stack


def _train_stack(
    architecture: MLP, recipe: Recipe, tasks: dict[int, Task], x: torch.Tensor, y: torch.Tensor
) -> dict[int, torch.Tensor]:
    longest = max(len(task.rows) for task in tasks.values())
    runs, streams = [], []
    for task in tasks.values():
        seeds = Seeds(*(derive_seed(task.seed, stream) for stream in ("weights", "batches", "noise")))
        # An engine takes training sets of one size. The filling is never drawn: the streams know the true size.
        runs.append(Run(task.name, np.resize(task.rows, longest), seeds))
        streams.append(Streams(seeds, recipe, len(task.rows)))
    engine = StackedEngine(architecture, recipe, runs, x, y, streams)

    # Models do not touch each other, so one that stops early is what it is at that step.
    steps = {place: recipe.steps(len(task.rows)) for place, task in tasks.items()}
    weights = {}
    for stop in sorted(set(steps.values())):
        engine.advance(stop - engine.done)
        parameters = dict(zip(tasks, engine.parameters(), strict=True))
        refuse_broken(engine, (not bool(values.isfinite().all()) for values in parameters.values()))
        weights.update({place: parameters[place] for place in tasks if steps[place] == stop})
    return weights
