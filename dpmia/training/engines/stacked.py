"""The engine for thousands of small perceptrons: K of them trained at once, with or without privacy."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn.functional import one_hot

from dpmia.formats.recipe import Recipe
from dpmia.models.mlp import MLP
from dpmia.training.engines.base import GradientEngine, refuse_others
from dpmia.training.engines.batch_layout import BatchLayout, suited
from dpmia.training.engines.clipping import clip_factors
from dpmia.training.engines.loss import losses_and_gradients
from dpmia.training.engines.plain import torch_optimiser
from dpmia.training.engines.stacked_network import StackedMLP
from dpmia.training.engines.tally import count_correct

#: Bytes that K models may work on at once. More models at once are faster until the cost of starting operations does
#: not show, and no slower after that: `benchmarks/engines.py` checks that the best K gains under 3 %.
WORKING_SET = 256 * 2**20
LARGEST_STACK = 256


class StackedEngine(GradientEngine):
    """K perceptrons as stacked tensors: DP-SGD, DP-Adam, or both without noise.

    A private step (Abadi et al. 2016): each record's gradient is shortened to the clip norm C, the clipped
    gradients are summed, noise of standard deviation sigma C is added once, and all is divided by the
    expected batch size. Without privacy no noise is added, and gradients are clipped if the recipe says so.
    Runs may differ in training set and noise multiplier.
    """

    def _build(self) -> None:
        """Stack the parameters of all models; see `Engine._build`.

        Raises:
            ValueError: some runs are private and some are not.
        """
        super()._build()
        recipe = self.recipe
        kinds = {run.private for run in self.runs}
        if len(kinds) != 1:
            raise ValueError("runs of one engine are either all private or all without privacy")
        self.private = kinds.pop()
        self._clipped = recipe.clips(self.runs[0].private)
        self._layout = suited(self.architecture.parameter_count)

        starts = [stream.initial_parameters(self.architecture) for stream in self.streams]
        self._flat = torch.stack([torch.cat([p.flatten() for p in start]) for start in starts])
        self._gradients = self._flat.grad = torch.zeros_like(self._flat)
        self._network = StackedMLP(self.architecture.widths, self._flat, self._gradients, self.architecture.activation)
        self.optimiser = torch_optimiser(recipe, [self._flat], fused=True)

        # Positions of the training sets one after another, as rows of x: no copy of x for each model.
        self._rows = torch.from_numpy(np.concatenate([run.records for run in self.runs]))
        sizes = [len(run.records) for run in self.runs]
        self._first = torch.from_numpy(np.cumsum([0, *sizes[:-1]]))
        self._soft = self._soft_labels()
        if self.private:
            sigmas = [run.noise_multiplier for run in self.runs if run.noise_multiplier is not None]
            self._deviations = [sigma * recipe.clip_norm / recipe.batch_size for sigma in sigmas]

    def _soft_labels(self) -> torch.Tensor | None:
        """Return the class probabilities of all training sets one after another; None if all labels are hard."""
        if all(run.soft_labels is None for run in self.runs):
            return None
        classes = self.architecture.outputs
        parts = [
            one_hot(self.y[torch.from_numpy(run.records)], classes).float()
            if run.soft_labels is None
            else torch.as_tensor(run.soft_labels)
            for run in self.runs
        ]
        return torch.cat(parts)

    @classmethod
    def check(cls, architecture: Any, recipe: Recipe, where: str) -> None:
        """Refuse all but perceptrons; see `Engine.check`."""
        refuse_others(architecture, MLP, where, "stacked", "a perceptron (dpmia.models.mlp.MLP)")

    @classmethod
    def width(cls, architecture: MLP, recipe: Recipe) -> int:
        """Return how many models to train at once: a power of two whose memory is modest.

        Args:
            architecture: of the models.
            recipe: its batch size counts.
        """
        # Parameters, gradients and two moments; each layer's output and its gradient.
        numbers = 4 * architecture.parameter_count + 2 * recipe.batch_size * sum(architecture.widths)
        fitting = max(1, WORKING_SET // (4 * numbers))
        return min(LARGEST_STACK, 2 ** (fitting.bit_length() - 1))

    @torch.no_grad()
    def gradients(self, batches: list[np.ndarray]) -> None:
        """See `GradientEngine.gradients`."""
        layout = self._layout(batches)
        start = self._draw_noise if self.private else None
        if len(layout.owner):
            losses = self._backward(layout, len(batches[0]))
            self.tally.losses.index_add_(0, layout.owner, losses.double())
            if self._clipped:
                norms = self._network.gradient_norms()
                self.tally.count_clipped(norms[: len(batches[0])], self.recipe.clip_norm)
                self._network.scale_records(clip_factors(norms, self.recipe.clip_norm))
            self._network.add_gradients(layout, 1 / self.recipe.batch_size, start)
        elif start:
            for model in range(len(self.runs)):
                start(model)
        else:
            self._gradients.zero_()

    def _backward(self, layout: BatchLayout, first: int) -> torch.Tensor:
        """Carry the records of a layout through the network and their gradients back.

        Args:
            layout: of the batches.
            first: number of records of the first model, which are the first rows.

        Returns:
            The losses of the records, shape (rows,).
        """
        places = layout.positions + self._first.index_select(0, layout.owner)
        rows = self._rows.index_select(0, places)
        x = self._network.scratch.matrix("batch", len(rows), self.x.shape[1])
        outputs = self._network.forward(layout, torch.index_select(self.x, 0, rows, out=x))
        self.tally.correct += count_correct(outputs[:first], self._labels(rows[:first], places[:first]))
        loss, output_gradient = self._losses(outputs, rows, places)
        if layout.real is not None:
            # A gradient of zero at the output is zero everywhere: such a row adds to no sum.
            output_gradient.mul_(layout.real)
            loss.mul_(layout.real[:, 0])
        self._network.backward(layout, output_gradient)
        return loss

    def _labels(self, rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return self.y.index_select(0, rows) if self._soft is None else self._soft.index_select(0, places)

    def _losses(
        self, outputs: torch.Tensor, rows: torch.Tensor, places: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return each record's loss and its gradient at the outputs."""
        return losses_and_gradients(outputs, self._labels(rows, places))

    def _draw_noise(self, model: int) -> None:
        """Set the gradients of a model to what they are without any record: noise alone."""
        self.streams[model].noise(self._gradients[model], self._deviations[model])

    def parameters(self) -> list[torch.Tensor]:
        """See `Engine.parameters`."""
        return [row.clone() for row in self._flat]

    def state_dict(self) -> dict[str, Any]:
        """See `Engine.state_dict`."""
        return {
            "done": self.done,
            "parameters": self._flat.clone(),
            "streams": [stream.state_dict() for stream in self.streams],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """See `Engine.load_state_dict`."""
        self.done = state["done"]
        self._flat.copy_(state["parameters"])
        for stream, kept in zip(self.streams, state["streams"], strict=True):
            stream.load_state_dict(kept)
