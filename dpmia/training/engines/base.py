"""What every training engine can do: take optimiser steps of its models, and evaluate them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch

from dpmia.common.errors import TrainingError
from dpmia.formats.recipe import Recipe
from dpmia.training.engines.evaluation import evaluate, set_state
from dpmia.training.engines.tally import Tally
from dpmia.training.run import Run
from dpmia.training.streams import Streams

CPU = torch.device("cpu")


class Engine(ABC):
    """Trains models of one architecture by one recipe, all of them for the same number of steps.

    Attributes:
        uses_gpu: whether the engine can train on a GPU.
        lower_rate: what to do about a model that breaks down.
        own_epochs: whether epochs are those of the records that were drawn, whatever number was expected.
    """

    uses_gpu = False
    lower_rate = "Lower learning_rate"
    own_epochs = False

    def __init__(
        self,
        architecture: Any,
        recipe: Recipe,
        runs: Sequence[Run],
        x: torch.Tensor,
        y: torch.Tensor,
        streams: Sequence[Streams] | None = None,
        device: torch.device = CPU,
    ) -> None:
        """Prepare the models.

        Args:
            architecture: for instance `dpmia.models.mlp.MLP`.
            recipe: shared by all runs.
            runs: the models to train.
            x: float32, features of the whole data set; runs name their rows of it.
            y: labels of the whole data set: int64 classes, or float32 numbers to predict (see
                `dpmia.training.engines.loss`).
            streams: random streams to use instead of those of the runs' seeds.
            device: of the models; another than the CPU only where the engine `uses_gpu`.

        Raises:
            ValueError: the runs need different numbers of steps, or the engine does not train them.
        """
        self.architecture = architecture
        self.recipe = recipe
        self.runs = list(runs)
        self.x, self.y = x, y
        self.device = device
        self.streams = list(streams or (Streams(run.seeds, recipe, len(run.records), run.expected) for run in runs))
        counts = {recipe.steps(run.size) for run in runs}
        if len(counts) != 1:
            raise ValueError(f"runs of one engine need one number of steps, got {sorted(counts)}")
        self.steps = counts.pop()
        self.done = 0
        self._build()

    @abstractmethod
    def _build(self) -> None:
        """Build the models with the initial weights of their streams.

        Raises:
            ValueError: the engine does not train these runs.
        """

    @classmethod
    def width(cls, architecture: Any, recipe: Recipe) -> int:
        """Return how many models this engine best trains at once on this machine."""
        return 1

    @classmethod
    @abstractmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """Refuse an architecture that this engine cannot train by a recipe, before any model is trained.

        Args:
            architecture: of the models.
            recipe: of the models.
            where: one of the models, for the message.

        Raises:
            TrainingError: the message names the layer, and what to do.
        """

    @classmethod  # noqa: B027
    def try_out(cls, architecture: Any, recipe: Recipe, where: str, x: torch.Tensor, y: torch.Tensor) -> None:
        """Refuse code of the user's own of which only records show that the engine cannot train it; most train any.

        Args:
            architecture: of the models, which `check` has passed.
            recipe: of the models.
            where: one of the models, for the message.
            x: features of the whole data set.
            y: labels of the whole data set.

        Raises:
            TrainingError: the message says what to change.
        """

    @abstractmethod
    def advance(self, steps: int) -> None:
        """Take the next `steps` steps of every model, without Lightning."""

    def outputs_of(self, number: int, parameters: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Return the logits of one model: float32, shape (len(x), classes).

        By a module of its own in eval mode, never by the one that is trained: the mode and the buffers of that one, and
        all random streams, stay as they are.

        Args:
            number: of the model.
            parameters: its weights and biases, as `parameters` returns them.
            x: float32, features.
        """
        return evaluate(self._trained(number, parameters), x.to(self.device)).cpu()

    def _trained(self, number: int, parameters: torch.Tensor) -> torch.nn.Module:
        """Return a module of its own that has the parameters and buffers of one model, until the next call."""
        module = self._module.to(self.device)
        set_state(module, parameters.to(self.device), self.buffers()[number])
        return module

    @cached_property
    def _module(self) -> torch.nn.Module:
        return self.architecture.module()

    def refuse_other_state(self) -> None:  # noqa: B027
        """Refuse, after training, a network of the user's own with other outputs than `outputs_of` returns.

        Raises:
            TrainingError: it keeps more of its training than parameters and buffers.
        """

    @abstractmethod
    def parameters(self) -> list[torch.Tensor]:
        """Return, for each model, its weights and biases in one flat float32 tensor."""

    def buffers(self) -> list[torch.Tensor]:
        """Return, for each model, its buffers in one flat float64 tensor; empty for networks without any."""
        return [torch.empty(0, dtype=torch.float64) for _ in self.runs]


class GradientEngine(Engine):
    """An engine whose models are trained by gradient steps: it draws batches, forms gradients, and has an optimiser.

    Attributes:
        optimiser: holds the parameters of all models.
        tally: what was met since it was last replaced.
    """

    optimiser: torch.optim.Optimizer

    def _build(self) -> None:
        """Begin the tally; see `Engine._build`."""
        self.tally = Tally(len(self.runs))

    def draw(self) -> list[np.ndarray]:
        """Return the batches of the next step: for each model, int64 positions in its training set."""
        return [stream.batch() for stream in self.streams]

    @abstractmethod
    def gradients(self, batches: list[np.ndarray]) -> None:
        """Leave in the parameters the gradients of one step: clipped and with noise, where that is due."""

    def backward(self, batches: list[np.ndarray]) -> None:
        """Take one step of every model, but for the optimiser's part.

        Args:
            batches: as `draw` returns them.
        """
        self._set_learning_rate()
        self.tally.records += [len(batch) for batch in batches]
        self.gradients(batches)
        self.done += 1

    def _set_learning_rate(self) -> None:
        """Set the learning rate of the next step."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.recipe.learning_rate * self.recipe.pace(self.done)

    def step(self, batches: list[np.ndarray]) -> None:
        """Take one step of every model."""
        self.backward(batches)
        self.optimiser.step()

    def advance(self, steps: int) -> None:
        """See `Engine.advance`; `tally` is of these steps."""
        self.tally = Tally(len(self.runs))
        for _ in range(steps):
            self.step(self.draw())

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Return all that is needed to go on later, but for the optimiser: weights, buffers, streams, steps done."""

    @abstractmethod
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict`."""


def refuse_broken(engine: Engine, broken: Iterable[bool]) -> None:
    """Stop at the first model that broke down; `broken` says of each model whether it did.

    Raises:
        TrainingError: the message names the model.
    """
    for run, is_broken in zip(engine.runs, broken, strict=True):
        if is_broken:
            raise TrainingError(
                f"model {run.name}, step {engine.done}",
                "the training loss or the weights are not finite",
                engine.lower_rate,
            )


def refuse_others(architecture: Any, kind: type, where: str, engine: str, trained: str) -> None:
    """Refuse an architecture for an engine that trains one kind only.

    Raises:
        TrainingError: the architecture is not of that kind.
    """
    if not isinstance(architecture, kind):
        raise TrainingError(
            where,
            f"{type(architecture).__name__} cannot be combined with engine {engine!r}: it trains {trained} only",
            "For another network use engine: opacus, or engine: plain without privacy",
        )
