"""Audit by canary: models trained with and without one record that shows as much as any record can.

The guarantee of a training run holds for every pair of neighbouring training sets, every start and an adversary
who sees all steps. The auditor takes the worst of each: a canary whose gradient is always clipped and nearly
orthogonal to all others, a fixed start, and the projection of every update on the canary's gradient. What the
auditor finds is turned into a lower bound on epsilon by `dpmia.validation.epsilon_bound`.

Sources: Jagielski et al. 2020 (audit by many models), Nasr et al. 2021 and 2023 (white-box gradient canary).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from dpmia.common.seeds import derive_seed
from dpmia.formats.recipe import Recipe
from dpmia.models.mlp import MLP
from dpmia.training.engines.base import Engine
from dpmia.training.run import Run, Seeds
from dpmia.training.streams import Streams


@dataclass(frozen=True)
class Neighbours:
    """Two training sets of equal size that differ in the record at their last place, and where training starts.

    Under add/remove the place is empty in one of them: its row stands there for the count only and is never drawn.
    So the rate, the number of steps and the divisor do not depend on the canary, as the accounting takes for granted.

    Attributes:
        architecture: of the models.
        start: weights and biases to start from, as in `MLP.initial_parameters`.
        x: float32 (rows, inputs), the records of both sets.
        y: int64 (rows,), their labels.
        with_canary: int64, rows of the first set, the canary last.
        without: int64, rows of the second set.
        relation: `add_remove` or `replace_one`.
    """

    architecture: MLP
    start: Sequence[torch.Tensor]
    x: torch.Tensor
    y: torch.Tensor
    with_canary: np.ndarray
    without: np.ndarray
    relation: str

    def canary_gradient(self) -> torch.Tensor:
        """Return the gradient of the canary's loss at the start, float32 (parameters,)."""
        module = _module(self.architecture, self.start)
        canary = self.with_canary[-1:]
        loss = cross_entropy(module(self.x[canary]), self.y[canary])
        return torch.cat([part.flatten() for part in torch.autograd.grad(loss, list(module.parameters()))])


def _module(architecture: MLP, start: Sequence[torch.Tensor]) -> torch.nn.Module:
    module = architecture.module()
    torch.nn.utils.vector_to_parameters(torch.cat([part.flatten() for part in start]), module.parameters())
    return module


def canary_neighbours(
    architecture: MLP,
    start: Sequence[torch.Tensor],
    others: int,
    relation: str,
    clip_norm: float,
    magnitude: float,
    seed: int,
) -> Neighbours:
    """Make two small training sets, with a canary and without it.

    The canary has a feature of its own, 0 in all other records, so their gradients meet in the biases only. Its label
    is the class that the start finds less likely: its gradient stays large. Its replacement has the same features and
    the other label: with two classes, exactly the opposite direction.

    Args:
        architecture: a perceptron with two outputs.
        start: weights and biases to start from.
        others: number of the other records, >= 1.
        relation: `add_remove` or `replace_one`.
        clip_norm: as claimed; the canary's gradient is to be longer.
        magnitude: of the canary's feature; the larger, the longer its gradient and the closer to orthogonal.
        seed: of the other records.

    Raises:
        ValueError: the architecture has not two outputs, the relation is neither of the two, or clipping would not
            touch the canary.
    """
    if architecture.outputs != 2:
        raise ValueError(f"{architecture.outputs} outputs, expected 2: only then has a gradient its opposite")
    if relation not in ("add_remove", "replace_one"):
        raise ValueError(f"relation {relation!r}, expected 'add_remove' or 'replace_one'")
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(others + 2, architecture.inputs, generator=generator)
    x[:others, 0] = 0
    x[others:] = 0
    x[others:, 0] = magnitude
    with torch.no_grad():
        unlikely = int(_module(architecture, start)(x[others:])[0].argmin())
    y = torch.randint(0, 2, (others + 2,), generator=generator)
    y[others], y[others + 1] = unlikely, 1 - unlikely
    rows = np.arange(others)
    with_canary = np.append(rows, others)
    without = np.append(rows, others + 1 if relation == "replace_one" else 0)
    neighbours = Neighbours(architecture, list(start), x, y, with_canary, without, relation)
    norm = neighbours.canary_gradient().norm().item()
    if norm <= clip_norm:
        raise ValueError(f"the canary's gradient has norm {norm:.3g}, expected more than the clip norm {clip_norm}")
    return neighbours


class CanaryStreams(Streams):
    """The streams of one model: a given start; under add/remove no batch takes the empty place."""

    def __init__(self, seeds: Seeds, recipe: Recipe, neighbours: Neighbours, with_canary: bool) -> None:
        """Open the streams of a model of either set of `neighbours`."""
        super().__init__(seeds, recipe, len(neighbours.with_canary))
        self._start = neighbours.start
        self._last_is_empty = neighbours.relation == "add_remove" and not with_canary

    def initial_parameters(self, architecture: MLP) -> list[torch.Tensor]:
        """See `Streams.initial_parameters`."""
        return [part.clone() for part in self._start]

    def batch(self) -> np.ndarray:
        """See `Streams.batch`."""
        batch = super().batch()
        return batch[batch < self.records - 1] if self._last_is_empty else batch


@dataclass(frozen=True)
class CanaryTraining:
    """How the models of an audit are trained.

    Attributes:
        recipe: `sgd` without momentum and L2, with a learning rate so small that parameters hardly move:
            then an update is the noisy sum of gradients, and the canary's direction stays.
        noise_multiplier: sigma, in units of the recipe's clip norm.
        streams_type: where batches and noise come from.
    """

    recipe: Recipe
    noise_multiplier: float
    streams_type: type[CanaryStreams] = CanaryStreams


def audit_scores(
    engine_type: type[Engine],
    neighbours: Neighbours,
    claimed: CanaryTraining,
    models: int,
    first_seed: int,
    actual: CanaryTraining | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Train models with and without the canary and score each by all that its updates show of the canary.

    Args:
        engine_type: the engine to audit.
        neighbours: the two training sets.
        claimed: the training that was claimed: what the auditor scores by.
        models: number of models of each kind.
        first_seed: of batches and noise; the 2 * `models` seeds from here on are used, one for each model.
        actual: the training that is run instead; a fault on purpose.

    Returns:
        The scores of the models with the canary and of those without it, float64 (models,) each.

    Raises:
        ValueError: as in `canary_projections`.
    """
    rate = claimed.recipe.rate(len(neighbours.with_canary))
    scores = []
    for with_canary, first in ((True, first_seed), (False, first_seed + models)):
        seeds = range(first, first + models)
        projections = canary_projections(engine_type, neighbours, actual or claimed, seeds, with_canary)
        scaled = projections / claimed.recipe.clip_norm
        scores.append(log_likelihood_ratio(scaled, neighbours.relation, rate, claimed.noise_multiplier))
    return scores[0], scores[1]


def canary_projections(
    engine_type: type[Engine], neighbours: Neighbours, training: CanaryTraining, seeds: range, with_canary: bool
) -> np.ndarray:
    """Train one model for each seed and return how far each of its updates goes along the canary's gradient.

    Args:
        engine_type: the engine, for private runs.
        neighbours: the two training sets.
        training: how.
        seeds: from each of which follow those of batches and noise of one model.
        with_canary: which of the two sets.

    Returns:
        float64 (models, steps), in units of a gradient: up to noise, the clip norm where the canary was in the batch,
        minus the clip norm where its replacement was, and 0 elsewhere.

    Raises:
        ValueError: the recipe's updates are not sums of gradients.
    """
    recipe = training.recipe
    if recipe.optimiser != "sgd" or recipe.momentum or recipe.l2:
        raise ValueError("expected sgd without momentum and L2: only then is an update a sum of gradients")
    architecture = neighbours.architecture
    gradient = neighbours.canary_gradient().double()
    direction = gradient / gradient.norm()
    records = neighbours.with_canary if with_canary else neighbours.without
    width = engine_type.width(architecture, recipe)
    blocks = []
    for first in range(0, len(seeds), width):
        together = [
            Seeds(0, derive_seed(seed, "batches"), derive_seed(seed, "noise")) for seed in seeds[first : first + width]
        ]
        runs = [
            Run(f"model {model_seeds.noise}", records, model_seeds, training.noise_multiplier)
            for model_seeds in together
        ]
        streams = [training.streams_type(model_seeds, recipe, neighbours, with_canary) for model_seeds in together]
        engine = engine_type(architecture, recipe, runs, neighbours.x, neighbours.y, streams)
        places = [torch.stack(engine.parameters())]
        for _ in range(engine.steps):
            engine.advance(1)
            places.append(torch.stack(engine.parameters()))
        updates = torch.stack(places).diff(dim=0).double() @ direction
        blocks.append(updates.T.numpy())
    return np.concatenate(blocks) * (-recipe.batch_size / recipe.learning_rate)


def log_likelihood_ratio(projections: np.ndarray, relation: str, rate: float, noise_multiplier: float) -> np.ndarray:
    """Return the best score of an auditor who sees every update: high for models trained with the canary.

    Args:
        projections: (models, steps), from `canary_projections`, in units of the claimed clip norm.
        relation: `add_remove` or `replace_one`.
        rate: q, probability that a record is in a batch, in (0, 1].
        noise_multiplier: as claimed, > 0.

    Returns:
        float64 (models,), the logarithm of the ratio of the densities of the claimed mechanism (Neyman and Pearson).
    """

    def log_density(centre: float) -> np.ndarray:
        """Of a record at `centre` that joins with probability `rate`, relative to that of no record."""
        joined = np.log(rate) + centre * (2 * projections - centre) / (2 * noise_multiplier**2)
        return np.logaddexp(np.log1p(-rate), joined) if rate < 1 else joined

    return (log_density(1) - log_density(-1 if relation == "replace_one" else 0)).sum(1)
